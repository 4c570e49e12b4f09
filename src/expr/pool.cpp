// SPDX-License-Identifier: BSD-3-Clause
#include "expr/pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <limits>
#include <utility>

#include "expr/constant_folding.hpp"
#include "expr/traverse.hpp"

namespace daedal {

namespace {

/// May a folded factor stand for two? Not after overflow or underflow: 1e-200*(1e-200*x) is not
/// 0*x.
bool is_safe_factor(double value) {
  return std::isnormal(value);
}

bool is_commutative(Op op) {
  return op == Op::add || op == Op::mul || op == Op::min || op == Op::max ||
         op == Op::logical_and || op == Op::logical_or || op == Op::equal || op == Op::not_equal;
}

/// Is the value never negative, whatever the arguments?
bool is_nonnegative(const Node& node) {
  return (traits_of(node.op) & traits::nonnegative) != 0 ||
         (node.op == Op::pow_int && node.order % 2 == 0);
}

}  // namespace

Pool::Pool(std::shared_ptr<const Pool> parent) : parent_(std::move(parent)) {
  if (parent_ == nullptr) return;
  if (!parent_->is_frozen()) {
    throw Error(ErrorCode::internal, "A pool of expressions can only extend a frozen pool.");
  }
  nodes_ = NodeStore(parent_->size());
  parents_ = {.first = parent_->nodes_.first(), .nodes = parent_->nodes_.data()};
  relation_offset_ = parent_->n_relations();
}

NodeId Pool::size() const {
  return nodes_.end();
}

const Node& Pool::inherited(NodeId id) const {
  if (id >= 0 && id < nodes_.first()) return (*parent_)[id];
  throw Error(ErrorCode::internal,
              fmt::format("Node {} does not exist in a pool of {} nodes.", id, size()));
}

bool Pool::extends(const Pool& other) const {
  const Pool* pool = this;
  while (pool != nullptr && pool != &other) pool = pool->parent_.get();
  return pool != nullptr;
}

NodeId Pool::find(const Node& node, const NodeStore::Key& key) const {
  // Arguments come before their users: a pool without the last of them has not the node either.
  const NodeId last = std::max({node.a, node.b, node.c});
  for (const Pool* pool = this; pool != nullptr && last < pool->size();
       pool = pool->parent_.get()) {
    const NodeId id = pool->nodes_.find(node, key);
    if (id != no_node) return id;
  }
  return no_node;
}

NodeId Pool::intern(const Node& node) {
  const NodeStore::Key key = NodeStore::key_of(node);
  const NodeId found = find(node, key);
  if (found != no_node) return found;
  if (frozen_) {
    throw Error(ErrorCode::internal,
                "A frozen pool takes no more expressions: build them in a pool that extends it.");
  }
  if (size() == std::numeric_limits<NodeId>::max()) {
    throw Error(ErrorCode::internal, "The pool of expressions is full.");
  }
  const NodeId id = nodes_.add(node, key);
  if (is_held(node)) relations_.push_back(id);
  return id;
}

NodeId Pool::constant(double value) {
  if (!std::isfinite(value)) {
    throw Error(ErrorCode::invalid_value,
                fmt::format("A constant of an expression must be a finite number, not {}.", value));
  }
  // Adding 0 turns -0 into 0: zero is one node.
  return intern({.op = Op::constant, .value = value + 0.0});
}

NodeId Pool::time() {
  return intern({.op = Op::time});
}

NodeId Pool::parameter(SymbolId id) {
  return intern({.op = Op::parameter, .symbol = id});
}

NodeId Pool::variable(SymbolId id, int order) {
  if (order < 0) {
    throw Error(ErrorCode::internal,
                fmt::format("A variable has no derivative of order {}.", order));
  }
  return intern({.op = Op::variable, .symbol = id, .order = order});
}

NodeId Pool::discrete(SymbolId id) {
  return intern({.op = Op::discrete, .symbol = id});
}

NodeId Pool::pre(SymbolId id) {
  return intern({.op = Op::pre, .symbol = id});
}

NodeId Pool::pre_variable(SymbolId id) {
  return intern({.op = Op::pre_variable, .symbol = id});
}

NodeId Pool::final_variable(SymbolId id) {
  return intern({.op = Op::final_variable, .symbol = id});
}

NodeId Pool::sample(SymbolId id) {
  return intern({.op = Op::sample, .symbol = id});
}

NodeId Pool::initial() {
  return intern({.op = Op::initial});
}

NodeId Pool::terminal() {
  return intern({.op = Op::terminal});
}

NodeId Pool::no_event(NodeId a) {
  return rewrite(*this, std::span(&a, 1),
                 [this](NodeId id, const Node& node) {
                   return is_held(node) ? immediate_relation(node.op, node.a, node.b)
                                        : rebuild(*this, id, node);
                 })
      .front();
}

std::int32_t Pool::n_relations() const {
  return relation_offset_ + static_cast<std::int32_t>(relations_.size());
}

NodeId Pool::relation_node(std::int32_t id) const {
  if (id < 0 || id >= n_relations()) {
    throw Error(ErrorCode::internal, fmt::format("There is no relation with the id {}.", id));
  }
  const Pool* pool = this;
  while (id < pool->relation_offset_) pool = pool->parent_.get();
  return pool->relations_[id - pool->relation_offset_];
}

// Simplification on construction. Sums keep their minus signs in `sub` (x + (-2)*y is x - 2*y) and
// their numbers in `add` (x - 2 is -2 + x); products keep one number, as the first factor.

/// The node op(a, b); operands that may change places are ordered, a number first.
Node Pool::make(Op op, NodeId a, NodeId b) const {
  if (is_commutative(op) && (is_constant(b) || (a > b && !is_constant(a)))) std::swap(a, b);
  return {.op = op, .a = a, .b = b};
}

/// The number in front of a product, 1 where there is none. Numbers that could not be collected
/// because of their range stay where they are: 1 as well.
double Pool::factor(const Node& node) const {
  if (node.op != Op::mul || !is_constant(node.a)) return 1.0;
  const Node& rest = (*this)[node.b];
  return rest.op == Op::mul && is_constant(rest.a) ? 1.0 : (*this)[node.a].value;
}

bool Pool::is_constant(NodeId a) const {
  return (*this)[a].op == Op::constant;
}

bool Pool::is_constant(NodeId a, double value) const {
  const Node& node = (*this)[a];
  return node.op == Op::constant && node.value == value;
}

/// The operation on two constants, or no_node where the result would not be finite.
NodeId Pool::fold(Op op, NodeId a, NodeId b) {
  if (!is_constant(a) || !is_constant(b)) return no_node;
  const double value = apply(op, (*this)[a].value, (*this)[b].value);
  return std::isfinite(value) ? constant(value) : no_node;
}

/// -a where `a` shows a minus sign: -x, or a negative number times or over x. no_node otherwise.
NodeId Pool::positive_part(NodeId a) {
  const Node node = (*this)[a];
  if (node.op == Op::neg) return node.a;
  if (node.op != Op::mul && node.op != Op::div) return no_node;
  return is_constant(node.a) && (*this)[node.a].value < 0.0 ? neg(a) : no_node;
}

NodeId Pool::unary(Op op, NodeId a) {
  if (is_constant(a)) {
    const double value = apply(op, (*this)[a].value);
    if (std::isfinite(value)) return constant(value);
  }
  if (op == Op::neg) return simplified_neg(a);
  const Node node = (*this)[a];
  if (op == Op::logical_not && node.op == Op::logical_not) return node.a;
  return simplified_function(op, a);
}

NodeId Pool::simplified_neg(NodeId a) {
  const Node node = (*this)[a];
  if (node.op == Op::neg) return node.a;
  if ((node.op == Op::mul || node.op == Op::div) && is_constant(node.a)) {
    return binary(node.op, constant(-(*this)[node.a].value), node.b);
  }
  return intern({.op = Op::neg, .a = a});
}

NodeId Pool::simplified_function(Op op, NodeId a) {
  const bool is_function = op == Op::logical_not || (op > Op::external && op < Op::less);
  if (!is_function) throw Error(ErrorCode::internal, "An operation of one argument was expected.");
  const Node node = (*this)[a];
  if (op == Op::abs && is_nonnegative(node)) return a;
  if (op == Op::floor && node.op == Op::floor) return a;
  const bool is_odd = (traits_of(op) & traits::odd) != 0;
  if (is_odd || (traits_of(op) & traits::even) != 0) {
    const NodeId positive = positive_part(a);
    if (positive != no_node) return is_odd ? neg(unary(op, positive)) : unary(op, positive);
  }
  return intern({.op = op, .a = a});
}

NodeId Pool::binary(Op op, NodeId a, NodeId b) {
  if (is_relation(op)) return relation(op, a, b);
  const NodeId folded = fold(op, a, b);
  if (folded != no_node) return folded;
  switch (op) {
    case Op::add:
      return simplified_add(a, b);
    case Op::sub:
      return simplified_sub(a, b);
    case Op::mul:
      return simplified_mul(a, b);
    case Op::div:
      return simplified_div(a, b);
    case Op::pow:
      return simplified_pow(a, b);
    case Op::min:
    case Op::max:
      return a == b ? a : intern(make(op, a, b));
    case Op::atan2:
    case Op::external:
      return intern(make(op, a, b));
    case Op::logical_and:
    case Op::logical_or:
      return simplified_logic(op, a, b);
    default:
      throw Error(ErrorCode::internal, "An operation of two arguments was expected.");
  }
}

NodeId Pool::simplified_add(NodeId a, NodeId b) {
  if (is_constant(b)) std::swap(a, b);
  if (is_constant(a, 0.0)) return b;
  if (a == b) return scaled(2.0, a);
  const Node right = (*this)[b];
  if (is_constant(a) && right.op == Op::add && is_constant(right.a)) {
    // c + (d + x): only where c + d is exact, as a lost digit could be all that is left of x.
    const double c = (*this)[a].value;
    const double d = (*this)[right.a].value;
    const double sum = c + d;
    if (std::isfinite(sum) && sum - c == d && sum - d == c) return add(constant(sum), right.b);
  }
  const NodeId minus_b = positive_part(b);
  if (minus_b != no_node) {
    return (*this)[a].op == Op::neg ? neg(add((*this)[a].a, minus_b)) : sub(a, minus_b);
  }
  const NodeId minus_a = is_constant(a) ? no_node : positive_part(a);
  if (minus_a != no_node) return sub(b, minus_a);
  return intern(make(Op::add, a, b));
}

NodeId Pool::simplified_sub(NodeId a, NodeId b) {
  if (a == b) return constant(0.0);
  if (is_constant(b)) return add(a, constant(-(*this)[b].value));
  if (is_constant(a, 0.0)) return neg(b);
  const NodeId minus_b = positive_part(b);
  if (minus_b != no_node) return add(a, minus_b);
  if ((*this)[a].op == Op::neg) return neg(add((*this)[a].a, b));
  // Only one of a - b and b - a is kept, and its negative: forces between pairs share parts.
  const Node other_way = make(Op::sub, b, a);
  const NodeId reversed = find(other_way, NodeStore::key_of(other_way));
  return reversed != no_node ? neg(reversed) : intern(make(Op::sub, a, b));
}

/// scale*a with the numbers of `a` collected into the scale.
NodeId Pool::scaled(double scale, NodeId a) {
  if (scale == 0.0) return constant(0.0);
  if (scale == 1.0) return a;
  if (scale == -1.0) return neg(a);
  const Node node = (*this)[a];
  if (node.op == Op::neg) return scaled(-scale, node.a);
  if ((node.op == Op::mul || node.op == Op::div) && is_constant(node.a)) {
    const double product = scale * (*this)[node.a].value;
    if (is_safe_factor(product)) return binary(node.op, constant(product), node.b);
  }
  return intern(make(Op::mul, constant(scale), a));
}

NodeId Pool::simplified_mul(NodeId a, NodeId b) {
  if (is_constant(b)) std::swap(a, b);
  if (is_constant(a)) return scaled((*this)[a].value, b);
  const Node left = (*this)[a];
  const Node right = (*this)[b];
  if (left.op == Op::neg) return neg(mul(left.a, b));
  if (right.op == Op::neg) return neg(mul(a, right.a));
  if (factor(left) != 1.0) return scaled(factor(left), mul(left.b, b));
  if (factor(right) != 1.0) return scaled(factor(right), mul(a, right.b));
  // x^m * x^n is x^(m+n) where the signs agree; otherwise x = 0 would be lost.
  const NodeId base_a = left.op == Op::pow_int ? left.a : a;
  const NodeId base_b = right.op == Op::pow_int ? right.a : b;
  if (base_a == base_b) {
    const std::int64_t m = left.op == Op::pow_int ? left.order : 1;
    const std::int64_t n = right.op == Op::pow_int ? right.order : 1;
    const std::int64_t sum = m + n;
    if ((m > 0) == (n > 0) && std::abs(sum) <= std::numeric_limits<int>::max()) {
      return power(base_a, static_cast<int>(sum));
    }
  }
  return intern(make(Op::mul, a, b));
}

NodeId Pool::simplified_div(NodeId a, NodeId b) {
  const Node left = (*this)[a];
  const Node right = (*this)[b];
  if (is_constant(b) && right.value != 0.0) {
    if (is_constant(a, 0.0)) return a;
    // A division by a power of two is an exact product.
    int exponent = 0;
    const double inverse = 1.0 / right.value;
    if (std::abs(std::frexp(right.value, &exponent)) == 0.5 && is_safe_factor(inverse)) {
      return scaled(inverse, a);
    }
    const double ratio = factor(left) / right.value;
    if (factor(left) != 1.0 && is_safe_factor(ratio)) return scaled(ratio, left.b);
  }
  if (left.op == Op::neg) return neg(div(left.a, b));
  if (right.op == Op::neg) return neg(div(a, right.a));
  return intern(make(Op::div, a, b));
}

NodeId Pool::simplified_pow(NodeId a, NodeId b) {
  if (is_constant(b)) {
    const double exponent = (*this)[b].value;
    if (exponent == 0.5) return unary(Op::sqrt, a);
    if (exponent == std::floor(exponent) &&
        std::abs(exponent) <= static_cast<double>(std::numeric_limits<int>::max())) {
      return power(a, static_cast<int>(exponent));
    }
  }
  if (is_constant(a, 1.0)) return a;
  return intern(make(Op::pow, a, b));
}

NodeId Pool::power(NodeId a, int n) {
  const Node node = (*this)[a];
  if (n == 0) return constant(1.0);
  if (n == 1) return a;
  if (node.op == Op::constant) {
    const double value = integer_power(node.value, n);
    if (std::isfinite(value)) return constant(value);
  }
  if (n == -1) return div(constant(1.0), a);
  if (node.op == Op::neg) return n % 2 == 0 ? power(node.a, n) : neg(power(node.a, n));
  if (node.op == Op::pow_int && node.order > 0) {
    const std::int64_t product = static_cast<std::int64_t>(node.order) * n;
    if (std::abs(product) <= std::numeric_limits<int>::max()) {
      return power(node.a, static_cast<int>(product));
    }
  }
  return intern({.op = Op::pow_int, .order = n, .a = a});
}

/// The constant that a relation is whatever the run, or no_node.
NodeId Pool::folded_relation(Op op, NodeId a, NodeId b) {
  if (!is_relation(op)) throw Error(ErrorCode::internal, "A relation was expected.");
  if (a == b) return constant(apply(op, 0.0, 0.0));
  return fold(op, a, b);
}

NodeId Pool::relation(Op op, NodeId a, NodeId b) {
  const NodeId folded = folded_relation(op, a, b);
  if (folded != no_node) return folded;
  Node node = make(op, a, b);
  node.symbol = n_relations();
  return intern(node);
}

NodeId Pool::immediate_relation(Op op, NodeId a, NodeId b) {
  const NodeId folded = folded_relation(op, a, b);
  return folded != no_node ? folded : intern(make(op, a, b));
}

NodeId Pool::simplified_logic(Op op, NodeId a, NodeId b) {
  if (a == b) return a;
  if (is_constant(b)) std::swap(a, b);
  if (is_constant(a)) {
    // The neutral element is true for `and`, false for `or`; the other one decides.
    const bool is_true = (*this)[a].value != 0.0;
    return is_true == (op == Op::logical_and) ? b : constant(is_true ? 1.0 : 0.0);
  }
  return intern(make(op, a, b));
}

NodeId Pool::if_else(NodeId condition, NodeId then_value, NodeId else_value) {
  const Node node = (*this)[condition];
  if (node.op == Op::constant) return node.value != 0.0 ? then_value : else_value;
  if (node.op == Op::logical_not) return if_else(node.a, else_value, then_value);
  // A branch with the same condition again has a known value of it.
  const Node yes = (*this)[then_value];
  if (yes.op == Op::if_else && yes.a == condition) then_value = yes.b;
  const Node no = (*this)[else_value];
  if (no.op == Op::if_else && no.a == condition) else_value = no.c;
  if (then_value == else_value) return then_value;
  return intern({.op = Op::if_else, .a = condition, .b = then_value, .c = else_value});
}

NodeId Pool::smooth(int order, NodeId a) {
  const Node node = (*this)[a];
  if (order < 0) throw Error(ErrorCode::internal, "smooth() needs an order of at least 0.");
  if (is_leaf(node.op)) return a;
  if (node.op == Op::smooth) return order <= node.order ? a : smooth(order, node.a);
  return intern({.op = Op::smooth, .order = order, .a = a});
}

}  // namespace daedal
