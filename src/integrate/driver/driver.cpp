// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/driver/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <daedal/error.hpp>
#include <optional>
#include <utility>

#include "integrate/driver/event_monitor.hpp"
#include "integrate/driver/output_grid.hpp"
#include "integrate/driver/step_failure.hpp"
#include "integrate/weights.hpp"

namespace daedal::integrate {

namespace {

using Clock = std::chrono::steady_clock;

/// Events closer than this, relative to the time and the step, follow each other by round-off.
constexpr double event_resolution = 1e-12;
constexpr double seconds_between_reports = 0.1;
constexpr std::int64_t pilot_steps = 300;
/// An implicit run at usual tolerances takes some hundred steps, each as dear as a few explicit
/// ones: fewer explicit steps than this are better finished.
constexpr double steps_worth_a_change = 1000.0;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Drive {
 public:
  Drive(const System& system, Stepper& stepper, Run& run, const DriverOptions& options,
        Observer& observer);
  Outcome operator()(std::span<const double> x0, std::span<const double> xp0);

 private:
  // Each of these returns false when the run is over; outcome_ then says why.
  bool begin();
  void find_time_event();
  bool step();
  bool may_continue();
  /// On return `report` is what is left of the step after the last event.
  bool take_events(StepReport& report, bool& has_restarted);
  bool complete_step(const StepReport& report);
  bool execute_event(double t, double step_length, bool& has_restarted);
  /// Executes an event so near that the way there along x' is within the tolerance, and says
  /// whether the run goes on; nothing when there is none.
  std::optional<bool> cross_border();
  bool check_chattering(double t, double step_length);
  bool apply_step_change(Change change);
  bool restart();
  bool go_on_for_long();
  bool go_on_stiff(const StepReport& report);
  bool arm_events();
  bool finish();
  bool project();
  bool interpolate(double t);
  bool end(Status status, std::string message);
  bool end(const StepReport& report) { return end(report.status, report.message); }

  [[nodiscard]] double next_limit();
  [[nodiscard]] bool is_time_event_due() const { return !is_before(t_, time_event_); }
  [[nodiscard]] bool is_before(double a, double b) const { return (b - a) * direction_ > 0.0; }
  bool output_grid_before(double t);
  void output();
  void report_progress(bool is_final);

  const System& system_;
  const ExplicitSystem* explicit_system_;
  const Manifold* manifold_;
  Stepper& stepper_;
  Run& run_;
  const DriverOptions& options_;
  Observer& observer_;
  double direction_;
  ErrorWeights weights_;
  EventMonitor events_;
  OutputGrid grid_;
  std::vector<double> stop_times_;  ///< in the order of the run
  std::size_t next_stop_ = 0;
  double time_event_ = 0.0;  ///< the next one; never in a run backward in time

  double t_;
  std::vector<double> x_, xp_, projection_weights_;
  double last_output_ = std::numeric_limits<double>::quiet_NaN();
  std::int64_t steps_ = 0;
  std::int64_t projections_before_;
  std::int64_t reselections_before_;

  double last_event_ = std::numeric_limits<double>::quiet_NaN();
  std::int64_t clustered_events_ = 0;
  int events_at_instant_ = 0;

  Clock::time_point started_ = Clock::now();
  Clock::time_point last_progress_ = started_;
  Outcome outcome_;
};

Drive::Drive(const System& system, Stepper& stepper, Run& run, const DriverOptions& options,
             Observer& observer)
    : system_(system),
      explicit_system_(dynamic_cast<const ExplicitSystem*>(&system)),
      manifold_(options.project && explicit_system_ != nullptr ? explicit_system_->manifold()
                                                               : nullptr),
      stepper_(stepper),
      run_(run),
      options_(options),
      observer_(observer),
      direction_(options.t1 < options.t0 ? -1.0 : 1.0),
      weights_(system, {.rtol = options.rtol, .atol = options.atol}),
      events_(system, direction_),
      grid_(std::isnan(options.origin) ? options.t0 : options.origin, options.t1, options.interval),
      stop_times_(options.stop_times),
      t_(options.t0),
      x_(to_size(system.size())),
      xp_(x_.size()),
      projection_weights_(x_.size()),
      projections_before_(run.projections),
      reselections_before_(run.reselections) {
  grid_.skip_to(options.t0);
  std::sort(stop_times_.begin(), stop_times_.end(),
            [this](double a, double b) { return is_before(a, b); });
}

Outcome Drive::operator()(std::span<const double> x0, std::span<const double> xp0) {
  x_.assign(x0.begin(), x0.end());
  xp_.assign(xp0.begin(), xp0.end());
  if (begin()) {
    while ((t_ != options_.t1 || is_time_event_due()) && step()) {
    }
    if (outcome_.message.empty() && finish()) {
      end(Status::success, fmt::format("The run reached its end at t = {:.12g}.", t_));
    }
  }
  report_progress(true);
  if (events_.has_lost_sight()) {
    run_.warnings.emplace_back(
        "A condition varies too fast within the steps for all its events to be found. Limit the "
        "step (max_step) to a fraction of its period.");
  }
  outcome_.t = t_;
  outcome_.x = x_;
  outcome_.xp = xp_;
  stepper_.count(outcome_.statistics);
  outcome_.statistics.projections += run_.projections - projections_before_;
  outcome_.statistics.reselections += run_.reselections - reselections_before_;
  outcome_.statistics.wall_seconds = seconds_since(started_);
  return std::move(outcome_);
}

bool Drive::end(Status status, std::string message) {
  outcome_.status = status;
  outcome_.message = std::move(message);
  return false;
}

bool Drive::begin() {
  output();
  find_time_event();
  return restart();
}

void Drive::find_time_event() {
  time_event_ = direction_ > 0.0 ? system_.next_time_event(t_, run_) : -infinity;
}

bool Drive::restart() {
  if (t_ != options_.t1) stepper_.start(t_, x_, xp_, run_, options_.t1);
  return arm_events();
}

bool Drive::arm_events() {
  if (events_.arm(t_, x_, xp_, run_) == Evaluation::ok) return true;
  return end(Status::non_finite_value,
             with_remedy(Status::non_finite_value,
                         fmt::format("Event function {} has no finite value at t = {:.12g}.",
                                     events_.failed_function() + 1, t_)));
}

double Drive::next_limit() {
  double limit = options_.t1;
  while (next_stop_ < stop_times_.size() && !is_before(t_, stop_times_[next_stop_])) ++next_stop_;
  if (next_stop_ < stop_times_.size() && is_before(stop_times_[next_stop_], limit)) {
    limit = stop_times_[next_stop_];
  }
  return is_before(time_event_, limit) ? time_event_ : limit;
}

bool Drive::may_continue() {
  if (options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed)) {
    return end(Status::cancelled, fmt::format("The run was cancelled at t = {:.12g}.", t_));
  }
  if (options_.steps_before + steps_ >= options_.max_steps) {
    return end(Status::max_steps_reached,
               with_remedy(Status::max_steps_reached,
                           fmt::format("The allowed {} steps were used up at t = {:.12g}.",
                                       options_.max_steps, t_)));
  }
  if (std::isfinite(options_.time_limit) &&
      options_.seconds_before + seconds_since(started_) > options_.time_limit) {
    return end(Status::time_limit_reached,
               with_remedy(Status::time_limit_reached,
                           fmt::format("The allowed {:g} seconds were used up at t = {:.12g}.",
                                       options_.time_limit, t_)));
  }
  return true;
}

bool Drive::step() {
  if (!may_continue()) return false;
  if (is_time_event_due()) {
    // A time event that is due at once: the chattering limit guards against one that stays due.
    bool has_restarted = false;
    return execute_event(t_, 0.0, has_restarted);
  }
  StepReport report = stepper_.advance(next_limit());
  if (report.status == Status::non_finite_value) {
    if (const auto goes_on = cross_border()) return *goes_on;
  }
  if (report.status != Status::success) return end(report);
  ++steps_;
  bool has_restarted = false;
  if (!take_events(report, has_restarted)) return false;
  if (!has_restarted && !complete_step(report)) return false;
  report_progress(false);
  if (steps_ == pilot_steps && !go_on_for_long()) return false;
  return stepper_.is_stiff() ? go_on_stiff(report) : true;
}

bool Drive::go_on_for_long() {
  const double projected =
      static_cast<double>(steps_) * (options_.t1 - options_.t0) / (t_ - options_.t0);
  if (!(projected > options_.max_projected_steps)) return true;
  outcome_.projected_steps = projected;
  return end(Status::success, fmt::format("The run would take about {:.2g} steps.", projected));
}

bool Drive::go_on_stiff(const StepReport& report) {
  outcome_.is_stiff = true;
  const double steps_left = (options_.t1 - t_) / (report.t1 - report.t0);
  if (!options_.stop_when_stiff || steps_left < steps_worth_a_change) return true;
  return end(Status::success, fmt::format("The model turned out to be stiff at t = {:.12g}.", t_));
}

bool Drive::take_events(StepReport& report, bool& has_restarted) {
  const double step_length = report.t1 - report.t0;
  while (!has_restarted) {
    const EventMonitor::Search search = events_.search(stepper_, report.t0, report.t1, run_);
    if (search == EventMonitor::Search::nothing) return true;
    if (search == EventMonitor::Search::failed) {
      return end(Status::non_finite_value,
                 with_remedy(Status::non_finite_value,
                             fmt::format("Event function {} has no finite value between t = "
                                         "{:.12g} and t = {:.12g}.",
                                         events_.failed_function() + 1, report.t0, report.t1)));
    }
    const double t = events_.time();
    if (!output_grid_before(t)) return false;
    observer_.on_step({.t0 = report.t0, .t1 = t, .order = report.order}, stepper_, run_);
    if (!interpolate(t)) return false;
    if (!execute_event(t_, step_length, has_restarted)) return false;
    report.t0 = t;
  }
  return true;
}

bool Drive::check_chattering(double t, double step_length) {
  const double close = event_resolution * std::max(std::abs(t), std::abs(step_length));
  const bool is_clustered = std::abs(t - last_event_) <= close;
  events_at_instant_ = t == last_event_ ? events_at_instant_ + 1 : 0;
  clustered_events_ = is_clustered ? clustered_events_ + 1 : 0;
  last_event_ = t;
  if (events_at_instant_ < options_.max_events_per_instant &&
      clustered_events_ < options_.max_clustered_events) {
    return true;
  }
  const auto fired = events_.fired();
  const std::string which =
      fired.empty() ? "the time event" : fmt::format("event function {}", fired.front() + 1);
  return end(Status::chattering,
             with_remedy(Status::chattering,
                         fmt::format("Events follow each other without end at t = {:.12g}; the "
                                     "last was {}.",
                                     t, which)));
}

bool Drive::execute_event(double t, double step_length, bool& has_restarted) {
  if (!check_chattering(t, step_length)) return false;
  if (last_output_ != t) output();
  const auto fired = events_.fired();
  const Change change = system_.on_event(t, fired, x_, xp_, run_);
  ++outcome_.statistics.events;
  observer_.on_event(t, fired, change, run_);
  output();
  if (change.kind == Change::Kind::stop) {
    return end(change.status == Status::success ? Status::event_stop : change.status,
               change.message.empty() ? fmt::format("An event ended the run at t = {:.12g}.", t)
                                      : change.message);
  }
  if (fired.empty() || !is_time_event_due()) find_time_event();
  // The step goes on, but the event functions may be others: a threshold that has moved on.
  if (change.kind == Change::Kind::none && step_length != 0.0) return arm_events();
  has_restarted = true;
  ++outcome_.statistics.restarts;
  return restart();
}

std::optional<bool> Drive::cross_border() {
  const double left = options_.t1 - t_;
  weights_.compute(x_, left, projection_weights_);
  const double rate = weighted_rms(xp_, projection_weights_);
  if (!std::isfinite(rate) || left == 0.0) return std::nullopt;
  const double length =
      std::copysign(std::min(std::abs(left), rate > 0.0 ? 1.0 / rate : std::abs(left)), left);
  if (!events_.search_ahead({t_, x_, xp_}, length, run_)) return std::nullopt;
  t_ = events_.time();
  std::ranges::copy(events_.state_ahead(), x_.begin());
  bool has_restarted = false;
  return execute_event(t_, 0.0, has_restarted);
}

/// The event at the end of the run: terminal(), and whatever is due at this very instant.
bool Drive::finish() {
  if (!run_.has_end_event || direction_ < 0.0) return true;
  const auto before = run_.discretes;
  run_.is_at_end = true;
  const Change change = system_.on_event(t_, {}, x_, xp_, run_);
  run_.is_at_end = false;
  const bool is_stop = change.kind == Change::Kind::stop;
  if (!is_stop && change.kind == Change::Kind::none && run_.discretes == before) return true;
  ++outcome_.statistics.events;
  observer_.on_event(t_, {}, change, run_);
  output();
  if (!is_stop) return true;
  return end(change.status == Status::success ? Status::event_stop : change.status,
             change.message.empty() ? fmt::format("An event ended the run at t = {:.12g}.", t_)
                                    : change.message);
}

bool Drive::complete_step(const StepReport& report) {
  if (!output_grid_before(report.t1)) return false;
  observer_.on_step(report, stepper_, run_);
  t_ = report.t1;
  std::copy(stepper_.x().begin(), stepper_.x().end(), x_.begin());
  std::copy(stepper_.xp().begin(), stepper_.xp().end(), xp_.begin());
  if (manifold_ != nullptr && !stepper_.projects_itself()) {
    if (!project()) return false;
    stepper_.replace_state(x_, xp_);
  }
  Change change = system_.after_step(t_, x_, xp_, stepper_, run_);
  const bool is_on_grid = !grid_.is_done() && grid_.time() == t_;
  if (options_.interval <= 0.0 || is_on_grid || t_ == options_.t1) output();
  return apply_step_change(std::move(change));
}

bool Drive::apply_step_change(Change change) {
  switch (change.kind) {
    case Change::Kind::none:
      return true;
    case Change::Kind::equations:
      stepper_.equations_changed();
      return true;
    case Change::Kind::unknowns:
      ++outcome_.statistics.restarts;
      return t_ == options_.t1 || restart();
    case Change::Kind::stop:
      return end(change.status, std::move(change.message));
  }
  return true;
}

/// Moves x_ onto the manifold and makes xp_ fit.
bool Drive::project() {
  Evaluation evaluation = Evaluation::ok;
  if (manifold_ != nullptr) {
    weights_.compute(x_, 0.0, projection_weights_);
    ++run_.projections;
    evaluation = manifold_->project(t_, x_, projection_weights_, run_);
  }
  if (evaluation == Evaluation::ok) {
    ++outcome_.statistics.residual_evaluations;
    evaluation = explicit_system_->rhs(t_, x_, run_, xp_);
  }
  return evaluation == Evaluation::ok || end(report_fatal(system_, t_, run_));
}

/// The state at t inside the last step, as consistent as that at its end.
bool Drive::interpolate(double t) {
  t_ = t;
  stepper_.interpolate(t, x_, xp_);
  const bool has_complete = explicit_system_ != nullptr && explicit_system_->has_complete();
  if (has_complete && explicit_system_->complete(t, x_, run_) != Evaluation::ok) {
    return end(report_fatal(system_, t, run_));
  }
  return (manifold_ == nullptr && !has_complete) || project();
}

bool Drive::output_grid_before(double t) {
  while (!grid_.is_done() && is_before(grid_.time(), t)) {
    if (!interpolate(grid_.time())) return false;
    output();
  }
  return true;
}

void Drive::output() {
  observer_.on_output(t_, x_, xp_, run_);
  last_output_ = t_;
  if (!grid_.is_done() && grid_.time() == t_) grid_.advance();
}

void Drive::report_progress(bool is_final) {
  if (!options_.on_progress) return;
  if (!is_final && seconds_since(last_progress_) < seconds_between_reports) return;
  last_progress_ = Clock::now();
  const double origin = std::isnan(options_.origin) ? options_.t0 : options_.origin;
  const double span = options_.t1 - origin;
  options_.on_progress({.time = t_,
                        .fraction = span == 0.0 ? 1.0 : (t_ - origin) / span,
                        .steps = options_.steps_before + steps_});
}

void require(bool holds, const char* sentence) {
  if (!holds) throw OptionError(ErrorCode::invalid_option, sentence);
}

void check(const System& system, const Run& run, std::span<const double> x0,
           std::span<const double> xp0, const DriverOptions& options) {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  require(is_finite(options.t0) && is_finite(options.t1),
          "The start and the end of a run are finite times.");
  require(options.interval >= 0.0, "The output interval is not negative.");
  require(options.max_steps > 0, "A run may take at least one step.");
  require(std::all_of(options.stop_times.begin(), options.stop_times.end(), is_finite),
          "Stop times are finite.");
  require(x0.size() == to_size(system.size()) && xp0.size() == x0.size(),
          "The start values are as many as the unknowns of the system.");
  require(options.t1 >= options.t0 || system.next_time_event(options.t1, run) >= options.t0,
          "A system with time events runs forward in time only.");
}

}  // namespace

Outcome drive(const System& system, Stepper& stepper, Run& run, std::span<const double> x0,
              std::span<const double> xp0, const DriverOptions& options, Observer& observer) {
  check(system, run, x0, xp0, options);
  return Drive(system, stepper, run, options, observer)(x0, xp0);
}

}  // namespace daedal::integrate
