// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/library/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "modelica/elaborate/expressions/functions.hpp"
#include "modelica/elaborate/expressions/structural_parameters.hpp"

namespace daedal::modelica {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// The library's way to say that a table of time has no further event.
constexpr double never = 1e300;
/// Times closer than this, relative to the period or the time itself, are one.
constexpr double same_time = 1e-12;

}  // namespace

const Tables::Reading* Tables::find(std::string_view name, std::string_view external_name) {
  static constexpr std::string_view package = "Modelica.Blocks.Tables.Internal.";
  static constexpr Reading by_name[] = {
      {"getTable1DValue", 3, &Tables::value_1d},
      {"getTable1DValueNoDer", 3, &Tables::value_1d},
      {"getTable1DValueNoDer2", 3, &Tables::value_1d},
      {"getTable1DAbscissaUmin", 1, &Tables::least_point},
      {"getTable1DAbscissaUmax", 1, &Tables::greatest_point},
      {"getTable2DValue", 3, &Tables::value_2d},
      {"getTable2DValueNoDer", 3, &Tables::value_2d},
      {"getTable2DValueNoDer2", 3, &Tables::value_2d},
      {"getTimeTableValue", 4, &Tables::value_of_time},
      {"getTimeTableValueNoDer", 4, &Tables::value_of_time},
      {"getTimeTableValueNoDer2", 4, &Tables::value_of_time},
      {"getNextTimeEvent", 2, &Tables::next_event},
      {"getTimeTableTmin", 1, &Tables::least_point},
      {"getTimeTableTmax", 1, &Tables::greatest_point},
  };
  static constexpr std::string_view c_prefix = "ModelicaStandardTables_";
  static constexpr Reading by_external_name[] = {
      {"CombiTable1D_getValue", 3, &Tables::value_1d},
      {"CombiTable1D_minimumAbscissa", 1, &Tables::least_point},
      {"CombiTable1D_maximumAbscissa", 1, &Tables::greatest_point},
      {"CombiTable2D_getValue", 3, &Tables::value_2d},
      {"CombiTimeTable_getValue", 4, &Tables::value_of_time},
      {"CombiTimeTable_nextTimeEvent", 2, &Tables::next_event},
      {"CombiTimeTable_minimumTime", 1, &Tables::least_point},
      {"CombiTimeTable_maximumTime", 1, &Tables::greatest_point},
  };
  const auto in = [](std::span<const Reading> rows, std::string_view prefix,
                     std::string_view full) -> const Reading* {
    if (!full.starts_with(prefix)) return nullptr;
    const auto row = std::ranges::find(rows, full.substr(prefix.size()), &Reading::name);
    return row == rows.end() ? nullptr : &*row;
  };
  const Reading* found = in(by_name, package, name);
  return found != nullptr ? found : in(by_external_name, c_prefix, external_name);
}

bool Tables::has(std::string_view name, std::string_view external_name) {
  return find(name, external_name) != nullptr;
}

Value Tables::call(std::string_view name, std::string_view external_name,
                   std::span<const Value> arguments, Position where) {
  const Reading& reading = *find(name, external_name);
  if (arguments.size() < reading.least_arguments) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("'{}' has {} arguments, and needs {}.", name, arguments.size(),
                              reading.least_arguments));
  }
  for (const Value& argument : arguments.subspan(1)) {
    if (argument.is_number() && argument.is_scalar() && argument.nodes.size() == 1) continue;
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("'{}' takes a table and numbers.", name));
  }
  return (this->*reading.read)(arguments, where);
}

const Tables::Table& Tables::table_of(const Value& object, Position where) {
  if (object.type != Type::external || object.strings.empty()) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("A table is expected here, not {}.", describe(object)));
  }
  const std::string& name = object.strings.front();
  const auto known = tables_.find(name);
  if (known != tables_.end()) return known->second;
  return tables_[name] = read(object, where);
}

double Tables::number(const Value& value, Position where) {
  std::optional<double> known;
  if (value.is_scalar() && value.nodes.size() == 1) known = structure_.fix(value.node());
  if (!known) {
    context_.fail(ErrorCode::unsupported, where,
                  "The numbers of a table must be known before the run.");
  }
  return *known;
}

