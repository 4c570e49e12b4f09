// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Which m columns of a wide matrix A (m×n, m ≤ n) are most independent: Gaussian elimination with
/// complete pivoting. The smallest pivot measures how good the choice is.

#include <span>
#include <vector>

#include "core/types.hpp"

namespace daedal::linalg {

struct PivotColumns {
  std::vector<Index> columns;   ///< in the order of their pivots
  double smallest_pivot = 0.0;  ///< 0 when the rows are dependent
  Index dependent_row = -1;     ///< the row left without a pivot, when there is one
  Index weakest_row = -1;       ///< that of the smallest pivot, or without one
};

/// The search with its storage, for choices that are made again and again: nothing is allocated
/// after the first.
class PivotSearch {
 public:
  /// The matrix to look at: fill it, then call choose(), which overwrites it.
  Matrix& matrix(Index rows, Index columns);
  const PivotColumns& choose();

 private:
  Matrix a_;
  std::vector<Index> rows_, columns_;
  PivotColumns result_;
};

/// Over all columns.
PivotColumns choose_pivot_columns(const Matrix& a);
/// The smallest pivot when the columns are given.
double smallest_pivot(const Matrix& a, std::span<const Index> columns);

}  // namespace daedal::linalg
