// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What multistep formulas with a constant step share: the history on an equidistant grid, the
/// start by a one-step scheme of at least the same order, landing, dense output.
///
/// A step that is cut by a limit off the grid is taken by the starting scheme, and the history
/// begins anew behind it. After Change::equations the history stays. A formula without a starting
/// scheme works with as much history as there is, at a lower order.

#include <memory>
#include <vector>

#include "integrate/one_step/dense_polynomial.hpp"
#include "integrate/stepper.hpp"

namespace daedal::integration {

class FixedMultistep : public Stepper {
 public:
  void start(double t, std::span<const double> x, std::span<const double> xp, Run& run,
             double direction_limit) override;
  /// Starts with given values instead of the starting scheme: column j holds x and x' at t - j·h.
  void start_with_history(double t, const Matrix& x, const Matrix& xp, Run& run,
                          double direction_limit);
  StepReport advance(double limit) override;
  void interpolate(double t, std::span<double> x, std::span<double> xp) const override;
  void replace_state(std::span<const double> x, std::span<const double> xp) override;
  void equations_changed() override;
  void count(Statistics& statistics) const override;
  [[nodiscard]] int max_derivative() const override;
  void derivative(double t, int k, std::span<double> out) const override;

 protected:
  struct Formula {
    int order = 1;
    int history = 1;  ///< grid points that the formula needs
    int degree = 1;   ///< of the dense output
  };
  /// `starter` steps the same system with the same fixed step; null for a formula that can work
  /// with a history of one point. Throws OptionError without a fixed step.
  FixedMultistep(const System& system, const StepOptions& options, const Formula& formula,
                 std::unique_ptr<Stepper> starter);

  /// The step by the formula from t to t + h: writes x_new_, xp_new_ and the dense output.
  virtual StepReport step_by_formula(double t, double h, Run& run) = 0;
  /// x' of a state that was replaced without one; implicit formulas need none.
  virtual void renew_slope(double t, Run& run) = 0;
  virtual void forget_matrices() = 0;

  /// x and x' at t - j·h.
  [[nodiscard]] auto past_x(int j) const { return past_x_.col(slot(j)); }
  [[nodiscard]] auto past_xp(int j) const { return past_xp_.col(slot(j)); }
  [[nodiscard]] int n_past() const { return n_past_; }

  std::vector<double> x_new_;
  std::vector<double> xp_new_;
  DensePolynomial dense_;

 private:
  [[nodiscard]] int slot(int j) const;
  void remember();
  StepReport step_by_starter(double limit);

  StepOptions options_;
  Formula formula_;
  std::unique_ptr<Stepper> starter_;
  Matrix past_x_;
  Matrix past_xp_;
  int newest_ = 0;
  int n_past_ = 0;
  double direction_ = 1.0;
  double end_ = 0.0;
  bool last_by_starter_ = false;
  bool starter_is_here_ = false;  ///< the starter stands at t_ with the present state
  Index steps_ = 0;
  Index failed_ = 0;
};

}  // namespace daedal::integration
