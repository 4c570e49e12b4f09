// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// In which order to eliminate the unknowns of a saddle-point matrix [M Gᵀ; G 0] without pivoting.
///
/// A constraint may be a pivot only after every coordinate it touches: then each pivot is one of
/// an M_EE (positive) or of a −G_C M_EE⁻¹ G_Cᵀ (negative), whatever the order otherwise, so that
/// no pivot vanishes while M is positive definite and G has full rank (R. Bridson, An ordering
/// method for the direct solution of saddle-point matrices, 2007). Among the permitted unknowns
/// the one of least approximate degree comes next, on a quotient graph (Amestoy, Davis, Duff, SIAM
/// J. Matrix Anal. Appl. 17 (1996) 886). Coordinates and constraints interleave: a chain of links
/// has a factor of linear size even where M couples neighbours.

#include <daedal/sparsity.hpp>
#include <vector>

#include "core/types.hpp"

namespace daedal::linalg {

/// `lower` is the lower triangle of a symmetric matrix; unknowns from `first_constraint` on wait
/// for all their neighbours below it. Returns the unknowns in the order of elimination.
std::vector<Index> constrained_minimum_degree(const SparsityPattern& lower, Index first_constraint);

}  // namespace daedal::linalg
