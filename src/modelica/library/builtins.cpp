// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/library/builtins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace daedal::modelica {

namespace {

constexpr std::string_view refused_functions[] = {
    "cardinality", "inStream",  "actualStream",   "Clock",       "previous",
    "hold",        "subSample", "superSample",    "shiftSample", "backSample",
    "noClock",     "interval",  "getInstanceName"};

constexpr std::string_view math_package = "Modelica.Math.";

std::string_view plain_name(std::string_view name) {
  // The library's wrappers of the built-in functions are the functions themselves.
  const bool wrapped = name.starts_with(math_package) &&
                       name.find('.', math_package.size()) == std::string_view::npos;
  return wrapped ? name.substr(math_package.size()) : name;
}

/// The rows of all tables, by name.
const std::vector<Builtin>& all_builtins() {
  static const std::vector<Builtin> sorted = [] {
    std::vector<Builtin> all;
    for (const auto& table : {scalar_builtins(), array_builtins(), event_builtins()})
      all.insert(all.end(), table.begin(), table.end());
    std::ranges::sort(all, {}, &Builtin::name);
    return all;
  }();
  return sorted;
}

const Builtin* find(std::string_view name) {
  const std::string_view plain = plain_name(name);
  const auto row = std::ranges::lower_bound(all_builtins(), plain, {}, &Builtin::name);
  return row != all_builtins().end() && row->name == plain ? &*row : nullptr;
}

}  // namespace

bool is_builtin(std::string_view name) {
  return find(name) != nullptr;
}

std::vector<std::string> builtin_names() {
  std::vector<std::string> all{"noEvent"};
  for (const Builtin& row : all_builtins()) all.emplace_back(row.name);
  return all;
}

std::string_view builtin_refusal(std::string_view name) {
  if (name == "assert" || name == "reinit" || name == "terminate") {
    return "is a statement of its own, no value";
  }
  const bool refused = std::ranges::find(refused_functions, name) != std::end(refused_functions);
  return refused ? "is not supported" : "";
}

std::span<const std::string_view> formals_of(std::string_view builtin) {
  static constexpr std::string_view homotopy[] = {"actual", "simplified"};
  static constexpr std::string_view delay[] = {"expr", "delayTime", "delayMax"};
  static constexpr std::string_view transport[] = {
      "in0", "in1", "x", "positiveVelocity", "initialPoints", "initialValues"};
  if (builtin == "homotopy") return homotopy;
  if (builtin == "delay") return delay;
  if (builtin == "spatialDistribution") return transport;
  return {};
}

std::vector<Value> apply_builtin(const BuiltinContext& use, const BuiltinCall& call) {
  const Builtin& row = *find(call.name);
  const std::size_t n = call.arguments.size();
  if (n < row.min_arguments || n > row.max_arguments) {
    const std::string expected = row.min_arguments == row.max_arguments
                                     ? fmt::format("{}", row.min_arguments)
                                     : fmt::format("at least {}", row.min_arguments);
    use.fail(ErrorCode::type_mismatch, call.where,
             fmt::format("'{}' takes {} argument{}, but {} {} given.", call.name, expected,
                         row.min_arguments == 1 ? "" : "s", n, n == 1 ? "is" : "are"));
  }
  if (row.name == "spatialDistribution") return spatial_distribution(use, call);
  return {row.apply(use, call)};
}

void need_numbers(const BuiltinContext& use, const BuiltinCall& call) {
  for (const Value& argument : call.arguments) {
    if (argument.is_number()) continue;
    use.fail(ErrorCode::type_mismatch, call.where,
             fmt::format("'{}' takes numbers, not {}.", call.name, describe(argument)));
  }
}

const Value& need_scalar(const BuiltinContext& use, const BuiltinCall& call, std::size_t i) {
  const Value& argument = call.arguments[i];
  if (!argument.is_scalar()) {
    use.fail(ErrorCode::type_mismatch, call.where,
             fmt::format("'{}' takes scalars, not {}.", call.name, describe(argument)));
  }
  return argument;
}

}  // namespace daedal::modelica
