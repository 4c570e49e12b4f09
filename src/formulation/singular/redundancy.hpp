// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Which constraints depend on each other. The left null vectors u of G, uᵀG = 0, in a basis as
/// sparse as elimination makes it; constraints that share a vector form a set. A set is consistent
/// where every uᵀg vanishes too.

#include <functional>
#include <string>
#include <vector>

#include "formulation/frame/formulation.hpp"
#include "formulation/mechanics/mechanics.hpp"
#include "linalg/dense/rank.hpp"

namespace daedal::formulation {

struct DependentSet {
  std::vector<Index> constraints;
  Index n_redundant = 0;       ///< so many of them say nothing new
  double contradiction = 0.0;  ///< the greatest |uᵀ residual|, rows of G scaled to length 1
};

struct Redundancy {
  linalg::RankDecision decision;
  Index n_constraints = 0;
  std::vector<DependentSet> sets;
};

/// For G (m × n) and the residuals of the constraints. Singular values of G with rows of length 1
/// below `tolerance` times the greatest count as zero.
Redundancy find_redundancy(const Matrix& jacobian, std::span<const double> residual,
                           double tolerance = linalg::rank_tolerance);

/// Finds dependent rows among rows that are scaled by their usual lengths already.
Redundancy find_scaled_redundancy(const Matrix& scaled, const Vector& residual, double tolerance);

/// "1 of 'rod' and 'second rod' is redundant. Multipliers of ...": one sentence a set, and what it
/// means.
std::string describe_sets(const Redundancy& redundancy,
                          const std::function<std::string(Index)>& constraint_name);

/// Adds to a start what is to be said of redundant constraints: a notice for consistent ones;
/// contradictory ones turn a failed start into Status::inconsistent_constraints with their names.
void report_redundancy(const Redundancy& found,
                       const std::function<std::string(Index)>& constraint_name, Start& start);
/// Reports redundant position constraints of a mechanical start.
void report_redundancy(const Mechanics& mechanics, double t0, MechanicalRun& run, Start& start);

}  // namespace daedal::formulation
