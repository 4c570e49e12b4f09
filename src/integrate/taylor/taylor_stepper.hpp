// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// `taylor`: steps along the Taylor series that a SeriesSource makes, in either direction of time.
///
/// The order is fixed by the tolerance and the work of a coefficient, the step by the last two
/// coefficients (À. Jorba, M. Zou, "A software package for the numerical integration of ODEs by
/// means of high-order Taylor methods", Exp. Math. 14 (2005) 99-117):
///
///     h = min over i and k ∈ {N − 1, N} of (tolerance_i / |x_i,k|)^(1/k).
///
/// The end of a step is expanded at once: that projects it on all constraints, and a step whose end
/// has no expansion is shortened. Dense output is the polynomial itself. Steps end just behind the
/// first root of any function that ends the piece of the equations or fires an event, and before
/// its second: none is missed.

#include <memory>
#include <vector>

#include "integrate/one_step/dense_polynomial.hpp"
#include "integrate/one_step/one_step_stepper.hpp"
#include "integrate/stepper.hpp"
#include "integrate/taylor/first_crossing.hpp"
#include "integrate/weights.hpp"
#include "system/series_source.hpp"

namespace daedal::integration {

class TaylorStepper final : public Stepper {
 public:
  /// Throws OptionError{illegal_combination} for a system that has no series. `order` 0: chosen.
  TaylorStepper(const ExplicitSystem& system, const StepOptions& options, int order);

  void start(double t, std::span<const double> x, std::span<const double> xp, Run& run,
             double direction_limit) override;
  StepReport advance(double limit) override;
  void interpolate(double t, std::span<double> x, std::span<double> xp) const override;
  void replace_state(std::span<const double> x, std::span<const double> xp) override;
  [[nodiscard]] bool projects_itself() const override { return true; }
  void equations_changed() override { has_series_ = false; }
  [[nodiscard]] bool is_stiff() const override { return stiffness_.is_stiff(); }
  [[nodiscard]] const ErrorWeights* norm() const override { return &error_weights_; }
  double sharpen(double factor) override {
    error_weights_.sharpen(factor);
    return factor;
  }
  void follow(std::span<const std::size_t> unknowns, std::span<const double> sizes) override {
    error_weights_.follow(unknowns, sizes);
  }
  void count(Statistics& statistics) const override;
  [[nodiscard]] int max_derivative() const override { return order_; }
  void derivative(double t, int k, std::span<double> out) const override;

 private:
  bool begin();
  void follow_small();
  /// The solution at (t, x) into next_; false: run_->failure says why.
  bool expand(double t, std::span<double> x, std::span<const double> xp);
  void set_tolerances(double step);
  /// The greatest coefficient of a degree, in tolerances.
  [[nodiscard]] double greatest_share_of(int degree);
  /// The step that the last coefficients allow, without a sign.
  [[nodiscard]] double allowed_step();
  [[nodiscard]] bool feels_fast_motions();
  [[nodiscard]] bool begins_on_switch(double clearance) const;
  [[nodiscard]] double end_before_switches(double step);
  [[nodiscard]] double reach_of_switch(double end) const;
  [[nodiscard]] double smallest_step() const;
  /// How far the projection has moved the end of a step, in tolerances.
  [[nodiscard]] double jump();
  [[nodiscard]] bool has_changed_branch(double step) const;
  void accept_noise(double jumped);
  [[nodiscard]] StepReport give_up(double tried, bool has_failed) const;

  const SeriesSource& source_;
  StepOptions options_;
  int order_;
  bool is_order_given_;
  double share_ = 1.0;  ///< of the tolerance for each step
  double direction_ = 1.0;
  double span_ = 0.0;
  DensePolynomial last_, next_;  ///< of the last accepted step, and of the one to come
  bool has_series_ = false;      ///< next_ belongs to t_, x_
  double last_step_ = 0.0;
  double caution_ = 1.0;  ///< a factor of the next step
  double noise_ = 0.0;    ///< the greatest jump that rounding errors made, in tolerances
  double moved_ = 0.0;    ///< by the last jump, as a share of the unknown's size
  Index worst_ = -1;
  ErrorWeights error_weights_;
  std::vector<double> tolerances_, sizes_, nominals_, x_new_, xp_new_, predicted_, switch_;
  CrossingFinder finder_;
  StiffnessWatch stiffness_;
  Index steps_ = 0;
  Index rejected_ = 0;
  Index expansions_ = 0;
};

}  // namespace daedal::integration
