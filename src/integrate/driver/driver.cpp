// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/driver/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <utility>

#include "integrate/driver/step_failure.hpp"

namespace daedal::integration {

namespace {

/// Events closer than this, relative to the time and the step, follow each other by round-off.
constexpr double event_resolution = 1e-12;
constexpr double steps_across_jump = 4.0;  ///< of the shortest ones
constexpr std::chrono::milliseconds time_between_reports{100};
/// The pace of a run is looked at after so many steps, and whenever they have doubled.
constexpr std::int64_t first_pace_steps = 500;

void require_setting(bool holds, const char* sentence) {
  if (!holds) throw OptionError(ErrorCode::invalid_option, sentence);
}

void check(const System& system, const Run& run, std::span<const double> x0,
           std::span<const double> xp0, const DriverOptions& options) {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  require_setting(is_finite(options.t0) && is_finite(options.t1),
                  "Start and end time must be finite.");
  require_setting(options.interval >= 0.0, "The output interval must be nonnegative.");
  require_setting(options.max_steps > 0, "The largest number of steps must be at least 1.");
  require_setting(std::all_of(options.stop_times.begin(), options.stop_times.end(), is_finite),
                  "Stop times must be finite.");
  require_setting(x0.size() == to_size(system.size()) && xp0.size() == x0.size(),
                  "The system must have as many start values as unknowns.");
  require_setting(options.t1 >= options.t0 || system.next_time_event(options.t1, run) >= options.t0,
                  "A system with time events runs forward in time only.");
}

}  // namespace

std::string end_message(double t) {
  return fmt::format("The run reached its end at t = {:.12g}.", t);
}

Drive::Drive(const System& system, Stepper& stepper, Run& run, std::span<const double> x0,
             std::span<const double> xp0, const DriverOptions& options, Observer& observer)
    : system_(system),
      explicit_system_(dynamic_cast<const ExplicitSystem*>(&system)),
      manifold_(options.project && explicit_system_ != nullptr ? explicit_system_->manifold()
                                                               : nullptr),
      stepper_(&stepper),
      run_(run),
      options_(options),
      observer_(observer),
      direction_(options.t1 < options.t0 ? -1.0 : 1.0),
      weights_(system, {.rtol = options.rtol, .atol = options.atol}),
      events_(system, direction_),
      grid_(origin(), options.t1, options.interval),
      t_(options.t0),
      projections_before_(run.projections),
      reselections_before_(run.reselections) {
  check(system, run, x0, xp0, options);
  x_.assign(x0.begin(), x0.end());
  xp_.assign(xp0.begin(), xp0.end());
  projection_weights_.resize(x_.size());
  grid_.skip_to(options.t0);
  // In the order of the run.
  std::sort(options_.stop_times.begin(), options_.stop_times.end(),
            [this](double a, double b) { return is_before(a, b); });
  begin();
  settle();
}

bool Drive::advance() {
  if (is_over_) return false;
  has_moved_ = false;
  go_on();
  settle();
  return has_moved_;
}

void Drive::settle() {
  const bool is_at_end = !is_in_step_ && t_ == options_.t1 && !is_time_event_due();
  if (!is_over_ && is_at_end && finish()) {
    end(Status::success, end_message(t_));
  }
  if (!is_over_) return;
  report_progress(true);
  if (events_.has_lost_sight()) {
    run_.warnings.emplace_back(
        "A condition varies too fast within the steps for all its events to be found. Limit the "
        "step (max_step) to a fraction of its period.");
  }
}

DriveOutcome Drive::outcome() const {
  DriveOutcome outcome = outcome_;
  outcome.t = t_;
  outcome.x = x_;
  outcome.xp = xp_;
  stepper_->count(outcome.statistics);
  outcome.statistics.projections += run_.projections - projections_before_;
  outcome.statistics.reselections += run_.reselections - reselections_before_;
  outcome.statistics.wall_time = seconds();
  outcome.last_step = std::abs(step_length_);
  return outcome;
}

double Drive::origin() const {
  return std::isnan(options_.origin) ? options_.t0 : options_.origin;
}

double Drive::seconds() const {
  return std::chrono::duration<double>(Clock::now() - started_).count();
}

bool Drive::end(Status status, std::string message) {
  outcome_.status = status;
  outcome_.message = std::move(message);
  is_over_ = true;
  return false;
}

/// After an event that ends the run.
bool Drive::end(const Change& change) {
  return end(change.status == Status::success ? Status::event_stop : change.status,
             change.message.empty() ? fmt::format("An event ended the run at t = {:.12g}.", t_)
                                    : change.message);
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
  is_in_step_ = false;
  if (t_ != options_.t1) stepper_->start(t_, x_, xp_, run_, options_.t1);
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
  const std::vector<double>& stops = options_.stop_times;
  while (next_stop_ < stops.size() && !is_before(t_, stops[next_stop_])) ++next_stop_;
  if (next_stop_ < stops.size() && is_before(stops[next_stop_], limit)) limit = stops[next_stop_];
  if (is_before(t_, target_) && is_before(target_, limit)) limit = target_;
  pass_inner_stops();
  if (!inner_stops_.empty() && is_before(inner_stops_.back().t, limit)) {
    limit = inner_stops_.back().t;
  }
  return is_before(time_event_, limit) ? time_event_ : limit;
}

bool Drive::pass_inner_stops() {
  bool is_break = false;
  while (!inner_stops_.empty() && !is_before(t_, inner_stops_.back().t)) {
    const Inspection::Stop& stop = inner_stops_.back();
    is_break = is_break || (stop.is_break && stop.t == t_);
    has_passed_jump_ = has_passed_jump_ || stop.is_jump;
    inner_stops_.pop_back();
  }
  return is_break;
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
      options_.seconds_before + seconds() > options_.time_limit) {
    return end(Status::time_limit_reached,
               with_remedy(Status::time_limit_reached,
                           fmt::format("The allowed {:g} seconds were used up at t = {:.12g}.",
                                       options_.time_limit, t_)));
  }
  return true;
}

