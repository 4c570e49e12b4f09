// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What the driver sees of any integrator: accepted steps, one at a time, with an interpolant.
/// Two kinds stand behind it: one-step schemes under the shared controller (one_step.hpp) and
/// self-controlled multistep codes (IDA, CVODE).

#include <cmath>
#include <daedal/run_control.hpp>
#include <daedal/status.hpp>
#include <daedal/system.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace daedal::integration {

class ErrorWeights;

struct StepOptions {
  double rtol = 1e-6;
  /// rtol over the tolerance of the run, which rounding errors are to be told beside.
  double sharpness = 1.0;
  double atol = 1e-8;           ///< scaled by the system's nominals
  bool follows_scales = false;  ///< atol is a default (weights.hpp)
  double fixed_step = 0.0;      ///< > 0: no error control
  double initial_step = 0.0;    ///< 0: estimated
  double max_step = infinity;
  int max_order = 0;                   ///< 0: the scheme's own
  std::int64_t max_steps = 1'000'000;  ///< also bounds rejected attempts inside one advance
  /// Project on the invariants before and after each step (symmetric_projection.hpp); only for
  /// integrators with `can.symmetric`, on explicit systems with a manifold.
  bool symmetric_projection = false;
  LogSink log = {};
};

/// Steps below this share of the greatest |t| of a run are lost in the round-off of its times. Near
/// t = 0 the times have more digits, but nothing that a run came from does.
inline constexpr double least_share_of_time = 4.0 * round_off;

/// One accepted step from t0 to t1, or why there is none.
struct StepReport {
  Status status = Status::success;
  double t0 = 0.0;
  double t1 = 0.0;
  int order = 0;
  std::string message = {};  ///< a full sentence when status is not success
};

/// A first step below so many units in the last place of time says nothing: far from t = 0, where
/// absolute tolerances ask for a cautious start, it would be lost in t + h.
inline double least_first_step(double t) {
  return 256.0 * round_off * std::abs(t);
}

/// Steps one system. Also the History (derivatives of the interpolant) of the last step.
class Stepper : public History {
 public:
  /// (Re)starts at t with consistent x, x'. `direction_limit` is where the run ends: it fixes the
  /// direction of time and bounds the first step.
  virtual void start(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                     double direction_limit) = 0;
  /// One accepted step that does not pass `limit`; lands on it exactly when it reaches it.
  virtual StepReport advance(double limit) = 0;
  /// The state at the end of the last accepted step.
  [[nodiscard]] double time() const { return t_; }
  [[nodiscard]] std::span<const double> x() const { return x_; }
  [[nodiscard]] std::span<const double> xp() const { return xp_; }
  /// Dense output inside the last accepted step; xp may be empty.
  virtual void interpolate(double t, std::span<double> x, std::span<double> xp) const = 0;
  /// Replaces x (projection): the state stays at time(), the history is kept as good as it can be.
  virtual void replace_state(std::span<const double> x, std::span<const double> xp) = 0;
  /// True when accepted steps are on the manifold already: the driver then does not project them.
  [[nodiscard]] virtual bool projects_itself() const { return false; }
  /// After Change::equations: keeps the history where the scheme can.
  virtual void equations_changed() = 0;
  /// The steps have been as short as stability, not accuracy, demands: an implicit scheme would
  /// take far fewer.
  [[nodiscard]] virtual bool is_stiff() const { return false; }
  /// The longest part of a step, as a share of it, in which the estimate of its error sees no value
  /// of the equations; 1 where it is not known.
  [[nodiscard]] virtual double widest_gap() const { return 1.0; }
  /// The norm of its error test; null where it has none.
  [[nodiscard]] virtual const ErrorWeights* norm() const { return nullptr; }
  /// The estimated error of the last step in each unknown; false where there is none.
  virtual bool local_error(std::span<double>) const { return false; }
  /// Takes a small perturbation of the state over the last step, by matrices that the step has made
  /// anyway; false where there are none.
  virtual bool carry(std::span<double>) const { return false; }
  /// Makes the tolerances so much sharper than those of the options from the next step on, as far
  /// as rounding errors allow; returns the factor.
  virtual double sharpen(double) { return 1.0; }
  /// Gives unknowns that have decayed to these sizes relative tolerances from the next step on.
  virtual void follow(std::span<const std::size_t>, std::span<const double>) {}
  /// Adds this stepper's counters to `statistics`.
  virtual void count(Statistics& statistics) const = 0;

 protected:
  explicit Stepper(const System& system)
      : system_(system), x_(to_size(system.size())), xp_(x_.size()) {}

  const System& system_;
  Run* run_ = nullptr;  ///< of the last start
  double t_ = 0.0;
  double farthest_ = 0.0;  ///< the greatest |t| of the run so far
  std::vector<double> x_, xp_;
};

}  // namespace daedal::integration
