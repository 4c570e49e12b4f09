// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The Taylor series of one block (structure.hpp), stage by stage. With the coefficients x_j,k of
/// τ = (t' − t)/h, stage s of Pryce's scheme solves
///
///     f_i,(s + c_i) = 0   for   x_j,(s + d_j).
///
/// s < 0   constraints, hidden ones among them, in fewer equations than unknowns: the least change
///         of what is given, stage after stage
/// s = 0   the highest derivatives, by Newton's method
/// s > 0   linear with the system Jacobian A_ij = ∂f_i/∂x_j^(d_j − c_i), which is factored once:
///         A η = −r_i (s + c_i)!/(s! h^c_i),   x_j,(s + d_j) = η_j h^d_j s!/(s + d_j)!

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formulation/frame/model_run.hpp"
#include "formulation/taylor/structure.hpp"
#include "kernel/staged_series.hpp"
#include "linalg/linear_solver.hpp"
#include "linalg/scaling.hpp"

namespace daedal::formulation {

/// (k + n)!/k!
inline double rising_factorial(int k, int n) {
  double product = 1.0;
  for (int i = 1; i <= n; ++i) product *= k + i;
  return product;
}

inline double integer_power(double base, int n) {
  double product = 1.0;
  for (int i = 0; i < n; ++i) product *= base;
  return product;
}

/// Calls put(k, c) with the coefficients of the derivative x^(order), k from `first` to `last`.
/// `x`: those of the function itself, in the scale h of time.
template <class Put>
void derivative_coefficients(const double* x, int order, double h, int first, int last, Put put) {
  x += order;
  if (order == 0) {
    for (int k = first; k <= last; ++k) put(k, x[k]);
    return;
  }
  const double factor = 1.0 / integer_power(h, order);
  for (int k = first; k <= last; ++k) put(k, x[k] * (rising_factorial(k, order) * factor));
}

/// Series of all unknowns around one instant.
struct SeriesState {
  double t = 0.0;
  double scale = 1.0;                  ///< h
  std::vector<std::vector<double>> x;  ///< per unknown its coefficients
};

/// How the solution of a block's equations ended.
enum class BlockOutcome { ok, not_finite, singular, diverged };

class BlockExpansion {
 public:
  /// For series up to `max_order`. The block outlives the expansion.
  BlockExpansion(const TaylorBlock& block, int max_order);

  [[nodiscard]] const TaylorBlock& block() const { return block_; }
  /// Takes time, parameters, modes, and the series of the blocks before; `stages` as many as will
  /// be needed.
  void enter(const SeriesState& state, ModelRun& run, int stages);

  /// After a failure: what is not finite would reach the next series.
  void clear() { series_.clear(); }

  /// f_i^(level) at the coefficients 0..d_j that `state` holds, for all rows and levels up to c_i.
  void residuals(const SeriesState& state, std::span<double> values);

  /// Moves the coefficients 0..d_j that `state` holds onto the constraints and solves for the
  /// highest ones. `sizes`: per unknown of the block, of its coefficients in the scale `unit`.
  BlockOutcome settle(SeriesState& state, ModelRun& run, std::span<const double> sizes,
                      double unit);
  /// The coefficients of the stages first..last, from 1 on.
  BlockOutcome advance(SeriesState& state, int first, int last);
  /// log₂ |x_k/x_0|^(1/k) of the last coefficients after stage `last`, the greatest; -∞ where all
  /// vanish.
  [[nodiscard]] double log_growth(const SeriesState& state, int last) const;

  /// Functions that change sign where the equations change their piece.
  [[nodiscard]] const kernel::StagedSeries& series() const { return series_; }
  /// The system Jacobian, in the order of the block's pattern.
  [[nodiscard]] std::span<const double> jacobian() const { return matrix_; }
  /// Estimate for the system Jacobian with rows and columns scaled; 0 where it is singular.
  [[nodiscard]] double reciprocal_condition() const;
  /// From now on columns of the Jacobian are counted in the units that balance it here: those of
  /// equations and unknowns may differ by so much that largest entries say nothing of its rank.
  void balance() { units_ = linalg::balance(block_.pattern, matrix_).column; }
  /// The equations as they are written at an instant, with value_of(leaf) of the block's leaves.
  template <class ValueOf>
  std::span<const double> residuals_at(double t, const ValueOf& value_of, ModelRun& run) {
    std::ranges::transform(block_.leaves, leaf_values_.begin(), value_of);
    return equations_(run.blocks(t, leaf_values_, {}));
  }
  /// Leaves at the instant itself, for programs of the block.
  std::span<const double> leaf_values(const SeriesState& state);

 private:
  struct Leaf {
    Index slot = 0;
    Index leaf = 0;     ///< of the block
    Index number = -1;  ///< of its unknown in the block, -1 where it is of an earlier one
    int lead = 0;
    std::ptrdiff_t place = 0;  ///< of its leading coefficient at stage 0, from the first series on
  };
  /// Rows and unknowns that take part in a stage below 0, and the matrix of its normal equations.
  struct Constraints {
    std::vector<Index> rows, number_of;                 ///< number_of: per row of the block, or −1
    std::vector<std::vector<Index>> entries_of_column;  ///< of the Jacobian's pattern
    SparsityPattern normal;
    std::unique_ptr<linalg::RealSolver> solver;
    std::vector<double> values, rhs;
  };

  void make_constraints();
  void set_leading(const SeriesState& state, int s);
  [[nodiscard]] bool evaluate_jacobian(const SeriesState& state, ModelRun& run);
  [[nodiscard]] bool factor();
  void solve(std::span<double> rhs) const;
  BlockOutcome settle_stage(SeriesState& state, int s);
  BlockOutcome settle_highest(SeriesState& state, ModelRun& run);
  /// Moves by the least change that the equations of the stage demand.
  bool least_change(Constraints& stage, int s, std::span<const double> weights,
                    std::span<double> change) const;

  const TaylorBlock& block_;
  kernel::StagedSeries series_;
  std::vector<Leaf> own_, known_;
  std::vector<std::ptrdiff_t> row_places_;  ///< of the rows' leading coefficients at stage 0
  std::vector<kernel::StagedSeries::Leaf> held_;
  std::vector<Index> times_;
  std::vector<Constraints> constraints_;  ///< number s of stage −1 − s
  Evaluator equations_, jacobian_;
  std::vector<double> matrix_, scaled_;
  linalg::Equilibration equilibration_;
  Vector units_;  ///< of the columns; empty where they are as they stand
  std::unique_ptr<linalg::RealSolver> solver_;  ///< none where the Jacobian is diagonal
  double moved_ = 0.0;  ///< the greatest correction so far, as a share of what was corrected
  std::vector<double> residual_, change_, weights_;
  std::vector<double*> highest_;  ///< of each unknown the coefficient d
  std::vector<double> leading_, leaf_values_;
};

}  // namespace daedal::formulation