bool Drive::go_on() {
  if (!is_in_step_) {
    if (!may_continue()) return false;
    // A time event that is due at once: the chattering limit guards against one that stays due.
    if (is_time_event_due()) {
      return system_.is_smooth_event(t_, run_) ? pass_smooth_event() : execute_event(0.0);
    }
    if (!begin_step()) return !is_over_;
  } else if (!look_ahead()) {
    is_in_step_ = false;
    return go_on();
  }
  if (!continue_step()) return false;
  if (is_in_step_) return true;
  report_progress(false);
  if (steps_ == pilot_steps && !go_on_for_long()) return false;
  if (steps_ == std::max(first_pace_steps, 2 * pace_steps_) && !go_on_at_this_pace()) return false;
  return stepper_->is_stiff() ? go_on_stiff() : true;
}

bool Drive::begin_step() {
  for (;;) {
    step_ = stepper_->advance(next_limit());
    if (step_.status == Status::non_finite_value && cross_border()) return false;
    if (step_.status == Status::step_size_underflow && pass_jump()) continue;
    if (step_.status != Status::success && !leave_inner_stops()) return jump() ? false : end(step_);
    if (step_.status == Status::success && look_ahead()) break;
    if (!may_continue()) return false;
  }
  ++steps_;
  step_length_ = step_.t1 - step_.t0;
  is_in_step_ = true;
  return true;
}

