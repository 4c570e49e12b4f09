// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/multistep/multistep_stepper.hpp"

#include <fmt/format.h>

#include <daedal/error.hpp>

#include <algorithm>
#include <cmath>

namespace daedal::integration {

void require_variable_step(std::string_view integrator, const StepOptions& options, int max_order) {
  const auto refuse = [](const std::string& sentence) {
    throw OptionError(ErrorCode::invalid_option, sentence);
  };
  if (options.fixed_step > 0.0) {
    refuse(fmt::format("The integrator '{}' chooses its steps itself and has no fixed step.",
                       integrator));
  }
  if (options.max_order < 0 || options.max_order > max_order) {
    refuse(fmt::format("The order of '{}' is at most {}.", integrator, max_order));
  }
  if (!(options.rtol >= 0.0 && options.atol >= 0.0 && options.rtol + options.atol > 0.0)) {
    refuse(
        fmt::format("Tolerances must be nonnegative, and not both zero (got rtol = {}, atol = {}).",
                    options.rtol, options.atol));
  }
  if (!(options.max_step > 0.0 && options.initial_step >= 0.0)) {
    refuse(fmt::format(
        "The largest step must be positive and the initial step nonnegative (got {} and "
        "{}).",
        options.max_step, options.initial_step));
  }
}

namespace {

// Each failure cuts the step to a quarter: 15 of them to 1e-9, enough to leave any bad start.
constexpr int max_failures_per_step = 15;
/// What starts at 0 has no scale in the first steps, which are short and of low order.
constexpr int steps_to_grow = 10;
/// The corrections of a step have rounding errors of their own.
constexpr double greatest_sharpness = 1e3;
/// A long succession of short steps of low order shows that the remainders of the corrector hold
/// the code back. Each step may be off by a tolerance, and these errors add up.
constexpr int many_low_steps = 500;
constexpr int low_order = 2;
constexpr double short_share = 1e-2;

/// SUNDIALS refuses to start towards a time this close; an event just before the end would need it.
bool is_round_off(double t, double limit) {
  return std::abs(limit - t) <= 16.0 * round_off * (std::abs(t) + std::abs(limit));
}

}  // namespace

StepOptions against_sums(StepOptions options) {
  constexpr double ordinary = 1e-6;
  constexpr double sharpest = 1e-12;
  const double wanted = options.rtol * std::pow(options.rtol / ordinary, 1.0 / 6.0);
  const double rtol = std::min(options.rtol, std::max(wanted, sharpest));
  options.atol *= rtol / options.rtol;
  options.rtol = rtol;
  return options;
}

MultistepStepper::MultistepStepper(const System& system, const StepOptions& options,
                                   IndexWeights weighting)
    : Stepper(system),
      options_(options),
      weights_(system, {options.rtol, options.atol, weighting, options.follows_scales}),
      error_floor_(system),
      context_(make_context()),
      u_(make_vector(system.size(), context_)),
      shift_(x_.size()),
      alias_(make_alias_vector(system.size(), context_)),
      shifted_(x_.size()) {
  N_VConst(0.0, u_.get());
}

void MultistepStepper::set_limits(void* code, const LimitCalls& calls) const {
  if (options_.max_order > 0) {
    require_success(calls.max_order(code, options_.max_order), "SetMaxOrd");
  }
  if (std::isfinite(options_.max_step)) {
    require_success(calls.max_step(code, options_.max_step), "SetMaxStep");
  }
  require_success(calls.max_error_failures(code, max_failures_per_step), "SetMaxErrTestFails");
  require_success(calls.max_corrector_failures(code, max_failures_per_step), "SetMaxConvFails");
}

void MultistepStepper::start(double t, std::span<const double> x, std::span<const double> xp,
                             Run& run, double direction_limit) {
  t_ = t;
  farthest_ = std::max(farthest_, std::abs(t));
  x_.assign(x.begin(), x.end());
  xp_.assign(xp.begin(), xp.end());
  std::fill(shift_.begin(), shift_.end(), 0.0);
  run_ = &run;
  order_ = 0;
  direction_limit_ = direction_limit;
  steps_since_start_ = 0;
  longest_step_ = 0.0;
  n_low_ = 0;
  weights_.observe(x_);
  start_code();
}

void MultistepStepper::observe(double h) {
  if (!weights_.has_small() || ++steps_since_start_ < steps_to_grow) return;
  weights_.observe(x_);
  if (!weights_.has_small() || !error_floor_.is_due()) return;
  weights_.compute(x_, h, shifted_);
  error_floor_.measure({.t = t_, .h = h, .x = x_, .xp = xp_, .weights = shifted_}, *run_);
  weights_.raise_floor(error_floor_.floor(), error_floor_.floor_rate());
}

StepReport MultistepStepper::advance(double limit) {
  const double t0 = t_;
  if (order_ == 0 && is_round_off(t0, limit)) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += (limit - t0) * xp_[i];
    t_ = limit;
    ++steps_;
    return {.t0 = t0, .t1 = limit, .order = 1};
  }
  const CodeStep step = step_code(limit);
  if (step.flag < 0) {
    StepReport report = explain(step.flag);
    report.t0 = report.t1 = t0;
    return report;
  }
  t_ = step.t;
  order_ = step.order;
  const double h = std::abs(t_ - t0);
  farthest_ = std::max(farthest_, std::abs(t_));
  if (!step.has_landed && h <= least_share_of_time * farthest_) return explain_underflow(h);
  observe(t_ - t0);
  watch_order(h);
  return {.t0 = t0, .t1 = t_, .order = order_};
}

