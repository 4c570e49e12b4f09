// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Collocation schemes for F(t, x, x') = 0 of index up to 3: Radau IIA with order switching, and
/// Gauss.
///
/// Error estimate. With p the collocation polynomial of the step,
///
///     err = -((γ0/h) F_x' + F_x)⁻¹ F(t0, x0, p'(t0)),
///
/// the defect of p at the left end, which is no node, filtered by the matrix of the real mode. For
/// M x' = f this is Hairer and Wanner's (IV.8.19), ((γ0/h) M - J)⁻¹ (f(x0) + (γ0/h) M Σ e_i Z_i),
/// because their e_i are -p'(t0)'s weights over γ0. It behaves like h^(s+1). On the first step and
/// after a rejection x0 is replaced by x0 + err once more (IV.8.20). With an even number of stages
/// there is no real eigenvalue, and γ0 = |γ|. The tolerance is not transformed as in RADAU: it is
/// to hold between the ends of the steps too, where the order is s. There a second estimate, the
/// same for the widest gap between the stages, shows what stiffness hides from the first.
///
/// Order switching (Hairer, Wanner, "Stiff differential equations solved by Radau methods", 1999):
/// up when Newton contracts by 0.002 or better at a steady step, down when it contracts by 0.8 or
/// worse, or diverges. Beyond that more stages are tried where the contraction is fair, and given
/// up again when they cost more work for the same way.

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "integrate/one_step/as_implicit.hpp"
#include "integrate/one_step/collocation_rule.hpp"
#include "integrate/one_step/stage_newton.hpp"

namespace daedal::integration {

struct CollocationSettings {
  std::vector<const CollocationRule*> rules;  ///< by ascending stages; several: order switching
  std::size_t first_rule = 0;
  double rtol = 1e-6;
  bool fixed_step = false;  ///< no error estimate; Newton iterates to round-off
  linalg::Storage storage = linalg::Storage::automatic;
};

class CollocationScheme final : public OneStepScheme {
 public:
  /// Throws OptionError when the system is overdetermined.
  CollocationScheme(const ImplicitSystem& system, CollocationSettings settings);
  /// For an explicit system; owns its adapter.
  CollocationScheme(std::unique_ptr<AsImplicit> system, CollocationSettings settings);

  [[nodiscard]] int order() const override { return rule().order; }
  [[nodiscard]] bool is_symmetric() const override { return !rule().is_stiffly_accurate; }
  [[nodiscard]] bool has_error_estimate() const override { return true; }
  [[nodiscard]] StepControl control() const override;
  double initial_step(const StepTask& task, Run& run) override;
  Attempt attempt(const StepTask& task, Run& run) override;
  [[nodiscard]] std::span<const double> x_new() const override { return x_new_; }
  [[nodiscard]] std::span<const double> xp_new() const override { return xp_new_; }
  [[nodiscard]] double widest_gap() const override { return rule().gap.widest; }
  bool local_error(std::span<double> error) override;
  bool carry(std::span<double> perturbation) override;
  /// The tests of Newton's iteration are set for the tolerance, and have little room below.
  [[nodiscard]] double sharpest(double rtol) const override { return std::max(1e-3 * rtol, 1e-13); }
  void accept(Run& run) override;
  [[nodiscard]] DensePolynomial& dense() override { return dense_; }
  [[nodiscard]] const DensePolynomial& dense() const override { return dense_; }
  /// The polynomial of an algebraic unknown goes through the stages, and nothing bounds its error
  /// between them: the error estimate looks at the ends of the step, where the equations hold.
  void refine(double t, std::span<double> x, std::span<double> xp, Run& run) override;
  [[nodiscard]] double adjust_factor(double factor) const override;
  [[nodiscard]] bool ends_at_rounding() const override;
  void expect_noise() override { has_noise_ = true; }
  void reset() override;
  void count(Statistics& statistics) const override { newton_.count(statistics); }