/// The rates may jump by so much that not even the shortest step across meets a tolerance. The way
/// there is within the rounding errors of the time.
bool Drive::pass_jump() {
  const bool is_ahead = !inner_stops_.empty() && inner_stops_.back().is_jump;
  if (explicit_system_ == nullptr || !(is_ahead || has_passed_jump_)) return false;
  const double farthest = std::max(std::abs(options_.t0), std::abs(t_));
  const double way = direction_ * steps_across_jump * least_share_of_time * farthest;
  if (!is_before(t_ + way, std::min(time_event_, options_.t1)) ||
      events_.search_ahead({t_, x_, xp_}, way, run_)) {
    return false;
  }
  has_passed_jump_ = false;
  if (is_ahead) inner_stops_.pop_back();
  t_ += way;
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += way * xp_[i];
  run_.failure = {};
  return restart();
}

/// Where no step can end at the next stop, because it is a singular point or next to one, the run
/// goes over it to the stop after it, or as it did before there were any.
bool Drive::leave_inner_stops() {
  // Tolerances of the size of small values may be all that no step meets. Then the run ends, and
  // begins again with others, for which the stops hold.
  const ErrorWeights* norm = stepper_->norm();
  const bool may_hold =
      step_.status == Status::step_size_underflow && norm != nullptr && norm->has_small();
  if (inner_stops_.empty() || may_hold) return false;
  unwatched_until_ = inner_stops_.back().t;
  inner_stops_.pop_back();
  run_.failure = {};
  stepper_->start(t_, x_, xp_, run_, options_.t1);
  return true;
}

bool Drive::look_ahead() {
  found_ = events_.search(*stepper_, step_.t0, step_.t1, run_);
  const bool is_cut_off = found_ == EventMonitor::Search::found && !events_.comes_back();
  if (accept_to(is_cut_off ? Ray{events_.time(), events_.state(), events_.rates()}
                           : Ray{step_.t1, stepper_->x(), stepper_->xp()})) {
    return true;
  }
  events_.go_back();
  stepper_->start(t_, x_, xp_, run_, options_.t1);
  return false;
}

bool Drive::accept_to(const Ray& end) {
  inspection_ = nullptr;
  const bool is_watched = options_.inspector != nullptr &&
                          (std::isnan(unwatched_until_) || !is_before(t_, unwatched_until_));
  if (!is_watched) return true;
  inspection_ = options_.inspector->inspect({t_, x_, xp_}, end, *stepper_, run_);
  if (inspection_ == nullptr || inspection_->stops.empty()) return true;
  inner_stops_.insert(inner_stops_.end(), inspection_->stops.begin(), inspection_->stops.end());
  std::sort(inner_stops_.begin(), inner_stops_.end(),
            [this](const auto& a, const auto& b) { return is_before(b.t, a.t); });
  return false;
}

bool Drive::continue_step() {
  const auto goes_to = [this](double t) {
    return inspection_ == nullptr || is_success(inspection_->status) ||
           !is_before(inspection_->end, t);
  };
  switch (found_) {
    case EventMonitor::Search::nothing:
      return goes_to(step_.t1) ? complete_step() : end_in_step();
    case EventMonitor::Search::found:
      return goes_to(events_.time()) ? pass_event() : end_in_step();
    case EventMonitor::Search::failed:
      is_in_step_ = !leave_inner_stops();
      if (!is_in_step_) return go_on();
      break;
  }
  return end(Status::non_finite_value,
             with_remedy(Status::non_finite_value,
                         fmt::format("Event function {} has no finite value between t = {:.12g} "
                                     "and t = {:.12g}.",
                                     events_.failed_function() + 1, step_.t0, step_.t1)));
}

bool Drive::end_in_step() {
  const double t = inspection_->end;
  output_grid_before(t);
  observer_.on_step({.t0 = step_.t0, .t1 = t, .order = step_.order}, *stepper_, run_);
  if (!interpolate(t)) return end(report_fatal(system_, t, run_));
  output();
  return end(inspection_->status, with_remedy(inspection_->status, inspection_->message));
}

