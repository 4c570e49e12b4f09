// SPDX-License-Identifier: BSD-3-Clause
/// Rounding functions, which jump and therefore make events; derivatives; discrete operators.

#include <fmt/format.h>

#include "expr/calculus.hpp"
#include "modelica/elaborate/elaborator.hpp"

namespace daedal::modelica {

/// floor(a). Of a value that changes between events it is held by a hidden discrete variable k:
/// k jumps when a leaves [pre(k), pre(k) + 1). The new value steps at least one away from pre(k),
/// because at the crossing itself rounding may leave a on either side.
NodeId Builtins::rounded_down(NodeId a, Position where) {
  Pool& pool = hub_.context.pool;
  const NodeId plain = pool.unary(Op::floor, a);
  const bool once = hub_.context.immediate || hub_.context.instant;
  if (once || !hub_.structure.is_continuous(a)) return plain;
  const NodeId held = hub_.components.add_hidden_discrete("floor", Type::integer, 0.0, where);
  const NodeId before = hub_.context.builder.pre({pool, held}).in(pool);
  const NodeId one = pool.constant(1.0);
  const NodeId above = pool.relation(Op::greater_equal, a, pool.add(before, one));
  const NodeId below = pool.relation(Op::less, a, before);
  const NodeId up = pool.binary(Op::max, plain, pool.add(before, one));
  const NodeId down = pool.binary(Op::min, plain, pool.sub(before, one));
  const NodeId moved = pool.if_else(above, up, pool.if_else(below, down, before));
  hub_.equations.add_discrete(held, pool.if_else(pool.initial(), plain, moved), where);
  return held;
}

/// a rounded towards zero.
NodeId Builtins::truncated(NodeId a, Position where) {
  Pool& pool = hub_.context.pool;
  const NodeId zero = pool.constant(0.0);
  const NodeId nonnegative = pool.immediate_relation(Op::greater_equal, a, zero);
  const NodeId down = rounded_down(a, where);
  const NodeId up = pool.neg(rounded_down(pool.neg(a), where));
  return pool.if_else(nonnegative, down, up);
}

Value Builtins::floor(const BuiltinCall& call) {
  need_numbers(call);
  Value result = call.arguments[0];
  for (NodeId& node : result.nodes) node = rounded_down(node, call.where);
  return result;
}

Value Builtins::ceil(const BuiltinCall& call) {
  need_numbers(call);
  Pool& pool = hub_.context.pool;
  Value result = call.arguments[0];
  for (NodeId& node : result.nodes) node = pool.neg(rounded_down(pool.neg(node), call.where));
  return result;
}

Value Builtins::integer(const BuiltinCall& call) {
  Value result = floor(call);
  result.type = Type::integer;
  return result;
}

Value Builtins::div(const BuiltinCall& call) {
  need_numbers(call);
  const Value& x = need_scalar(call, 0);
  const Value& y = need_scalar(call, 1);
  const bool whole = x.type == Type::integer && y.type == Type::integer;
  const NodeId quotient = hub_.context.pool.div(x.node(), y.node());
  return Value::scalar(whole ? Type::integer : Type::real, truncated(quotient, call.where));
}

Value Builtins::mod(const BuiltinCall& call) {
  need_numbers(call);
  Pool& pool = hub_.context.pool;
  const Value& x = need_scalar(call, 0);
  const Value& y = need_scalar(call, 1);
  const bool whole = x.type == Type::integer && y.type == Type::integer;
  const NodeId quotient = rounded_down(pool.div(x.node(), y.node()), call.where);
  return Value::scalar(whole ? Type::integer : Type::real,
                       pool.sub(x.node(), pool.mul(quotient, y.node())));
}

Value Builtins::rem(const BuiltinCall& call) {
  const Value quotient = div(call);
  Pool& pool = hub_.context.pool;
  const NodeId whole = pool.mul(quotient.node(), call.arguments[1].node());
  return Value::scalar(quotient.type, pool.sub(call.arguments[0].node(), whole));
}

Value Builtins::der(const BuiltinCall& call) {
  const Value& argument = call.arguments[0];
  need_numbers(call);
  for (const NodeId node : argument.nodes) {
    const Node leaf = hub_.context.pool[node];
    if (leaf.op == Op::discrete || argument.type != Type::real) {
      hub_.context.fail(ErrorCode::type_mismatch, call.where,
                        "'der' takes a continuous Real: this is a discrete value, which has no "
                        "derivative.");
    }
  }
  Value result = argument;
  result.nodes = total_time_derivative(hub_.context.pool, argument.nodes);
  return result;
}

Value Builtins::pre(const BuiltinCall& call) {
  Pool& pool = hub_.context.pool;
  Value result = call.arguments[0];
  for (NodeId& node : result.nodes) {
    const Node leaf = pool[node];
    if (leaf.op == Op::constant || leaf.op == Op::parameter) continue;
    if (leaf.op != Op::discrete && !(leaf.op == Op::variable && leaf.order == 0)) {
      hub_.context.fail(ErrorCode::type_mismatch, call.where,
                        fmt::format("'{}' takes a variable, not an expression.", call.name));
    }
    node = hub_.context.builder.pre({pool, node}).in(pool);
  }
  if (result.nodes.empty()) {
    hub_.context.fail(ErrorCode::type_mismatch, call.where,
                      fmt::format("'{}' takes a variable, not {}.", call.name, describe(result)));
  }
  return result;
}

Value Builtins::edge(const BuiltinCall& call) {
  if (call.arguments[0].type != Type::boolean || !call.arguments[0].is_scalar()) {
    hub_.context.fail(
        ErrorCode::type_mismatch, call.where,
        fmt::format("'edge' takes a Boolean variable, not {}.", describe(call.arguments[0])));
  }
  const NodeId before = pre(call).node();
  Pool& pool = hub_.context.pool;
  return Value::scalar(Type::boolean, pool.binary(Op::logical_and, call.arguments[0].node(),
                                                  pool.unary(Op::logical_not, before)));
}

Value Builtins::change(const BuiltinCall& call) {
  const NodeId before = pre(call).node();
  const NodeId now = need_scalar(call, 0).node();
  return Value::scalar(Type::boolean,
                       hub_.context.pool.immediate_relation(Op::not_equal, now, before));
}

Value Builtins::sample(const BuiltinCall& call) {
  need_numbers(call);
  Pool& pool = hub_.context.pool;
  const NodeId start = need_scalar(call, 0).node();
  const NodeId interval = need_scalar(call, 1).node();
  const auto seconds = hub_.structure.peek(interval);
  if (seconds && *seconds <= 0.0) {
    hub_.context.fail(ErrorCode::invalid_value, call.where,
                      fmt::format("The interval of 'sample' must be positive, not {}.", *seconds));
  }
  return Value::scalar(Type::boolean,
                       hub_.context.builder.sample({pool, start}, {pool, interval}).in(pool));
}

Value Builtins::initial(const BuiltinCall& /*call*/) {
  return Value::scalar(Type::boolean, hub_.context.pool.initial());
}

Value Builtins::terminal(const BuiltinCall& /*call*/) {
  return Value::scalar(Type::boolean, hub_.context.pool.terminal());
}

Value Builtins::smooth(const BuiltinCall& call) {
  const std::int64_t order =
      hub_.expressions.structural_integer(call.arguments[0], call.where, "The order of 'smooth'");
  if (order < 0 || order > 100) {
    hub_.context.fail(ErrorCode::invalid_value, call.where,
                      "The order of 'smooth' must be between 0 and 100.");
  }
  Value result = call.arguments[1];
  if (result.type != Type::real) return result;
  for (NodeId& node : result.nodes) {
    node = hub_.context.pool.smooth(static_cast<int>(order), node);
  }
  return result;
}

}  // namespace daedal::modelica
