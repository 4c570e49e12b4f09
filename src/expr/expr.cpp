// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/error.hpp>
#include <daedal/expr.hpp>

#include "expr/calculus.hpp"
#include "expr/constant_folding.hpp"
#include "expr/pool.hpp"

namespace daedal {

namespace {

/// The pool in which two expressions meet: the descendant, if one extends the other.
Pool* common_pool(const Expr& a, const Expr& b) {
  if (a.pool() == nullptr) return b.pool();
  if (b.pool() == nullptr || a.pool()->extends(*b.pool())) return a.pool();
  if (b.pool()->extends(*a.pool())) return b.pool();
  throw Error(ErrorCode::internal,
              "Expressions of two unrelated models cannot be combined: build both with the same "
              "model builder.");
}

Expr unary(Op op, const Expr& a) {
  if (a.pool() == nullptr) return {apply(op, a.value())};
  return {*a.pool(), a.pool()->unary(op, a.id())};
}

Expr binary(Op op, const Expr& a, const Expr& b) {
  Pool* pool = common_pool(a, b);
  if (pool == nullptr) return {apply(op, a.value(), b.value())};
  return {*pool, pool->binary(op, a.in(*pool), b.in(*pool))};
}

}  // namespace

NodeId Expr::in(Pool& pool) const {
  if (pool_ == nullptr) return pool.constant(value_);
  if (pool.extends(*pool_) || (pool_->extends(pool) && id_ < pool.size())) return id_;
  throw Error(ErrorCode::internal,
              "An expression was used outside the model it belongs to: build it with the builder "
              "of this model.");
}

Expr operator+(Expr a, Expr b) {
  return binary(Op::add, a, b);
}
Expr operator-(Expr a, Expr b) {
  return binary(Op::sub, a, b);
}
Expr operator*(Expr a, Expr b) {
  return binary(Op::mul, a, b);
}
Expr operator/(Expr a, Expr b) {
  return binary(Op::div, a, b);
}
Expr operator-(Expr a) {
  return unary(Op::neg, a);
}
Expr pow(Expr a, Expr b) {
  return binary(Op::pow, a, b);
}
Expr pow(Expr a, int n) {
  if (a.pool() == nullptr) return {integer_power(a.value(), n)};
  return {*a.pool(), a.pool()->power(a.id(), n)};
}
#define DAEDAL_DEFINE(name, ...) \
  Expr name(Expr a) {            \
    return unary(Op::name, a);   \
  }
DAEDAL_ELEMENTARY_FUNCTIONS(DAEDAL_DEFINE)
#undef DAEDAL_DEFINE
Expr atan2(Expr y, Expr x) {
  return binary(Op::atan2, y, x);
}
Expr min(Expr a, Expr b) {
  return binary(Op::min, a, b);
}
Expr max(Expr a, Expr b) {
  return binary(Op::max, a, b);
}

Expr operator<(Expr a, Expr b) {
  return binary(Op::less, a, b);
}
Expr operator<=(Expr a, Expr b) {
  return binary(Op::less_equal, a, b);
}
Expr operator>(Expr a, Expr b) {
  return binary(Op::greater, a, b);
}
Expr operator>=(Expr a, Expr b) {
  return binary(Op::greater_equal, a, b);
}
Expr operator&&(Expr a, Expr b) {
  return binary(Op::logical_and, a, b);
}
Expr operator||(Expr a, Expr b) {
  return binary(Op::logical_or, a, b);
}
Expr operator!(Expr a) {
  return unary(Op::logical_not, a);
}

Expr if_else(Expr condition, Expr then_value, Expr else_value) {
  if (condition.pool() == nullptr) return condition.value() != 0.0 ? then_value : else_value;
  Pool* with_then = common_pool(condition, then_value);
  Pool* with_else = common_pool(condition, else_value);
  Pool& pool = with_then->extends(*with_else) ? *with_then : *with_else;
  return {pool, pool.if_else(condition.in(pool), then_value.in(pool), else_value.in(pool))};
}

Expr no_event(Expr a) {
  if (a.pool() == nullptr) return a;
  return {*a.pool(), a.pool()->no_event(a.id())};
}

Expr smooth(int order, Expr a) {
  if (a.pool() == nullptr) return a;
  return {*a.pool(), a.pool()->smooth(order, a.id())};
}

Expr der(Expr a, int k) {
  if (k < 0) throw Error(ErrorCode::internal, "der() needs an order of at least 0.");
  if (a.pool() == nullptr) return k == 0 ? a : Expr(0.0);
  NodeId id = a.id();
  for (int i = 0; i < k; ++i) {
    id = total_time_derivative(*a.pool(), std::span(&id, 1)).front();
  }
  return {*a.pool(), id};
}

Expr pre(Expr variable) {
  if (Pool* pool = variable.pool()) {
    const Node node = (*pool)[variable.id()];
    if (node.op == Op::discrete) return {*pool, pool->pre(node.symbol)};
    if (node.op == Op::variable && node.order == 0) {
      return {*pool, pool->pre_variable(node.symbol)};
    }
  }
  throw ModelError(ErrorCode::type_mismatch, "pre() takes a variable, not an expression.");
}

}  // namespace daedal
