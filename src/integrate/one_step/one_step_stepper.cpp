// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/one_step/one_step_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <limits>
#include <utility>

#include "integrate/driver/step_failure.hpp"

namespace daedal::integration {

namespace {

using Outcome = Attempt::Outcome;

/// With a fixed step there is no tolerance: Newton's method iterates to this relative accuracy,
/// a hundred units of round-off.
constexpr double fixed_step_tolerance = 1e2 * round_off;

/// With this relative error a value is seen.
constexpr double seen_error = 1e-2;
/// Steps this much longer than the smallest one had no reason to shrink.
constexpr double shrunken = 1e3;

/// After an event the step is so many times as long as the part before it, but no less than this
/// share of what it was.
constexpr double parts_ahead = 4.0;
constexpr double least_cut = 0.01;

/// A step may be stretched by this much to land on a limit, which spares a tiny last step.
constexpr double adaptive_stretch = 1.01;
/// Fixed steps only forgive the round-off of many additions t + h.
constexpr double fixed_stretch = 1.0 + 1e-9;

/// Steps that are so much longer than the last one are looked into, and those of which h|λ| is so
/// much more than the region of stability has.
constexpr double much_longer = 1.5;
constexpr double far_outside = 1.3;
/// A step that changes x by so many tolerances, and x' by this share of the slope of the step, is
/// one of a slow motion.
constexpr double seen_change = 100.0;
constexpr double slow_bend = 0.3;
/// The defect of a dense output, in tolerances, that its order explains.
constexpr double greatest_defect = 30.0;

/// Rounding errors are above a coarser tolerance near singular positions, and where unknowns are
/// differences of large ones: they are measured where an iteration that no shorter step helps ends
/// at them. With a sharp tolerance they are after every so many rejected steps.
constexpr int shorter_steps = 8;
constexpr double sharp = 1e-9;
constexpr std::int64_t rejections_to_doubt = 16;
/// In tolerances. Less is within what errors of steps add up to.
constexpr double noise_to_tell = 10.0;
constexpr int steps_to_pass = 8;
/// Errors of steps of order 1 that add up to so many tolerances are told, where these are so sharp
/// that an order of 1 is a refuge.
constexpr double sum_to_tell = 100.0;
constexpr double sharp_for_sums = 1e-5;

void require(bool condition, const char* message) {
  if (!condition) throw OptionError(ErrorCode::invalid_option, message);
}

void validate(const StepOptions& options) {
  require(std::isfinite(options.rtol) && options.rtol > 0.0,
          "The relative tolerance must be a finite number above 0; try rtol = 1e-6.");
  require(std::isfinite(options.atol) && options.atol > 0.0,
          "The absolute tolerance must be a finite number above 0; try atol = 1e-8.");
  require(std::isfinite(options.fixed_step) && options.fixed_step >= 0.0,
          "The fixed step must be a finite number, 0 for error control.");
  require(std::isfinite(options.initial_step) && options.initial_step >= 0.0,
          "The initial step must be a finite number, 0 to have it estimated.");
  require(options.max_step > 0.0, "The greatest step must be above 0.");
}

}  // namespace

double starting_step(std::span<const double> x, std::span<const double> xp,
                     std::span<const double> weights, double bound) {
  const double d0 = weighted_rms(x, weights);
  const double d1 = weighted_rms(xp, weights);
  const double step = 0.01 * std::max(d0, 1.0) / d1;
  return std::isfinite(step) ? std::min(step, bound) : cautious_share * bound;
}

double OneStepScheme::initial_step(const StepTask& task, Run&) {
  return starting_step(task.x, task.xp, task.weights, std::abs(task.h));
}

OneStepStepper::OneStepStepper(const System& system, std::unique_ptr<OneStepScheme> scheme,
                               const StepOptions& options, IndexWeights index_weighting)
    : Stepper(system),
      scheme_(std::move(scheme)),
      options_(options),
      control_(scheme_->control()),
      error_weights_(system, {.rtol = is_fixed() ? fixed_step_tolerance : options.rtol,
                              .atol = is_fixed() ? fixed_step_tolerance : options.atol,
                              .index_weighting = index_weighting,
                              .follows_scales = !is_fixed() && options.follows_scales}),
      error_floor_(system),
      weights_(x_.size()),
      delta_(x_.size()) {
  validate(options);
  if (!is_fixed() && !scheme_->has_error_estimate()) {
    throw OptionError(ErrorCode::invalid_option,
                      "This integrator has no error estimate: give it a fixed step.");
  }
}

void OneStepStepper::start(double t, std::span<const double> x, std::span<const double> xp,
                           Run& run, double direction_limit) {
  // A restart inside or at the end of the last step, at an event or because the unknowns changed
  // their meaning: the step that was right a moment ago is the best guess.
  const double theta = scheme_->dense().theta(t);
  const bool is_restart = run_ == &run && steps_ > 0 && theta > 0.0 && theta <= 1.0;
  // Where an event has cut it off early, the next one may be as near: what lies beyond is not
  // needed, and the errors between the ends of a long step add up over its many short parts.
  const double last_step = std::abs(h_) * std::clamp(parts_ahead * theta, least_cut, 1.0);
  run_ = &run;
  t_ = t;
  farthest_ = std::max(farthest_, std::abs(t));
  std::ranges::copy(x, x_.begin());
  std::ranges::fill(xp_, 0.0);
  std::ranges::copy(xp, xp_.begin());
  // An explicit scheme evaluates x' itself at a start; an implicit one takes what it is given.
  xp_is_current_ = false;
  just_rejected_ = false;
  reached_.clear();
  last_error_ = 1e-4;
  last_accepted_step_ = 0.0;
  scheme_->reset();
  stiffness_.reset();
  span_ = std::abs(direction_limit - t);
  const double direction = direction_limit >= t ? 1.0 : -1.0;
  const double bound = std::min(span_, options_.max_step);
  // Where steps had come to nothing, the last one says nothing of those after it.
  const bool is_guess = is_restart && last_step > shrunken * smallest_step();
  const double wished = is_guess ? last_step : options_.initial_step;
  double size = is_fixed() ? options_.fixed_step : std::min(wished, bound);
  error_weights_.observe(x_);
  if (size == 0.0) {
    size = scheme_->initial_step(task(direction * bound), run);
    size = std::max(size, std::min(bound, least_first_step(t)));
  }
  h_ = direction * size;
  observe(h_);
}

void OneStepStepper::observe(double h) {
  error_weights_.observe(x_);
  if (!error_weights_.has_small()) return;
  // Rejections may be those of rounding errors.
  const bool is_suspect = just_rejected_ && rejected_ % 4 == 0;
  if (!error_floor_.is_due() && !is_suspect) return;
  error_weights_.compute(x_, h, weights_);
  error_floor_.measure({.t = t_, .h = h, .x = x_, .xp = xp_, .weights = weights_}, *run_);
  error_weights_.raise_floor(error_floor_.floor(), error_floor_.floor_rate());
}

std::span<const double> OneStepStepper::measure_noise() {
  error_weights_.compute(x_, h_, weights_);
  const ErrorFloor::Point here{.t = t_, .h = h_, .x = x_, .xp = xp_, .weights = weights_};
  return error_floor_.measure(here, *run_) ? error_floor_.rounding() : std::span<const double>();
}

/// No step is too short for rounding errors that equations with large gains lift above the
/// tolerance.
void OneStepStepper::accept_noise() {
  const auto noise = measure_noise();
  if (noise.empty()) return;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    if (noise[i] * weights_[i] > noise[worst] * weights_[worst]) worst = i;
  }
  const double size = noise[worst] * weights_[worst];
  if (!(size > 1.0)) return;
  error_weights_.raise_noise(noise);
  scheme_->expect_noise();
  if (size * options_.sharpness < noise_to_tell || doubt_.is_told) return;
  doubt_ = {.unknown = worst, .t = t_, .tolerance = 1.0 / (weights_[worst] * options_.sharpness)};
  doubt_.steps_left = options_.rtol <= sharp ? 1 : steps_to_pass;
}

