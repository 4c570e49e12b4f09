// SPDX-License-Identifier: BSD-3-Clause
#include "model/simplify/semi_linear.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "model/simplify/elimination.hpp"
#include "model/views/linear_terms.hpp"

namespace daedal {

namespace {

/// sign · y = if x >= 0 then x · ahead else x · back, with x not negated.
struct SemiLinear {
  NodeId y, x, ahead, back;
  int sign;
};

/// The variable of which a node is a multiple: temperatures may stand for enthalpies; or no_node.
NodeId multiplied_variable(const Pool& pool, NodeId id) {
  for (;;) {
    const Node& node = pool[id];
    const auto is_factor = [&](NodeId factor) {
      return pool[factor].op == Op::parameter || pool[factor].op == Op::constant;
    };
    if (node.op == Op::variable) return node.order == 0 ? id : no_node;
    if (node.op == Op::neg || (node.op == Op::mul && is_factor(node.b))) {
      id = node.a;
    } else if (node.op == Op::mul && is_factor(node.a)) {
      id = node.b;
    } else {
      return no_node;
    }
  }
}

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

/// Variables that are equal up to sign, and that elimination has kept: without heat a + b + q = 0
/// has become a + b = 0.
AliasClasses equal_flows(Pool& pool, const std::vector<Equation>& equations) {
  std::int32_t n_variables = 0;
  for (NodeId id = 0; id < pool.size(); ++id)
    if (pool[id].op == Op::variable) n_variables = std::max(n_variables, pool[id].symbol + 1);
  AliasClasses classes(n_variables);
  for (const Equation& equation : equations) {
    const auto terms = linear_terms(pool, equation.lhs, equation.rhs);
    if (terms.size() != 2 || !is_variable(pool, terms[0].node) ||
        !is_variable(pool, terms[1].node) ||
        std::abs(terms[0].coefficient) != std::abs(terms[1].coefficient))
      continue;
    const auto a = classes.find(pool[terms[0].node].symbol);
    const auto b = classes.find(pool[terms[1].node].symbol);
    const int sign = terms[0].coefficient == terms[1].coefficient ? -1 : 1;
    if (a.representative != b.representative)
      classes.merge(a.representative, b.representative, sign * a.sign * b.sign);
  }
  return classes;
}

}  // namespace

void join_semi_linear(Pool& pool, std::vector<Equation>& equations) {
  struct Member {
    std::size_t equation;
    NodeId ahead, back;
    NodeId flow;
  };
  std::map<std::tuple<std::int32_t, NodeId, int>, std::vector<Member>> flows;
  std::optional<AliasClasses> classes;
  for (std::size_t e = 0; e < equations.size(); ++e) {
    const auto found = semi_linear_of(pool, equations[e]);
    if (!found) continue;
    if (!classes) classes = equal_flows(pool, equations);
    const auto [representative, sign] = classes->find(pool[found->y].symbol);
    const NodeId flow = found->sign > 0 ? found->y : pool.neg(found->y);
    flows[{representative, found->x, sign * found->sign}].push_back(
        {e, found->ahead, found->back, flow});
  }
  for (auto& [key, members] : flows) {
    const NodeId x = std::get<1>(key);
    const NodeId is_ahead = pool.immediate_relation(Op::greater_equal, x, pool.constant(0.0));
    const auto join = [&](Member& first, const Member& second) {
      const NodeId shared = first.back;
      const NodeId variable = multiplied_variable(pool, shared);
      if (shared != second.ahead || variable == no_node || shared == first.ahead ||
          shared == second.back || is_differentiated(pool, variable))
        return false;
      first.back = second.back;
      equations[first.equation].lhs = first.flow;
      equations[first.equation].rhs =
          pool.if_else(is_ahead, pool.mul(x, first.ahead), pool.mul(x, first.back));
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
