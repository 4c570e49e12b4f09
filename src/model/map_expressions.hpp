// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Applies a function to every expression that a model holds: what a pass that writes a model anew
/// would otherwise have to enumerate for itself.

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