/// In a singular position that the run has left since, rounding errors are no matter.
void OneStepStepper::settle_doubt() {
  const auto noise = measure_noise();
  if (noise.empty() || noise[doubt_.unknown] < noise_to_tell * doubt_.tolerance) return;
  doubt_.is_told = true;
  run_->warnings.push_back(fmt::format(
      "From t = {:.6g} on, rounding errors in the equations exceed the tolerance: '{}' is known to "
      "about {:.0e} there. Give a larger tolerance to be sure of what is left.",
      doubt_.t, system_.unknown_name(to_index(doubt_.unknown)), noise[doubt_.unknown]));
}

Attempt OneStepStepper::attempt(double h) {
  const Attempt first = scheme_->attempt(task(h), *run_);
  const bool is_good = first.outcome == Outcome::ok && first.error <= 1.0;
  if (!is_good || !error_weights_.lacks_scale(scheme_->x_new())) return first;
  reached_.resize(x_.size(), 0.0);
  ahead_ = reached_;
  for (std::size_t i = 0; i < ahead_.size(); ++i)
    ahead_[i] = std::max(ahead_[i], std::abs(scheme_->x_new()[i]));
  const StepTask again = task(h);
  error_weights_.compute(x_, h, weights_, ahead_);
  const Attempt second = scheme_->attempt(again, *run_);
  // What leaves 0 as a power of the time has the same relative error in a step of any length: its
  // scale is what it comes to in the longest step that shows it.
  const bool is_seen = second.outcome == Outcome::ok && second.error * options_.rtol < seen_error;
  if (is_seen) reached_ = ahead_;
  return second;
}

