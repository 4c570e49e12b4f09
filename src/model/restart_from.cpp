// SPDX-License-Identifier: BSD-3-Clause
#include "model/restart_from.hpp"

#include "model/model_data.hpp"

namespace daedal {

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
