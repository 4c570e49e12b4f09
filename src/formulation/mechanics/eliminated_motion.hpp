// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Accelerations and multipliers of small mechanisms as expressions: the elimination of
///
///     [M Gᵀ; G 0] (a, λ) = (f, −z)
///
/// in the order of elimination_order.hpp, written out. One program then computes forces, masses and
/// the solution, without a matrix in between. Nothing is pivoted; the pivots are values of the
/// program, judged as those of linalg::StaticLdlt are.

#include <vector>

#include "core/types.hpp"
#include "expr/pool.hpp"
#include "linalg/saddle_point.hpp"
#include "model/views/constrained_view.hpp"

namespace daedal::formulation {

/// The accelerations, the multipliers, Σ G_ij² of each constraint, and the pivot ratio of the
/// factorisation (SaddlePointReport), 0 where it needs pivoting. Nothing where the elimination is
/// so long that a loop over sparse columns is faster.
std::vector<NodeId> eliminate_motion(Pool& pool, const ConstrainedView& view,
                                     const linalg::SaddlePointSolver& solver);

}  // namespace daedal::formulation
