// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The shared driver: advances a stepper over a time span, with output, events, projection,
/// limits, progress and cancellation. It knows systems and steppers, never models.

#include <atomic>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "integrate/stepper.hpp"

namespace daedal::integrate {

struct DriverOptions {
  double t0 = 0.0;
  double t1 = 1.0;
  double interval = 0.0;  ///< > 0: equidistant output by dense output, no forced steps
  std::vector<double> stop_times = {};  ///< times a step must hit exactly
  bool project = true;  ///< project explicit systems with a manifold after each step
  double rtol = 1e-6;   ///< for the projection's weights
  double atol = 1e-8;
  std::int64_t max_steps = 1'000'000;
  bool stop_when_stiff = false;  ///< end where an explicit scheme turns out to be the wrong one
  /// End after a pilot of a few hundred steps when the whole run would take more than this.
  double max_projected_steps = infinity;
  /// Where the run began that this one continues, for grid and progress; NaN: t0.
  double origin = std::numeric_limits<double>::quiet_NaN();
  double time_limit = infinity;
  /// What the run that this one continues has used up of max_steps and time_limit.
  std::int64_t steps_before = 0;
  double seconds_before = 0.0;
  int max_events_per_instant = 100;          ///< event iterations at one time before chattering
  std::int64_t max_clustered_events = 1000;  ///< events within round-off-close times: chattering
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(const Progress&)> on_progress = {};
};

/// Receives what the driver produces, in the order of time.
class Observer {
 public:
  virtual ~Observer() = default;
  /// An output point: a grid point, or the end of an accepted step. At an event the point is
  /// reported twice, before and after.
  virtual void on_output(double t, std::span<const double> x, std::span<const double> xp,
                         Run& run) = 0;
  /// An accepted step, with its interpolant at hand (dense storage, independent checks). A step
  /// with events inside comes in parts, each before its event is executed.
  virtual void on_step(const StepReport& report, const Stepper& stepper, Run& run) = 0;
  virtual void on_event(double t, std::span<const std::int64_t> fired, const Change& change,
                        Run& run) = 0;
};

struct Outcome {
  Status status = Status::success;
  std::string message;
  double t = 0.0;                ///< how far it came
  std::vector<double> x, xp;     ///< there
  double projected_steps = 0.0;  ///< more than max_projected_steps: the run ended for that reason
  bool is_stiff = false;  ///< stability, not accuracy, decided the steps; see stop_when_stiff
  Statistics statistics;
};

/// Runs from (t0, x, xp). Never throws for numerical trouble.
Outcome drive(const System& system, Stepper& stepper, Run& run, std::span<const double> x0,
              std::span<const double> xp0, const DriverOptions& options, Observer& observer);

}  // namespace daedal::integrate
