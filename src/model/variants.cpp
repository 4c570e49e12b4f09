// SPDX-License-Identifier: BSD-3-Clause
#include "model/variants.hpp"

#include <utility>

#include "model/model_data.hpp"

namespace daedal {

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

Model resumed(const Model& model, std::span<const double> values) {
  auto data = std::make_shared<Model::Data>(copy_of(model));
  auto pool = std::make_shared<Pool>(model.pool());
  for (std::size_t i = 0; i < values.size(); ++i) {
    data->variables[i].start = pool->constant(values[i]);
    data->variables[i].fixed = false;
  }
  // Those that the initial equations determined have their numbers now.
  for (Parameter& parameter : data->parameters) parameter.fixed = true;
  data->initial_equations.clear();
  pool->freeze();
  data->pool = std::move(pool);
  return Model(std::move(data));
}

bool can_resume(const Model& model) {
  return model.discretes().empty() && model.when_clauses().empty() && model.samplers().empty();
}

}  // namespace daedal
