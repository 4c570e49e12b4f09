// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/library/builtins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "modelica/elaborate/elaborator.hpp"

namespace daedal::modelica {

namespace {

constexpr std::size_t any = 100;

constexpr std::array elementary_functions = {
    std::pair{std::string_view("sqrt"), Op::sqrt}, std::pair{std::string_view("exp"), Op::exp},
    std::pair{std::string_view("log"), Op::log},   std::pair{std::string_view("sin"), Op::sin},
    std::pair{std::string_view("cos"), Op::cos},   std::pair{std::string_view("tan"), Op::tan},
    std::pair{std::string_view("asin"), Op::asin}, std::pair{std::string_view("acos"), Op::acos},
    std::pair{std::string_view("atan"), Op::atan}, std::pair{std::string_view("sinh"), Op::sinh},
    std::pair{std::string_view("cosh"), Op::cosh}, std::pair{std::string_view("tanh"), Op::tanh},
    std::pair{std::string_view("abs"), Op::abs},   std::pair{std::string_view("sign"), Op::sign}};

constexpr std::array refused_functions = {
    std::string_view("delay"),          std::string_view("spatialDistribution"),
    std::string_view("cardinality"),    std::string_view("inStream"),
    std::string_view("actualStream"),   std::string_view("Clock"),
    std::string_view("previous"),       std::string_view("hold"),
    std::string_view("subSample"),      std::string_view("superSample"),
    std::string_view("shiftSample"),    std::string_view("backSample"),
    std::string_view("noClock"),        std::string_view("interval"),
    std::string_view("getInstanceName")};

constexpr std::string_view math_package = "Modelica.Math.";

std::string_view plain_name(std::string_view name) {
  // The library's wrappers of the built-in functions are the functions themselves.
  const bool wrapped = name.substr(0, math_package.size()) == math_package &&
                       name.find('.', math_package.size()) == std::string_view::npos;
  return wrapped ? name.substr(math_package.size()) : name;
}

Op elementary_op(std::string_view name) {
  const auto* found = std::find_if(elementary_functions.begin(), elementary_functions.end(),
                                   [&](const auto& entry) { return entry.first == name; });
  return found->second;
}

}  // namespace

const std::vector<Builtins::Entry>& Builtins::table() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> all = {
        {"log10", 1, 1, &Builtins::log10},
        {"atan2", 2, 2, &Builtins::atan2},
        {"min", 1, 2, &Builtins::extremum},
        {"max", 1, 2, &Builtins::extremum},
        {"homotopy", 2, 2, &Builtins::homotopy},
        {"semiLinear", 3, 3, &Builtins::semi_linear},
        {"Integer", 1, 1, &Builtins::to_integer},
        {"String", 1, any, &Builtins::to_text},
        {"floor", 1, 1, &Builtins::floor},
        {"ceil", 1, 1, &Builtins::ceil},
        {"integer", 1, 1, &Builtins::integer},
        {"div", 2, 2, &Builtins::div},
        {"mod", 2, 2, &Builtins::mod},
        {"rem", 2, 2, &Builtins::rem},
        {"der", 1, 1, &Builtins::der},
        {"pre", 1, 1, &Builtins::pre},
        {"edge", 1, 1, &Builtins::edge},
        {"change", 1, 1, &Builtins::change},
        {"sample", 2, 2, &Builtins::sample},
        {"initial", 0, 0, &Builtins::initial},
        {"terminal", 0, 0, &Builtins::terminal},
        {"smooth", 2, 2, &Builtins::smooth},
        {"sum", 1, 1, &Builtins::sum},
        {"product", 1, 1, &Builtins::product},
        {"size", 1, 2, &Builtins::size},
        {"ndims", 1, 1, &Builtins::ndims},
        {"fill", 2, any, &Builtins::fill},
        {"zeros", 1, any, &Builtins::zeros},
        {"ones", 1, any, &Builtins::ones},
        {"identity", 1, 1, &Builtins::identity},
        {"diagonal", 1, 1, &Builtins::diagonal},
        {"transpose", 1, 1, &Builtins::transpose},
        {"symmetric", 1, 1, &Builtins::symmetric},
        {"cross", 2, 2, &Builtins::cross},
        {"skew", 1, 1, &Builtins::skew},
        {"outerProduct", 2, 2, &Builtins::outer_product},
        {"linspace", 3, 3, &Builtins::linspace},
        {"scalar", 1, 1, &Builtins::scalar},
        {"vector", 1, 1, &Builtins::vector},
        {"matrix", 1, 1, &Builtins::matrix},
        {"array", 1, any, &Builtins::array},
        {"cat", 2, any, &Builtins::cat},
    };
    for (const auto& entry : elementary_functions) {
      const bool keeps = entry.second == Op::abs || entry.second == Op::sign;
      all.push_back({entry.first, 1, 1, keeps ? &Builtins::keeps_type : &Builtins::elementary});
    }
    std::sort(all.begin(), all.end(),
              [](const Entry& a, const Entry& b) { return a.name < b.name; });
    return all;
  }();
  return entries;
}

bool Builtins::has(const std::string& name) {
  const std::string_view plain = plain_name(name);
  return std::any_of(table().begin(), table().end(),
                     [&](const Entry& entry) { return entry.name == plain; });
}

std::vector<std::string> Builtins::names() {
  std::vector<std::string> all{"noEvent"};
  for (const Entry& entry : table()) all.emplace_back(entry.name);
  return all;
}

