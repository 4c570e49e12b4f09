// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Which constraints depend on each other. The left null vectors u of G, uᵀG = 0, in a basis as
/// sparse as elimination makes it; constraints that share a vector form a set. A set is consistent
/// where every uᵀg vanishes too.

#include <string>
#include <vector>

#include "formulation/formulation.hpp"
#include "formulation/mechanics.hpp"
#include "linalg/rank.hpp"

namespace daedal::formulation {

struct DependentSet {
  std::vector<Index> constraints;
  Index n_redundant = 0;       ///< so many of them say nothing new
  double contradiction = 0.0;  ///< the greatest |uᵀ residual|, rows of G scaled to length 1
};

struct Redundancy {
  linalg::RankDecision decision;
  std::vector<DependentSet> sets;
};

/// For G (m × n) and the residuals of the constraints.
Redundancy find_redundancy(const Matrix& jacobian, std::span<const double> residual);

/// Adds to a start what is to be said of redundant constraints: a notice for consistent ones;
/// contradictory ones turn a failed start into Status::inconsistent_constraints with their names.
void report_redundancy(const Mechanics& mechanics, double t0, MechanicalRun& run, Start& start);

}  // namespace daedal::formulation
