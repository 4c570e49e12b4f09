// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// When is a pivot of an LU factorisation zero? u_kk is a difference whose terms |l_kj||u_jk| are
/// known: it counts as zero when rounding errors of those terms alone could have made it (Higham,
/// Accuracy and Stability of Numerical Algorithms, theorem 9.3). No scaling of rows or columns
/// changes this relation. So badly scaled regular matrices, such as iteration matrices of
/// higher-index DAEs at small steps, pass; singular ones are found although no pivot is exactly 0.

#include <algorithm>
#include <span>
#include <vector>

#include "core/types.hpp"

namespace daedal::linalg {

/// Only pivots this far below the entries of their column are worth the closer look.
inline constexpr double suspicious_pivot = 1e-10;

/// Rounding errors of a pivot reach a few units of round-off of its terms.
inline bool is_cancelled(double pivot, double sum_of_terms) {
  return pivot == 0.0 || pivot <= 8.0 * round_off * sum_of_terms;
}

/// Are kept pivots to be used on? With a (reciprocal) growth below 1e-4 they cost four digits or
/// more: choose new ones, unless choosing had come to no better than ten times the growth (a digit)
/// of the kept ones.
inline bool is_growth_tolerable(double growth, double when_chosen) {
  return growth >= std::min(1e-4, 0.1 * when_chosen);
}

/// A triangular factor by columns, with the sizes of its entries.
struct TriangleSizes {
  std::vector<Index> column_start;
  std::vector<Index> row;
  std::vector<double> size;
};

/// The test for sparse factors, in time linear in their entries.
class SparseCancellationCheck {
 public:
  /// The first of the suspected pivots that is cancelled, or -1. U holds its diagonal.
  Index first_cancelled(const TriangleSizes& lower, const TriangleSizes& upper,
                        std::span<const Index> suspects);

 private:
  void collect_rows(const TriangleSizes& lower, std::span<const Index> suspects);

  std::vector<Index> suspect_of_;  ///< the number of the suspect that a pivot is, or -1
  std::vector<Index> row_start_;   ///< of the rows of L that belong to suspects
  std::vector<Index> column_;
  std::vector<double> size_;
  std::vector<double> work_;
};

}  // namespace daedal::linalg
