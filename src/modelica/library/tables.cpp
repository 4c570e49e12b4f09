// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/library/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "modelica/elaborate/elaborator.hpp"

namespace daedal::modelica {

namespace {

enum class Reading {
  unknown,
  value_1d,
  value_2d,
  value_of_time,
  next_event,
  least,
  greatest,
};

constexpr std::string_view library = "Modelica.Blocks.Tables.Internal.";
constexpr std::string_view c_library = "ModelicaStandardTables_";

constexpr std::array readings = {
    std::pair{"getTable1DValue", Reading::value_1d},
    std::pair{"getTable1DValueNoDer", Reading::value_1d},
    std::pair{"getTable1DValueNoDer2", Reading::value_1d},
    std::pair{"getTable1DAbscissaUmin", Reading::least},
    std::pair{"getTable1DAbscissaUmax", Reading::greatest},
    std::pair{"getTable2DValue", Reading::value_2d},
    std::pair{"getTable2DValueNoDer", Reading::value_2d},
    std::pair{"getTable2DValueNoDer2", Reading::value_2d},
    std::pair{"getTimeTableValue", Reading::value_of_time},
    std::pair{"getTimeTableValueNoDer", Reading::value_of_time},
    std::pair{"getTimeTableValueNoDer2", Reading::value_of_time},
    std::pair{"getNextTimeEvent", Reading::next_event},
    std::pair{"getTimeTableTmin", Reading::least},
    std::pair{"getTimeTableTmax", Reading::greatest},
};
constexpr std::array c_readings = {
    std::pair{"CombiTable1D_getValue", Reading::value_1d},
    std::pair{"CombiTable1D_minimumAbscissa", Reading::least},
    std::pair{"CombiTable1D_maximumAbscissa", Reading::greatest},
    std::pair{"CombiTable2D_getValue", Reading::value_2d},
    std::pair{"CombiTimeTable_getValue", Reading::value_of_time},
    std::pair{"CombiTimeTable_nextTimeEvent", Reading::next_event},
    std::pair{"CombiTimeTable_minimumTime", Reading::least},
    std::pair{"CombiTimeTable_maximumTime", Reading::greatest},
};

template <class Names>
Reading find(const Names& names, std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return Reading::unknown;
  name.remove_prefix(prefix.size());
  for (const auto& [known, reading] : names)
    if (name == known) return reading;
  return Reading::unknown;
}

Reading reading_of(const std::string& name, const std::string& external_name) {
  const Reading by_name = find(readings, name, library);
  return by_name != Reading::unknown ? by_name : find(c_readings, external_name, c_library);
}

constexpr double infinity = std::numeric_limits<double>::infinity();
/// The library's way to say that a table of time has no further event.
constexpr double never = 1e300;
/// Times closer than this, relative to the period or the time itself, are one.
constexpr double same_time = 1e-12;

}  // namespace

bool Tables::has(const std::string& name, const std::string& external_name) {
  return reading_of(name, external_name) != Reading::unknown;
}

Value Tables::call(const std::string& name, const std::string& external_name,
                   std::span<const Value> arguments, Position where) {
  static constexpr std::array<std::size_t, 7> least_arguments = {0, 3, 3, 4, 2, 1, 1};
  const Reading reading = reading_of(name, external_name);
  if (arguments.size() < least_arguments[static_cast<std::size_t>(reading)]) {
    hub_.context.fail(ErrorCode::type_mismatch, where,
                      fmt::format("'{}' has {} arguments, and needs {}.", name, arguments.size(),
                                  least_arguments[static_cast<std::size_t>(reading)]));
  }
  for (const Value& argument : arguments.subspan(1)) {
    if (argument.is_number() && argument.is_scalar() && argument.nodes.size() == 1) continue;
    hub_.context.fail(ErrorCode::type_mismatch, where,
                      fmt::format("'{}' takes a table and numbers.", name));
  }
  switch (reading) {
    case Reading::value_1d:
      return value_1d(arguments, where);
    case Reading::value_2d:
      return value_2d(arguments, where);
    case Reading::value_of_time:
      return value_of_time(arguments, where);
    case Reading::next_event:
      return next_event(arguments, where);
    case Reading::unknown:
    case Reading::least:
    case Reading::greatest:
      break;
  }
  return bound(arguments, reading == Reading::greatest, where);
}

NodeId Tables::polynomial(const Piece& piece, NodeId u) {
  Pool& pool = hub_.context.pool;
  const NodeId d = pool.sub(u, pool.constant(piece.begin));
  const auto& c = piece.coefficients;
  NodeId sum = pool.constant(c[3]);
  for (std::size_t k = 3; k-- > 0;) sum = pool.add(pool.constant(c[k]), pool.mul(d, sum));
  return sum;
}

NodeId Tables::choose(std::span<const Case> cases, NodeId chooser) {
  if (cases.size() == 1) return cases.front().value;
  Pool& pool = hub_.context.pool;
  const std::size_t half = cases.size() / 2;
  const NodeId is_below =
      pool.immediate_relation(Op::less, chooser, pool.constant(cases[half - 1].end));
  const NodeId below = choose(cases.first(half), chooser);
  return pool.if_else(is_below, below, choose(cases.subspan(half), chooser));
}

/// u brought into [begin, begin + period).
NodeId Tables::wrapped(NodeId u, double begin, double period) {
  Pool& pool = hub_.context.pool;
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
    const Column part{{column.u.begin() + static_cast<std::ptrdiff_t>(begin),
                       column.u.begin() + static_cast<std::ptrdiff_t>(end)},
                      {column.y.begin() + static_cast<std::ptrdiff_t>(begin),
                       column.y.begin() + static_cast<std::ptrdiff_t>(end)}};
    const bool is_only_point = part.u.size() == 1 && n > 1;
    if (!is_only_point) {
      const auto own = interpolate(part.u, part.y, table.smoothness);
      pieces.insert(pieces.end(), own.begin(), own.end());
    }
    begin = end;
  }
  if (pieces.empty()) {
    hub_.context.fail(ErrorCode::invalid_value, where, "The table has no two different points.");
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
  Pool& pool = hub_.context.pool;
  const Table& table = table_of(arguments[0], where);
  const std::size_t n = table.rows.size();
  const bool is_supported =
      table.smoothness == Smoothness::linear && table.extrapolation != Extrapolation::periodic;
  if (!is_supported || n < 3 || table.rows.front().size() < 3) {
    hub_.context.fail(ErrorCode::unsupported, where,
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
  Pool& pool = hub_.context.pool;
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
  Pool& pool = hub_.context.pool;
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

Value Tables::bound(std::span<const Value> arguments, bool upper, Position where) {
  const Table& table = table_of(arguments[0], where);
  const auto& row = upper ? table.rows.back() : table.rows.front();
  return Value::scalar(Type::real, hub_.context.pool.constant(row.front()));
}

}  // namespace daedal::modelica
