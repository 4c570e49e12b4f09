// SPDX-License-Identifier: BSD-3-Clause
#include "model/relax_state_select.hpp"

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

}  // namespace daedal
