// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A scaled copy of a pencil A + cE, for rank decisions.

#include <span>
#include <vector>

#include "analysis/index_check.hpp"
#include "linalg/sparse/sparsity.hpp"

namespace daedal::analysis {

/// A and E with rows and columns scaled together, so that the *leading matrix* (rows of E where
/// they are not zero, rows of A elsewhere) has greatest entries near 1 in every row and column.
class ScaledPencil {
 public:
  explicit ScaledPencil(const Pencil& pencil);

  [[nodiscard]] Index size() const { return pattern_.rows; }
  [[nodiscard]] const SparsityPattern& pattern() const { return pattern_; }
  /// On the pattern.
  [[nodiscard]] const std::vector<double>& leading() const { return leading_; }
  /// A + cE on the pattern.
  [[nodiscard]] std::vector<double> combined(double c) const;
  [[nodiscard]] Matrix dense_a() const { return linalg::to_dense(pattern_, a_); }
  [[nodiscard]] Matrix dense_e() const { return linalg::to_dense(pattern_, e_); }
  /// The greatest entry of A: a bound of the rates that c has to leave behind.
  [[nodiscard]] double greatest_a() const;

  [[nodiscard]] const SparsityPattern& transposed_pattern() const { return transposed_.pattern; }
  /// Values on the pattern in the order of the transposed one.
  [[nodiscard]] std::vector<double> transpose(std::span<const double> values) const;

 private:
  void scale();

  SparsityPattern pattern_;
  linalg::TransposedPattern transposed_;
  std::vector<double> a_;
  std::vector<double> e_;
  std::vector<double> leading_;
};

/// Numbers of the parts of a vector above a small fraction of its greatest part.
std::vector<Index> support(std::span<const double> v);

}  // namespace daedal::analysis
