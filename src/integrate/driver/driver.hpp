// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The shared driver: advances a stepper over a time span, with output, events, projection,
/// limits, progress and cancellation. It uses systems and steppers, never models.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "integrate/driver/event_monitor.hpp"
#include "integrate/driver/step_inspector.hpp"
#include "integrate/stepper.hpp"
#include "integrate/weights.hpp"

namespace daedal::integration {

/// After so many steps it is looked at how long a run is.
inline constexpr std::int64_t pilot_steps = 300;
/// A run that is to be taken again with a sharper tolerance needs at least so many times its steps.
inline constexpr double least_room = 1.5;
/// From so many steps on the pace of a run is no longer that of a stiff start.
inline constexpr std::int64_t settled_steps = 4000;
/// Before, a run may look this much slower than it is.
inline constexpr double hopeless_factor = 1e3;
/// An implicit run at usual tolerances takes some hundred steps, each as dear as a few explicit
/// ones, and what has to be set up for it costs as much again: fewer explicit steps than this are
/// better finished.
inline constexpr double steps_worth_a_change = 1000.0;

/// What a run says that has come to its end.
std::string end_message(double t);

struct DriverOptions {
  double t0 = 0.0;
  double t1 = 1.0;
  double interval = 0.0;       ///< > 0: equidistant output by dense output, no forced steps
  bool has_step_rows = false;  ///< with an interval: output at the ends of steps as well
  std::vector<double> stop_times = {};  ///< times a step must hit exactly
  bool project = true;  ///< project explicit systems with a manifold after each step
  double rtol = 1e-6;   ///< for the projection's weights
  double atol = 1e-8;
  std::int64_t max_steps = 1'000'000;
  bool stop_when_stiff = false;  ///< end where an explicit scheme turns out to be the wrong one
  double steps_worth_a_change = integration::steps_worth_a_change;
  /// End after a pilot of a few hundred steps when the whole run would take more than this.
  double max_projected_steps = infinity;
  /// End when by the pace of late more than this are left, after `settled_steps`, or before them
  /// more than `hopeless_factor` times as many.
  double max_steps_left = infinity;
  /// Where the run began that this one continues, for grid and progress; NaN: t0.
  double origin = std::numeric_limits<double>::quiet_NaN();
  double time_limit = infinity;
  /// What the run that this one continues has used up of max_steps and time_limit.
  std::int64_t steps_before = 0;
  double seconds_before = 0.0;
  int max_events_per_instant = 100;          ///< event iterations at one time before chattering
  std::int64_t max_clustered_events = 1000;  ///< events within round-off-close times: chattering
  StepInspector* inspector = nullptr;        ///< outlives the run
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
  /// The first of the two at an event at `t`. False where the point is at t, and what the relations
  /// still stand for has no value there: then a point before t follows.
  virtual bool on_output_before(double t, const Ray& at, Run& run) {
    on_output(t, at.x, at.xp, run);
    return true;
  }
  /// An accepted step, with its interpolant at hand (dense storage, independent checks). A step
  /// with events inside comes in parts, each before its event is executed.
  virtual void on_step(const StepReport& report, const Stepper& stepper, Run& run) = 0;
  /// The same step, or part of one, when its end is as good as it becomes, projected and all.
  virtual void on_step_end(const Ray& /*end*/, double /*t0*/, Run& /*run*/) {}
  virtual void on_event(double t, std::span<const std::int64_t> fired, const Change& change,
                        Run& run) = 0;
};

struct DriveOutcome {
  Status status = Status::success;
  std::string message;
  double t = 0.0;                ///< how far it came
  std::vector<double> x, xp;     ///< there
  double last_step = 0.0;        ///< the length of the last step; 0 when there was none
  double projected_steps = 0.0;  ///< if they are more than max_projected_steps, or max_steps_left
  double step_room = 0.0;        ///< how many times as many the limit would let it take
  bool is_too_long = false;      ///< the run ended for that reason
  bool is_too_slow = false;      ///< it ended because of max_steps_left
  bool is_stiff = false;  ///< stability, not accuracy, decided the steps; see stop_when_stiff
  Statistics statistics;
};

/// The times origin + i·interval strictly between the start and the end of a run, without drift.
/// The start and the end are output points of their own.
class OutputGrid {
 public:
  /// An interval of 0 is an empty grid.
  OutputGrid(double origin, double t1, double interval)
      : origin_(origin), step_(std::copysign(interval, t1 - origin)) {
    // A last point that only round-off keeps from the end is the end.
    constexpr double slack = 1e-9;
    if (interval > 0.0) n_ = std::ceil(std::abs(t1 - origin) / interval - slack);
  }

  /// Leaves out what does not lie after `t`.
  void skip_to(double t) {
    if (step_ == 0.0) return;
    next_ = std::max(1.0, std::floor((t - origin_) / step_));
    while (!is_done() && (time() - t) / step_ <= 0.0) advance();
  }

  [[nodiscard]] bool is_done() const { return next_ >= n_; }
  [[nodiscard]] double time() const { return origin_ + next_ * step_; }
  void advance() { ++next_; }

 private:
  double origin_;
  double step_;
  double n_ = 0.0;  // whole numbers, as doubles: they never overflow
  double next_ = 1.0;
};

/// A run that advances step by step. What it is made of outlives it; the options are copied. A step
/// allocates nothing.
class Drive {
 public:
  /// Starts at (t0, x0, xp0), which is the first output of the observer. Throws
  /// OptionError{invalid_option}; numerical trouble is in the outcome.
  Drive(const System& system, Stepper& stepper, Run& run, std::span<const double> x0,
        std::span<const double> xp0, const DriverOptions& options, Observer& observer);

