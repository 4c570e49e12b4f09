// SPDX-License-Identifier: BSD-3-Clause
#include "model/simplify/elimination.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/types.hpp"
#include "model/views/linear_terms.hpp"

namespace daedal {

namespace {

/// Equations with more variables than this are no candidates for aliases or constants: it bounds
/// how often one is looked at again when a variable in it becomes constant.
constexpr std::size_t most_variables_of_alias_equation = 4;

}  // namespace

AliasClasses::AliasClasses(std::int32_t n_variables)
    : parent_(static_cast<std::size_t>(n_variables)),
      sign_(static_cast<std::size_t>(n_variables), 1),
      members_(static_cast<std::size_t>(n_variables)) {
  for (std::int32_t i = 0; i < n_variables; ++i) {
    parent_[i] = i;
    members_[i] = {i};
  }
}

AliasClasses::Member AliasClasses::find(std::int32_t variable) {
  std::int32_t root = variable;
  int sign = 1;
  while (parent_[root] != root) {
    sign *= sign_[root];
    root = parent_[root];
  }
  // Second pass: every variable on the way points at the root directly.
  int rest = sign;
  while (variable != root) {
    const auto i = static_cast<std::size_t>(variable);
    const int own = sign_[i];
    variable = parent_[i];
    parent_[i] = root;
    sign_[i] = rest;
    rest *= own;  // signs are their own inverses
  }
  return {root, sign};
}

void AliasClasses::merge(std::int32_t a, std::int32_t b, int sign) {
  const auto i = static_cast<std::size_t>(a);
  const auto j = static_cast<std::size_t>(b);
  parent_[j] = a;
  sign_[j] = sign;
  // The shorter list is appended to the longer one: n log n moves in all.
  if (members_[i].size() < members_[j].size()) members_[i].swap(members_[j]);
  members_[i].insert(members_[i].end(), members_[j].begin(), members_[j].end());
  members_[j] = {};
}

const std::vector<std::int32_t>& AliasClasses::members(std::int32_t representative) const {
  return members_[representative];
}

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
  return fate_[representative];
}

NodeId Elimination::definition(std::int32_t representative) const {
  return definition_[representative];
}

void Elimination::mark_leaf_uses(NodeId root) {
  if (root == no_node) return;
  for (const NodeId leaf : walker_.leaves(root)) {
    const Node& node = pool_[leaf];
    const bool is_other_instant = node.op == Op::pre_variable || node.op == Op::final_variable;
    if (node.op != Op::variable && !is_other_instant) continue;
    used_elsewhere_[node.symbol] = true;
    if (is_other_instant || node.order > 0) not_output_[node.symbol] = true;
  }
}

void Elimination::mark_special_uses() {
  for (NodeId id = 0; id < pool_.size(); ++id) {
    const Node& node = pool_[id];
    if (node.op == Op::variable && node.order > 0) {
      has_derivative_[node.symbol] = true;
      not_constant_[node.symbol] = true;
    }
    if (node.op == Op::pre_variable) not_output_[node.symbol] = true;
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
        for (const NodeId argument : action.arguments) mark_leaf_uses(argument);
        if (action.kind != WhenAction::Kind::reinit) continue;
        not_constant_[action.target] = true;
        not_output_[action.target] = true;
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
      short_equations_[symbol].push_back(static_cast<std::int32_t>(e));
    }
    queue_.push_back(static_cast<std::int32_t>(e));
    queued_[e] = true;
  }
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const std::size_t e = to_size(queue_[next]);
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
    if (fate_[classes_.find(node.symbol).representative] != Fate::constant) return false;
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

  if (unknown.size() == 1 && !not_constant_[unknown[0].node]) {
    const double factor = -1.0 / unknown[0].coefficient;
    for (LinearTerm& term : rest) term.coefficient *= factor;
    make_constant(unknown[0].node, sum_of_terms(pool_, rest));
    removed_[equation] = true;
  } else if (unknown.size() == 2 && rest.empty() &&
             std::abs(unknown[0].coefficient) == std::abs(unknown[1].coefficient) &&
             !(has_derivative_[unknown[0].node] && has_derivative_[unknown[1].node])) {
    make_alias(unknown[0].node, unknown[1].node,
               unknown[0].coefficient == unknown[1].coefficient ? -1 : 1);
    removed_[equation] = true;
  }
}