bool MultistepStepper::local_error(std::span<double> error) const {
  if (order_ == 0) return false;
  N_VSetArrayPointer(error.data(), alias_.get());
  return code_errors(alias_.get()) == 0;
}

double MultistepStepper::sharpen(double factor) {
  factor = std::clamp(factor, 1.0, greatest_sharpness);
  weights_.sharpen(factor);
  return factor;
}

void MultistepStepper::follow(std::span<const std::size_t> unknowns,
                              std::span<const double> sizes) {
  weights_.follow(unknowns, sizes);
  error_floor_.restart();
}

void MultistepStepper::watch_order(double h) {
  longest_step_ = std::max(longest_step_, h);
  n_low_ = order_ <= low_order && h < short_share * longest_step_ ? n_low_ + 1 : 0;
  if (n_low_ != many_low_steps) return;
  run_->warnings.push_back(fmt::format(
      "Up to t = {:.6g} {} steps in succession were of the lowest orders and as short as {:.1g}, "
      "beside {:.1g} before: their errors add up, and the result may be off by as many tolerances. "
      "Choose another integrator, such as 'radau', or another tolerance.",
      t_, many_low_steps, h, longest_step_));
}

void MultistepStepper::interpolate(double t, std::span<double> x, std::span<double> xp) const {
  if (order_ == 0) {
    std::copy(x_.begin(), x_.end(), x.begin());
    if (!xp.empty()) std::copy(xp_.begin(), xp_.end(), xp.begin());
    return;
  }
  derivative(t, 0, x);
  if (!xp.empty()) read_derivative(t, 1, xp);
}

void MultistepStepper::read_derivative(double t, int k, std::span<double> out) const {
  N_VSetArrayPointer(out.data(), alias_.get());
  require_success(code_derivative(t, k, alias_.get()), "GetDky");
}

void MultistepStepper::read_state() {
  const std::span<const double> u = view(u_);
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = u[i] + shift_[i];
}

bool MultistepStepper::is_near(double t_failed, double h) const {
  return std::abs(t_failed - t_) <= 10.0 * h + 1e-10 * std::abs(t_);
}

void MultistepStepper::derivative(double t, int k, std::span<double> out) const {
  read_derivative(t, k, out);
  if (k > 0) return;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += shift_[i];
}

void MultistepStepper::replace_state(std::span<const double> x, std::span<const double> xp) {
  for (std::size_t i = 0; i < x_.size(); ++i) shift_[i] += x[i] - x_[i];
  std::copy(x.begin(), x.end(), x_.begin());
  std::copy(xp.begin(), xp.end(), xp_.begin());
}

void MultistepStepper::compute_weights(std::span<const double> u, double h,
                                       std::span<double> weights) {
  for (std::size_t i = 0; i < u.size(); ++i) shifted_[i] = u[i] + shift_[i];
  weights_.compute(shifted_, h, weights);
}

Index MultistepStepper::worst(std::span<double> errors, std::span<const double> weights) {
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] = std::abs(errors[i] * weights[i]);
  const auto largest = std::max_element(errors.begin(), errors.end());
  return largest == errors.end() ? -1 : largest - errors.begin();
}

}  // namespace daedal::integration
