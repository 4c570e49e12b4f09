// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/taylor/taylor_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <utility>

#include "integrate/driver/step_failure.hpp"
#include "integrate/error_floor.hpp"
#include "integrate/registry.hpp"

namespace daedal::integration {

namespace {

/// Local errors add up over the steps: each has its share of the tolerance, between these. Smaller
/// ones are lost in round-off, but truncation has one sign and round-off has not: over many steps
/// even a thousandth of it is seen. It costs little: four digits more are five orders.
constexpr double greatest_share = 0.1;
constexpr double least_first_share = 1e-6;
constexpr double smallest_tolerance = 1e-19;
/// Below this share of the greatest unknown a value may be a rounding error; it is none if a change
/// of all unknowns in their last digits changes no term of its series by more than a share of the
/// tolerance.
constexpr double least_share = 1e-14;
constexpr double few_units = 3.0 * round_off;
constexpr double most_change = 0.1;
/// The last terms of a function that ends a step, as a share of its greatest.
constexpr double switch_share = 1e-6;
/// The share of a step beyond the root of a switch at its beginning: the error of the wrong piece
/// over it is below any tolerance.
constexpr double clear_share = 1e-12;
/// A source has series up to here, as far as the order is not given.
constexpr int highest_order = 30;
/// A projection may move the end of a step by so many tolerances: algebraic variables of high index
/// are less accurate than the states that they follow from. Where a shorter step does not bring it
/// down, round-off does it, which high derivatives amplify: then it may be more, and much more
/// where steps shorter by far do not either. That is told.
constexpr double usual_jump = 10.0;
constexpr double greatest_jump = 100.0;
constexpr double same_jump = 0.3;
constexpr double greatest_noise = 1e-6;
constexpr int attempts_for_noise = 5;
constexpr double same_noise = 0.05;
constexpr double shorter = 0.5;
/// Slopes that differ by this share, and by more than a step may jump, are of two branches.
constexpr double other_branch = 0.1;
/// After a step that had to be shortened the next ones are shorter too, for a while.
constexpr double least_caution = 0.1;
constexpr double less_caution = 1.2;
/// A step within this share of the limit goes there; a little over it would leave a crumb.
constexpr double stretch = 1.05;
/// From one coefficient to the next the last ones grow so much more than the first: they feel fast
/// motions that have died out. A radius of convergence makes all grow alike, an oscillation the
/// first ones more.
constexpr double stiff_ratio = 20.0;

const SeriesSource& source_of(const ExplicitSystem& system) {
  const auto* source = dynamic_cast<const SeriesSource*>(&system);
  if (source == nullptr) {
    throw OptionError(ErrorCode::illegal_combination,
                      "The integrator 'taylor' steps the series that the method 'taylor' makes, "
                      "and no other system.");
  }
  return *source;
}

}  // namespace

TaylorStepper::TaylorStepper(const ExplicitSystem& system, const StepOptions& options, int order)
    : Stepper(system),
      source_(source_of(system)),
      options_(options),
      order_(order > 0 ? order : source_.best_order(greatest_share * options.rtol)),
      is_order_given_(order > 0),
      last_(system.size(), std::max(order_, highest_order)),
      next_(system.size(), std::max(order_, highest_order)),
      error_weights_(
          system,
          {.rtol = options.rtol, .atol = options.atol, .follows_scales = options.follows_scales}),
      tolerances_(x_.size()),
      sizes_(x_.size()),
      nominals_(x_.size(), 1.0),
      x_new_(x_.size()),
      xp_new_(x_.size()),
      predicted_(x_.size()) {
  const auto nominals = system.nominals();
  std::ranges::copy(nominals, nominals_.begin());
}

void TaylorStepper::start(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                          double direction_limit) {
  run_ = &run;
  t_ = t;
  span_ = std::abs(direction_limit - t);
  direction_ = direction_limit < t ? -1.0 : 1.0;
  std::ranges::copy(x, x_.begin());
  std::ranges::copy(xp, xp_.begin());
  error_weights_.observe(x_);
  has_series_ = false;
  last_step_ = 0.0;
  caution_ = 1.0;
  stiffness_.reset();
  // Until the first step the interpolant is the tangent.
  last_.reshape({.t0 = t, .h = direction_, .degree = 1, .order = 1});
  last_.coefficient(0) = as_vector(x);
  last_.coefficient(1) = direction_ * as_vector(xp);
}

bool TaylorStepper::expand(double t, std::span<double> x, std::span<const double> xp) {
  run_->failure = {};
  ++expansions_;
  double scale = direction_;
  const std::size_t size = x.size() * (to_size(order_) + 1);
  const auto evaluation =
      source_.expand({.t = t, .direction = direction_, .order = order_, .x = x, .xp = xp}, *run_,
                     {next_.coefficient(0).data(), size}, scale);
  next_.reshape({.t0 = t, .h = scale, .degree = order_, .order = order_});
  return evaluation == Evaluation::ok;
}

void TaylorStepper::set_tolerances(double step) {
  const auto rates = next_.coefficient(1);
  const double share = std::abs(step / next_.shape().h);
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    sizes_[i] = std::max(std::abs(x_[i]), share * std::abs(rates[to_index(i)]));
    // From rest at 0 it is the first term that says how far it goes.
    double factor = share;
    for (int k = 2; k < order_ && sizes_[i] == 0.0; ++k) {
      factor *= share;
      sizes_[i] = factor * std::abs(next_.coefficient(k)[to_index(i)]);
    }
  }
  error_weights_.compute(sizes_, step, tolerances_);
  for (std::size_t i = 0; i < sizes_.size(); ++i)
    tolerances_[i] = std::max(share_ / tolerances_[i], smallest_tolerance * sizes_[i]);
}