StepTask OneStepStepper::task(double h) {
  error_weights_.compute(x_, h, weights_);
  return {.t = t_,
          .h = h,
          .x = x_,
          .xp = xp_,
          .xp_is_current = xp_is_current_,
          .weights = weights_,
          .error_decides = !is_fixed()};
}

StepReport OneStepStepper::advance(double limit) {
  const double direction = h_ < 0.0 ? -1.0 : 1.0;
  if (!(direction * (limit - t_) > 0.0)) return {.t0 = t_, .t1 = t_, .message = {}};
  for (std::int64_t attempts = 0; attempts < options_.max_steps; ++attempts) {
    if (const auto report = try_step(limit)) return *report;
  }
  return {.status = Status::max_steps_reached,
          .t0 = t_,
          .t1 = t_,
          .message = fmt::format("At t = {:.9g}, {} attempts in succession were rejected.", t_,
                                 options_.max_steps)};
}

std::optional<StepReport> OneStepStepper::try_step(double limit) {
  const Stretch step = stretch_to(limit);
  // Steps also vanish without a rejection, where the controller follows a solution that blows up.
  if (!is_fixed() && !step.lands && std::abs(step.h) < smallest_step()) {
    return give_up({}, step.h);
  }
  run_->failure = {};
  Attempt tried = attempt(step.h);
  look_inside(step.h, tried);
  if (tried.outcome == Outcome::ok && (is_fixed() || tried.error <= 1.0)) {
    return accept(tried, step, limit);
  }
  ++rejected_;
  if (is_fixed() || tried.outcome == Outcome::fatal) return give_up(tried, step.h);
  shorten(tried, step.h);
  if (std::abs(h_) < smallest_step()) return give_up(tried, step.h);
  observe(h_);
  n_diverged_ = tried.outcome == Outcome::diverged ? n_diverged_ + 1 : 0;
  const bool is_stuck = n_diverged_ > shorter_steps && scheme_->ends_at_rounding();
  const bool is_sharp = options_.rtol <= sharp && rejected_ % rejections_to_doubt == 0;
  if (is_stuck || is_sharp) accept_noise();
  return std::nullopt;
}

void OneStepStepper::look_inside(double h, Attempt& attempt) {
  if (is_fixed() || attempt.outcome != Outcome::ok || attempt.error > 1.0) return;
  // In the norm of the error test: in a plain one only the largest unit would count.
  outside_ = scheme_->stiffness(weights_);
  const bool is_longer = std::abs(h) > much_longer * std::abs(last_accepted_step_);
  if (!is_longer && !(outside_ > far_outside)) return;
  const Failure before = run_->failure;
  const double defect = scheme_->defect_inside(weights_, *run_);
  run_->failure = before;
  if (defect > greatest_defect) attempt.error = defect / greatest_defect;
}

