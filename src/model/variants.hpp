// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Models made from a model for another attempt at solving it.

#include <daedal/model.hpp>
#include <optional>
#include <span>

namespace daedal {

/// The model whose demands on the choice of states are wishes: StateSelect.always becomes prefer,
/// never becomes avoid. Nothing where the model has neither.
std::optional<Model> softened(const Model& model);

/// The model without its initial equations, its variables starting from `values`: guesses, since
/// what one method has computed to its tolerance another makes consistent.
Model resumed(const Model& model, std::span<const double> values);

/// False for models whose discrete variables, samplers or when-clauses remember what came before.
bool can_resume(const Model& model);

}  // namespace daedal