  /// One accepted step, or the part of one up to an event and that event. Returns false when there
  /// was none: the run was over already, or ended because no step can be made. The last step of a
  /// run returns true, with is_over() true from then on.
  bool advance();
  [[nodiscard]] bool is_over() const { return is_over_; }

  /// The run ends where it is.
  void stop(Status status, std::string message) { end(status, std::move(message)); }
  /// Steps end at this time, too, as long as it lies ahead.
  void aim_at(double t);
  /// An event that comes from outside: between the values before it and those after it `change`
  /// changes the run. What was computed before it cannot be computed again: the run does not end
  /// for a sharper tolerance any more, and where it is stiff only if `may_stop_when_stiff`.
  void interrupt(const std::function<void()>& change, const std::string& what,
                 bool may_stop_when_stiff);

  /// Goes on with another stepper where the last one found that the model is stiff.
  void take_over(Stepper& next);

  /// Where the run stands: after an event, its values there.
  [[nodiscard]] double time() const { return t_; }
  [[nodiscard]] std::span<const double> x() const { return x_; }
  [[nodiscard]] std::span<const double> xp() const { return xp_; }
  /// How far the run came; before its end with the status success and no message.
  [[nodiscard]] DriveOutcome outcome() const;

 private:
  using Clock = std::chrono::steady_clock;

  // Each of these returns false when the run is over; outcome_ then says why.
  bool begin();
  /// An event that is due at once, or the next stretch of a step.
  bool go_on();
  bool begin_step();
  bool leave_inner_stops();
  /// Goes over a jump of the rates that no step can cross; false where none is known of.
  bool pass_jump();
  /// Searches for the next event of the step, and takes note of what lies before it; false when the
  /// step must be taken again from here. What an event cuts off is not looked at, unless what has
  /// fired comes back in it.
  bool look_ahead();
  /// Whether the step can be taken up to there.
  bool accept_to(const Ray& end);
  /// To the next event inside the step, or to its end.
  bool continue_step();
  bool pass_event();
  bool complete_step();
  /// Where the step cannot be completed.
  bool end_in_step();
  bool may_continue();
  /// `step_length` 0: not inside a step, so that the stepper starts again in any case.
  bool execute_event(double step_length);
  bool execute_event(double step_length, const std::string& what);
  /// See System::is_smooth_event().
  bool pass_smooth_event();
  bool check_chattering(double step_length);
  bool apply_step_change(Change change);
  bool restart();
  bool go_on_for_long();
  bool go_on_at_this_pace();
  bool go_on_stiff();
  bool arm_events();
  bool finish();
  void weigh_projection();
  bool project();
  bool interpolate(double t);
  void output_grid_before(double t);
  bool end(Status status, std::string message);
  bool end(const StepReport& report) { return end(report.status, report.message); }
  bool end(const Change& change);

  /// Ends a run that has reached its last instant, and tells what can be told at an end only.
  void settle();
  /// Executes an event so near that the way there along x' is within the tolerance; false when
  /// there is none.
  bool cross_border();
  /// Goes on from where no step can be made, if the system can.
  bool jump();
  void find_time_event();
  /// Forgets stops of the inspector that lie behind; whether the solution breaks at one of them.
  bool pass_inner_stops();
  [[nodiscard]] double next_limit();
  [[nodiscard]] double origin() const;
  [[nodiscard]] double seconds() const;
  [[nodiscard]] bool is_time_event_due() const { return !is_before(t_, time_event_); }
  [[nodiscard]] bool is_before(double a, double b) const { return (b - a) * direction_ > 0.0; }
  void output();
  bool output_before(double t);
  void note_output(double t);
  void report_progress(bool is_final);

  const System& system_;
  const ExplicitSystem* explicit_system_;
  const Manifold* manifold_;
  Stepper* stepper_;
  Run& run_;
  DriverOptions options_;
  Observer& observer_;
  double direction_;
  ErrorWeights weights_;
  EventMonitor events_;
  OutputGrid grid_;
  std::size_t next_stop_ = 0;
  std::vector<Inspection::Stop> inner_stops_;  ///< ahead, the last one first
  bool has_passed_jump_ = false;  ///< the last stops that were passed are next to a jump
  double unwatched_until_ = NAN;
  EventMonitor::Search found_ = EventMonitor::Search::nothing;  ///< by look_ahead()
  const Inspection* inspection_ = nullptr;
  double target_ = std::numeric_limits<double>::quiet_NaN();  ///< see aim_at()
  double time_event_ = 0.0;  ///< the next one; never in a run backward in time

  double t_;
  std::vector<double> x_, xp_, projection_weights_;
  StepReport step_;  ///< what is left of the step in progress, or the last one
  double step_length_ = 0.0;
  bool is_in_step_ = false;
  bool has_moved_ = false;  ///< in this call of advance()
  bool is_over_ = false;
  double last_output_ = std::numeric_limits<double>::quiet_NaN();
  std::int64_t steps_ = 0;
  std::int64_t pace_steps_ = 0;  ///< when the pace was looked at last, and where that was
  double pace_t_ = 0.0;
  std::int64_t projections_before_;
  std::int64_t reselections_before_;

  double last_event_ = std::numeric_limits<double>::quiet_NaN();
  std::int64_t clustered_events_ = 0;
  int events_at_instant_ = 0;

  Clock::time_point started_ = Clock::now();
  Clock::time_point last_progress_ = started_;
  DriveOutcome outcome_;
};

/// Runs from (t0, x, xp) to the end. Never throws for numerical trouble.
DriveOutcome drive(const System& system, Stepper& stepper, Run& run, std::span<const double> x0,
                   std::span<const double> xp0, const DriverOptions& options, Observer& observer);

}  // namespace daedal::integration
