// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Multipliers of constraints that may be redundant or singular. For
///
///     M a = f − B y,   G a = c     (n accelerations, m multipliers)
///
/// with A = G M⁻¹B and r = G M⁻¹f − c, the equation A y = r need have no solution, or many. One of
/// four rules decides (L. Petzold, Y. Ren, T. Maly, SIAM J. Sci. Comput. 18 (1997); they
/// write B for our M⁻¹B):
///
///     damp       min ‖A y − r‖² + ε ‖y‖²       (2.10): trust region by its Lagrange multiplier ε
///     bound      min ‖A y − r‖,  ‖y‖ ≤ δ       (2.9): trust region by its radius
///     shift      (A + εI) y = r                (2.12): direct regularisation
///     truncate   min ‖A y − r‖, least ‖y‖, with singular values of A up to a cutoff dropped
///
/// Dense; all storage is allocated at construction. M is factored by LU, A once a rule.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "linalg/dense/damped_least_squares.hpp"
#include "linalg/dense/lu.hpp"
#include "linalg/dense/qr.hpp"

namespace daedal::formulation {

struct Regularization {
  enum class Rule { damp, bound, shift, truncate };
  Rule rule = Rule::damp;
  double amount = 0.0;  ///< ε, the radius, ε, or the cutoff
};

/// In some units ε is no small number beside A: a warning about it, or nothing.
void warn_of_shift(double epsilon, double size_of_a, std::vector<std::string>& warnings);

struct RegularReport {
  bool is_finite = true;
  Index massless = -1;        ///< the column at which M turned out singular, or −1
  bool is_shift_safe = true;  ///< shift only: A + εI has an inverse
  double scale = 0.0;         ///< the greatest absolute row sum of A
  [[nodiscard]] bool ok() const { return is_finite && massless < 0 && is_shift_safe; }
};

class RegularSolver {
 public:
  RegularSolver(Index n, Index m);

  /// Fill these, then factor. The mass is column-major and is overwritten.
  [[nodiscard]] std::span<double> mass() { return mass_.matrix(); }
  [[nodiscard]] Matrix& coefficient() { return b_; }  ///< B, n × m
  [[nodiscard]] Matrix& jacobian() { return g_; }     ///< G, m × n
  RegularReport factor(const Regularization& how);
  /// Factors the same matrices by another rule.
  RegularReport refactor(const Regularization& how);
  /// In place: (f, c) becomes (a, y).
  void solve(std::span<double> top, std::span<double> bottom) const;

  /// A = G M⁻¹B of the last factorisation.
  [[nodiscard]] const Matrix& product() const { return a_; }

 private:
  void choose(std::span<const double> r, std::span<double> y) const;

  linalg::DenseLu<double> mass_;
  Matrix b_, g_, a_;
  Regularization how_;
  bool is_dropped_ = false;  ///< truncate: every direction is below the cutoff
  linalg::DampedQr damped_;
  linalg::DenseQr truncated_;
  linalg::TrustRegionLeastSquares bounded_;
  linalg::DenseLu<double> shifted_;
  mutable std::vector<double> right_;
};

/// Scatters compressed columns into a dense matrix that has the pattern's size.
void scatter(const SparsityPattern& pattern, std::span<const double> values, Matrix& dense);

}  // namespace daedal::formulation
