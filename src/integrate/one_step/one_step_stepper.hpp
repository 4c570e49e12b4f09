// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The controller of one-step schemes: step size, rejection, landing on limits, failure.
///
/// Without a fixed step the error of an attempt decides: at most 1 in the weighted norm is
/// accepted, and the next step follows from it by PI or predictive control. An attempt that
/// diverges or meets a value that is not finite is repeated with a smaller step, until the step is
/// lost in the round-off of t. With a fixed step there is nothing to shorten: the first failure
/// ends the run.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "integrate/error_floor.hpp"
#include "integrate/one_step/one_step.hpp"
#include "integrate/weights.hpp"

namespace daedal::integration {

/// Tells whether an explicit scheme is held back by its stability rather than its accuracy, after
/// Hairer, Wanner IV.2: the estimate h|λ| of an accepted step comes near the scheme's region of
/// stability eight times, with never six steps in succession well inside it. Near is half of it:
/// at sharp tolerances the error estimate feels the stiff components before the step is unstable.
/// Only steps of a slow motion count, so that fewer are enough than the fifteen there.
class StiffnessWatch {
 public:
  /// `ratio` is h|λ| over the size of the region of stability.
  [[nodiscard]] static bool is_beyond(double ratio) { return ratio > near; }
  void after_step(bool is_held_back) {
    if (is_held_back) {
      n_inside_ = 0;
      ++n_beyond_;
    } else if (++n_inside_ == steps_to_forget) {
      n_beyond_ = 0;
    }
  }
  void reset() { n_beyond_ = n_inside_ = 0; }
  [[nodiscard]] bool is_stiff() const { return n_beyond_ >= steps_to_believe; }

 private:
  static constexpr double near = 0.5;
  static constexpr int steps_to_believe = 8;
  static constexpr int steps_to_forget = 6;
  int n_beyond_ = 0;
  int n_inside_ = 0;
};

class OneStepStepper final : public Stepper {
 public:
  /// Throws OptionError when the options are out of range, or ask a scheme without an error
  /// estimate for error control.
  OneStepStepper(const System& system, std::unique_ptr<OneStepScheme> scheme,
                 const StepOptions& options, IndexWeights index_weighting = IndexWeights::by_step);

  void start(double t, std::span<const double> x, std::span<const double> xp, Run& run,
             double direction_limit) override;
  StepReport advance(double limit) override;
  /// One attempt at a step, for those who make the attempts of several steppers together: nothing
  /// where it was rejected and a shorter one is to be tried.
  std::optional<StepReport> try_step(double limit);
  /// The step that it tries.
  [[nodiscard]] double next_step(double limit) const { return stretch_to(limit).h; }
  void interpolate(double t, std::span<double> x, std::span<double> xp) const override;
  void replace_state(std::span<const double> x, std::span<const double> xp) override;
  void equations_changed() override;
  [[nodiscard]] bool projects_itself() const override { return scheme_->projects_itself(); }
  [[nodiscard]] bool is_stiff() const override { return stiffness_.is_stiff(); }
  [[nodiscard]] double widest_gap() const override {
    return is_fixed() ? 1.0 : scheme_->widest_gap();
  }
  [[nodiscard]] const ErrorWeights* norm() const override {
    return is_fixed() ? nullptr : &error_weights_;
  }
  bool local_error(std::span<double> error) const override;
  bool carry(std::span<double> perturbation) const override { return scheme_->carry(perturbation); }
  double sharpen(double factor) override;
  void follow(std::span<const std::size_t> unknowns, std::span<const double> sizes) override;
  void count(Statistics& statistics) const override;
  [[nodiscard]] int max_derivative() const override;
  void derivative(double t, int k, std::span<double> out) const override;

 private:
  struct Stretch {
    double h = 0.0;
    bool lands = false;
  };
  [[nodiscard]] bool is_fixed() const { return options_.fixed_step > 0.0; }
  [[nodiscard]] Stretch stretch_to(double limit) const;
  /// The task of a step of length h from here, with the weights for it.
  StepTask task(double h);
  /// One attempt at a step, judged by the scales that small unknowns have at its end where they had
  /// none before it.
  Attempt attempt(double h);
  /// Tells the norm where the run stands; `h` is the step from there.
  void observe(double h);
  /// The rounding errors of the unknowns here; empty where they are not known.
  std::span<const double> measure_noise();
  void accept_noise();
  void settle_doubt();
  /// Tells of errors that add up, after a step with this estimate.
  void watch_order(double error);
  [[nodiscard]] bool moves_slowly(double h) const;
  /// Rejects a step that its end shows no fault of, and its dense output does.
  void look_inside(double h, Attempt& attempt);
  [[nodiscard]] double smallest_step() const;
  [[nodiscard]] double factor_after(const Attempt& attempt) const;
  void shorten(const Attempt& attempt, double tried);
  StepReport accept(const Attempt& attempt, const Stretch& step, double limit);
  [[nodiscard]] StepReport give_up(const Attempt& attempt, double tried) const;
  /// The dense output of the last step, completed when it is first read.
  [[nodiscard]] const DensePolynomial& dense() const;

  std::unique_ptr<OneStepScheme> scheme_;
  StepOptions options_;
  StepControl control_;
  ErrorWeights error_weights_;
  ErrorFloor error_floor_;
  int n_diverged_ = 0;               ///< attempts in a row
  double sum_of_first_order_ = 0.0;  ///< of the errors of steps of order 1
  /// Rounding errors above the tolerance, which are reported if they last.
  struct Doubt {
    std::size_t unknown = 0;
    double t = 0.0;
    double tolerance = 0.0;
    int steps_left = 0;
    bool is_told = false;
  };
  Doubt doubt_;
  std::vector<double> weights_;
  std::vector<double> ahead_;
  std::vector<double> reached_;  ///< by unknowns that were 0, in rejected attempts of this step
  std::vector<double> delta_;    ///< what a projection added at the end of the last step
  bool xp_is_current_ = false;
  mutable bool dense_is_complete_ = true;
  bool just_rejected_ = false;
  double h_ = 0.0;  ///< the next step's size, signed
  double span_ = 0.0;
  double last_error_ = 1e-4;
  double last_accepted_step_ = 0.0;
  int last_error_order_ = 0;  ///< errors of steps of different orders do not compare
  StiffnessWatch stiffness_;
  double outside_ =
      0.0;  ///< h|λ| of the last good attempt over the size of the region of stability
  Index steps_ = 0;
  Index rejected_ = 0;
};

}  // namespace daedal::integration
