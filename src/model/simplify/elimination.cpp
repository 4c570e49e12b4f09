// SPDX-License-Identifier: BSD-3-Clause
#include "model/simplify/elimination.hpp"

#include <algorithm>
#include <tuple>

#include "core/types.hpp"
#include "model/views/linear_terms.hpp"

namespace daedal {

namespace {

/// Equations with more variables than this are no candidates for aliases or constants: it bounds
/// how often one is looked at again when a variable in it becomes constant.
constexpr std::size_t most_variables_of_alias_equation = 4;

std::size_t at(std::int32_t i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

Elimination::Elimination(const Model& model, bool outputs)
    : model_(model),
      pool_(model.pool()),
      walker_(pool_),
      classes_(static_cast<std::int32_t>(model.variables().size())),
      fate_(model.variables().size(), Fate::kept),
      definition_(model.variables().size(), no_node),
      removed_(model.equations().size(), false),
      has_derivative_(model.variables().size(), false),
      not_constant_(model.variables().size(), false),
      not_output_(model.variables().size(), false),
      used_elsewhere_(model.variables().size(), false) {
  mark_special_uses();
  find_aliases_and_constants();
  if (outputs) find_outputs();
}

Elimination::Fate Elimination::fate(std::int32_t representative) const {
  return fate_[at(representative)];
}

NodeId Elimination::definition(std::int32_t representative) const {
  return definition_[at(representative)];
}

void Elimination::mark_leaf_uses(NodeId root) {
  if (root == no_node) return;
  for (const NodeId leaf : walker_.leaves(root)) {
    const Node& node = pool_[leaf];
    const bool is_other_instant = node.op == Op::pre_variable || node.op == Op::final_variable;
    if (node.op != Op::variable && !is_other_instant) continue;
    used_elsewhere_[at(node.symbol)] = true;
    if (is_other_instant || node.order > 0) not_output_[at(node.symbol)] = true;
  }
}

void Elimination::mark_special_uses() {
  for (NodeId id = 0; id < pool_.size(); ++id) {
    const Node& node = pool_[id];
    if (node.op == Op::variable && node.order > 0) {
      has_derivative_[at(node.symbol)] = true;
      not_constant_[at(node.symbol)] = true;
    }
    if (node.op == Op::pre_variable) not_output_[at(node.symbol)] = true;
  }
  for (std::size_t i = 0; i < model_.variables().size(); ++i) {
    const Variable& variable = model_.variables()[i];
    if (variable.fixed || variable.state_select >= StateSelect::prefer) not_output_[i] = true;
  }
  for (const auto equations : {model_.initial_equations(), model_.boundary_equations()}) {
    for (const Equation& equation : equations) {
      mark_leaf_uses(equation.lhs);
      mark_leaf_uses(equation.rhs);
    }
  }
  mark_leaf_uses(model_.energy());
  for (const DiscreteEquation& equation : model_.discrete_equations()) {
    mark_leaf_uses(equation.value);
  }
  for (const Assertion& assertion : model_.assertions()) mark_leaf_uses(assertion.condition);
  for (const WhenClause& clause : model_.when_clauses()) {
    for (const WhenBranch& branch : clause.branches) {
      mark_leaf_uses(branch.condition);
      for (const WhenAction& action : branch.actions) {
        mark_leaf_uses(action.value);
        if (action.kind != WhenAction::Kind::reinit) continue;
        not_constant_[at(action.target)] = true;
        not_output_[at(action.target)] = true;
      }
    }
  }
}

void Elimination::find_aliases_and_constants() {
  short_equations_.resize(model_.variables().size());
  queued_.assign(model_.equations().size(), false);
  std::vector<std::int32_t> symbols;
  for (std::size_t e = 0; e < model_.equations().size(); ++e) {
    const NodeId sides[2] = {model_.equations()[e].lhs, model_.equations()[e].rhs};
    symbols.clear();
    bool is_candidate = true;
    for (const NodeId leaf : walker_.leaves(sides)) {
      const Node& node = pool_[leaf];
      if (node.op == Op::variable) symbols.push_back(node.symbol);
      if (node.op != Op::variable && node.op != Op::parameter) is_candidate = false;
    }
    if (!is_candidate || symbols.size() > most_variables_of_alias_equation) continue;
    for (const std::int32_t symbol : symbols) {
      short_equations_[at(symbol)].push_back(static_cast<std::int32_t>(e));
    }
    queue_.push_back(static_cast<std::int32_t>(e));
    queued_[e] = true;
  }
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const std::size_t e = at(queue_[next]);
    queued_[e] = false;
    if (!removed_[e]) classify(e);
  }
}

/// Whether a term has the same value at all times: parameters and constant variables only.
bool Elimination::is_constant_term(NodeId term) {
  for (const NodeId leaf : walker_.leaves(term)) {
    const Node& node = pool_[leaf];
    if (node.op == Op::parameter) continue;
    if (node.op != Op::variable) return false;
    if (fate_[at(classes_.find(node.symbol).representative)] != Fate::constant) return false;
  }
  return true;
}

void Elimination::classify(std::size_t equation) {
  const Equation& sides = model_.equations()[equation];
  std::vector<LinearTerm> unknown;  // node: the representative
  std::vector<LinearTerm> rest;
  for (const LinearTerm& term : linear_terms(pool_, sides.lhs, sides.rhs)) {
    if (is_constant_term(term.node)) {
      rest.push_back(term);
      continue;
    }
    const Node& node = pool_[term.node];
    if (node.op != Op::variable || node.order != 0) return;
    const AliasClasses::Member member = classes_.find(node.symbol);
    const auto same = std::find_if(unknown.begin(), unknown.end(), [&](const LinearTerm& other) {
      return other.node == member.representative;
    });
    const double coefficient = term.coefficient * member.sign;
    if (same != unknown.end()) {
      same->coefficient += coefficient;
    } else {
      unknown.push_back({member.representative, coefficient});
    }
  }
  std::erase_if(unknown, [](const LinearTerm& term) { return term.coefficient == 0.0; });

  if (unknown.size() == 1 && !not_constant_[at(unknown[0].node)]) {
    const double factor = -1.0 / unknown[0].coefficient;
    for (LinearTerm& term : rest) term.coefficient *= factor;
    make_constant(unknown[0].node, sum_of_terms(pool_, rest));
    removed_[equation] = true;
  } else if (unknown.size() == 2 && rest.empty() &&
             std::abs(unknown[0].coefficient) == std::abs(unknown[1].coefficient) &&
             !(has_derivative_[at(unknown[0].node)] && has_derivative_[at(unknown[1].node)])) {
    make_alias(unknown[0].node, unknown[1].node,
               unknown[0].coefficient == unknown[1].coefficient ? -1 : 1);
    removed_[equation] = true;
  }
}

/// Whether `a` is the better representative: wanted as a state, differentiated, fixed, declared
/// first.
bool Elimination::prefers(std::int32_t a, std::int32_t b) const {
  const auto rank = [this](std::int32_t i) {
    const Variable& variable = model_.variables()[at(i)];
    return std::tuple(variable.state_select, bool(has_derivative_[at(i)]), variable.fixed, -i);
  };
  return rank(a) > rank(b);
}

void Elimination::make_alias(std::int32_t a, std::int32_t b, int sign) {
  if (!prefers(a, b)) std::swap(a, b);
  requeue(b);
  has_derivative_[at(a)] = has_derivative_[at(a)] || has_derivative_[at(b)];
  not_constant_[at(a)] = not_constant_[at(a)] || not_constant_[at(b)];
  not_output_[at(a)] = not_output_[at(a)] || not_output_[at(b)];
  used_elsewhere_[at(a)] = used_elsewhere_[at(a)] || used_elsewhere_[at(b)];
  classes_.merge(a, b, sign);
}

void Elimination::make_constant(std::int32_t representative, NodeId definition) {
  requeue(representative);
  fate_[at(representative)] = Fate::constant;
  definition_[at(representative)] = definition;
}

/// Looks again at the short equations of a class: it may have made aliases or constants of others.
void Elimination::requeue(std::int32_t representative) {
  for (const std::int32_t member : classes_.members(representative)) {
    for (const std::int32_t e : short_equations_[at(member)]) {
      if (removed_[at(e)] || queued_[at(e)]) continue;
      queued_[at(e)] = true;
      queue_.push_back(e);
    }
  }
}

}  // namespace daedal
