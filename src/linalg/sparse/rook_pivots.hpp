// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The order of a sparse elimination of a matrix of any rank: Markowitz' choice, least fill first,
/// among the entries that are not small against the others of their row and of their column
/// (threshold rook pivoting; Neal, Poole, Linear Algebra Appl. 166 (1992); Duff, Erisman, Reid,
/// Direct Methods for Sparse Matrices, 5.4). What is left when no entry above the tolerance remains
/// counts as zero. The pivots follow the singular values up to moderate factors; where the decision
/// has no clear gap, or is the purpose, take the SVD of rank.hpp.

#include <daedal/sparsity.hpp>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "linalg/dense/rank.hpp"

namespace daedal::linalg {

struct RookPivots {
  std::vector<Index> rows;     ///< in the order of elimination
  std::vector<Index> columns;  ///< the pivot's column for each of them
  /// By the pivots; `largest` is the largest entry of the matrix.
  RankDecision decision;
};

RookPivots choose_rook_pivots(const SparsityPattern& pattern, std::span<const double> values,
                              double relative_tolerance = rank_tolerance);

}  // namespace daedal::linalg
