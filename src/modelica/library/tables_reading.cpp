// SPDX-License-Identifier: BSD-3-Clause
/// From the object's constructor to the numbers of a table.

#include <fmt/format.h>

#include <algorithm>

#include "modelica/elaborate/elaborator.hpp"

namespace daedal::modelica {

const Tables::Table& Tables::table_of(const Value& object, Position where) {
  if (object.type != Type::external || object.strings.empty()) {
    hub_.context.fail(ErrorCode::type_mismatch, where,
                      fmt::format("A table is expected here, not {}.", describe(object)));
  }
  const std::string& name = object.strings.front();
  const auto known = tables_.find(name);
  if (known != tables_.end()) return known->second;
  return tables_[name] = read(object, where);
}

double Tables::number(const Value& value, Position where) {
  std::optional<double> known;
  if (value.is_scalar() && value.nodes.size() == 1) known = hub_.structure.fix(value.node());
  if (!known) {
    hub_.context.fail(ErrorCode::unsupported, where,
                      "The numbers of a table must be known before the run.");
  }
  return *known;
}

Tables::Table Tables::read(const Value& object, Position where) {
  const std::string& name = object.strings.front();
  const auto arguments = hub_.functions.constructor_arguments(object);
  const auto given = [&](std::string_view key) -> const Value* {
    const auto found = arguments.find(std::string(key));
    return found == arguments.end() ? nullptr : &found->second;
  };
  const Value* data = given("table");
  if (data == nullptr || data->shape.size() != 2 || data->nodes.empty()) {
    const Value* file = given("fileName");
    const bool on_file = file != nullptr && !file->strings.empty() &&
                         file->strings.front() != "NoName" && !file->strings.front().empty();
    hub_.context.fail(
        ErrorCode::unsupported, where,
        on_file ? fmt::format("The table '{}' lies in the file \"{}\": tables are read from the "
                              "model text only.",
                              name, file->strings.front())
                : fmt::format("The table '{}' has no matrix of numbers in the model text.", name));
  }
  Table table;
  const auto n_columns = static_cast<std::size_t>(data->shape[1]);
  std::vector<double> row;
  for (std::int64_t i = 0; i < count(data->shape); ++i) {
    row.push_back(number(element(*data, i), where));
    if (row.size() == n_columns) table.rows.push_back(std::exchange(row, {}));
  }
  if (const Value* columns = given("columns"); columns != nullptr) {
    for (std::int64_t i = 0; i < count(columns->shape); ++i)
      table.columns.push_back(static_cast<std::int64_t>(number(element(*columns, i), where)));
  }
  const auto choice = [&](std::string_view key, int last, int otherwise) {
    const Value* value = given(key);
    const int number_of = value == nullptr ? otherwise : static_cast<int>(number(*value, where));
    if (number_of < 1 || number_of > last) {
      hub_.context.fail(ErrorCode::invalid_value, where,
                        fmt::format("'{}' of the table '{}' must be 1 to {}, not {}.", key, name,
                                    last, number_of));
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
  const auto n = static_cast<std::int64_t>(table.columns.size());
  const std::int64_t place = i >= 1 && i <= n ? table.columns[static_cast<std::size_t>(i - 1)] : 0;
  if (place < 1 || place > static_cast<std::int64_t>(table.rows.front().size())) {
    hub_.context.fail(ErrorCode::invalid_value, where,
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
    hub_.context.fail(
        ErrorCode::invalid_value, where,
        fmt::format("The points of a table must increase; {} is followed by {}.", u[i], u[i + 1]));
  }
}

}  // namespace daedal::modelica