double TaylorStepper::greatest_share_of(int degree) {
  double greatest = 0.0;
  for (std::size_t i = 0; i < tolerances_.size(); ++i) {
    const double share = std::abs(next_.coefficient(degree)[to_index(i)]) / tolerances_[i];
    if (share <= greatest) continue;
    greatest = share;
    worst_ = to_index(i);
  }
  return greatest;
}

double TaylorStepper::allowed_step() {
  double least = infinity;
  for (const int degree : {order_ - 1, order_}) {
    const double greatest = greatest_share_of(degree);
    if (greatest > 0.0) least = std::min(least, std::pow(greatest, -1.0 / degree));
  }
  return least * std::abs(next_.shape().h);
}

bool TaylorStepper::feels_fast_motions() {
  const double first = greatest_share_of(2) / greatest_share_of(1);
  const double last = greatest_share_of(order_) / greatest_share_of(order_ - 2);
  return std::isfinite(first) && std::sqrt(last) > stiff_ratio * first;
}

double TaylorStepper::smallest_step() const {
  return 16.0 * round_off * std::max(std::abs(t_), 1e-8 * span_);
}

/// As far as a series of its own tells the sign of a function: the functions that end a step may
/// vary faster than the solution does.
double TaylorStepper::reach_of_switch(double end) const {
  const int n = order_;
  for (int attempt = 0; attempt < 20; ++attempt) {
    double greatest = 0.0;
    double last = 0.0;
    double factor = 1.0;
    for (int k = 0; k <= n; ++k) {
      const double term = factor * std::abs(switch_[to_size(k)]);
      greatest = std::max(greatest, term);
      if (k >= n - 1) last = std::max(last, term);
      factor *= end;
    }
    if (last <= switch_share * greatest) break;
    end *= std::isfinite(last) ? 0.9 * std::pow(switch_share * greatest / last, 1.0 / n) : 0.1;
  }
  return end;
}

/// Where a step begins on a root, rounding decides which piece its series belongs to: a step just
/// past it comes first, or a few of them.
bool TaylorStepper::begins_on_switch(double clearance) const {
  const auto decides = std::find_if(switch_.begin() + 1, switch_.end(),
                                    [](double coefficient) { return coefficient != 0.0; });
  if (decides == switch_.end()) return false;
  if (decides != switch_.begin() + 1) return switch_[0] == 0.0;
  return std::abs(switch_[0]) < 4.0 * clearance * std::abs(switch_[1]);
}

double TaylorStepper::end_before_switches(double step) {
  const double scale = std::abs(next_.shape().h);
  const double clearance = std::max(clear_share * scale, 8.0 * smallest_step());
  switch_.resize(to_size(order_) + 1);
  for (Index number = 0; number < source_.n_switches(*run_); ++number) {
    if (!source_.switch_series(number, *run_, switch_)) continue;
    // Far enough to begin on it no more.
    if (begins_on_switch(clearance / scale)) return std::min(step, 5.0 * clearance);
    step = scale * reach_of_switch(step / scale);
    // A step that is this long does not tell on which side of the root it begins.
    if (const auto root = finder_.root_at_start(switch_, step / scale)) {
      return std::min(step, scale * *root + 5.0 * clearance);
    }
    const auto found = finder_.find(switch_, step / scale);
    if (!found) continue;
    // Behind the root by more than the round-off of the time, before the next one.
    step = scale * std::min(found->clear, found->root + 4.0 * smallest_step() / scale);
  }
  return step;
}

