// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Which parameters a model uses. Exporting tools fold parameters into equations and keep their
/// declarations: giving such a parameter another value would change nothing.

#include <daedal/model.hpp>
#include <vector>

namespace daedal {

enum class Uses {
  all,
  after_start,  ///< not those in start values and initial equations
};

/// Per parameter: whether an equation, a start value, an event or another used parameter depends
/// on it.
std::vector<bool> used_parameters(const Model& model, Uses uses = Uses::all);

/// Throws ModelError{invalid_value} naming a parameter of `overrides` that nothing uses.
void refuse_unused(const Model& model, const Overrides& overrides, Uses uses = Uses::all);

/// Whether a when-clause of the model has such an action.
[[nodiscard]] bool has_action(const Model& model, WhenAction::Kind kind);

/// Throws ModelError{unbalanced} where an input has neither been given a value nor has a default.
void refuse_open_inputs(const Model& model);

}  // namespace daedal
