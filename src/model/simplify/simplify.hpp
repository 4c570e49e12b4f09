// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A smaller model with the same solutions, and the way back to the variables of the original.
///
/// Aliases (x = ±y), constants and outputs that nothing else needs are taken out together with the
/// equation that determines each (see elimination.hpp). Parameters keep their numbers, so that
/// parameter values of the original serve the simplified model as well; discrete variables stay.
/// Start values of aliases are merged: a fixed one wins, two different fixed ones contradict each
/// other.

#include <daedal/model.hpp>
#include <vector>

#include "core/types.hpp"
#include "model/simplify/recovery.hpp"

namespace daedal {

struct SimplifyOptions {
  bool remove_outputs = true;
  /// Start values given for this run by variable name: they count as fixed.
  Overrides starts{};
};

struct Simplified {
  Model model;
  Recovery recovery;
  Index n_aliases = 0;
  Index n_constants = 0;
  Index n_outputs = 0;
};

/// Throws ModelError{invalid_value} naming both variables of contradictory fixed start values, and
/// ModelError{unknown_name} for start values of variables that do not exist.
Simplified simplify(const Model& model, const SimplifyOptions& options = {});

}  // namespace daedal