/// Whether the motion itself hardly bends in the step that is accepted. Otherwise accuracy asks for
/// it as well: of oscillations, and of chaos, where eigenvalues are as large as stability allows.
/// What changes by less than some tolerances may be the errors of fast motions.
bool OneStepStepper::moves_slowly(double h) const {
  const std::span<const double> x = scheme_->x_new();
  const std::span<const double> xp = scheme_->xp_new();
  const auto square = [](double v) { return v * v; };
  double change = square(seen_change) * static_cast<double>(x.size());
  double bend = 0.0;
  double moved = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    moved += square((x[i] - x_[i]) * weights_[i]);
    bend += square((xp[i] - xp_[i]) * weights_[i]);
  }
  change = std::max(change, moved);
  return square(h) * bend < square(slow_bend) * change;
}

OneStepStepper::Stretch OneStepStepper::stretch_to(double limit) const {
  const double remaining = limit - t_;
  const double left = std::abs(remaining);
  const double size = std::min(std::abs(h_), options_.max_step);
  if (left <= size * (is_fixed() ? fixed_stretch : adaptive_stretch)) return {remaining, true};
  // Two equal steps are better than a full one and a remnant.
  if (!is_fixed() && left < 2.0 * size) return {0.5 * remaining, false};
  return {std::copysign(size, remaining), false};
}

double OneStepStepper::smallest_step() const {
  return std::max(
      {least_share_of_time * farthest_, 1e-30 * span_, std::numeric_limits<double>::min()});
}

double OneStepStepper::factor_after(const Attempt& attempt) const {
  const double error = std::max(attempt.error, 1e-10);
  const double q = 1.0 / attempt.error_order;
  double factor = attempt.safety * std::pow(error, -(q - 0.75 * control_.beta)) *
                  std::pow(last_error_, control_.beta);
  if (control_.predictive && last_accepted_step_ != 0.0 &&
      last_error_order_ == attempt.error_order) {
    // Hairer, Wanner (IV.8.19): h_new = h·(h/h_old)·(err_old/err²)^(1/q).
    const double trend = std::abs(scheme_->dense().shape().h / last_accepted_step_) *
                         std::pow(last_error_ / (error * error), q);
    factor = std::min(factor, attempt.safety * trend);
  }
  const double ceiling = just_rejected_ ? 1.0 : control_.max_factor;
  return std::clamp(factor, control_.min_factor, ceiling);
}

void OneStepStepper::shorten(const Attempt& attempt, double tried) {
  double factor = attempt.advice > 0.0 ? std::min(attempt.advice, 0.9) : 0.25;
  if (attempt.outcome == Outcome::ok && std::isfinite(attempt.error)) {
    factor = std::clamp(attempt.safety * std::pow(attempt.error, -1.0 / attempt.error_order),
                        control_.min_factor, 0.9);
  }
  h_ = tried * factor;
  just_rejected_ = true;
}

StepReport OneStepStepper::accept(const Attempt& attempt, const Stretch& step, double limit) {
  scheme_->accept(*run_);
  reached_.clear();
  dense_is_complete_ = false;
  std::ranges::fill(delta_, 0.0);
  if (!is_fixed()) {
    stiffness_.after_step(stiffness_.is_beyond(outside_) && moves_slowly(step.h));
  }
  const double proposed = std::abs(h_);
  if (!is_fixed()) {
    const double factor = scheme_->adjust_factor(factor_after(attempt));
    // A step that was cut to land on a limit says nothing against the step proposed before.
    const bool cut = std::abs(step.h) < proposed && !just_rejected_;
    const double size = std::abs(step.h) * factor;
    h_ = std::copysign(std::min(cut ? std::max(size, proposed) : size, options_.max_step), h_);
    last_error_ = std::max(attempt.error, control_.predictive ? 1e-2 : 1e-4);
    last_error_order_ = attempt.error_order;
    last_accepted_step_ = step.h;
    just_rejected_ = false;
    watch_order(attempt.error);
  }
  const StepReport report{
      .t0 = t_, .t1 = step.lands ? limit : t_ + step.h, .order = scheme_->order(), .message = {}};
  t_ = report.t1;
  farthest_ = std::max(farthest_, std::abs(t_));
  std::ranges::copy(scheme_->x_new(), x_.begin());
  std::ranges::copy(scheme_->xp_new(), xp_.begin());
  xp_is_current_ = true;
  ++steps_;
  if (doubt_.steps_left > 0 && --doubt_.steps_left == 0) settle_doubt();
  observe(h_);
  return report;
}