 private:
  [[nodiscard]] const CollocationRule& rule() const { return *settings_.rules[current_]; }
  [[nodiscard]] static CollocationRule::Gap place_at(const CollocationRule& rule, double theta);
  [[nodiscard]] NewtonSettings settings_for(const CollocationRule& rule) const;
  Attempt solve_stages(const StepTask& task, Run& run);
  Attempt prepare_matrices(const StepTask& task, Run& run);
  /// The Jacobian at the predicted end of the step.
  bool look_ahead(const StepTask& task, Run& run);
  void predict(const StepTask& task);
  Attempt finish(const StepTask& task, Run& run);
  [[nodiscard]] bool has_spike() const;
  Attempt estimate_error(const StepTask& task, Run& run);
  double error_between(const StepTask& task, Run& run);
  [[nodiscard]] bool correct_at(const CollocationRule::Gap& place, const StepTask& task, Run& run);
  template <class Share>
  [[nodiscard]] const CollocationRule::Gap* greatest_bend(const Share& share) const;
  [[nodiscard]] bool has_loose_algebraic(const StepTask& task, Run& run);
  void combine(const Vector& weights, double scale, std::span<double> out) const;
  void lower_order_after(const Attempt& failure);
  void choose_order(double step_ratio);
  void switch_to(std::size_t rule);

  std::unique_ptr<AsImplicit> adapter_;
  const ExplicitSystem* explicit_ = nullptr;
  CollocationSettings settings_;
  std::vector<NewtonSettings> newton_settings_;  ///< of each rule
  std::vector<std::vector<CollocationRule::Gap>>
      middles_;  ///< the same: of all gaps between the stages
  /// At the error between the stages, in an attempt from t.
  struct Look {
    double t = NAN;
    double h = 0.0;
    double error = 0.0;
  };
  Look last_look_;
  std::vector<double> kept_error_;
  double loose_step_ = 0.0;  ///< the first of late that was made shorter for algebraic unknowns
  StageNewton newton_;
  DensePolynomial dense_;
  std::vector<bool> is_differential_;
  std::vector<std::size_t> multipliers_;     ///< algebraic unknowns of higher index
  std::vector<double> greatest_value_;       ///< magnitude so far, where unknowns are algebraic
  std::vector<double> greatest_multiplier_;  ///< magnitude of each so far
  int highest_index_ = 1;
  bool has_algebraic_ = false;
  std::vector<double> x_;
  std::vector<double> x_new_;
  std::vector<double> xp_new_;
  std::vector<double> work_;
  Matrix powers_;  ///< of the prediction
  std::vector<double> slope_;
  std::vector<double> error_;
  std::vector<double> estimate_;  ///< of the last good attempt
  std::vector<double> weights_;   ///< of the last accepted step
  std::size_t current_ = 0;
  double t_ = 0.0;
  double h_ = 0.0;
  NewtonReport report_;
  bool has_jacobian_ = false;
  bool jacobian_is_current_ = false;  ///< evaluated at the state the step starts from
  bool wants_jacobian_ = true;
  bool has_history_ = false;   ///< dense_ is the step before: it predicts the next
  bool was_rejected_ = false;  ///< the last attempt was not accepted
  bool has_diverged_ = false;  ///< so that extrapolation is not trusted
  bool has_noise_ = false;     ///< in tolerances, see expect_noise()
  int failures_in_a_row_ = 0;
  int steps_since_switch_ = 0;
  /// The greatest contraction rate of the last steps. Each step halves what is left of it.
  double contraction_ = 0.0;
  double advanced_ = 0.0;         ///< time since the last change of order, without the first steps
  double work_done_ = 0.0;        ///< for it, in evaluations
  double progress_before_ = 0.0;  ///< time per work before a trial of more stages
  bool is_trial_ = false;
  int patience_ = 0;  ///< steps before another trial
};

}  // namespace daedal::integration