bool Drive::pass_event() {
  const double t = events_.time();
  output_grid_before(t);
  observer_.on_step({.t0 = step_.t0, .t1 = t, .order = step_.order}, *stepper_, run_);
  if (!interpolate(t)) return end(report_fatal(system_, t, run_));
  observer_.on_step_end({t_, x_, xp_}, step_.t0, run_);
  step_.t0 = t;
  if (!output_before(t) && interpolate(events_.time_before())) {
    output_before(t);
    if (!interpolate(t)) return end(report_fatal(system_, t, run_));
  }
  return execute_event(step_length_);
}

bool Drive::go_on_for_long() {
  const double projected =
      static_cast<double>(steps_) * (options_.t1 - options_.t0) / (t_ - options_.t0);
  if (!(projected > options_.max_projected_steps)) return true;
  // With sharper tolerances the steps are more: a run that the limit would end then goes on as it
  // is.
  const double allowed = static_cast<double>(options_.max_steps - options_.steps_before - steps_);
  outcome_.step_room = allowed / projected;
  outcome_.projected_steps = projected;
  if (outcome_.step_room < least_room) return true;
  outcome_.is_too_long = true;
  return end(Status::success, fmt::format("The run would take about {:.2g} steps.", projected));
}

bool Drive::go_on_at_this_pace() {
  const double left = static_cast<double>(steps_ - pace_steps_) * (options_.t1 - t_) /
                      (t_ - std::exchange(pace_t_, t_));
  // What lies before the first look may be the transient of a stiff start.
  const bool is_first = std::exchange(pace_steps_, steps_) == 0;
  const double most = options_.max_steps_left * (steps_ < settled_steps ? hopeless_factor : 1.0);
  if (is_first || !(left > most)) return true;
  outcome_.is_too_slow = true;
  outcome_.projected_steps = static_cast<double>(steps_) + left;
  return end(Status::success,
             fmt::format("The run would take about {:.2g} steps.", outcome_.projected_steps));
}

bool Drive::go_on_stiff() {
  outcome_.is_stiff = true;
  const double steps_left = (options_.t1 - t_) / (step_.t1 - step_.t0);
  if (!options_.stop_when_stiff || steps_left < options_.steps_worth_a_change) return true;
  return end(Status::success, fmt::format("The model turned out to be stiff at t = {:.12g}.", t_));
}

bool Drive::check_chattering(double step_length) {
  const double close = event_resolution * std::max(std::abs(t_), std::abs(step_length));
  const bool is_clustered = std::abs(t_ - last_event_) <= close;
  events_at_instant_ = t_ == last_event_ ? events_at_instant_ + 1 : 0;
  clustered_events_ = is_clustered ? clustered_events_ + 1 : 0;
  last_event_ = t_;
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
                                     t_, which)));
}

bool Drive::execute_event(double step_length) {
  if (!check_chattering(step_length)) return false;
  if (last_output_ != t_) output();
  return execute_event(step_length, {});
}

bool Drive::pass_smooth_event() {
  if (!check_chattering(0.0)) return false;
  const Change change = system_.on_event(t_, {}, x_, xp_, run_);
  has_moved_ = true;
  if (change.kind == Change::Kind::stop) return end(change);
  find_time_event();
  return restart();
}

void Drive::aim_at(double t) {
  target_ = t;
  // The rest of a step that goes beyond is taken anew.
  if (!is_over_ && is_in_step_ && is_before(t, step_.t1)) restart();
}

void Drive::take_over(Stepper& next) {
  stepper_->count(outcome_.statistics);
  stepper_ = &next;
  outcome_.is_stiff = false;
  outcome_.message.clear();
  options_.stop_when_stiff = false;
  options_.max_projected_steps = infinity;
  is_over_ = false;
  restart();
  settle();
}

void Drive::interrupt(const std::function<void()>& change, const std::string& what,
                      bool may_stop_when_stiff) {
  if (is_over_) return;
  if (last_output_ != t_) output();
  change();
  options_.max_projected_steps = infinity;
  options_.stop_when_stiff = options_.stop_when_stiff && may_stop_when_stiff;
  execute_event(0.0, what);
  settle();
}

