// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Which equations cannot be met together, and which fixed values they contradict.
///
/// Where Gauss-Newton has come to rest the scaled residual r̂ is a left null vector of the columns
/// that may move, Ĵᵀr̂ = 0. Its support are the equations in conflict, and the held unknowns with
/// an entry in r̂ᵀJ are the fixed values that take part.

#include <span>
#include <string>
#include <vector>

#include "analysis/initial/initializer.hpp"
#include "analysis/initial/move_step.hpp"

namespace daedal::analysis {

struct ConflictPoint {
  std::span<const double> u;
  std::span<const double> residual;
  std::span<const double> jacobian;
  const StepScales& scales;
};

struct Conflict {
  std::vector<Index> equations;
  std::vector<Index> held;
};

Conflict find_conflict(const SparsityPattern& pattern, std::span<const InitialUnknown> unknowns,
                       const ConflictPoint& point);

/// Status, message and names of `result` for this conflict.
void describe_conflict(const Conflict& conflict, const ConstraintSet& constraints,
                       std::span<const InitialUnknown> unknowns, InitialValues& result);

}  // namespace daedal::analysis
