// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The thin singular value decomposition A = Σ σ_k u_k v_kᵀ of small matrices by one-sided Jacobi
/// rotations (Hestenes; Golub, Van Loan, Matrix Computations, 8.6.3), without allocation after
/// construction. Small singular values come out with small relative errors.

#include <span>

#include "core/types.hpp"
#include "linalg/dense/rank.hpp"

namespace daedal::linalg {

class OneSidedJacobi {
 public:
  OneSidedJacobi(Index rows, Index columns);

  [[nodiscard]] Index rows() const { return is_tall_ ? w_.rows() : w_.cols(); }
  [[nodiscard]] Index columns() const { return is_tall_ ? w_.cols() : w_.rows(); }
  /// Decomposes `a`, which has the size given at construction.
  RankDecision factor(const Matrix& a, double relative_tolerance = rank_tolerance);

  /// min(rows, columns) values, in no order.
  [[nodiscard]] const Vector& singular_values() const { return s_; }
  /// u_kᵀ x, for σ_k > 0.
  [[nodiscard]] double project_left(Index k, std::span<const double> x) const;
  /// x += factor · v_k, for σ_k > 0.
  void add_right(Index k, double factor, std::span<double> x) const;

 private:
  bool sweep();
  [[nodiscard]] RankDecision decide(double relative_tolerance);

  bool is_tall_;
  Matrix w_;  ///< A or Aᵀ, the taller one; its columns become σ_k u_k, then u_k
  Matrix v_;  ///< the product of the rotations
  Vector s_;
  Vector sorted_;
};

}  // namespace daedal::linalg