Tables::Table Tables::read(const Value& object, Position where) {
  const std::string& name = object.strings.front();
  const auto arguments = functions_.constructor_arguments(object);
  const auto given = [&](std::string_view key) -> const Value* {
    const auto found = arguments.find(std::string(key));
    return found == arguments.end() ? nullptr : &found->second;
  };
  const Value* data = given("table");
  if (data == nullptr || data->shape.size() != 2 || data->nodes.empty()) {
    const Value* file = given("fileName");
    const bool on_file = file != nullptr && !file->strings.empty() &&
                         file->strings.front() != "NoName" && !file->strings.front().empty();
    context_.fail(
        ErrorCode::unsupported, where,
        on_file ? fmt::format("The table '{}' lies in the file \"{}\": tables are read from the "
                              "model text only.",
                              name, file->strings.front())
                : fmt::format("The table '{}' has no matrix of numbers in the model text.", name));
  }
  Table table;
  const auto n_columns = static_cast<std::size_t>(data->shape[1]);
  std::vector<double> row;
  for (std::size_t i = 0; i < n_elements(data->shape); ++i) {
    row.push_back(number(element(*data, i), where));
    if (row.size() == n_columns) table.rows.push_back(std::exchange(row, {}));
  }
  if (const Value* columns = given("columns"); columns != nullptr) {
    for (std::size_t i = 0; i < n_elements(columns->shape); ++i)
      table.columns.push_back(static_cast<std::int64_t>(number(element(*columns, i), where)));
  }
  const auto choice = [&](std::string_view key, int last, int otherwise) {
    const Value* value = given(key);
    const int number_of = value == nullptr ? otherwise : static_cast<int>(number(*value, where));
    if (number_of < 1 || number_of > last) {
      context_.fail(ErrorCode::invalid_value, where,
                    fmt::format("'{}' of the table '{}' must be 1 to {}, not {}.", key, name, last,
                                number_of));
    }
    return number_of;
  };
  table.smoothness = static_cast<Smoothness>(choice("smoothness", 6, 1));
  table.extrapolation = static_cast<Extrapolation>(choice("extrapolation", 4, 2));
  table.time_events = static_cast<TimeEvents>(choice("timeEvents", 3, 1));
  if (const Value* shift = given("shiftTime")) table.shift_time = number(*shift, where);
  const Value* start = given("startTime");
  table.start_time = start == nullptr ? -1e60 : number(*start, where);
  return table;
}

Tables::Column Tables::column(const Table& table, const Value& number_of_column, Position where) {
  const auto i = static_cast<std::int64_t>(number(number_of_column, where));
  const auto n = std::ssize(table.columns);
  const std::int64_t place = i >= 1 && i <= n ? table.columns[static_cast<std::size_t>(i - 1)] : 0;
  if (place < 1 || place > std::ssize(table.rows.front())) {
    context_.fail(ErrorCode::invalid_value, where,
                  fmt::format("The table has no column for output {}.", i));
  }
  Column result;
  for (const auto& row : table.rows) {
    if (!result.u.empty() && row.front() < result.u.back()) check_increasing({1.0, 0.0}, where);
    result.u.push_back(row.front());
    result.y.push_back(row[static_cast<std::size_t>(place - 1)]);
  }
  return result;
}

void Tables::check_increasing(const std::vector<double>& u, Position where) const {
  for (std::size_t i = 0; i + 1 < u.size(); ++i) {
    if (u[i] < u[i + 1]) continue;
    context_.fail(
        ErrorCode::invalid_value, where,
        fmt::format("The points of a table must increase; {} is followed by {}.", u[i], u[i + 1]));
  }
}

NodeId Tables::polynomial(const Piece& piece, NodeId u) {
  Pool& pool = context_.pool;
  const NodeId d = pool.sub(u, pool.constant(piece.begin));
  const auto& c = piece.coefficients;
  NodeId sum = pool.constant(c[3]);
  for (std::size_t k = 3; k-- > 0;) sum = pool.add(pool.constant(c[k]), pool.mul(d, sum));
  return sum;
}

NodeId Tables::choose(std::span<const Case> cases, NodeId chooser) {
  if (cases.size() == 1) return cases.front().value;
  Pool& pool = context_.pool;
  const std::size_t half = cases.size() / 2;
  const NodeId is_below =
      pool.immediate_relation(Op::less, chooser, pool.constant(cases[half - 1].end));
  const NodeId below = choose(cases.first(half), chooser);
  return pool.if_else(is_below, below, choose(cases.subspan(half), chooser));
}

