// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// One-step schemes: a scheme supplies one repeatable function, *attempt a step*; controller,
/// norms, projection, dense output and events are shared (after Simbody's integrators).

#include <daedal/system.hpp>
#include <span>

#include "core/types.hpp"
#include "integrate/one_step/dense_polynomial.hpp"
#include "integrate/stepper.hpp"

namespace daedal::integration {

/// What an attempt starts from. All spans belong to the controller.
struct StepTask {
  double t = 0.0;
  double h = 0.0;  ///< signed: negative backward in time
  std::span<const double> x;
  std::span<const double> xp;
  bool xp_is_current = true;  ///< false: x or the equations changed since xp was computed
  std::span<const double> weights;
  bool error_decides = true;  ///< false: a fixed step, taken whatever its error
};

/// What one attempt came to.
struct Attempt {
  enum class Outcome {
    ok,
    diverged,    ///< Newton failed: try a smaller step
    non_finite,  ///< a value was not finite, or outside the domain: try a smaller step
    singular,    ///< the iteration matrix is singular: try a smaller step, then give up
    fatal,       ///< Run::failure says why
  };
  Outcome outcome = Outcome::ok;
  double error = 0.0;   ///< weighted error norm: accept when ≤ 1 (0 when there is no estimate)
  int error_order = 1;  ///< the error behaves like h^error_order
  double safety = 0.9;  ///< of the step size that follows from the error
  double advice = 0.0;  ///< > 0 with diverged: the factor that the scheme proposes for the step
  Index column = -1;    ///< with singular: the unknown without a pivot
};

/// What an evaluation that is not ok makes of the attempt.
inline Attempt failed_evaluation(Evaluation evaluation) {
  return {.outcome = evaluation == Evaluation::fatal ? Attempt::Outcome::fatal
                                                     : Attempt::Outcome::non_finite};
}

/// How the controller turns errors into steps.
struct StepControl {
  double min_factor = 0.2;
  double max_factor = 10.0;
  double safety = 0.9;  ///< of explicit schemes; implicit ones choose it in each attempt
  /// PI control: h·safety·err^(-(1/q - 0.75β))·err_old^β (Hairer, Nørsett, Wanner II.4).
  double beta = 0.0;
  /// Gustafsson's predictive controller (Hairer, Wanner IV.8): follows errors that grow or fall.
  bool predictive = false;
};

/// A scheme bound to one system. `attempt` leaves its task untouched and forgets nothing that was
/// accepted, so that it can be repeated with another step, or inside the μ-iteration of symmetric
/// projection.
class OneStepScheme {
 public:
  virtual ~OneStepScheme() = default;
  [[nodiscard]] virtual int order() const = 0;
  [[nodiscard]] virtual bool is_symmetric() const { return false; }
  [[nodiscard]] virtual bool has_error_estimate() const = 0;
  /// The scheme keeps the invariants of its system by itself.
  [[nodiscard]] virtual bool projects_itself() const { return false; }
  [[nodiscard]] virtual StepControl control() const { return {}; }

  /// The first step to try, in the direction of task.h (its size bounds it).
  virtual double initial_step(const StepTask& task, Run& run);

  /// The result of an attempt with outcome ok and error ≤ 1 stands in x_new() and xp_new() until
  /// the next attempt.
  virtual Attempt attempt(const StepTask& task, Run& run) = 0;
  [[nodiscard]] virtual std::span<const double> x_new() const = 0;
  [[nodiscard]] virtual std::span<const double> xp_new() const = 0;

  /// The last attempt is accepted: the shape of its dense output is known from here on.
  virtual void accept(Run& run) = 0;
  /// Fills the dense output of the last accepted step where accept() did not, because it takes
  /// further stages that most steps never need. Called once, before dense() is first read.
  virtual void complete_dense(Run&) {}
  /// Dense output of the last accepted step.
  [[nodiscard]] virtual DensePolynomial& dense() = 0;
  [[nodiscard]] virtual const DensePolynomial& dense() const = 0;

  /// Improves x and x' that the dense output gives at t inside the last accepted step, where the
  /// equations tell more than the polynomial.
  virtual void refine(double, std::span<double>, std::span<double>, Run&) {}

  /// The estimated error of the last accepted step in each unknown; false where there is none.
  virtual bool local_error(std::span<double>) { return false; }
  /// Takes a small perturbation of the state over the last accepted step; false where that would
  /// take more than solutions with matrices at hand.
  virtual bool carry(std::span<double>) { return false; }
  /// The sharpest relative tolerance up to `rtol` that rounding errors of a step allow.
  [[nodiscard]] virtual double sharpest(double rtol) const { return rtol; }

  /// The defect h|p' - f(p)| of the dense output inside the last attempt, in the weighted norm; 0
  /// for schemes whose error estimate has seen the inside of the step.
  [[nodiscard]] virtual double defect_inside(std::span<const double>, Run&) { return 0.0; }

  /// The longest part of a step, as a share of it, in which the estimate of the error sees no value
  /// of the equations; 1 where it is not known.
  [[nodiscard]] virtual double widest_gap() const { return 1.0; }

  /// h|λ| of the last attempt over the size of the region of stability, measured in the weighted
  /// norm; 0 where the scheme is not held back by stability, or cannot tell.
  [[nodiscard]] virtual double stiffness(std::span<const double>) { return 0.0; }

  /// A scheme that pays for every change of the step may ask to keep it.
  [[nodiscard]] virtual double adjust_factor(double factor) const { return factor; }
  /// Forget what was learned from earlier steps (after a restart or a change of equations).
  /// After an attempt that diverged: the equations are met up to their rounding errors.
  [[nodiscard]] virtual bool ends_at_rounding() const { return false; }
  /// Tolerances are no more than a few dozen rounding errors from now on.
  virtual void expect_noise() {}
  virtual void reset() = 0;
  /// Adds the counters of evaluations and factorisations.
  virtual void count(Statistics& statistics) const = 0;
};

/// 0.01·|x|/|x'| in the weighted norm: moves the solution by a hundredth of its size, or of its
/// tolerance where it is smaller (Hairer, Nørsett, Wanner II.4, steps a and b of the starting step
/// size). At rest a small share of `bound`, so that no unit of time takes part.
double starting_step(std::span<const double> x, std::span<const double> xp,
                     std::span<const double> weights, double bound);
/// The share of the way to go that a first step takes where nothing else is known.
inline constexpr double cautious_share = 1e-6;

}  // namespace daedal::integration