std::string_view Builtins::refusal(const std::string& name) {
  if (name == "assert" || name == "reinit" || name == "terminate") {
    return "is a statement of its own, no value";
  }
  const bool refused = std::find(refused_functions.begin(), refused_functions.end(), name) !=
                       refused_functions.end();
  return refused ? "is not supported" : "";
}

Value Builtins::apply(const BuiltinCall& call) {
  const std::string_view plain = plain_name(call.name);
  const auto entry =
      std::find_if(table().begin(), table().end(), [&](const Entry& e) { return e.name == plain; });
  const std::size_t n = call.arguments.size();
  if (n < entry->min_arguments || n > entry->max_arguments) {
    const std::string expected = entry->min_arguments == entry->max_arguments
                                     ? fmt::format("{}", entry->min_arguments)
                                     : fmt::format("at least {}", entry->min_arguments);
    hub_.context.fail(ErrorCode::type_mismatch, call.where,
                      fmt::format("'{}' takes {} argument{}, but {} {} given.", call.name, expected,
                                  entry->min_arguments == 1 ? "" : "s", n, n == 1 ? "is" : "are"));
  }
  return (this->*entry->handler)(call);
}

void Builtins::need_numbers(const BuiltinCall& call) const {
  for (const Value& argument : call.arguments) {
    if (argument.is_number()) continue;
    hub_.context.fail(ErrorCode::type_mismatch, call.where,
                      fmt::format("'{}' takes numbers, not {}.", call.name, describe(argument)));
  }
}

const Value& Builtins::need_scalar(const BuiltinCall& call, std::size_t i) const {
  const Value& argument = call.arguments[i];
  if (!argument.is_scalar()) {
    hub_.context.fail(ErrorCode::type_mismatch, call.where,
                      fmt::format("'{}' takes scalars, not {}.", call.name, describe(argument)));
  }
  return argument;
}

Value Builtins::elementary(const BuiltinCall& call) {
  Value result = keeps_type(call);
  result.type = Type::real;
  return result;
}

Value Builtins::keeps_type(const BuiltinCall& call) {
  need_numbers(call);
  Value result = call.arguments[0];
  const Op op = elementary_op(plain_name(call.name));
  for (NodeId& node : result.nodes) node = hub_.context.pool.unary(op, node);
  if (op == Op::sign) result.type = Type::integer;
  return result;
}

Value Builtins::log10(const BuiltinCall& call) {
  need_numbers(call);
  Value result = call.arguments[0];
  result.type = Type::real;
  Pool& pool = hub_.context.pool;
  for (NodeId& node : result.nodes) {
    node = pool.mul(pool.constant(std::numbers::log10e), pool.unary(Op::log, node));
  }
  return result;
}

Value Builtins::atan2(const BuiltinCall& call) {
  need_numbers(call);
  const NodeId y = need_scalar(call, 0).node();
  return Value::scalar(Type::real,
                       hub_.context.pool.binary(Op::atan2, y, need_scalar(call, 1).node()));
}

Value Builtins::extremum(const BuiltinCall& call) {
  const bool is_min = plain_name(call.name) == "min";
  // false < true: the least of Booleans is true if all are, the greatest if any is.
  const bool is_logical = std::all_of(call.arguments.begin(), call.arguments.end(),
                                      [](const Value& v) { return v.type == Type::boolean; });
  if (!is_logical) need_numbers(call);
  const Op op =
      is_logical ? (is_min ? Op::logical_and : Op::logical_or) : (is_min ? Op::min : Op::max);
  const Value& first = call.arguments[0];
  std::vector<NodeId> nodes = first.nodes;
  Type type = first.type;
  if (call.arguments.size() == 2) {
    nodes = {need_scalar(call, 0).node(), need_scalar(call, 1).node()};
    if (call.arguments[1].type == Type::real) type = Type::real;
  }
  if (nodes.empty()) {
    hub_.context.fail(ErrorCode::invalid_value, call.where,
                      fmt::format("'{}' of an array without elements.", call.name));
  }
  NodeId result = nodes.front();
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    result = hub_.context.pool.binary(op, result, nodes[i]);
  }
  return Value::scalar(type, result);
}

/// The simplified expression helps a solver to start; the actual one is the model.
Value Builtins::homotopy(const BuiltinCall& call) {
  need_numbers(call);
  return call.arguments[0];
}

Value Builtins::semi_linear(const BuiltinCall& call) {
  need_numbers(call);
  Pool& pool = hub_.context.pool;
  const NodeId x = need_scalar(call, 0).node();
  const NodeId positive = pool.mul(x, need_scalar(call, 1).node());
  const NodeId negative = pool.mul(x, need_scalar(call, 2).node());
  const NodeId forward = pool.immediate_relation(Op::greater_equal, x, pool.constant(0.0));
  return Value::scalar(Type::real, pool.if_else(forward, positive, negative));
}

Value Builtins::to_integer(const BuiltinCall& call) {
  if (call.arguments[0].type != Type::enumeration) {
    hub_.context.fail(ErrorCode::type_mismatch, call.where,
                      "'Integer' converts enumerations; for numbers there is 'integer'.");
  }
  Value result = call.arguments[0];
  result.type = Type::integer;
  result.definition = none;
  return result;
}

/// Texts appear in messages only, and a value that is known during the run is left open there.
Value Builtins::to_text(const BuiltinCall& call) {
  const Value& value = call.arguments[0];
  if (value.type == Type::string) return value;
  const Node node = value.nodes.empty() ? Node{} : hub_.context.pool[value.node()];
  const bool known = node.op == Op::constant && value.is_scalar() && value.is_number();
  return {.type = Type::string, .strings = {known ? fmt::format("{}", node.value) : "..."}};
}

}  // namespace daedal::modelica