/// The estimate of a step of order 1 is its error, not a bound of one of higher order.
void OneStepStepper::watch_order(double error) {
  if (scheme_->order() > 1 || options_.rtol > sharp_for_sums) return;
  const double before = std::exchange(sum_of_first_order_, sum_of_first_order_ + error);
  if (before >= sum_to_tell || sum_of_first_order_ < sum_to_tell) return;
  run_->warnings.push_back(fmt::format(
      "Up to t = {:.6g} steps of order 1, as Newton's method converged in no others, have errors "
      "that add up to {:.0f} tolerances. Choose another method or integrator, or a larger "
      "tolerance.",
      t_, sum_to_tell));
}

StepReport OneStepStepper::give_up(const Attempt& attempt, double tried) const {
  StepReport report;
  const std::string place = fmt::format("At t = {:.12g} with a step of {:.3g}", t_, tried);
  switch (attempt.outcome) {
    case Outcome::ok:
      report = report_underflow(system_, t_, tried, -1);
      break;
    case Outcome::diverged:
      report.status = Status::newton_failure;
      report.message = with_remedy(report.status, place + " Newton's method does not converge.");
      break;
    case Outcome::non_finite:
      report = report_not_finite(system_, t_, *run_);
      break;
    case Outcome::singular:
      if (run_->failure.status == Status::singular_iteration_matrix) {
        report = report_fatal(system_, t_, *run_);
        break;
      }
      report.status = Status::singular_iteration_matrix;
      report.message = with_remedy(
          report.status,
          fmt::format("{} the iteration matrix is singular: nothing determines {}.", place,
                      attempt.column < 0 ? "some unknown" : system_.unknown_name(attempt.column)));
      break;
    case Outcome::fatal:
      report = report_fatal(system_, t_, *run_);
      break;
  }
  report.t0 = t_;
  report.t1 = t_;
  return report;
}

const DensePolynomial& OneStepStepper::dense() const {
  if (!dense_is_complete_) {
    dense_is_complete_ = true;
    scheme_->complete_dense(*run_);
    scheme_->dense().shift_end(delta_);
  }
  return scheme_->dense();
}

void OneStepStepper::interpolate(double t, std::span<double> x, std::span<double> xp) const {
  dense().evaluate(dense().theta(t), x, xp);
  const DensePolynomial::Shape& step = dense().shape();
  if (t != step.t0 && t != t_) scheme_->refine(t, x, xp, *run_);
}

int OneStepStepper::max_derivative() const {
  return dense().shape().order;
}

void OneStepStepper::derivative(double t, int k, std::span<double> out) const {
  dense().derivative(dense().theta(t), k, out);
}

void OneStepStepper::replace_state(std::span<const double> x, std::span<const double> xp) {
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const double moved = x[i] - x_[i];
    delta_[i] = dense_is_complete_ ? moved : delta_[i] + moved;
  }
  if (dense_is_complete_) scheme_->dense().shift_end(delta_);
  std::ranges::copy(x, x_.begin());
  xp_is_current_ = !xp.empty();
  if (xp_is_current_) std::ranges::copy(xp, xp_.begin());
}

void OneStepStepper::equations_changed() {
  scheme_->reset();
  xp_is_current_ = false;
}

bool OneStepStepper::local_error(std::span<double> error) const {
  return !is_fixed() && last_accepted_step_ != 0.0 && scheme_->local_error(error);
}

double OneStepStepper::sharpen(double factor) {
  const double most = options_.rtol / scheme_->sharpest(options_.rtol);
  factor = std::max(1.0, std::min(factor, most));
  error_weights_.sharpen(factor);
  return factor;
}

void OneStepStepper::follow(std::span<const std::size_t> unknowns, std::span<const double> sizes) {
  error_weights_.follow(unknowns, sizes);
  error_floor_.restart();
  observe(h_);
}

void OneStepStepper::count(Statistics& statistics) const {
  statistics.steps += steps_;
  statistics.rejected += rejected_;
  scheme_->count(statistics);
}

}  // namespace daedal::integration