double TaylorStepper::jump() {
  double greatest = 0.0;
  for (std::size_t i = 0; i < tolerances_.size(); ++i) {
    const double moved = std::abs(x_new_[i] - predicted_[i]);
    // Of a small unknown the tolerance says how small it is.
    const double scale = std::min(nominals_[i], tolerances_[i] / share_ / options_.atol);
    const double size = std::abs(x_new_[i]) + (options_.follows_scales ? scale : nominals_[i]);
    const double noise = 1e3 * round_off * size;
    const double share = moved / std::max(tolerances_[i] / share_, noise);
    if (share <= greatest) continue;
    greatest = share;
    worst_ = to_index(i);
    moved_ = moved / size;
  }
  return greatest;
}

/// A series goes on where a root of the equations has come to 0, as (1 - t)² does for x' = -2√x:
/// beyond that its slopes are those of the other root, and not what the equations ask for.
bool TaylorStepper::has_changed_branch(double step) const {
  for (std::size_t i = 0; i < tolerances_.size(); ++i) {
    const double slope = next_.coefficient(1)[to_index(i)] / next_.shape().h;
    const double change = std::abs(xp_new_[i] - slope);
    if (change > other_branch * std::max(std::abs(xp_new_[i]), std::abs(slope)) &&
        step * change > usual_jump * tolerances_[i] / share_)
      return true;
  }
  return false;
}

/// Rounding errors that no step is too short for: they do not add up, but they are there.
void TaylorStepper::accept_noise(double jumped) {
  if (noise_ == 0.0) {
    run_->warnings.push_back(fmt::format(
        "From t = {:.6g} on, rounding errors of high derivatives exceed the tolerance: '{}' is "
        "known to about {:.0e} of its size there, and may be known less well later. The index of "
        "the model leaves no more digits.",
        t_, system_.unknown_name(worst_), moved_));
  }
  noise_ = std::max(noise_, jumped);
}

/// Values far below those of other unknowns may be the rounding errors that these have left. They
/// are not if no term of their series feels the last digits of the others.
void TaylorStepper::follow_small() {
  double greatest = 0.0;
  for (const double value : x_) greatest = std::max(greatest, std::abs(value));
  const auto is_small = [&](std::size_t i) {
    const double size = std::abs(x_[i]);
    return size > 0.0 && size < least_share * greatest && nominals_[i] == 1.0;
  };
  std::vector<std::size_t> small;
  for (std::size_t i = 0; options_.follows_scales && i < x_.size(); ++i)
    if (is_small(i)) small.push_back(i);
  if (small.empty()) return;
  const DensePolynomial here = next_;
  x_new_ = x_;
  for (std::size_t i = 0; i < x_.size(); ++i) x_new_[i] *= 1.0 + irregular_sign(i) * few_units;
  const bool has_moved = expand(t_, x_new_, xp_);
  const DensePolynomial moved = std::exchange(next_, here);
  const double ratio = moved.shape().h / here.shape().h;
  const double way = std::min(1.0, span_ / std::abs(here.shape().h));
  std::vector<double> sizes;
  std::erase_if(small, [&](std::size_t i) {
    double size = 0.0;
    double change = 0.0;
    double factor = 1.0;
    for (int k = 0; k <= order_; ++k) {
      const double term = here.coefficient(k)[to_index(i)];
      const double other = moved.coefficient(k)[to_index(i)] * std::pow(ratio, -k);
      size = std::max(size, factor * std::abs(term));
      change = std::max(change, factor * std::abs(other - term));
      factor *= way;
    }
    const bool is_real = has_moved && size > 0.0 && change < most_change * options_.rtol * size;
    if (is_real) sizes.push_back(std::abs(x_[i]));
    return !is_real;
  });
  error_weights_.follow(small, sizes);
  run_->failure = {};
}

/// The first series from here tells how many steps there will be.
bool TaylorStepper::begin() {
  if (!expand(t_, x_, xp_)) return false;
  if (last_step_ > 0.0) return true;
  follow_small();
  share_ = greatest_share;
  set_tolerances(0.0);
  share_ = std::clamp(allowed_step() / span_, least_first_share, greatest_share);
  if (is_order_given_) return true;
  const int order = source_.best_order(std::max(share_ * options_.rtol, smallest_tolerance));
  if (order == order_) return true;
  order_ = order;
  return expand(t_, x_, xp_);
}

