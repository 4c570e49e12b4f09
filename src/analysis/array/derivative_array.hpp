// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The derivative array of F(t, x, x') = 0 (Campbell, Moore (3)): F and its first k total time
/// derivatives as functions of t, x and the derivatives of x up to order k + 1.
///
/// Everything is in Taylor coefficients scaled by a step length h,
///
///     x(t + hτ) = Σ X_j τ^j,   F along it = Σ R_i τ^i,   i ≤ k, j ≤ k + 1,
///
/// so that the i-th total derivative is i!·R_i / h^i. That scaling keeps rank decisions sound at
/// high index. The Jacobian needs no further differentiation: with A_i, E_i the coefficients of
/// F_x and F_x' along the series,
///
///     ∂R_i/∂X_j = A_(i−j) + (j/h)·E_(i−j+1),
///
/// Toeplitz in A and in E, not in the sum. All coefficients come from one Taylor sweep of one
/// program that holds F, F_x and F_x'.

#include <span>
#include <vector>

#include "core/types.hpp"
#include "kernel/jacobian_program.hpp"
#include "kernel/taylor.hpp"
#include "linalg/scaling.hpp"
#include "model/views/general_view.hpp"

namespace daedal::analysis {

/// Where the array is evaluated. `series` holds X_0, ..., X_(k+1), each of n values.
struct ArrayPoint {
  double t = 0.0;
  double scale = 1.0;  ///< h
  std::span<const double> series;
  std::span<const double> parameters;
  std::span<const double> modes;      ///< relations, held
  std::span<const double> discretes;  ///< discrete variables
  // What differs from zero or from the values at events only.
  std::span<const double> pre{};         ///< left limits of discrete variables
  std::span<const double> pre_values{};  ///< left limits of continuous variables
  std::span<const double> samples{};     ///< samplers: 1 at their instants
  std::span<const double> phase{};       ///< initial(), terminal()
};

class DerivativeArray {
 public:
  /// For levels k = 0..max_level.
  DerivativeArray(const GeneralView& view, int max_level);

  [[nodiscard]] Index n_equations() const { return n_equations_; }
  [[nodiscard]] Index n_unknowns() const { return n_; }
  [[nodiscard]] int max_level() const { return max_level_; }
  /// Of the unknowns, and so of all their coefficients.
  [[nodiscard]] const std::vector<double>& nominals() const { return nominals_; }

  /// Buffers of one thread, for every level up to max_level.
  struct Workspace {
    kernel::TaylorEvaluator residual;
    kernel::TaylorEvaluator jacobian;
    std::vector<double> derivative_series;
    /// Outputs of the joint program, coefficient by coefficient, and a zero at the end.
    std::vector<double> outputs;
    double scale = 1.0;  ///< of the last linearisation
  };
  [[nodiscard]] Workspace make_workspace() const;

  /// R_0..R_level, n_equations() each. False when a value is not finite.
  bool residual(const ArrayPoint& point, int level, std::span<double> r,
                Workspace& workspace) const;
  /// Evaluates the residuals as above, and leaves A_i, E_i for i ≤ level in the workspace.
  bool linearize(const ArrayPoint& point, int level, std::span<double> r,
                 Workspace& workspace) const;
  /// ∂R/∂X of the last linearisation: (level+1)·n_equations rows, (level+2)·n columns, columns in
  /// the order X_0, X_1, ..., each for a change by its nominal value, so that ranks do not depend
  /// on units. `jacobian` must have that size; it is overwritten.
  void assemble(int level, const Workspace& workspace, Eigen::Ref<Matrix> jacobian) const;

  /// An entry of F_x and F_x': where its coefficients stand among the outputs, -1 where it is zero.
  struct Entry {
    Index row = 0;
    Index column = 0;
    Index a = -1;
    Index e = -1;
  };
  /// By columns, rows ascending: what array_jacobian.hpp assembles from without forming zeros.
  [[nodiscard]] std::span<const Entry> entries() const { return entries_; }
  [[nodiscard]] Index n_outputs() const { return joint_.program().n_outputs(); }

 private:
  bool sweep(kernel::TaylorEvaluator& evaluator, const ArrayPoint& point, int level,
             std::span<double> out, Workspace& workspace) const;

  Index n_ = 0;
  Index n_equations_ = 0;
  int max_level_ = 0;
  std::vector<double> nominals_;
  kernel::Program residual_;
  kernel::JacobianProgram joint_;
  std::vector<Entry> entries_;
};

/// Equilibration of an array's Jacobian for rank decisions. Columns that are round-off throughout
/// are not blown up: they count as zero.
linalg::Equilibration array_scales(const Matrix& jacobian);
void array_scales(const SparsityPattern& pattern, std::span<const double> values,
                  linalg::Equilibration& scales);

}  // namespace daedal::analysis
