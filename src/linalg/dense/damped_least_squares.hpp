// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Least squares with a brake, as trust-region regularisation of singular constraints needs them:
///
///     min ‖A y − r‖² + ε ‖y‖²  =  min ‖ [A; √ε I] y − [r; 0] ‖²,
///
/// with ε given, or such that ‖y‖ = δ when the undamped y is longer (L. Petzold, Y. Ren, T. Maly,
/// (2.9)-(2.11)). The normal equations [AᵀA + εI] y = Aᵀr are never formed: they would square the
/// condition of A. All storage is allocated at construction.

#include <span>

#include "core/types.hpp"
#include "linalg/dense/one_sided_jacobi.hpp"
#include "linalg/dense/qr.hpp"
#include "linalg/dense/rank.hpp"

namespace daedal::linalg {

/// For one ε: QR of the stacked matrix.
class DampedQr {
 public:
  DampedQr(Index rows, Index columns);

  /// False when an entry is not finite. With ε = 0 the y of least norm is meant.
  bool factor(const Matrix& a, double epsilon);
  void solve(std::span<const double> r, std::span<double> y) const;

 private:
  Index rows_;
  DenseQr qr_;
  mutable Vector rhs_;  ///< [r; 0]
};

/// For many ε, or for a radius: a singular value decomposition once, then O(n) a value of ε.
class TrustRegionLeastSquares {
 public:
  TrustRegionLeastSquares(Index rows, Index columns);

  /// The decision on the rank of A; unclear when an entry is not finite.
  RankDecision factor(const Matrix& a, double relative_tolerance = rank_tolerance);
  /// y(ε); with ε = 0 the y of least norm.
  void solve(double epsilon, std::span<const double> r, std::span<double> y) const;
  /// The least-squares y of least norm if ‖y‖ ≤ δ, otherwise y(ε) with ‖y(ε)‖ = δ. Returns ε.
  double solve_within(double radius, std::span<const double> r, std::span<double> y) const;

 private:
  void project(std::span<const double> r) const;
  [[nodiscard]] double find_epsilon(double radius) const;
  void combine(double epsilon, std::span<double> y) const;

  OneSidedJacobi svd_;
  RankDecision decision_;
  double cutoff_ = 0.0;         ///< singular values up to here count as zero
  mutable Vector coefficient_;  ///< u_kᵀ r, 0 where σ_k counts as zero
};

}  // namespace daedal::linalg
