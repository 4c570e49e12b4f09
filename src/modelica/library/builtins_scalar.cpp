// SPDX-License-Identifier: BSD-3-Clause
/// Functions of numbers, and conversions.

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "model/variants.hpp"
#include "modelica/library/builtins.hpp"

namespace daedal::modelica {

namespace {

/// Types of results, as the table of elementary functions names them.
enum class ResultType { real, same, integer };

/// An elementary function, element by element.
template <Op op, ResultType type>
Value elementary(const BuiltinContext& use, const BuiltinCall& call) {
  need_numbers(use, call);
  Value result = call.arguments[0];
  for (NodeId& node : result.nodes) node = use.context.pool.unary(op, node);
  if (type == ResultType::real) result.type = Type::real;
  if (type == ResultType::integer) result.type = Type::integer;
  return result;
}

Value log10(const BuiltinContext& use, const BuiltinCall& call) {
  need_numbers(use, call);
  Value result = call.arguments[0];
  result.type = Type::real;
  Pool& pool = use.context.pool;
  for (NodeId& node : result.nodes) {
    node = pool.mul(pool.constant(std::numbers::log10e), pool.unary(Op::log, node));
  }
  return result;
}

Value atan2(const BuiltinContext& use, const BuiltinCall& call) {
  need_numbers(use, call);
  const NodeId y = need_scalar(use, call, 0).node();
  return Value::scalar(Type::real,
                       use.context.pool.binary(Op::atan2, y, need_scalar(use, call, 1).node()));
}

template <bool is_min>
Value extremum(const BuiltinContext& use, const BuiltinCall& call) {
  // false < true: the least of Booleans is true if all are, the greatest if any is.
  const bool is_logical = std::all_of(call.arguments.begin(), call.arguments.end(),
                                      [](const Value& v) { return v.type == Type::boolean; });
  if (!is_logical) need_numbers(use, call);
  const Op op =
      is_logical ? (is_min ? Op::logical_and : Op::logical_or) : (is_min ? Op::min : Op::max);
  const Value& first = call.arguments[0];
  std::vector<NodeId> nodes = first.nodes;
  Type type = first.type;
  if (call.arguments.size() == 2) {
    nodes = {need_scalar(use, call, 0).node(), need_scalar(use, call, 1).node()};
    if (call.arguments[1].type == Type::real) type = Type::real;
  }
  if (nodes.empty()) {
    use.fail(ErrorCode::invalid_value, call.where,
             fmt::format("'{}' of an array without elements.", call.name));
  }
  NodeId result = nodes.front();
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    result = use.context.pool.binary(op, result, nodes[i]);
  }
  return Value::scalar(type, result);
}

/// The simplified expression helps a solver to start, the actual one is the model: their mean with
/// a parameter for the share of the latter, which is 1 but for the search of a start.
Value homotopy(const BuiltinContext& use, const BuiltinCall& call) {
  need_numbers(use, call);
  Context& context = use.context;
  Value result = call.arguments[0];
  const std::vector<NodeId>& simplified = call.arguments[1].nodes;
  if (simplified.size() != result.nodes.size() || result.nodes == simplified) return result;
  if (context.homotopy == no_node) {
    const Expr share = context.builder.parameter(std::string(homotopy_parameter), 1.0);
    context.homotopy = share.in(context.pool);
  }
  Pool& pool = context.pool;
  const NodeId rest = pool.sub(pool.constant(1.0), context.homotopy);
  for (std::size_t k = 0; k < simplified.size(); ++k) {
    result.nodes[k] =
        pool.add(pool.mul(context.homotopy, result.nodes[k]), pool.mul(rest, simplified[k]));
  }
  return result;
}

Value semi_linear(const BuiltinContext& use, const BuiltinCall& call) {
  need_numbers(use, call);
  Pool& pool = use.context.pool;
  const NodeId x = need_scalar(use, call, 0).node();
  const NodeId positive = pool.mul(x, need_scalar(use, call, 1).node());
  const NodeId negative = pool.mul(x, need_scalar(use, call, 2).node());
  const NodeId forward = pool.immediate_relation(Op::greater_equal, x, pool.constant(0.0));
  return Value::scalar(Type::real, pool.if_else(forward, positive, negative));
}

Value to_integer(const BuiltinContext& use, const BuiltinCall& call) {
  if (call.arguments[0].type != Type::enumeration) {
    use.fail(ErrorCode::type_mismatch, call.where,
             "'Integer' converts enumerations; for numbers there is 'integer'.");
  }
  Value result = call.arguments[0];
  result.type = Type::integer;
  result.definition = none;
  return result;
}

/// A value that is known during the run is left open in the text.
Value to_text(const BuiltinContext& use, const BuiltinCall& call) {
  const Value& value = call.arguments[0];
  if (value.type == Type::string) return value;
  const Node node = value.nodes.empty() ? Node{} : use.context.pool[value.node()];
  const bool known = node.op == Op::constant && value.is_scalar() && value.is_number();
  for (const NodeId each : value.nodes)
    use.context.uses.push_back({.node = each, .unit = use.context.unit});
  return {.type = Type::string,
          .strings = {known ? fmt::format("{}", node.value) : std::string(1, open_text)}};
}

constexpr Builtin scalar_builtins_table[] = {{"log10", 1, 1, log10},
                                             {"atan2", 2, 2, atan2},
                                             {"min", 1, 2, extremum<true>},
                                             {"max", 1, 2, extremum<false>},
                                             {"homotopy", 2, 2, homotopy},
                                             {"semiLinear", 3, 3, semi_linear},
                                             {"Integer", 1, 1, to_integer},
                                             {"String", 1, Builtin::any, to_text},
#define DAEDAL_BUILTIN(name, type) {#name, 1, 1, elementary<Op::name, ResultType::type>},
#define DAEDAL_BUILTIN_real(name) DAEDAL_BUILTIN(name, real)
#define DAEDAL_BUILTIN_same(name) DAEDAL_BUILTIN(name, same)
#define DAEDAL_BUILTIN_integer(name) DAEDAL_BUILTIN(name, integer)
#define DAEDAL_BUILTIN_held(name)  // has a row among the functions with events
#define DAEDAL_ROW(name, arity, value, taylor, slope, lanes, traits, result) \
  DAEDAL_BUILTIN_##result(name)
                                             DAEDAL_ELEMENTARY_FUNCTIONS(DAEDAL_ROW)
#undef DAEDAL_ROW
#undef DAEDAL_BUILTIN_held
#undef DAEDAL_BUILTIN_integer
#undef DAEDAL_BUILTIN_same
#undef DAEDAL_BUILTIN_real
#undef DAEDAL_BUILTIN
};

}  // namespace

std::span<const Builtin> scalar_builtins() {
  return scalar_builtins_table;
}

}  // namespace daedal::modelica
