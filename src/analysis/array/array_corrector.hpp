// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Gauss-Newton corrections on the derivative array at given (t, x_2) (Campbell, Moore (21), (25)).
///
/// One factorisation of [G_x' G_w] serves everything. The rows of Z₂ᵀ, an orthonormal basis of its
/// left null space, make the constraints on x alone, [D_5 D_6] = Z₂ᵀ G_x of (25); D_5 belongs to
/// the dependent coordinates x_1. A correction is solved in two stages,
///
///     D_5 δx_1 = −Z₂ᵀ G,   [G_x' G_w] δω = −(G + G_x1 δx_1),
///
/// which satisfies G_z̃ δz̃ = −G exactly where G_z̃ has full row rank. δω is not unique; x' is.
/// The factorisation is a sparse elimination that repeats one order (linalg/sparse_elimination.hpp)
/// and leaves undetermined parts of w as they are seeded. Where that has no clear pivots, and for
/// the least-squares equation (4), it is a complete orthogonal one with δω of least norm. Without
/// dependent coordinates the second stage alone is the step of (4).
///
/// Rows and columns that cannot matter are never formed (array_jacobian.hpp). Factor once, correct
/// many times; after the first factorisation nothing is allocated unless the order of elimination
/// has to be found anew.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/array/array_jacobian.hpp"
#include "analysis/array/derivative_array.hpp"
#include "core/types.hpp"
#include "linalg/dense/lu.hpp"
#include "linalg/dense/one_sided_jacobi.hpp"
#include "linalg/dense/qr.hpp"
#include "linalg/scaling.hpp"
#include "linalg/sparse/elimination.hpp"

namespace daedal::analysis {

class ArrayCorrector {
 public:
  struct Shape {
    int level = 0;
    Index n_constraints = 0;  ///< on x alone: rows of the array less the rank of [G_x' G_w]
    /// For the least-squares equation (4). Rows keep the scale of the first factorisation: its
    /// solution depends on it, and must be smooth in time.
    bool is_least_squares = false;
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
  /// Z₂ᵀ G of the last correct(), rows scaled: what is left of the constraints.
  [[nodiscard]] std::span<const double> constraint_residual() const { return constraint_part_; }
  /// Whether a row of the array takes part in the constraints.
  [[nodiscard]] bool is_constraining(Index row) const;
  /// Chooses x_1; false when D_5 is singular.
  bool select(std::span<const Index> dependent);
  [[nodiscard]] std::span<const Index> dependent() const { return dependent_; }
  /// The smallest singular value of [D_5 D_6], which no choice of x_1 can exceed (Theorem 2).
  [[nodiscard]] double best_possible();
  /// The quality of D_5 for the given x_1.
  [[nodiscard]] double quality(std::span<const Index> dependent);

  /// δ of (X_0, X_1, ...) for the last residual; zero in the independent coordinates.
  void correct(std::span<double> delta);

 private:
  void choose_part(const ReducedArray& reduced);
  [[nodiscard]] bool may_stay_reduced() const;
  void scale_values(bool anew);
  bool factor_derivatives();
  bool factor_by_elimination();
  bool factor_by_qr();
  void form_constraints();
  /// What a column of the part counts in.
  [[nodiscard]] double unit(Index column) const;
  bool factor_partition();
  [[nodiscard]] std::span<const double> derivative_values() const;

  const DerivativeArray& array_;
  Shape shape_;
  Index n_;
  std::vector<double> nominals_;
  DerivativeArray::Workspace workspace_;
  ArrayJacobian whole_;

  // What is formed.
  ReducedArray reduced_;
  std::vector<std::size_t> peeled_values_;  ///< where the peeled pairs stand in the whole
  std::optional<ArrayJacobian> jacobian_;
  std::vector<double> values_;    ///< scaled by rows; columns of X_1, X_2, ... also by columns
  std::vector<Index> part_rows_;  ///< the place of each row of the array, -1 when it is not formed
  linalg::Equilibration scales_;
  std::optional<linalg::SparseElimination> elimination_;
  std::optional<linalg::DenseQr> qr_;
  bool uses_qr_ = false;
  Matrix null_;  ///< Z₂

  Matrix constraints_;
  std::vector<Index> dependent_;
  linalg::DenseLu<double> d5_;
  Matrix d5_matrix_;
  linalg::OneSidedJacobi all_values_;
  linalg::OneSidedJacobi d5_values_;
  std::vector<double> r_;
  std::vector<double> moves_;
  std::vector<double> constraint_part_;
  std::vector<double> right_;
  std::vector<double> step_;
};

}  // namespace daedal::analysis
