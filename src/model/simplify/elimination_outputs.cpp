// SPDX-License-Identifier: BSD-3-Clause
/// The second half of the elimination: variables that only one equation knows.

#include <algorithm>
#include <utility>

#include "model/simplify/elimination.hpp"
#include "model/views/linear_terms.hpp"

namespace daedal {

namespace {

std::size_t at(std::int32_t i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

/// The unknown classes of an equation, ascending, each once with its highest derivative.
std::vector<Elimination::Use> Elimination::uses(std::size_t equation) {
  const NodeId sides[2] = {model_.equations()[equation].lhs, model_.equations()[equation].rhs};
  std::vector<Use> found;
  for (const NodeId leaf : walker_.leaves(sides)) {
    const Node& node = pool_[leaf];
    if (node.op != Op::variable) continue;
    const std::int32_t representative = classes_.find(node.symbol).representative;
    if (fate_[at(representative)] != Fate::constant) found.push_back({representative, node.order});
  }
  std::sort(found.begin(), found.end(), [](const Use& x, const Use& y) {
    return std::pair(x.representative, -x.order) < std::pair(y.representative, -y.order);
  });
  const auto same = [](const Use& x, const Use& y) { return x.representative == y.representative; };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  return found;
}

void Elimination::count_uses() {
  n_equations_.assign(model_.variables().size(), 0);
  n_derivative_equations_.assign(model_.variables().size(), 0);
  equations_of_.assign(model_.variables().size(), {});
  for (std::size_t e = 0; e < model_.equations().size(); ++e) {
    if (removed_[e]) continue;
    for (const Use& use : uses(e)) {
      ++n_equations_[at(use.representative)];
      if (use.order > 0) ++n_derivative_equations_[at(use.representative)];
      equations_of_[at(use.representative)].push_back(static_cast<std::int32_t>(e));
    }
  }
}

/// The representative as an expression of the other variables of the equation, or no_node when it
/// does not stand alone there with a numeric factor.
NodeId Elimination::solved_for(std::size_t equation, std::int32_t representative) {
  const Equation& sides = model_.equations()[equation];
  double factor = 0.0;
  std::vector<LinearTerm> rest;
  for (const LinearTerm& term : linear_terms(pool_, sides.lhs, sides.rhs)) {
    const Node& node = pool_[term.node];
    if (node.op == Op::variable && node.order == 0) {
      const AliasClasses::Member member = classes_.find(node.symbol);
      if (member.representative == representative) {
        factor += term.coefficient * member.sign;
        continue;
      }
    }
    for (const NodeId leaf : walker_.leaves(term.node)) {
      const Node& below = pool_[leaf];
      if (below.op == Op::variable &&
          classes_.find(below.symbol).representative == representative) {
        return no_node;
      }
    }
    rest.push_back(term);
  }
  if (factor == 0.0) return no_node;
  for (LinearTerm& term : rest) term.coefficient *= -1.0 / factor;
  return sum_of_terms(pool_, rest);
}

/// Whether the variable can be computed afterwards from what a run knows: values, first derivatives
/// of what stays differential, and discrete values; no events, which must stay in the system.
bool Elimination::may_be_output(std::int32_t representative, std::size_t equation) {
  for (const Use& use : uses(equation)) {
    if (use.representative == representative) {
      if (use.order > 0) return false;
    } else if (use.order > 0) {
      const bool stays_differential = n_derivative_equations_[at(use.representative)] > 1;
      if (use.order > 1 || !stays_differential || used_elsewhere_[at(representative)]) return false;
    } else if (n_equations_[at(use.representative)] == 1) {
      return false;  // two unknowns that only this equation knows: structurally singular
    }
  }
  const NodeId sides[2] = {model_.equations()[equation].lhs, model_.equations()[equation].rhs};
  for (const NodeId leaf : walker_.leaves(sides)) {
    const Op op = pool_[leaf].op;
    if (op != Op::variable && op != Op::parameter && op != Op::time && op != Op::discrete) {
      return false;
    }
  }
  return !walker_.has_held_relation(sides);
}

void Elimination::find_outputs() {
  count_uses();
  std::vector<std::int32_t> queue;
  const auto consider = [&](std::int32_t i) {
    if (n_equations_[at(i)] == 1 && !not_output_[at(i)]) queue.push_back(i);
  };
  for (std::size_t i = 0; i < n_equations_.size(); ++i) consider(static_cast<std::int32_t>(i));
  std::vector<int> tries(model_.equations().size(), 0);
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const std::int32_t candidate = queue[next];
    if (n_equations_[at(candidate)] != 1 || fate_[at(candidate)] != Fate::kept) continue;
    const auto& equations = equations_of_[at(candidate)];
    const auto kept = std::find_if(equations.begin(), equations.end(),
                                   [&](std::int32_t e) { return !removed_[at(e)]; });
    const std::size_t e = at(*kept);
    // In a regular model one equation has one such unknown; more tries would cost quadratic time.
    if (++tries[e] > 2 || !may_be_output(candidate, e)) continue;
    const NodeId definition = solved_for(e, candidate);
    if (definition == no_node) continue;
    removed_[e] = true;
    fate_[at(candidate)] = Fate::output;
    definition_[at(candidate)] = definition;
    for (const Use& use : uses(e)) {
      --n_equations_[at(use.representative)];
      if (use.order > 0) --n_derivative_equations_[at(use.representative)];
      consider(use.representative);
    }
  }
}

}  // namespace daedal