bool Drive::execute_event(double step_length, const std::string& what) {
  const auto fired = events_.fired();
  Change change = system_.on_event(t_, fired, x_, xp_, run_);
  if (change.message.empty()) change.message = what;
  const bool is_nothing = fired.empty() && step_length != 0.0 &&
                          change.kind == Change::Kind::none && change.message.empty();
  if (!is_nothing) {
    ++outcome_.statistics.events;
    observer_.on_event(t_, fired, change, run_);
    output();
  }
  has_moved_ = true;
  if (change.kind == Change::Kind::stop) return end(change);
  if (fired.empty() || !is_time_event_due()) find_time_event();
  // Nothing has changed, and armed anew the function might show itself crossed already.
  if (is_nothing && events_.is_hidden()) return true;
  // The step goes on, but the event functions may be others: a threshold that has moved on.
  if (change.kind == Change::Kind::none && step_length != 0.0) {
    events_.keep_course();
    return arm_events();
  }
  ++outcome_.statistics.restarts;
  return restart();
}

bool Drive::cross_border() {
  const double left = options_.t1 - t_;
  weights_.compute(x_, left, projection_weights_);
  const double rate = weighted_rms(xp_, projection_weights_);
  if (!std::isfinite(rate) || left == 0.0) return false;
  const double length =
      std::copysign(std::min(std::abs(left), rate > 0.0 ? 1.0 / rate : std::abs(left)), left);
  const auto way = events_.search_ahead({t_, x_, xp_}, length, run_);
  if (!way) return false;
  const double start = t_;
  const auto go_to = [&](double t, double distance) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = stepper_->x()[i] + distance * xp_[i];
    t_ = t;
  };
  while (!grid_.is_done() && is_before(grid_.time(), events_.time())) {
    go_to(grid_.time(), grid_.time() - start);
    output();
  }
  go_to(events_.time(), events_.time() - start);
  std::ranges::copy(events_.state(), x_.begin());
  if (!output_before(t_)) {
    const double t = t_;
    go_to(start + *way, *way);
    output_before(t);
    t_ = t;
    std::ranges::copy(events_.state(), x_.begin());
  }
  execute_event(0.0);
  return true;
}

/// After a step that failed: the system may go on from other values of what it solves for.
bool Drive::jump() {
  if (direction_ < 0.0 || !info(step_.status).may_be_singularity) return false;
  const Change change = system_.on_stuck(t_, x_, xp_, run_);
  if (change.kind == Change::Kind::none) return false;
  if (!check_chattering(0.0)) return true;
  ++outcome_.statistics.events;
  observer_.on_event(t_, {}, change, run_);
  output();
  has_moved_ = true;
  ++outcome_.statistics.restarts;
  restart();
  return true;
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
  return is_stop ? end(change) : true;
}

bool Drive::complete_step() {
  output_grid_before(step_.t1);
  observer_.on_step(step_, *stepper_, run_);
  t_ = step_.t1;
  std::copy(stepper_->x().begin(), stepper_->x().end(), x_.begin());
  std::copy(stepper_->xp().begin(), stepper_->xp().end(), xp_.begin());
  if (manifold_ != nullptr && !stepper_->projects_itself()) {
    if (!project()) return end(report_fatal(system_, t_, run_));
    stepper_->replace_state(x_, xp_);
  }
  Change change = system_.after_step(t_, x_, xp_, *stepper_, run_);
  observer_.on_step_end({t_, x_, xp_}, step_.t0, run_);
  const bool is_on_grid = !grid_.is_done() && grid_.time() == t_;
  const bool is_for_all = options_.interval <= 0.0 || options_.has_step_rows;
  if (is_for_all || is_on_grid || t_ == options_.t1) output();
  has_moved_ = true;
  is_in_step_ = false;
  if (!apply_step_change(std::move(change))) return false;
  return !pass_inner_stops() || t_ == options_.t1 || restart();
}