/// Whether `a` is the better representative: wanted as a state, differentiated, fixed, declared
/// first.
bool Elimination::prefers(std::int32_t a, std::int32_t b) const {
  const auto rank = [this](std::int32_t i) {
    const Variable& variable = model_.variables()[i];
    return std::tuple(variable.state_select, bool(has_derivative_[i]), variable.fixed, -i);
  };
  return rank(a) > rank(b);
}

void Elimination::make_alias(std::int32_t a, std::int32_t b, int sign) {
  if (!prefers(a, b)) std::swap(a, b);
  requeue(b);
  has_derivative_[a] = has_derivative_[a] || has_derivative_[b];
  not_constant_[a] = not_constant_[a] || not_constant_[b];
  not_output_[a] = not_output_[a] || not_output_[b];
  used_elsewhere_[a] = used_elsewhere_[a] || used_elsewhere_[b];
  classes_.merge(a, b, sign);
}

void Elimination::make_constant(std::int32_t representative, NodeId definition) {
  requeue(representative);
  fate_[representative] = Fate::constant;
  definition_[representative] = definition;
}

/// Looks again at the short equations of a class: it may have made aliases or constants of others.
void Elimination::requeue(std::int32_t representative) {
  for (const std::int32_t member : classes_.members(representative)) {
    for (const std::int32_t e : short_equations_[member]) {
      if (removed_[e] || queued_[e]) continue;
      queued_[e] = true;
      queue_.push_back(e);
    }
  }
}

// The second half: variables that occur in one equation only.

/// The unknown classes of an equation, ascending, each once with its highest derivative.
std::vector<Elimination::Use> Elimination::uses(std::size_t equation) {
  const NodeId sides[2] = {model_.equations()[equation].lhs, model_.equations()[equation].rhs};
  std::vector<Use> found;
  for (const NodeId leaf : walker_.leaves(sides)) {
    const Node& node = pool_[leaf];
    if (node.op != Op::variable) continue;
    const std::int32_t representative = classes_.find(node.symbol).representative;
    if (fate_[representative] != Fate::constant) found.push_back({representative, node.order});
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
      ++n_equations_[use.representative];
      if (use.order > 0) ++n_derivative_equations_[use.representative];
      equations_of_[use.representative].push_back(static_cast<std::int32_t>(e));
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
      const bool stays_differential = n_derivative_equations_[use.representative] > 1;
      if (use.order > 1 || !stays_differential || used_elsewhere_[representative]) return false;
    } else if (n_equations_[use.representative] == 1) {
      return false;  // two unknowns that occur only here: structurally singular
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
    if (n_equations_[i] == 1 && !not_output_[i]) queue.push_back(i);
  };
  for (std::size_t i = 0; i < n_equations_.size(); ++i) consider(static_cast<std::int32_t>(i));
  std::vector<int> tries(model_.equations().size(), 0);
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const std::int32_t candidate = queue[next];
    if (n_equations_[candidate] != 1 || fate_[candidate] != Fate::kept) continue;
    const auto& equations = equations_of_[candidate];
    const auto kept = std::find_if(equations.begin(), equations.end(),
                                   [&](std::int32_t e) { return !removed_[e]; });
    const std::size_t e = to_size(*kept);
    // In a regular model one equation has one such unknown; more tries would cost quadratic time.
    if (++tries[e] > 2 || !may_be_output(candidate, e)) continue;
    const NodeId definition = solved_for(e, candidate);
    if (definition == no_node) continue;
    removed_[e] = true;
    fate_[candidate] = Fate::output;
    definition_[candidate] = definition;
    for (const Use& use : uses(e)) {
      --n_equations_[use.representative];
      if (use.order > 0) --n_derivative_equations_[use.representative];
      consider(use.representative);
    }
  }
}

}  // namespace daedal
