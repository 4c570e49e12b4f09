// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// One-step schemes: a scheme supplies one pure function, *attempt a step*; controller, norms,
/// projection, dense output and events are shared (after Simbody's integrators).

#include <daedal/system.hpp>
#include <span>

#include "core/types.hpp"
#include "integrate/stepper.hpp"

namespace daedal::integrate {

/// What one attempt came to.
struct Attempt {
  enum class Outcome {
    ok,
    diverged,  ///< Newton failed or a value was not finite: try a smaller step
    singular,  ///< the iteration matrix is singular: try a smaller step, then give up
    fatal,     ///< Run::failure says why
  };
  Outcome outcome = Outcome::ok;
  double error = 0.0;   ///< weighted error norm: accept when ≤ 1 (0 when there is no estimate)
  int error_order = 0;  ///< the error behaves like h^(error_order)
  double suggested_factor = 0.0;  ///< > 0: the scheme's own advice for the next step
};

/// A scheme bound to one system. `attempt` leaves (t, x, xp, run) untouched, so that it can be
/// repeated with another step, or inside the μ-iteration of symmetric projection.
class OneStepScheme {
 public:
  virtual ~OneStepScheme() = default;
  [[nodiscard]] virtual int order() const = 0;
  [[nodiscard]] virtual bool is_symmetric() const { return false; }
  [[nodiscard]] virtual bool has_error_estimate() const = 0;

  /// The result of an attempt that is ok stands in x_new() and xp_new() until the next attempt.
  virtual Attempt attempt(double t, std::span<const double> x, std::span<const double> xp, double h,
                          std::span<const double> weights, Run& run) = 0;
  [[nodiscard]] virtual std::span<const double> x_new() const = 0;
  [[nodiscard]] virtual std::span<const double> xp_new() const = 0;

  /// The last attempt was accepted: prepare its dense output (may evaluate extra stages).
  virtual void accept(Run& run) = 0;
  /// Dense output of the accepted step at t + theta·h.
  virtual void interpolate(double theta, std::span<double> x, std::span<double> xp) const = 0;
  [[nodiscard]] virtual int dense_order() const = 0;
  /// The k-th time derivative of the dense output at t + theta·h; k ≤ dense_order().
  virtual void dense_derivative(double theta, int k, std::span<double> out) const = 0;
  /// Forget what was learned from earlier steps (after a restart or a change of equations).
  virtual void reset() = 0;
  virtual void count(Statistics& statistics) const = 0;
};

}  // namespace daedal::integrate
