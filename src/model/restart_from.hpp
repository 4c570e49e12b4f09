// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A model as it stands in the middle of a run, for another method to go on from there.

#include <daedal/model.hpp>
#include <span>

namespace daedal {

/// The model without its initial equations, its variables starting from `values`: guesses, since
/// what one method has computed to its tolerance another makes consistent.
Model resumed(const Model& model, std::span<const double> values);

/// False for models whose discrete variables, samplers or when-clauses remember what came before.
bool can_resume(const Model& model);

}  // namespace daedal