StepReport TaylorStepper::advance(double limit) {
  bool has_failed = false;
  if (!has_series_) {
    if (!begin()) return give_up(0.0, true);
    has_series_ = true;
  }
  const double room = std::abs(limit - t_);
  // The sizes that matter are those within the step to come, which may be far longer than the last.
  set_tolerances(last_step_);
  set_tolerances(std::min(allowed_step(), span_));
  const bool is_held_back = feels_fast_motions();
  const double allowed = caution_ * allowed_step();
  double step = std::min({allowed, room, options_.max_step});
  if (last_step_ == 0.0 && options_.initial_step > 0.0)
    step = std::min(step, options_.initial_step);
  if (step < room && step * stretch >= room && room <= options_.max_step) step = room;
  const double unswitched = step;
  step = std::max(end_before_switches(step), std::min(step, 2.0 * smallest_step()));
  // A step ends just behind a switch, where another piece of the equations is valid.
  const bool keeps_branch = step == unswitched;
  // The series of this step is kept while its end is expanded into the other one.
  std::swap(last_, next_);
  double last_jump = infinity;
  double first_jump = infinity;
  for (std::int64_t attempt = 0; attempt < options_.max_steps; ++attempt) {
    if (!(step >= smallest_step()) && step < room) break;
    const bool lands = step >= room;
    const double t = lands ? limit : t_ + direction_ * step;
    last_.evaluate(last_.theta(t), predicted_, xp_new_);
    x_new_ = predicted_;
    has_failed = !is_finite(predicted_) || !expand(t, x_new_, xp_new_);
    const double jumped =
        has_failed || (keeps_branch && has_changed_branch(step)) ? infinity : jump();
    if (attempt == 0) first_jump = jumped;
    const bool is_round_off = jumped <= greatest_jump && jumped > same_jump * last_jump;
    const bool is_noise = moved_ <= greatest_noise &&
                          (jumped <= usual_jump * noise_ ||
                           (attempt >= attempts_for_noise && jumped > same_noise * first_jump));
    last_jump = jumped;
    if (jumped > usual_jump && !is_round_off && !(is_noise && !has_failed)) {
      ++rejected_;
      step *= shorter;
      caution_ = std::max(caution_ * shorter, least_caution);
      continue;
    }
    if (jumped > greatest_jump) accept_noise(jumped);
    caution_ = std::min(1.0, caution_ * less_caution);
    const StepReport report{.t0 = t_, .t1 = t, .order = order_, .message = {}};
    // What something else has cut short tells nothing.
    if (step >= shorter * allowed) stiffness_.after_step(is_held_back ? 1.0 : 0.0);
    last_step_ = step;
    t_ = t;
    x_ = x_new_;
    error_weights_.observe(x_);
    as_vector(xp_) = next_.coefficient(1) / next_.shape().h;
    ++steps_;
    return report;
  }
  std::swap(last_, next_);
  return give_up(step, has_failed);
}

StepReport TaylorStepper::give_up(double tried, bool has_failed) const {
  StepReport report = has_failed ? report_not_finite(system_, t_, *run_)
                                 : report_underflow(system_, t_, tried, worst_);
  report.t0 = report.t1 = t_;
  return report;
}

void TaylorStepper::interpolate(double t, std::span<double> x, std::span<double> xp) const {
  last_.evaluate(last_.theta(t), x, xp);
}

void TaylorStepper::derivative(double t, int k, std::span<double> out) const {
  last_.derivative(last_.theta(t), k, out);
}

void TaylorStepper::replace_state(std::span<const double> x, std::span<const double> xp) {
  std::ranges::copy(x, x_.begin());
  if (!xp.empty()) std::ranges::copy(xp, xp_.begin());
  has_series_ = false;
}

void TaylorStepper::count(Statistics& statistics) const {
  statistics.steps += steps_;
  statistics.rejected += rejected_;
  statistics.residual_evaluations += expansions_;
}

namespace {

std::unique_ptr<Stepper> make(const ExplicitSystem& system, const StepOptions& options,
                              const TaylorSteps& steps) {
  return std::make_unique<TaylorStepper>(system, options, steps.order);
}

}  // namespace

std::vector<IntegratorRow> taylor_integrators() {
  return {integrator_row<TaylorSteps, make>(
      "Taylor series of order 8 to 30, for the systems of the method 'taylor'",
      {.explicit_systems = true, .needs_series = true})};
}

}  // namespace daedal::integration
