// SPDX-License-Identifier: BSD-3-Clause
#include "model/usage.hpp"

#include <fmt/format.h>

#include "core/types.hpp"
#include "expr/calculus.hpp"
#include "expr/pool.hpp"
#include "model/labels.hpp"

namespace daedal {

namespace {

void add(std::vector<NodeId>& roots, NodeId node) {
  if (node != no_node) roots.push_back(node);
}

/// Every expression of the model but the values of parameters.
std::vector<NodeId> expressions(const Model& model, Uses uses) {
  std::vector<NodeId> roots;
  const bool has_start = uses == Uses::all;
  const auto initial = has_start ? model.initial_equations() : std::span<const Equation>();
  for (const auto equations : {model.equations(), initial, model.boundary_equations()}) {
    for (const Equation& equation : equations) {
      add(roots, equation.lhs);
      add(roots, equation.rhs);
    }
  }
  for (const auto variables : {model.variables(), model.discretes()}) {
    for (const Variable& variable : variables) {
      if (has_start) add(roots, variable.start);
    }
  }
  for (const DiscreteEquation& equation : model.discrete_equations()) add(roots, equation.value);
  for (const WhenClause& clause : model.when_clauses()) {
    for (const WhenBranch& branch : clause.branches) {
      add(roots, branch.condition);
      for (const WhenAction& action : branch.actions) {
        add(roots, action.value);
        roots.insert(roots.end(), action.arguments.begin(), action.arguments.end());
      }
    }
  }
  for (const Assertion& assertion : model.assertions()) add(roots, assertion.condition);
  for (const Sampler& sampler : model.samplers()) {
    add(roots, sampler.start);
    add(roots, sampler.interval);
  }
  return roots;
}

}  // namespace

std::vector<bool> used_parameters(const Model& model, Uses uses) {
  const Pool& pool = *model.pool();
  std::vector<bool> used(model.parameters().size(), false);
  std::vector<NodeId> roots = expressions(model, uses);
  // Values of used parameters may use others: look again until nothing new comes up.
  while (!roots.empty()) {
    std::vector<NodeId> next;
    for (const NodeId leaf : dependencies(pool, roots)) {
      if (pool[leaf].op != Op::parameter) continue;
      const auto number = to_size(pool[leaf].symbol);
      if (used[number]) continue;
      used[number] = true;
      add(next, model.parameters()[number].value);
    }
    roots = std::move(next);
  }
  return used;
}

void refuse_unused(const Model& model, const Overrides& overrides, Uses uses) {
  if (overrides.empty()) return;
  const std::vector<bool> used = used_parameters(model, uses);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const Parameter& parameter = model.parameters()[i];
    if (used[i] || !overrides.contains(parameter.name)) continue;
    throw ModelError(ErrorCode::invalid_value,
                     fmt::format("No equation of '{}' uses the parameter '{}', so that another "
                                 "value would change nothing: {}.",
                                 model.name(), parameter.name,
                                 uses == Uses::all
                                     ? "it was folded into the equations by the exporting tool, or "
                                       "it is not needed"
                                     : "it is not needed after the start of a run"),
                     parameter.where);
  }
}

bool has_action(const Model& model, WhenAction::Kind kind) {
  for (const WhenClause& clause : model.when_clauses()) {
    for (const WhenBranch& branch : clause.branches) {
      for (const WhenAction& action : branch.actions) {
        if (action.kind == kind) return true;
      }
    }
  }
  return false;
}

void refuse_open_inputs(const Model& model) {
  for (const ModelInput& input : model.inputs()) {
    if (input.default_equation >= 0) continue;
    const Variable& variable = model.variable_of(input);
    ModelError error(
        ErrorCode::unbalanced,
        fmt::format("Nothing gives a value to {}, an input of model '{}'. Give it a number, an "
                    "expression of time or a table: -i {}=2, -i inputs.csv, or with_inputs() "
                    "in C++.",
                    variable_label(variable), model.name(), variable.name),
        variable.where);
    error.with_variables({variable.name});
    throw error;
  }
}

}  // namespace daedal
