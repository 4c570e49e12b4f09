// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The step length in which the ranks of a derivative array are decided.
///
/// In exact arithmetic the rank of an array does not depend on h. In floating point it does: an
/// equation with the time constant τ, h x' = −(h/τ) x, whose derivative counts in the ratio τ/h to
/// the rest of its row, leaves singular values of the size (τ/h)^(k+1) at level k, below any
/// tolerance when h is far above τ. Then a fast equation looks like a constraint. With h far below
/// the slow time scales these lose a factor h only once. So one scale serves models of one pace,
/// and where the paces lie far apart several are tried.

#include <span>
#include <vector>

#include "analysis/array/derivative_array.hpp"
#include "core/types.hpp"

namespace daedal::analysis {

/// The step length h at which F_x and F_x'/h are of one size (the geometric means of their entries,
/// rows made equal first): the time scale of the problem as a whole. 1 where one of them is zero or
/// not finite.
double natural_scale(const DerivativeArray& array, const ArrayPoint& point);

/// Scales in which to decide ranks, the natural one first. Others follow, down to the shortest time
/// constant of an equation, where that is much shorter.
std::vector<double> candidate_scales(const DerivativeArray& array, const ArrayPoint& point);

/// Whether they reach so far that numbers of the slow part lose digits beside those of the fast
/// one.
bool are_distant(std::span<const double> scales);

/// X_j for another step length: X_j·ratio^j.
std::vector<double> rescaled(std::span<const double> series, Index n, double ratio);

}  // namespace daedal::analysis
