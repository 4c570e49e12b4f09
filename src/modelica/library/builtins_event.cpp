// SPDX-License-Identifier: BSD-3-Clause
/// Rounding functions, which jump and therefore make events; derivatives; discrete operators.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "expr/calculus.hpp"
#include "modelica/elaborate/equations/delays.hpp"
#include "modelica/elaborate/equations/discretes.hpp"
#include "modelica/elaborate/expressions/structural_parameters.hpp"
#include "modelica/library/builtins.hpp"

namespace daedal::modelica {

namespace {

/// floor(a). Of a value that changes between events it is held by a hidden discrete variable k:
/// k jumps when a leaves [pre(k), pre(k) + 1). The new value steps at least one away from pre(k),
/// because at the crossing itself rounding may leave a on either side.
NodeId rounded_down(const BuiltinContext& use, NodeId a, Position where) {
  Pool& pool = use.context.pool;
  const NodeId plain = pool.unary(Op::floor, a);
  const bool once = use.context.immediate || use.context.instant;
  if (once || !use.structure.is_continuous(a)) return plain;
  const NodeId held = use.discretes.add_hidden("floor", ValueType::integer, 0.0, where);
  const NodeId before = use.context.builder.pre({pool, held}).in(pool);
  const NodeId one = pool.constant(1.0);
  const NodeId above = pool.relation(Op::greater_equal, a, pool.add(before, one));
  const NodeId below = pool.relation(Op::less, a, before);
  const NodeId up = pool.binary(Op::max, plain, pool.add(before, one));
  const NodeId down = pool.binary(Op::min, plain, pool.sub(before, one));
  const NodeId moved = pool.if_else(above, up, pool.if_else(below, down, before));
  use.discretes.define(held, pool.if_else(pool.initial(), plain, moved), where);
  return held;
}

/// a rounded towards zero.
NodeId truncated(const BuiltinContext& use, NodeId a, Position where) {
  Pool& pool = use.context.pool;
  const NodeId zero = pool.constant(0.0);
  const NodeId nonnegative = pool.immediate_relation(Op::greater_equal, a, zero);
  const NodeId down = rounded_down(use, a, where);
  const NodeId up = pool.neg(rounded_down(use, pool.neg(a), where));
  return pool.if_else(nonnegative, down, up);
}

Value floor(const BuiltinContext& use, const BuiltinCall& call) {
  need_numbers(use, call);
  Value result = call.arguments[0];
  for (NodeId& node : result.nodes) node = rounded_down(use, node, call.where);
  return result;
}

Value ceil(const BuiltinContext& use, const BuiltinCall& call) {
  need_numbers(use, call);
  Pool& pool = use.context.pool;
  Value result = call.arguments[0];
  for (NodeId& node : result.nodes) node = pool.neg(rounded_down(use, pool.neg(node), call.where));
  return result;
}

Value integer(const BuiltinContext& use, const BuiltinCall& call) {
  Value result = floor(use, call);
  result.type = Type::integer;
  return result;
}

/// div(x, 0), mod(x, 0) and rem(x, 0) have no value.
void refuse_zero_divisor(const BuiltinContext& use, const BuiltinCall& call) {
  const Node divisor = use.context.pool[need_scalar(use, call, 1).node()];
  if (divisor.op != Op::constant || divisor.value != 0.0) return;
  use.fail(ErrorCode::invalid_value, call.where,
           fmt::format("'{}' divides by its second argument, which is 0.", call.name));
}

Value div(const BuiltinContext& use, const BuiltinCall& call) {
  need_numbers(use, call);
  refuse_zero_divisor(use, call);
  const Value& x = need_scalar(use, call, 0);
  const Value& y = need_scalar(use, call, 1);
  const bool whole = x.type == Type::integer && y.type == Type::integer;
  const NodeId quotient = use.context.pool.div(x.node(), y.node());
  return Value::scalar(whole ? Type::integer : Type::real, truncated(use, quotient, call.where));
}

Value mod(const BuiltinContext& use, const BuiltinCall& call) {
  need_numbers(use, call);
  refuse_zero_divisor(use, call);
  Pool& pool = use.context.pool;
  const Value& x = need_scalar(use, call, 0);
  const Value& y = need_scalar(use, call, 1);
  const bool whole = x.type == Type::integer && y.type == Type::integer;
  const NodeId quotient = rounded_down(use, pool.div(x.node(), y.node()), call.where);
  return Value::scalar(whole ? Type::integer : Type::real,
                       pool.sub(x.node(), pool.mul(quotient, y.node())));
}

Value rem(const BuiltinContext& use, const BuiltinCall& call) {
  const Value quotient = div(use, call);
  Pool& pool = use.context.pool;
  const NodeId whole = pool.mul(quotient.node(), call.arguments[1].node());
  return Value::scalar(quotient.type, pool.sub(call.arguments[0].node(), whole));
}

Value der(const BuiltinContext& use, const BuiltinCall& call) {
  const Value& argument = call.arguments[0];
  need_numbers(use, call);
  for (const NodeId node : argument.nodes) {
    const Node leaf = use.context.pool[node];
    if (leaf.op == Op::discrete || argument.type != Type::real) {
      use.fail(ErrorCode::type_mismatch, call.where,
               "'der' takes a continuous Real: this is a discrete value, which has no "
               "derivative.");
    }
  }
  Value result = argument;
  result.nodes = total_time_derivative(use.context.pool, argument.nodes);
  return result;
}

Value pre(const BuiltinContext& use, const BuiltinCall& call) {
  Pool& pool = use.context.pool;
  Value result = call.arguments[0];
  for (NodeId& node : result.nodes) {
    const Node leaf = pool[node];
    if (leaf.op == Op::constant || leaf.op == Op::parameter) continue;
    if (leaf.op != Op::discrete && !(leaf.op == Op::variable && leaf.order == 0)) {
      use.fail(ErrorCode::type_mismatch, call.where,
               fmt::format("'{}' takes a variable, not an expression.", call.name));
    }
    node = use.context.builder.pre({pool, node}).in(pool);
  }
  if (result.nodes.empty()) {
    use.fail(ErrorCode::type_mismatch, call.where,
             fmt::format("'{}' takes a variable, not {}.", call.name, describe(result)));
  }
  return result;
}

Value edge(const BuiltinContext& use, const BuiltinCall& call) {
  if (call.arguments[0].type != Type::boolean || !call.arguments[0].is_scalar()) {
    use.fail(ErrorCode::type_mismatch, call.where,
             fmt::format("'edge' takes a Boolean variable, not {}.", describe(call.arguments[0])));
  }
  const NodeId before = pre(use, call).node();
  Pool& pool = use.context.pool;
  return Value::scalar(Type::boolean, pool.binary(Op::logical_and, call.arguments[0].node(),
                                                  pool.unary(Op::logical_not, before)));
}

Value change(const BuiltinContext& use, const BuiltinCall& call) {
  const NodeId before = pre(use, call).node();
  const NodeId now = need_scalar(use, call, 0).node();
  return Value::scalar(Type::boolean,
                       use.context.pool.immediate_relation(Op::not_equal, now, before));
}

Value sample(const BuiltinContext& use, const BuiltinCall& call) {
  need_numbers(use, call);
  Pool& pool = use.context.pool;
  const NodeId start = need_scalar(use, call, 0).node();
  const NodeId interval = need_scalar(use, call, 1).node();
  const auto seconds = use.structure.peek(interval);
  if (seconds && *seconds <= 0.0) {
    use.fail(ErrorCode::invalid_value, call.where,
             fmt::format("The interval of 'sample' must be positive, not {}.", *seconds));
  }
  return Value::scalar(Type::boolean,
                       use.context.builder.sample({pool, start}, {pool, interval}).in(pool));
}

Value initial(const BuiltinContext& use, const BuiltinCall& /*call*/) {
  return Value::scalar(Type::boolean, use.context.pool.initial());
}

Value terminal(const BuiltinContext& use, const BuiltinCall& /*call*/) {
  return Value::scalar(Type::boolean, use.context.pool.terminal());
}

Value delay(const BuiltinContext& use, const BuiltinCall& call) {
  need_numbers(use, call);
  const NodeId delay_time = need_scalar(use, call, 1).node();
  const bool has_longest = call.arguments.size() == 3;
  const std::optional<double> longest =
      has_longest ? use.structure.fix(need_scalar(use, call, 2).node()) : std::nullopt;
  Value result = call.arguments[0];
  result.type = Type::real;
  for (NodeId& node : result.nodes) node = use.delays.add(node, delay_time, longest, call.where);
  return result;
}

std::vector<double> numbers(const BuiltinContext& use, const BuiltinCall& call, std::size_t i) {
  std::vector<double> result;
  for (const NodeId node : call.arguments[i].nodes) {
    const auto number = use.structure.fix(node);
    if (!number) {
      use.fail(ErrorCode::unsupported, call.where,
               "The points that 'spatialDistribution' begins with must follow from constants and "
               "parameters with values.");
    }
    result.push_back(*number);
  }
  return result;
}

/// The first of its results, as functions with several have it in expressions.
Value first_end(const BuiltinContext& use, const BuiltinCall& call) {
  return spatial_distribution(use, call).front();
}

Value smooth(const BuiltinContext& use, const BuiltinCall& call) {
  const std::int64_t order =
      use.structure.integer(call.arguments[0], call.where, "The order of 'smooth'");
  if (order < 0 || order > 100) {
    use.fail(ErrorCode::invalid_value, call.where,
             "The order of 'smooth' must be between 0 and 100.");
  }
  Value result = call.arguments[1];
  if (result.type != Type::real) return result;
  for (NodeId& node : result.nodes) {
    node = use.context.pool.smooth(static_cast<int>(order), node);
  }
  return result;
}

constexpr Builtin event_builtins_table[] = {
    {"floor", 1, 1, floor},       {"ceil", 1, 1, ceil},
    {"integer", 1, 1, integer},   {"div", 2, 2, div},
    {"mod", 2, 2, mod},           {"rem", 2, 2, rem},
    {"der", 1, 1, der},           {"pre", 1, 1, pre},
    {"edge", 1, 1, edge},         {"change", 1, 1, change},
    {"sample", 2, 2, sample},     {"initial", 0, 0, initial},
    {"terminal", 0, 0, terminal}, {"delay", 2, 3, delay},
    {"smooth", 2, 2, smooth},     {"spatialDistribution", 4, 6, first_end},
};

}  // namespace

std::vector<Value> spatial_distribution(const BuiltinContext& use, const BuiltinCall& call) {
  Delays::Flow flow{.in0 = need_scalar(use, call, 0).node(),
                    .in1 = need_scalar(use, call, 1).node(),
                    .position = need_scalar(use, call, 2).node(),
                    .is_positive = need_scalar(use, call, 3).node(),
                    .points = {0.0, 1.0},
                    .values = {0.0, 0.0}};
  const std::size_t n = call.arguments.size();
  if (n > 4) flow.points = numbers(use, call, 4);
  if (n > 5) flow.values = numbers(use, call, 5);
  if (call.arguments[3].type != Type::boolean || !std::ranges::is_sorted(flow.points) ||
      flow.points.size() < 2 || flow.points.front() != 0.0 || flow.points.back() != 1.0 ||
      flow.points.size() != flow.values.size()) {
    use.fail(ErrorCode::type_mismatch, call.where,
             "'spatialDistribution' takes what goes in at both ends, how far the flow has come, a "
             "Boolean that tells its direction, points that ascend from 0 to 1, and as many "
             "values.");
  }
  const auto [out0, out1] = use.delays.add_transport(flow, call.where);
  return {Value::scalar(Type::real, out0), Value::scalar(Type::real, out1)};
}

std::span<const Builtin> event_builtins() {
  return event_builtins_table;
}

}  // namespace daedal::modelica
