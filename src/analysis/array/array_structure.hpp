// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What the null spaces of a derivative array say in terms of equations and unknowns: which
/// equations hide constraints, which unknowns can be given freely, and which parts of a deficient
/// model are to blame.

#include <vector>

#include "analysis/array/derivative_array.hpp"
#include "core/types.hpp"

namespace daedal::analysis {

/// A model that does not determine its derivatives.
struct ArrayDeficiency {
  std::vector<Index> equations;  ///< those that take part in the redundancy of rows
  std::vector<Index> unknowns;   ///< whose derivatives the array leaves open
};
ArrayDeficiency find_deficiency(const DerivativeArray& array, const ArrayPoint& point, int level);

/// The unknowns that take part in the constraints on x alone of the levels 0..level.
std::vector<Index> constrained_unknowns(const DerivativeArray& array, const ArrayPoint& point,
                                        int level);

/// Constraints on x alone that show with the `level`-th differentiation.
struct ConstraintLevel {
  int level = 0;
  Index count = 0;
  std::vector<Index> equations;  ///< that have to be differentiated that often
};

struct ArrayStructure {
  std::vector<ConstraintLevel> constraints;  ///< of the levels that have some
  std::vector<Index> free;                   ///< one set of unknowns that can be given together
  std::vector<Index> determined;             ///< unknowns that the equations leave no choice
};
/// At a consistent point of the array of level `index`. Unknowns of a greater `preference` are
/// taken into `free` before others.
ArrayStructure find_structure(const DerivativeArray& array, const ArrayPoint& point, int index,
                              const std::vector<int>& preference);

}  // namespace daedal::analysis
