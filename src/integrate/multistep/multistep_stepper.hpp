// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What the steppers on SUNDIALS' self-controlled multistep codes have in common.
///
/// The code integrates u, the system sees x = u + shift. A projected state moves the shift and
/// leaves the code alone: its history keeps all derivatives and follows the state, which no call
/// of SUNDIALS could do without starting again at order 1.

#include <span>
#include <string_view>
#include <vector>

#include "integrate/error_floor.hpp"
#include "integrate/multistep/sundials_handles.hpp"
#include "integrate/stepper.hpp"
#include "integrate/weights.hpp"

namespace daedal::integration {

/// Checks the options of a code that chooses step and order itself. Throws
/// OptionError{invalid_option} for a fixed step, an order it has not, or tolerances out of range.
void require_variable_step(std::string_view integrator, const StepOptions& options, int max_order);

/// The errors of steps of BDF have one sign for long: they add up, over a number of steps that
/// grows like rtol^(-1/6) at order 5. On the DAEs of the gauntlet the median error was 6 tolerances
/// at 1e-6 and 18 at 1e-9. From the first on the tolerance of a step falls by as much as the steps
/// become more.
StepOptions against_sums(StepOptions options);

class MultistepStepper : public Stepper {
 public:
  void start(double t, std::span<const double> x, std::span<const double> xp, Run& run,
             double direction_limit) final;
  StepReport advance(double limit) final;
  void interpolate(double t, std::span<double> x, std::span<double> xp) const final;
  void replace_state(std::span<const double> x, std::span<const double> xp) final;
  [[nodiscard]] const ErrorWeights* norm() const final { return &weights_; }
  bool local_error(std::span<double> error) const final;
  double sharpen(double factor) final;
  void follow(std::span<const std::size_t> unknowns, std::span<const double> sizes) final;
  [[nodiscard]] int max_derivative() const final { return order_; }
  void derivative(double t, int k, std::span<double> out) const final;

 protected:
  MultistepStepper(const System& system, const StepOptions& options, IndexWeights weighting);

  /// What one call of the code came to.
  struct CodeStep {
    int flag = 0;  ///< negative: it failed
    double t = 0.0;
    int order = 0;
    bool has_landed = false;  ///< on the limit
  };
  /// Starts the code at (t_, x_, xp_).
  virtual void start_code() = 0;
  /// One step, with the result in x_ and xp_ when it succeeded.
  virtual CodeStep step_code(double limit) = 0;
  virtual StepReport explain(int flag) = 0;
  virtual StepReport explain_underflow(double h) = 0;
  /// The k-th derivative of the code's interpolant of u; returns the code's flag.
  virtual int code_derivative(double t, int k, N_Vector out) const = 0;
  /// The estimated errors of the last step; returns the code's flag.
  virtual int code_errors(N_Vector out) const = 0;

  /// The calls that pass limits on to a code.
  struct LimitCalls {
    int (*max_order)(void* code, int order);
    int (*max_step)(void* code, double step);
    int (*max_error_failures)(void* code, int failures);
    int (*max_corrector_failures)(void* code, int failures);
  };
  /// Passes on the options and allows as many failures as any bad start needs.
  void set_limits(void* code, const LimitCalls& calls) const;

  /// The k-th derivative of the interpolant of u.
  void read_derivative(double t, int k, std::span<double> out) const;
  /// x_ from u_.
  void read_state();
  /// Whether an evaluation that failed at t_failed is why steps shrank to h.
  [[nodiscard]] bool is_near(double t_failed, double h) const;
  /// The error weights at u + shift for a step h.
  void compute_weights(std::span<const double> u, double h, std::span<double> weights);
  /// The unknown whose error counts most, or -1. Overwrites `errors`.
  [[nodiscard]] static Index worst(std::span<double> errors, std::span<const double> weights);

  StepOptions options_;
  ErrorWeights weights_;
  ErrorFloor error_floor_;
  ContextOwner context_;
  VectorOwner u_;
  std::vector<double> shift_;
  double direction_limit_ = 0.0;
  int order_ = 0;  ///< of the last accepted step; 0 before the first
  std::int64_t steps_ = 0;

 private:
  /// Tells the norm where the run stands, after a step h.
  void observe(double h);
  /// Counts short steps of low order, after a step h.
  void watch_order(double h);

  double longest_step_ = 0.0;
  int n_low_ = 0;  ///< short steps of low order in succession

  int steps_since_start_ = 0;
  VectorOwner alias_;
  std::vector<double> shifted_;
};

}  // namespace daedal::integration
