// SPDX-License-Identifier: BSD-3-Clause
#include "model/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <daedal/error.hpp>
#include <daedal/nearest_name.hpp>
#include <utility>

#include "model/model_data.hpp"

namespace daedal {

namespace {

[[noreturn]] void fail_unknown(const Model& model, const std::string& name) {
  std::vector<std::string> candidates;
  for (const Variable& variable : model.variables()) candidates.push_back(variable.name);
  for (const Variable& variable : model.discretes()) candidates.push_back(variable.name);
  const auto is_element = [&](const std::string& other) { return other.starts_with(name + "["); };
  if (const auto first = std::ranges::find_if(candidates, is_element); first != candidates.end()) {
    throw ModelError(
        ErrorCode::unknown_name,
        fmt::format("'{}' is an array: give its elements one by one, '{}' first.", name, *first));
  }
  const std::string nearest = nearest_name(name, candidates);
  throw ModelError(ErrorCode::unknown_name,
                   fmt::format("Model '{}' has no variable '{}'.{}", model.name(), name,
                               nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest)));
}

/// A parameter that no model text can name.
NodeId add_parameter(Model::Data& data, Pool& pool, const std::string& name) {
  data.parameters.push_back({.name = fmt::format("$start({})", name), .value = pool.constant(0.0)});
  return pool.parameter(static_cast<SymbolId>(data.parameters.size() - 1));
}

Model finish(std::shared_ptr<Model::Data> data, std::shared_ptr<Pool> pool) {
  pool->freeze();
  data->pool = std::move(pool);
  return Model(std::move(data));
}

}  // namespace

std::optional<Model> softened(const Model& model) {
  auto data = std::make_shared<Model::Data>(copy_of(model));
  bool has_demands = false;
  for (Variable& variable : data->variables) {
    const StateSelect demanded = variable.state_select;
    if (demanded == StateSelect::always) variable.state_select = StateSelect::prefer;
    if (demanded == StateSelect::never) variable.state_select = StateSelect::avoid;
    has_demands = has_demands || variable.state_select != demanded;
  }
  if (!has_demands) return std::nullopt;
  return Model(std::move(data));
}

Model with_start_parameters(const Model& model, std::span<const std::string> names) {
  if (names.empty()) return model;
  auto data = std::make_shared<Model::Data>(copy_of(model));
  auto pool = std::make_shared<Pool>(model.pool());
  for (const std::string& name : names) {
    const auto found = data->names.find(name);
    if (found == data->names.end() || found->second.kind == Op::parameter) {
      fail_unknown(model, name);
    }
    auto& list = found->second.kind == Op::variable ? data->variables : data->discretes;
    Variable& variable = list[static_cast<std::size_t>(found->second.id)];
    variable.start = add_parameter(*data, *pool, name);
    variable.fixed = true;
  }
  return finish(std::move(data), std::move(pool));
}

Model with_restart_parameters(const Model& model) {
  auto data = std::make_shared<Model::Data>(copy_of(model));
  auto pool = std::make_shared<Pool>(model.pool());
  for (Variable& variable : data->variables) {
    variable.start = add_parameter(*data, *pool, variable.name);
    variable.fixed = false;
  }
  // Those that the initial equations determined have their numbers now, and no way leads there from
  // simplified equations.
  for (Parameter& parameter : data->parameters) {
    parameter.fixed = true;
    if (parameter.name == homotopy_parameter) parameter.name += "(over)";
  }
  data->initial_equations.clear();
  return finish(std::move(data), std::move(pool));
}

bool can_restart(const Model& model) {
  // Discrete variables that follow a schedule remember nothing.
  std::size_t n_scheduled = 0;
  for (const auto& schedule : model.schedules()) n_scheduled += schedule->discretes.size();
  return model.discretes().size() == n_scheduled && model.when_clauses().empty() &&
         model.samplers().empty();
}

}  // namespace daedal
