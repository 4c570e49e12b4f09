// SPDX-License-Identifier: BSD-3-Clause
#include "expr/chain_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <daedal/error.hpp>
#include <limits>

#include "expr/external.hpp"
#include "expr/traverse.hpp"

namespace daedal {

namespace {

/// Whether a weight has a divisor, behind which what overflows vanishes.
bool is_divided(const Pool& pool, NodeId weight, int depth = 4) {
  const Node& node = pool[weight];
  if (node.op == Op::div) return true;
  if (depth == 0 || (node.op != Op::neg && node.op != Op::mul)) return false;
  return is_divided(pool, node.a, depth - 1) ||
         (node.op == Op::mul && is_divided(pool, node.b, depth - 1));
}

bool is_growing(Op op) {
  return op == Op::exp || op == Op::cosh || op == Op::sinh;
}

/// Whether it may overflow where its arguments are of ordinary size.
bool may_overflow(const Pool& pool, NodeId id, int depth = 3) {
  const Node& node = pool[id];
  if (is_growing(node.op)) return true;
  if (depth > 0 && node.op == Op::pow_int) return may_overflow(pool, node.a, depth - 1);
  if (depth == 0 || (node.op != Op::add && node.op != Op::sub && node.op != Op::mul)) return false;
  return may_overflow(pool, node.a, depth - 1) || may_overflow(pool, node.b, depth - 1);
}

/// A slope that does not overflow: 0 times that is 0, as the derivative of 1/cosh(x) is for large
/// x.
NodeId bounded(Pool& pool, NodeId slope) {
  constexpr double greatest = std::numeric_limits<double>::max();
  const NodeId above = pool.binary(Op::min, slope, pool.constant(greatest));
  return pool.binary(Op::max, above, pool.constant(-greatest));
}

NodeId times_function_partial(Pool& pool, NodeId id, NodeId weight) {
  const Op op = pool[id].op;
  if (is_growing(op) && is_divided(pool, weight)) {
    const NodeId slope = op == Op::exp    ? id
                         : op == Op::cosh ? pool.unary(Op::sinh, pool[id].a)
                                          : pool.unary(Op::cosh, pool[id].a);
    return pool.mul(weight, bounded(pool, slope));
  }
  const Expr w(pool, weight);
  const Expr r(pool, id);
  const Expr a(pool, pool[id].a);
  Expr product;
  switch (pool[id].op) {
#define DAEDAL_ROW(name, arity, value, taylor, slope, ...) \
  case Op::name:                                           \
    product = slope;                                       \
    break;
    DAEDAL_ELEMENTARY_FUNCTIONS(DAEDAL_ROW)
#undef DAEDAL_ROW
    default:
      break;
  }
  // A slope that is a plain number is the zero of a flat function.
  return product.pool() == nullptr ? no_node : product.id();
}

NodeId times_power_partial(Pool& pool, NodeId id, int k, NodeId weight) {
  const Node node = pool[id];
  if (node.op == Op::pow_int) {
    const NodeId slope = pool.mul(pool.constant(node.order), pool.power(node.a, node.order - 1));
    const bool vanishes = may_overflow(pool, node.a) && is_divided(pool, weight);
    return pool.mul(weight, vanishes ? bounded(pool, slope) : slope);
  }
  if (k == 1) return pool.mul(weight, pool.mul(id, pool.unary(Op::log, node.a)));
  // b*a^(b-1) and not b*(a^b)/a, which fails at a = 0.
  const NodeId reduced = pool.binary(Op::pow, node.a, pool.sub(node.b, pool.constant(1.0)));
  return pool.mul(weight, pool.mul(node.b, reduced));
}

/// The condition under which min(a, b) or max(a, b) is a.
NodeId first_is_taken(Pool& pool, const Node& node) {
  const Op op = node.op == Op::min ? Op::less_equal : Op::greater_equal;
  return pool.immediate_relation(op, node.a, node.b);
}

NodeId where(Pool& pool, NodeId condition, bool is, NodeId weight) {
  const NodeId zero = pool.constant(0.0);
  return is ? pool.if_else(condition, weight, zero) : pool.if_else(condition, zero, weight);
}

bool is_sum(Op op) {
  return op == Op::neg || op == Op::add || op == Op::sub || op == Op::smooth;
}

/// The weight that counts only in one branch, and whether that is the first one.
struct BranchWeight {
  NodeId weight = no_node;  ///< no_node: it counts everywhere
  bool is_first = false;
};

BranchWeight branch_weight(const Pool& pool, NodeId weight) {
  const Node& node = pool[weight];
  if (node.op != Op::if_else) return {};
  const auto is_zero = [&](NodeId id) {
    return pool[id].op == Op::constant && pool[id].value == 0.0;
  };
  if (is_zero(node.c)) return {node.b, true};
  if (is_zero(node.b)) return {node.c, false};
  return {};
}

/// Whether a weight is the sum of weights that each count in one branch only.
bool is_conditional(const Pool& pool, NodeId weight) {
  const Node& node = pool[weight];
  if (node.op == Op::neg) return is_conditional(pool, node.a);
  if (node.op == Op::add || node.op == Op::sub)
    return is_conditional(pool, node.a) && is_conditional(pool, node.b);
  return branch_weight(pool, weight).weight != no_node;
}

NodeId times_external_partial(Pool& pool, const Node& node, NodeId weight) {
  const double number = pool[node.b].value;
  if (further_derivatives(number) == 0) {
    throw ModelError(ErrorCode::unsupported,
                     fmt::format("The derivative of the function {} is needed, and was not given.",
                                 external_name(number)));
  }
  return pool.mul(weight, pool.binary(Op::external, node.a, pool.constant(number + 1.0)));
}

NodeId times_own_partial(Pool& pool, NodeId id, int k, NodeId weight) {
  const Node node = pool[id];
  switch (node.op) {
    case Op::neg:
      return pool.neg(weight);
    case Op::add:
    case Op::smooth:
      return weight;
    case Op::sub:
      return k == 0 ? weight : pool.neg(weight);
    case Op::mul:
      return pool.mul(weight, k == 0 ? node.b : node.a);
    case Op::div: {
      if (k == 1 && may_overflow(pool, node.b))
        return pool.neg(pool.div(pool.mul(id, bounded(pool, weight)), node.b));
      const NodeId quotient = pool.div(weight, node.b);
      return k == 0 ? quotient : pool.neg(pool.mul(id, quotient));
    }
    case Op::pow:
    case Op::pow_int:
      return times_power_partial(pool, id, k, weight);
    case Op::atan2: {
      const NodeId square = pool.add(pool.power(node.a, 2), pool.power(node.b, 2));
      const NodeId slope = k == 0 ? pool.div(node.b, square) : pool.neg(pool.div(node.a, square));
      return pool.mul(weight, slope);
    }
    case Op::external:
      return times_external_partial(pool, node, weight);
    case Op::min:
    case Op::max:
      return where(pool, first_is_taken(pool, node), k == 0, weight);
    case Op::if_else:
      return k == 0 ? no_node : where(pool, node.a, k == 1, weight);
    default:
      return times_function_partial(pool, id, weight);
  }
}

}  // namespace

NodeId times_partial(Pool& pool, NodeId id, int k, NodeId weight) {
  // In the branch that is not taken a partial may have no value: sqrt(a - b) where a < b. Zero
  // times that is not zero, so the choice is made after the product.
  const BranchWeight branch = branch_weight(pool, weight);
  if (branch.weight == no_node) {
    const NodeId product = times_own_partial(pool, id, k, weight);
    if (product == no_node || is_sum(pool[id].op) || !is_conditional(pool, weight)) return product;
    // Where several such weights add up to zero, none of them counts.
    const NodeId counts = pool.immediate_relation(Op::not_equal, weight, pool.constant(0.0));
    return where(pool, counts, true, product);
  }
  const NodeId condition = pool[weight].a;
  const NodeId product = times_partial(pool, id, k, branch.weight);
  return product == no_node ? no_node : where(pool, condition, branch.is_first, product);
}

NodeId tangent(Pool& pool, NodeId id, const std::array<NodeId, 3>& tangents) {
  const Node node = pool[id];
  const auto or_zero = [&](NodeId t) { return t == no_node ? pool.constant(0.0) : t; };
  const auto [ta, tb, tc] = tangents;
  // Both sides at once where the sum of the partials would cost more.
  switch (node.op) {
    case Op::if_else:
      if (tb == no_node && tc == no_node) return no_node;
      return pool.if_else(node.a, or_zero(tb), or_zero(tc));
    case Op::min:
    case Op::max:
      if (ta == no_node && tb == no_node) return no_node;
      return pool.if_else(first_is_taken(pool, node), or_zero(ta), or_zero(tb));
    case Op::div:
      if (ta == no_node || tb == no_node) break;
      return pool.div(
          pool.sub(ta, pool.mul(id, may_overflow(pool, node.b) ? bounded(pool, tb) : tb)), node.b);
    case Op::smooth:
      // The derivative is one time less differentiable; of a merely continuous one nothing is
      // known.
      if (ta == no_node || node.order == 0) return ta;
      return pool.smooth(node.order - 1, ta);
    default:
      break;
  }
  NodeId sum = no_node;
  for (int k = 0; k < 3; ++k) {
    const NodeId t = tangents[k];
    if (t == no_node) continue;
    const NodeId term = times_partial(pool, id, k, t);
    if (term == no_node) continue;
    sum = sum == no_node ? term : pool.add(sum, term);
  }
  return sum;
}

}  // namespace daedal
