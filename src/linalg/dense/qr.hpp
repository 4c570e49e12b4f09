// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A P = Q [R₁₁ R₁₂; 0 ≈0] = Q [T 0; 0 0] Z: Householder QR with column pivoting, completed from
/// the right where the rank r is below the number of columns (Golub, Van Loan, Matrix
/// Computations, 5.4-5.5). It serves least squares of any rank: factor once, solve many times.
///
/// The storage is allocated once; factoring costs 2mn² − 2n³/3 operations, a solve 4mn. The pivots
/// |r_kk| stand in for singular values in the rank decision: they may exceed σ_k by a factor that
/// grows with n, in practice below 10. Use rank.hpp's SVD where the decision is the purpose.

#include <span>
#include <vector>

#include "core/types.hpp"
#include "linalg/dense/rank.hpp"

namespace daedal::linalg {

class DenseQr {
 public:
  DenseQr(Index rows, Index columns, double relative_tolerance = rank_tolerance);

  [[nodiscard]] Index rows() const { return qr_.rows(); }
  [[nodiscard]] Index columns() const { return qr_.cols(); }
  void set_tolerance(double relative_tolerance) { tolerance_ = relative_tolerance; }
  /// The matrix to be factored: fill it (keeping its size), then call factor(), which overwrites
  /// it.
  [[nodiscard]] Matrix& matrix() { return qr_; }

  RankDecision factor();
  [[nodiscard]] const RankDecision& decision() const { return decision_; }
  [[nodiscard]] Index rank() const { return decision_.rank; }
  /// The column of A that was taken as the k-th pivot; from rank() on, the dependent ones.
  [[nodiscard]] std::span<const Index> column_order() const { return order_; }

  /// The x of least norm among those that minimise |A x − b|.
  void solve(std::span<const double> b, std::span<double> x) const;
  /// The x of least norm among those that minimise |Aᵀ x − b|.
  void solve_transposed(std::span<const double> b, std::span<double> x) const;
  /// The k-th vector of an orthonormal basis of {x : A x = 0}, k < columns() − rank().
  void null_vector(Index k, std::span<double> x) const;
  /// b ← Qᵀ b and b ← Q b, b of rows() entries.
  void apply_qt(std::span<double> b) const;
  void apply_q(std::span<double> b) const;
  /// The packed factors: R above, Householder vectors below the diagonal. R₁₂ is overwritten
  /// where the decomposition was completed from the right.
  [[nodiscard]] const Matrix& packed() const { return qr_; }

 private:
  void choose_pivot(Index k);
  void reflect_column(Index k);
  void downdate_norms(Index k);
  void decide();
  /// Solves for the right side in row_work_.
  void back_substitute(std::span<double> x) const;
  void complete();
  void apply_z(std::span<double> x) const;
  void apply_zt(std::span<double> x) const;
  void reflect_from_right(Index k, std::span<double> x) const;

  double tolerance_;
  Matrix qr_;
  Vector left_scale_;   ///< τ of the reflections I − τ v vᵀ that make Q
  Vector right_scale_;  ///< τ of those that make Z
  Vector norm_;         ///< of what is left of each column, updated
  Vector exact_norm_;   ///< the same when it was last computed afresh
  std::vector<Index> order_;
  RankDecision decision_;
  mutable Vector row_work_;     ///< rows() entries
  mutable Vector column_work_;  ///< columns() entries
};

}  // namespace daedal::linalg
