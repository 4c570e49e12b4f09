// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Start values given for one run, by variable of a model.

#include <daedal/model.hpp>
#include <optional>
#include <vector>

namespace daedal::formulation {

/// Throws ModelError{unknown_name} for a variable that does not exist, with the name nearest to it.
std::vector<std::optional<double>> find_overrides(const Model& model, const Overrides& starts);

}  // namespace daedal::formulation
