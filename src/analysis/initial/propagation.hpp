// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A first point for the initialiser where its start values are outside the domain of the
/// equations: lengths of 0 that are divided by, angles atan2(0, 0) of default matrices.
///
/// Values are carried through the equations as by hand: an equation with one unknown left is solved
/// for it, beginning with the held values. Where no such equation is left, the start value
/// that is wished most is taken for known (a given guess before a default before a free unknown).
/// So a value that follows from known ones never needs a guess. Equations that end with no unknown
/// left are the initialiser's, as are the values taken for known.

#include <span>
#include <vector>

#include "analysis/initial/initializer.hpp"

namespace daedal::analysis {

struct PropagationOptions {
  /// Only these equations count where there are any: others have unknowns that are held at values
  /// to be found later.
  std::span<const Index> rows{};
  /// Default nominal values say nothing about the size of an unknown: one that is small in its
  /// equation by such a value is solved for too, if the value found is not small.
  bool judges_by_values = false;
};

/// `u` holds start values and takes the values found; those that no equation could be solved for
/// keep their start value.
void propagate_known_values(ConstraintSet& constraints, std::span<const InitialUnknown> unknowns,
                            std::span<double> u, const PropagationOptions& options = {});

}  // namespace daedal::analysis
