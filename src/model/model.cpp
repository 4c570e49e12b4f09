// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/model.hpp>

#include "model/model_data.hpp"

namespace daedal {

namespace {

/// A model that was never built is an empty one.
const Model::Data& empty_model() {
  static const Model::Data empty = [] {
    Model::Data data;
    auto pool = std::make_shared<Pool>();
    pool->freeze();
    data.pool = std::move(pool);
    return data;
  }();
  return empty;
}

const Model::Data& read(const std::shared_ptr<const Model::Data>& data) {
  return data ? *data : empty_model();
}

}  // namespace

const std::string& Model::name() const {
  return read(data_).name;
}
const std::string& Model::description() const {
  return read(data_).description;
}
const std::shared_ptr<const Pool>& Model::pool() const {
  return read(data_).pool;
}
std::span<const Variable> Model::variables() const {
  return read(data_).variables;
}
std::span<const Variable> Model::discretes() const {
  return read(data_).discretes;
}
std::span<const Parameter> Model::parameters() const {
  return read(data_).parameters;
}
std::span<const Equation> Model::equations() const {
  return read(data_).equations;
}
std::span<const Equation> Model::initial_equations() const {
  return read(data_).initial_equations;
}
std::span<const Equation> Model::boundary_equations() const {
  return read(data_).boundary_equations;
}
std::span<const DiscreteEquation> Model::discrete_equations() const {
  return read(data_).discrete_equations;
}
std::span<const WhenClause> Model::when_clauses() const {
  return read(data_).when_clauses;
}
std::span<const Assertion> Model::assertions() const {
  return read(data_).assertions;
}
std::span<const Sampler> Model::samplers() const {
  return read(data_).samplers;
}
const Experiment& Model::experiment() const {
  return read(data_).experiment;
}
NodeId Model::energy() const {
  return read(data_).energy;
}

Model::Data copy_of(const Model& model) {
  const auto list = [](auto span) { return std::vector(span.begin(), span.end()); };
  Model::Data data{.name = model.name(),
                   .description = model.description(),
                   .open_pool = nullptr,
                   .pool = model.pool(),
                   .variables = list(model.variables()),
                   .discretes = list(model.discretes()),
                   .parameters = list(model.parameters()),
                   .equations = list(model.equations()),
                   .initial_equations = list(model.initial_equations()),
                   .boundary_equations = list(model.boundary_equations()),
                   .discrete_equations = list(model.discrete_equations()),
                   .when_clauses = list(model.when_clauses()),
                   .assertions = list(model.assertions()),
                   .samplers = list(model.samplers()),
                   .experiment = model.experiment(),
                   .energy = model.energy(),
                   .names = {}};
  index_names(data);
  return data;
}

void index_names(Model::Data& data) {
  data.names.clear();
  const auto declare = [&](const auto& list, Op kind) {
    SymbolId id = 0;
    for (const auto& item : list) data.names.emplace(item.name, Symbol{kind, id++});
  };
  declare(data.variables, Op::variable);
  declare(data.discretes, Op::discrete);
  declare(data.parameters, Op::parameter);
}

}  // namespace daedal