/// u brought into [begin, begin + period).
NodeId Tables::wrapped(NodeId u, double begin, double period) {
  Pool& pool = context_.pool;
  const NodeId passed = pool.div(pool.sub(u, pool.constant(begin)), pool.constant(period));
  return pool.sub(u, pool.mul(pool.constant(period), pool.unary(Op::floor, passed)));
}

/// The pieces of a column with what continues them below and above, each with its end. A jump of a
/// table of time parts it into stretches that are interpolated on their own.
std::vector<Tables::Case> Tables::cases(const Column& column, const Table& table, NodeId u,
                                        Position where) {
  std::vector<Piece> pieces;
  const std::size_t n = column.u.size();
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin + 1;
    while (end < n && column.u[end] > column.u[end - 1]) ++end;
    const auto part_u = std::span(column.u).subspan(begin, end - begin);
    const auto part_y = std::span(column.y).subspan(begin, end - begin);
    const bool is_only_point = part_u.size() == 1 && n > 1;
    if (!is_only_point) {
      const auto own = interpolate(part_u, part_y, table.smoothness);
      pieces.insert(pieces.end(), own.begin(), own.end());
    }
    begin = end;
  }
  if (pieces.empty()) {
    context_.fail(ErrorCode::invalid_value, where, "The table has no two different points.");
  }
  std::vector<Case> result;
  const bool is_constant = table.smoothness == Smoothness::constant || n == 1;
  const bool holds = table.extrapolation == Extrapolation::hold || is_constant;
  const auto line = [&](double at, double value, double rate) {
    return polynomial({at, {value, holds ? 0.0 : rate}}, u);
  };
  const double first_rate = slope(pieces.front(), 0.0);
  result.push_back({column.u.front(), line(column.u.front(), column.y.front(), first_rate)});
  for (std::size_t k = 0; k < pieces.size() && n > 1; ++k) {
    const double end = k + 1 < pieces.size() ? pieces[k + 1].begin : column.u.back();
    result.push_back({end, polynomial(pieces[k], u)});
  }
  const double last_rate = slope(pieces.back(), column.u.back() - pieces.back().begin);
  result.push_back({infinity, line(column.u.back(), column.y.back(), last_rate)});
  return result;
}

NodeId Tables::interpolated(const Column& column, const Table& table, NodeId u, Position where) {
  if (table.extrapolation == Extrapolation::periodic && column.u.size() > 1)
    u = wrapped(u, column.u.front(), column.u.back() - column.u.front());
  return choose(cases(column, table, u, where), u);
}

Value Tables::value_1d(std::span<const Value> arguments, Position where) {
  const Table& table = table_of(arguments[0], where);
  const Column data = column(table, arguments[1], where);
  check_increasing(data.u, where);
  return Value::scalar(Type::real, interpolated(data, table, arguments[2].node(), where));
}

/// Row by row in the second variable, then between the rows in the first.
Value Tables::value_2d(std::span<const Value> arguments, Position where) {
  Pool& pool = context_.pool;
  const Table& table = table_of(arguments[0], where);
  const std::size_t n = table.rows.size();
  const bool is_supported =
      table.smoothness == Smoothness::linear && table.extrapolation != Extrapolation::periodic;
  if (!is_supported || n < 3 || table.rows.front().size() < 3) {
    context_.fail(ErrorCode::unsupported, where,
                  "Tables of two variables are interpolated linearly only, with two points or "
                  "more in each.");
  }
  const NodeId u1 = arguments[1].node();
  const NodeId u2 = arguments[2].node();
  std::vector<double> points;
  std::vector<NodeId> values;
  for (std::size_t i = 1; i < n; ++i) {
    points.push_back(table.rows[i].front());
    const Column row{{table.rows[0].begin() + 1, table.rows[0].end()},
                     {table.rows[i].begin() + 1, table.rows[i].end()}};
    check_increasing(row.u, where);
    values.push_back(interpolated(row, table, u2, where));
  }
  check_increasing(points, where);
  std::vector<Case> between;
  const bool holds = table.extrapolation == Extrapolation::hold;
  if (holds) between.push_back({points.front(), values.front()});
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const NodeId share =
        pool.div(pool.sub(u1, pool.constant(points[i])), pool.constant(points[i + 1] - points[i]));
    const NodeId rise = pool.mul(share, pool.sub(values[i + 1], values[i]));
    const bool is_open = !holds && i + 2 == points.size();
    between.push_back({is_open ? infinity : points[i + 1], pool.add(values[i], rise)});
  }
  if (holds) between.push_back({infinity, values.back()});
  return Value::scalar(Type::real, choose(between, u1));
}

