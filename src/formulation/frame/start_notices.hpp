// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What the initialiser completed and moved, in words.

#include <vector>

#include "analysis/initial/initializer.hpp"
#include "formulation/frame/formulation.hpp"

namespace daedal::formulation {

/// A start value that nobody gave moves more easily than one that somebody did.
inline constexpr double confidence_of_default = 1e-3;

/// Appends one notice for the unknowns without a given start value, and one for the given ones
/// that were moved. `is_given` has an entry for each of the first unknowns; others are not named.
void add_start_notices(const analysis::InitialValues& found,
                       const analysis::ConstraintSet& constraints,
                       const std::vector<bool>& is_given, Start& start);

}  // namespace daedal::formulation