bool Drive::apply_step_change(Change change) {
  switch (change.kind) {
    case Change::Kind::none:
      return true;
    case Change::Kind::equations:
      stepper_->equations_changed();
      return true;
    case Change::Kind::unknowns:
      ++outcome_.statistics.restarts;
      return t_ == options_.t1 || restart();
    case Change::Kind::stop:
      return end(change.status, std::move(change.message));
  }
  return true;
}

/// An unknown that passes 0 is as large as what it changes by within the step.
void Drive::weigh_projection() {
  weights_.compute(x_, 0.0, projection_weights_);
  const double share = weights_.rtol() * std::abs(step_.t1 - step_.t0);
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const double change = share * std::abs(xp_[i]);
    if (projection_weights_[i] * change > 1.0) projection_weights_[i] = 1.0 / change;
  }
}

/// Moves x_ onto the manifold and makes xp_ fit; false where that fails.
bool Drive::project() {
  Evaluation evaluation = Evaluation::ok;
  if (manifold_ != nullptr) {
    weigh_projection();
    ++run_.projections;
    evaluation = manifold_->project(t_, x_, projection_weights_, run_);
  }
  if (evaluation == Evaluation::ok) {
    ++outcome_.statistics.residual_evaluations;
    evaluation = explicit_system_->rhs(t_, x_, run_, xp_);
  }
  return evaluation == Evaluation::ok;
}

/// The state at t inside the last step, as consistent as that at its end; false where there is
/// none.
bool Drive::interpolate(double t) {
  t_ = t;
  stepper_->interpolate(t, x_, xp_);
  const bool has_complete = explicit_system_ != nullptr && explicit_system_->has_complete();
  if (has_complete && explicit_system_->complete(t, x_, run_) != Evaluation::ok) return false;
  return (manifold_ == nullptr && !has_complete) || project();
}

void Drive::output_grid_before(double t) {
  while (!grid_.is_done() && is_before(grid_.time(), t)) {
    if (!interpolate(grid_.time())) {
      // Close to a singular position a point between the steps may not reach the constraints. The
      // steps have passed it; what the interpolant says of it is as accurate as they are.
      stepper_->interpolate(t_, x_, xp_);
      run_.failure = {};
    }
    output();
  }
}

void Drive::output() {
  observer_.on_output(t_, x_, xp_, run_);
  note_output(t_);
}

/// The values before the event at t. The far side of an event, where the run stands at first, may
/// have none: sqrt(p) where p > 0 has just ceased to hold. Then it is called again on the near
/// side.
bool Drive::output_before(double t) {
  if (last_output_ == t) return true;
  if (!observer_.on_output_before(t, {t_, x_, xp_}, run_)) return false;
  note_output(t);
  return true;
}

void Drive::note_output(double t) {
  last_output_ = t;
  if (!grid_.is_done() && grid_.time() == t) grid_.advance();
}

void Drive::report_progress(bool is_final) {
  if (!options_.on_progress) return;
  if (!is_final && Clock::now() - last_progress_ < time_between_reports) return;
  last_progress_ = Clock::now();
  const double span = options_.t1 - origin();
  options_.on_progress({.time = t_,
                        .fraction = span == 0.0 ? 1.0 : (t_ - origin()) / span,
                        .steps = options_.steps_before + steps_});
}

DriveOutcome drive(const System& system, Stepper& stepper, Run& run, std::span<const double> x0,
                   std::span<const double> xp0, const DriverOptions& options, Observer& observer) {
  Drive run_to_end(system, stepper, run, x0, xp0, options, observer);
  while (run_to_end.advance()) {
  }
  return run_to_end.outcome();
}

}  // namespace daedal::integration