/// getValue(table, column, t, next event, pre(next event)): the piece is the one that ends at the
/// next event, so that it changes at events and nowhere else.
Value Tables::value_of_time(std::span<const Value> arguments, Position where) {
  Pool& pool = context_.pool;
  const Table& table = table_of(arguments[0], where);
  Column data = column(table, arguments[1], where);
  for (double& u : data.u) u += table.shift_time;
  NodeId t = arguments[2].node();
  const bool by_time = table.time_events == TimeEvents::never;
  NodeId chooser = by_time ? t : arguments[3].node();
  const double begin = data.u.front();
  const double period = data.u.back() - begin;
  if (table.extrapolation == Extrapolation::periodic && period > 0.0) {
    // By the next event, which lies in (begin, begin + period] of its own turn.
    const NodeId end = by_time ? pool.add(t, pool.constant(same_time * period)) : chooser;
    const NodeId turns = pool.div(pool.sub(end, pool.constant(begin)), pool.constant(period));
    const NodeId number =
        by_time ? pool.unary(Op::floor, turns)
                : pool.neg(pool.add(pool.constant(1.0),
                                    pool.unary(Op::floor, pool.sub(pool.constant(1e-9), turns))));
    const NodeId passed = pool.mul(pool.constant(period), number);
    t = pool.sub(t, passed);
    chooser = pool.sub(chooser, passed);
  }
  std::vector<Case> all = cases(data, table, t, where);
  if (!by_time) {
    const double turning = table.extrapolation == Extrapolation::periodic ? 1e-9 * period : 0.0;
    for (Case& each : all) {
      // The piece that ends at the next event is the one to take.
      const double slack = std::max(turning, same_time * std::abs(each.end));
      each.end += std::max(slack, std::numeric_limits<double>::min());
    }
  }
  NodeId y = choose(all, chooser);
  if (table.start_time > -1e59) {
    const NodeId before =
        pool.immediate_relation(by_time ? Op::less : Op::less_equal,
                                by_time ? t : arguments[3].node(), pool.constant(table.start_time));
    y = pool.if_else(before, pool.constant(0.0), y);
  }
  return Value::scalar(Type::real, y);
}

/// The first point of the table after t.
Value Tables::next_event(std::span<const Value> arguments, Position where) {
  Pool& pool = context_.pool;
  const Table& table = table_of(arguments[0], where);
  const NodeId t = arguments[1].node();
  std::vector<double> points;
  for (const auto& row : table.rows) points.push_back(row.front() + table.shift_time);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (table.time_events == TimeEvents::never) points.clear();
  const bool turns = table.extrapolation == Extrapolation::periodic && points.size() > 1;
  const double period = turns ? points.back() - points.front() : 0.0;
  NodeId passed = pool.constant(0.0);
  if (turns) {
    const NodeId late = pool.add(t, pool.constant(same_time * period));
    const NodeId number = pool.unary(
        Op::floor, pool.div(pool.sub(late, pool.constant(points.front())), pool.constant(period)));
    passed = pool.mul(pool.constant(period), number);
  }
  std::vector<Case> next;
  for (const double point : points) {
    const double slack = same_time * std::max(std::abs(point), period);
    next.push_back({point - slack, pool.add(passed, pool.constant(point))});
  }
  if (!turns) next.push_back({infinity, pool.constant(never)});
  NodeId result = choose(next, pool.sub(t, passed));
  if (table.start_time > -1e59) {
    const NodeId start = pool.constant(table.start_time);
    result = pool.if_else(pool.immediate_relation(Op::less, t, start), start, result);
  }
  return Value::scalar(Type::real, result);
}

Value Tables::least_point(std::span<const Value> arguments, Position where) {
  const double point = table_of(arguments[0], where).rows.front().front();
  return Value::scalar(Type::real, context_.pool.constant(point));
}

Value Tables::greatest_point(std::span<const Value> arguments, Position where) {
  const double point = table_of(arguments[0], where).rows.back().front();
  return Value::scalar(Type::real, context_.pool.constant(point));
}

}  // namespace daedal::modelica
