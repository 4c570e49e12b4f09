// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What the steppers on SUNDIALS' self-controlled multistep codes have in common.
///
/// The code integrates u, the system sees x = u + shift. A projected state moves the shift and
/// leaves the code alone: its history keeps all derivatives and follows the state, which no call
/// of SUNDIALS could do without starting again at order 1.

#include <span>
#include <vector>

#include "integrate/stepper.hpp"
#include "integrate/weights.hpp"

namespace daedal::integrate {

class MultistepStepper : public Stepper {
 public:
  void start(double t, std::span<const double> x, std::span<const double> xp, Run& run,
             double direction_limit) final;
  StepReport advance(double limit) final;
  [[nodiscard]] double time() const final { return t_; }
  [[nodiscard]] std::span<const double> x() const final { return x_; }
  [[nodiscard]] std::span<const double> xp() const final { return xp_; }
  void interpolate(double t, std::span<double> x, std::span<double> xp) const final;
  void replace_state(std::span<const double> x, std::span<const double> xp) final;
  [[nodiscard]] int max_derivative() const final { return order_; }
  void derivative(double t, int k, std::span<double> out) const final;

 protected:
  MultistepStepper(const System& system, const StepOptions& options, IndexWeighting weighting);

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
  /// The k-th derivative of the code's interpolant of u.
  virtual void code_derivative(double t, int k, std::span<double> out) const = 0;

  /// The error weights at u + shift for a step h.
  void compute_weights(std::span<const double> u, double h, std::span<double> weights);
  /// The unknown whose error counts most, or -1. Overwrites `errors`.
  [[nodiscard]] static Index worst(std::span<double> errors, std::span<const double> weights);

  const System& system_;
  StepOptions options_;
  ErrorWeights weights_;
  Run* run_ = nullptr;
  double t_ = 0.0;
  std::vector<double> x_, xp_, shift_;
  double direction_limit_ = 0.0;
  int order_ = 0;  ///< of the last accepted step; 0 before the first
  std::int64_t steps_ = 0;

 private:
  std::vector<double> shifted_;
};

}  // namespace daedal::integrate
