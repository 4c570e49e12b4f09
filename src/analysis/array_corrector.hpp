// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Gauss-Newton corrections on the derivative array at given (t, x_2) (Campbell, Moore (21), (25)).
///
/// One rank-revealing factorisation of [G_x' G_w] = Q [T 0; 0 0] Z serves everything. The last rows
/// of Qᵀ G_x are the constraints on x alone, [D_5 D_6] of (25); D_5 belongs to the dependent
/// coordinates x_1. A correction is solved in two stages,
///
///     D_5 δx_1 = −(Q₂ᵀ G),   [G_x' G_w] δω = −(G + G_x1 δx_1),  δω of least norm,
///
/// which satisfies G_z̃ δz̃ = −G exactly where G_z̃ has full row rank. Without dependent
/// coordinates the second stage alone is the step of the least-squares equation (4).
///
/// Factor once, correct many times; nothing is allocated after construction.

#include <span>
#include <vector>

#include "analysis/derivative_array.hpp"
#include "core/types.hpp"
#include "linalg/dense_lu.hpp"
#include "linalg/dense_qr.hpp"
#include "linalg/one_sided_jacobi.hpp"
#include "linalg/scaling.hpp"

namespace daedal::analysis {

class ArrayCorrector {
 public:
  struct Shape {
    int level = 0;
    Index n_constraints = 0;  ///< on x alone: rows of the array less the rank of [G_x' G_w]
    /// Rows keep the scale of the first factorisation: the least-squares equation depends on it,
    /// and its solution must be smooth in time.
    bool keeps_scale = false;
  };
  ArrayCorrector(const DerivativeArray& array, const Shape& shape,
                 std::span<const double> nominals);

  enum class Outcome { ok, not_finite, rank_changed, singular_partition };

  /// Linearises and factors at `point`; residual() is then that of the point.
  Outcome factor(const ArrayPoint& point);
  /// False when it is not finite.
  bool evaluate(const ArrayPoint& point);
  [[nodiscard]] std::span<const double> residual() const { return r_; }

  /// [D_5 D_6] of the last factorisation, columns scaled by the nominal values.
  [[nodiscard]] const Matrix& constraints() const { return constraints_; }
  /// Z₂ᵀ G of the last correct(), Z₂ the last columns of Q: what is left of the constraints.
  [[nodiscard]] std::span<const double> constraint_residual() const { return constraint_part_; }
  /// Chooses x_1; false when D_5 is singular.
  bool select(std::span<const Index> dependent);
  [[nodiscard]] std::span<const Index> dependent() const { return dependent_; }
  /// The smallest singular value of [D_5 D_6], which no choice of x_1 can exceed (Theorem 2).
  [[nodiscard]] double best_possible();
  /// That of D_5 for the given x_1.
  [[nodiscard]] double quality(std::span<const Index> dependent);

  /// δ of (X_0, X_1, ...) for the last residual; zero in the independent coordinates.
  void correct(std::span<double> delta);

 private:
  void apply_scale();
  bool factor_partition();

  const DerivativeArray& array_;
  Shape shape_;
  Index n_;
  Index rows_;
  std::vector<double> nominals_;
  DerivativeArray::Workspace workspace_;
  Matrix jacobian_;  ///< scaled by rows; columns of X_1, X_2, ... also by columns
  linalg::Equilibration scales_;
  bool has_scales_ = false;
  linalg::DenseQr qr_;
  Matrix rotated_x_;  ///< Qᵀ G_x
  Matrix constraints_;
  std::vector<Index> dependent_;
  linalg::DenseLu<double> d5_;
  Matrix d5_matrix_;
  linalg::OneSidedJacobi all_values_;
  linalg::OneSidedJacobi d5_values_;
  std::vector<double> r_;
  std::vector<double> moves_;
  std::vector<double> constraint_part_;
  std::vector<double> rotated_;
  std::vector<double> step_;
};

}  // namespace daedal::analysis
