// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Applies a function to every expression that a model holds: what a pass that writes a model anew
/// would otherwise have to enumerate for itself.

#include <span>
#include <utility>

#include "model/model_data.hpp"

namespace daedal {

/// Equations, initial and boundary equations, events and the energy: everything that may depend on
/// variables.
template <class Data, class Visit>
void for_each_dynamic_expression(Data& model, Visit&& visit) {
  for (auto& equation : model.equations) {
    visit(equation.lhs);
    visit(equation.rhs);
  }
  for (auto& equation : model.initial_equations) {
    visit(equation.lhs);
    visit(equation.rhs);
  }
  for (auto& equation : model.boundary_equations) {
    visit(equation.lhs);
    visit(equation.rhs);
  }
  for (auto& equation : model.discrete_equations) visit(equation.value);
  for (auto& clause : model.when_clauses) {
    for (auto& branch : clause.branches) {
      visit(branch.condition);
      for (auto& action : branch.actions) {
        visit(action.value);
        for (auto& argument : action.arguments) visit(argument);
      }
    }
  }
  for (auto& assertion : model.assertions) visit(assertion.condition);
  visit(model.energy);
}

/// The same of a built model.
template <class Visit>
void for_each_dynamic_expression(const Model& model, Visit&& visit) {
  const struct {
    std::span<const Equation> equations, initial_equations, boundary_equations;
    std::span<const DiscreteEquation> discrete_equations;
    std::span<const WhenClause> when_clauses;
    std::span<const Assertion> assertions;
    NodeId energy;
  } parts{model.equations(),
          model.initial_equations(),
          model.boundary_equations(),
          model.discrete_equations(),
          model.when_clauses(),
          model.assertions(),
          model.energy()};
  for_each_dynamic_expression(parts, visit);
}

/// Start values, parameter values and samplers: expressions of parameters.
template <class Data, class Visit>
void for_each_parameter_expression(Data& model, Visit&& visit) {
  for (auto& variable : model.variables) visit(variable.start);
  for (auto& variable : model.discretes) visit(variable.start);
  for (auto& parameter : model.parameters) visit(parameter.value);
  for (auto& sampler : model.samplers) {
    visit(sampler.start);
    visit(sampler.interval);
  }
}

}  // namespace daedal
