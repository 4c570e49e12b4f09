// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What stands behind a `Model`. A builder fills it; a built model shares it and never changes it.

#include <daedal/model.hpp>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "expr/pool.hpp"

namespace daedal {

/// The number of coefficients of each polynomial of a delayed signal.
inline constexpr int delay_coefficients = 8;

/// What a declared name stands for.
struct Symbol {
  Op kind = Op::variable;  ///< variable, discrete or parameter
  SymbolId id = -1;
};

struct Model::Data {
  std::string name;
  std::string description;
  std::shared_ptr<Pool> open_pool;   ///< while the model is being built
  std::shared_ptr<const Pool> pool;  ///< the same, for readers
  std::vector<Variable> variables;
  std::vector<Variable> discretes;
  std::vector<Parameter> parameters;
  std::vector<Equation> equations;
  std::vector<Equation> initial_equations;
  std::vector<Equation> boundary_equations;
  std::vector<DiscreteEquation> discrete_equations;
  std::vector<WhenClause> when_clauses;
  std::vector<Assertion> assertions;
  std::vector<Sampler> samplers;
  std::vector<std::shared_ptr<const Schedule>> schedules;
  std::vector<ModelInput> inputs;
  Experiment experiment;
  NodeId energy = no_node;
  std::unordered_set<std::string> names;  ///< that are taken, while the model is being built
};

/// The content of a built model, to be changed into another one.
Model::Data copy_of(const Model& model);

/// What a name stands for, found by a look at all of them.
std::optional<Symbol> find_symbol(const Model::Data& data, std::string_view name);

}  // namespace daedal
