// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Expressions: small value handles into a pool of hash-consed nodes. Equal expressions are the
/// same node, so shared subexpressions are stored, differentiated and evaluated once.
///
///     Expr energy = 0.5 * m * sqr(der(x)) + m * g * y;

#include <cstdint>
#include <string>

#include <daedal/elementary.hpp>
#include <daedal/export.hpp>

namespace daedal {

class Pool;

/// The number of a node in its pool. Nodes are numbered in topological order: the arguments of a
/// node always have smaller numbers than the node itself.
using NodeId = std::int32_t;
inline constexpr NodeId no_node = -1;

/// A handle to a node. A number converts to an expression that belongs to no pool yet and joins the
/// pool of the expression that it is combined with.
class DAEDAL_EXPORT Expr {
 public:
  Expr() = default;
  Expr(double value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  Expr(Pool& pool, NodeId id) : pool_(&pool), id_(id) {}

  [[nodiscard]] Pool* pool() const { return pool_; }
  [[nodiscard]] NodeId id() const { return id_; }
  /// The number of an expression that belongs to no pool.
  [[nodiscard]] double value() const { return value_; }
  /// This expression's node in `pool`: a number without a pool becomes a constant there.
  [[nodiscard]] NodeId in(Pool& pool) const;

 private:
  Pool* pool_ = nullptr;
  NodeId id_ = no_node;
  double value_ = 0.0;
};

/// Two sides of an equation, as `lhs == rhs` writes it.
struct Equality {
  Expr lhs;
  Expr rhs;
};

DAEDAL_EXPORT Expr operator+(Expr a, Expr b);
DAEDAL_EXPORT Expr operator-(Expr a, Expr b);
DAEDAL_EXPORT Expr operator*(Expr a, Expr b);
DAEDAL_EXPORT Expr operator/(Expr a, Expr b);
DAEDAL_EXPORT Expr operator-(Expr a);
inline Expr operator+(Expr a) {
  return a;
}
inline Expr& operator+=(Expr& a, Expr b) {
  return a = a + b;
}
inline Expr& operator-=(Expr& a, Expr b) {
  return a = a - b;
}
inline Expr& operator*=(Expr& a, Expr b) {
  return a = a * b;
}

DAEDAL_EXPORT Expr pow(Expr a, Expr b);
DAEDAL_EXPORT Expr pow(Expr a, int n);
/// Without this overload pow(x, 2.5) would be x squared.
inline Expr pow(Expr a, double b) {
  return pow(a, Expr(b));
}
inline Expr sqr(Expr a) {
  return pow(a, 2);
}
/// sqrt, exp, log, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, abs, sign, floor: one
/// function of one argument for each row of the table.
#define DAEDAL_DECLARE(name, ...) DAEDAL_EXPORT Expr name(Expr a);
DAEDAL_ELEMENTARY_FUNCTIONS(DAEDAL_DECLARE)
#undef DAEDAL_DECLARE
DAEDAL_EXPORT Expr atan2(Expr y, Expr x);
DAEDAL_EXPORT Expr min(Expr a, Expr b);
DAEDAL_EXPORT Expr max(Expr a, Expr b);

/// Relations hold their value between events; `no_event` makes them follow their arguments.
DAEDAL_EXPORT Expr operator<(Expr a, Expr b);
DAEDAL_EXPORT Expr operator<=(Expr a, Expr b);
DAEDAL_EXPORT Expr operator>(Expr a, Expr b);
DAEDAL_EXPORT Expr operator>=(Expr a, Expr b);
DAEDAL_EXPORT Expr operator&&(Expr a, Expr b);
DAEDAL_EXPORT Expr operator||(Expr a, Expr b);
DAEDAL_EXPORT Expr operator!(Expr a);
DAEDAL_EXPORT Expr if_else(Expr condition, Expr then_value, Expr else_value);
DAEDAL_EXPORT Expr no_event(Expr a);
DAEDAL_EXPORT Expr smooth(int order, Expr a);

/// The k-th total time derivative.
DAEDAL_EXPORT Expr der(Expr a, int k = 1);

/// The value of a variable just before the event that is being executed.
DAEDAL_EXPORT Expr pre(Expr variable);

inline Equality operator==(Expr a, Expr b) {
  return {a, b};
}

}  // namespace daedal
