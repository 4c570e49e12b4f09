// SPDX-License-Identifier: BSD-3-Clause
#include "model/simplify/semi_linear.hpp"

#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace daedal {

namespace {

/// sign · y = if x >= 0 then x · ahead else x · back, with x not negated.
struct SemiLinear {
  NodeId y, x, ahead, back;
  int sign;
};

bool is_variable(const Pool& pool, NodeId id) {
  return pool[id].op == Op::variable && pool[id].order == 0;
}

std::pair<NodeId, int> without_sign(const Pool& pool, NodeId id) {
  return pool[id].op == Op::neg ? std::pair{pool[id].a, -1} : std::pair{id, 1};
}

/// a of x · a; no_node where `product` is none.
NodeId cofactor(Pool& pool, NodeId product, NodeId x) {
  const Node node = pool[product];
  if (product == x) return pool.constant(1.0);
  if (node.op == Op::constant && node.value == 0.0) return product;
  if (node.op == Op::neg) {
    const NodeId found = cofactor(pool, node.a, x);
    return found == no_node ? no_node : pool.neg(found);
  }
  if (node.op != Op::mul) return no_node;
  if (node.a == x) return node.b;
  if (node.b == x) return node.a;
  if (pool[node.a].op != Op::constant) return no_node;
  const NodeId found = cofactor(pool, node.b, x);
  return found == no_node ? no_node : pool.mul(node.a, found);
}

std::optional<SemiLinear> semi_linear_of(Pool& pool, NodeId left, NodeId right) {
  const auto [y, sign_of_y] = without_sign(pool, left);
  const Node choice = pool[right];
  if (!is_variable(pool, y) || choice.op != Op::if_else) return std::nullopt;
  const Node condition = pool[choice.a];
  if (condition.op != Op::greater_equal || condition.symbol >= 0 ||
      pool[condition.b].op != Op::constant || pool[condition.b].value != 0.0)
    return std::nullopt;
  const auto [x, sign_of_x] = without_sign(pool, condition.a);
  NodeId ahead = cofactor(pool, choice.b, x);
  NodeId back = cofactor(pool, choice.c, x);
  if (ahead == no_node || back == no_node) return std::nullopt;
  if (sign_of_x > 0) return SemiLinear{y, x, ahead, back, sign_of_y};
  // With x = -z the branches change places, and so does the sign of y.
  ahead = pool.neg(ahead);
  back = pool.neg(back);
  return SemiLinear{y, x, back, ahead, -sign_of_y};
}

std::optional<SemiLinear> semi_linear_of(Pool& pool, const Equation& equation) {
  const auto found = semi_linear_of(pool, equation.lhs, equation.rhs);
  return found ? found : semi_linear_of(pool, equation.rhs, equation.lhs);
}

bool is_differentiated(const Pool& pool, NodeId variable) {
  for (NodeId id = 0; id < pool.size(); ++id)
    if (pool[id].op == Op::variable && pool[id].order > 0 &&
        pool[id].symbol == pool[variable].symbol)
      return true;
  return false;
}

}  // namespace

void join_semi_linear(Pool& pool, std::vector<Equation>& equations) {
  struct Member {
    std::size_t equation;
    NodeId ahead, back;
  };
  std::map<std::tuple<NodeId, NodeId, int>, std::vector<Member>> flows;
  for (std::size_t e = 0; e < equations.size(); ++e)
    if (const auto found = semi_linear_of(pool, equations[e]))
      flows[{found->y, found->x, found->sign}].push_back({e, found->ahead, found->back});
  for (auto& [flow, members] : flows) {
    const auto [y, x, sign] = flow;
    const NodeId is_ahead = pool.immediate_relation(Op::greater_equal, x, pool.constant(0.0));
    const auto join = [&](Member& first, const Member& second) {
      const NodeId shared = first.back;
      if (shared != second.ahead || !is_variable(pool, shared) || shared == first.ahead ||
          shared == second.back || is_differentiated(pool, shared))
        return false;
      first.back = second.back;
      const NodeId passed =
          pool.if_else(is_ahead, pool.mul(x, first.ahead), pool.mul(x, first.back));
      equations[first.equation].lhs = sign > 0 ? y : pool.neg(y);
      equations[first.equation].rhs = passed;
      equations[second.equation].lhs = shared;
      equations[second.equation].rhs = pool.if_else(is_ahead, first.ahead, first.back);
      return true;
    };
    for (bool has_joined = true; has_joined;) {
      has_joined = false;
      for (std::size_t i = 0; i < members.size() && !has_joined; ++i)
        for (std::size_t j = 0; j < members.size() && !has_joined; ++j) {
          if (i == j || !join(members[i], members[j])) continue;
          members.erase(members.begin() + static_cast<std::ptrdiff_t>(j));
          has_joined = true;
        }
    }
  }
}

}  // namespace daedal
