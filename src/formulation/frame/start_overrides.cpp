// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/frame/start_overrides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <daedal/error.hpp>

#include "core/nearest_name.hpp"

namespace daedal::formulation {

std::vector<std::optional<double>> find_overrides(const Model& model, const Overrides& starts) {
  std::vector<std::optional<double>> result(model.variables().size());
  std::vector<std::string> names;
  for (const Variable& variable : model.variables()) names.push_back(variable.name);
  for (const auto& [name, value] : starts) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      const std::string nearest = nearest_name(name, names);
      throw ModelError(ErrorCode::unknown_name,
                       fmt::format("A start value is given for '{}', which is no variable of "
                                   "model '{}'.{}",
                                   name, model.name(),
                                   nearest.empty() ? "" : " Did you mean '" + nearest + "'?"));
    }
    result[static_cast<std::size_t>(found - names.begin())] = value;
  }
  return result;
}

}  // namespace daedal::formulation
