// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/one_step/collocation_scheme.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <daedal/error.hpp>

#include "integrate/one_step/one_step_stepper.hpp"
#include "integrate/one_step/stage_products.hpp"
#include "integrate/one_step/symmetric_projection.hpp"
#include "integrate/registry.hpp"
#include "integrate/weights.hpp"

namespace daedal::integration {

namespace {

using Outcome = Attempt::Outcome;

/// Below this contraction the Jacobian is good for another step (RADAU5's THET).
constexpr double good_rate = 1e-3;
/// RADAU's limits for a change of order: contraction, and steps since the last change.
constexpr double rate_to_rise = 0.002;
constexpr double rate_to_fall = 0.8;
constexpr int steps_between_switches = 10;
/// Slower contraction than this would leave a longer step of more stages without convergence. Up to
/// it more stages are tried, and kept when a step forward costs no more work than before.
constexpr double rate_to_try = 0.1;
constexpr double least_gain = 0.8;
/// Steps grow up to this contraction only.
constexpr double slowest_rate = 0.2;
/// A multiplier grows by this factor in one step at most.
constexpr double steepest_rise = 1e3;
/// Errors in tolerances up to which a state may be off by itself. What a jump leaves beside the
/// slow motion of stiff equations is no smaller in a shorter step either, but far larger than that.
constexpr double error_of_state = 10.0;
/// Between the stages an algebraic unknown may be off by so many tolerances, or by this share of
/// the range of its values in the step. Steps are made shorter for it down to the third share,
/// until they are as long again as the fourth says.
constexpr double most_of_algebraic = 100.0;
constexpr double share_of_range = 0.02;
constexpr double shortest_for_algebraic = 0x1p-6;
constexpr double shorter_for_algebraic = 0.5;
/// The error of a step that is to be far shorter.
constexpr double loose = 1e3;
/// Steps after a change of order in which the step size settles.
constexpr int steps_to_settle = 3;

/// Where rounding errors are as large as that, Newton's method leaves so much of a tolerance, as
/// RADAU5's does.
constexpr double kappa_of_noise = 0.03;

const ImplicitSystem& checked(const ImplicitSystem& system) {
  if (system.n_constraints() > 0) {
    throw OptionError(ErrorCode::illegal_combination,
                      "A collocation scheme takes square systems only: use bdf for an "
                      "overdetermined one.");
  }
  return system;
}

int greatest_stages(const CollocationSettings& settings) {
  return settings.rules.back()->stages;
}

}  // namespace

CollocationScheme::CollocationScheme(const ImplicitSystem& system, CollocationSettings settings)
    : settings_(std::move(settings)),
      newton_(checked(system), greatest_stages(settings_), settings_.storage),
      dense_(system.size(), greatest_stages(settings_)),
      is_differential_(to_size(system.size()), true),
      x_(is_differential_.size()),
      x_new_(x_.size()),
      xp_new_(x_.size()),
      work_(x_.size()),
      slope_(x_.size()),
      error_(x_.size()),
      estimate_(x_.size()),
      weights_(x_.size()),
      current_(settings_.first_rule) {
  const auto kinds = system.kinds();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    is_differential_[i] = kinds[i].differential;
    has_algebraic_ = has_algebraic_ || !kinds[i].differential;
    highest_index_ = std::max(highest_index_, kinds[i].index);
    if (!kinds[i].differential && kinds[i].index > 1) multipliers_.push_back(i);
  }
  greatest_multiplier_.assign(multipliers_.size(), 0.0);
  if (has_algebraic_) greatest_value_.assign(x_.size(), 0.0);
  for (const auto* choice : settings_.rules) {
    newton_settings_.push_back(settings_for(*choice));
    std::vector<CollocationRule::Gap>& middles = middles_.emplace_back();
    // A straight line may be right in its middle by chance.
    const double share = choice->stages == 1 ? 0.25 : 0.5;
    for (int j = 0; j < choice->stages; ++j) {
      const double begin = j == 0 ? 0.0 : choice->c(j - 1);
      middles.push_back(place_at(*choice, begin + share * (choice->c(j) - begin)));
    }
  }
}

CollocationRule::Gap CollocationScheme::place_at(const CollocationRule& rule, double theta) {
  const Vector none = Vector::Zero(rule.stages);
  CollocationRule::Gap place{.theta = theta, .value = none, .slope = none};
  double power = 1.0;
  for (int k = 0; k < rule.stages; ++k) {
    place.slope += (k + 1) * power * rule.monomials.col(k);
    power *= theta;
    place.value += power * rule.monomials.col(k);
  }
  return place;
}

CollocationScheme::CollocationScheme(std::unique_ptr<AsImplicit> system,
                                     CollocationSettings settings)
    : CollocationScheme(*system, std::move(settings)) {
  adapter_ = std::move(system);
  explicit_ = &adapter_->explicit_system();
}

StepControl CollocationScheme::control() const {
  return {.min_factor = 0.2, .max_factor = 8.0, .predictive = true};
}

NewtonSettings CollocationScheme::settings_for(const CollocationRule& rule) const {
  if (settings_.fixed_step) {
    // The weights stand for a hundred units of round-off (one_step_stepper.cpp). Errors in
    // constraints come back amplified.
    return {.kappa = highest_index_ > 1 ? 0.01 : 0.1,
            .stagnation = 1000.0,
            .max_iterations = 30,
            .extrapolates_failure = false};
  }
  // The estimate is of order s, and the ends of the steps of order 2s - 1 or 2s: the remainder of
  // Newton's iteration is to stay below the error of these (Hairer, Wanner 1999). RADAU's tolerance
  // for the estimate, rtol^((s + 1)/(2s)), relies on the higher order: it does not hold between the
  // ends, nor where stiffness reduces the order.
  const double s = rule.stages;
  // A constraint that Newton leaves violated by δ costs the next step δ(γ/h)^(index-1) in the
  // unknowns of that index, whatever the step. With weights h^(index-1) that is δγ^(index-1): it
  // has to stay far below the tolerance, or the error test never passes again.
  const double amplification = std::pow(rule.real_gamma / 0.3, highest_index_ - 1);
  const double superconvergent = std::pow(settings_.rtol, (rule.order - s) / (s + 1.0));
  return {.kappa = std::max(10.0 * round_off / settings_.rtol,
                            std::min(0.03, superconvergent) / amplification),
          .stagnation = 100.0 * round_off / settings_.rtol,
          .noise = highest_index_ > 1 ? 0.0 : 0.3,
          .max_iterations = rule.stages > 3 ? 12 + 5 * (rule.stages - 5) / 2 : 10};
}

void CollocationScheme::reset() {
  has_jacobian_ = false;
  jacobian_is_current_ = false;
  has_history_ = false;
  was_rejected_ = false;
  has_diverged_ = false;
  failures_in_a_row_ = 0;
  contraction_ = 0.0;
  patience_ = steps_between_switches;
  switch_to(std::max(current_, settings_.first_rule));
  newton_.forget_rate();
}

void CollocationScheme::combine(const Vector& weights, double scale, std::span<double> out) const {
  std::array<StageTerm, 8> terms;
  const auto n_stages = to_size(rule().stages);
  assert(n_stages <= terms.size());
  for (std::size_t j = 0; j < n_stages; ++j) terms[j] = {to_index(j), weights(to_index(j))};
  sum_stages(newton_.stages().data(), to_index(out.size()), {terms.data(), n_stages}, scale,
             Terms::one_by_one, nullptr, out.data());
}

double CollocationScheme::initial_step(const StepTask& task, Run& run) {
  if (explicit_ == nullptr) return OneStepScheme::initial_step(task, run);
  StepTask with_slope = task;
  if (explicit_->rhs(task.t, task.x, run, slope_) == Evaluation::ok) with_slope.xp = slope_;
  return OneStepScheme::initial_step(with_slope, run);
}

Attempt CollocationScheme::attempt(const StepTask& task, Run& run) {
  if (has_history_ && !was_rejected_) choose_order(std::abs(task.h / dense_.shape().h));
  t_ = task.t;
  h_ = task.h;
  std::ranges::copy(task.x, x_.begin());
  std::ranges::copy(task.weights, weights_.begin());
  Attempt attempt = solve_stages(task, run);
  if (attempt.outcome == Outcome::ok) attempt = finish(task, run);
  if (attempt.outcome == Outcome::ok && !settings_.fixed_step) attempt = estimate_error(task, run);
  was_rejected_ = true;  // until accept() says otherwise
  return attempt;
}

bool CollocationScheme::ends_at_rounding() const {
  return highest_index_ == 1 && has_jacobian_ && newton_.is_at_rounding(rule(), x_);
}

Attempt CollocationScheme::prepare_matrices(const StepTask& task, Run& run) {
  if (!has_jacobian_ || wants_jacobian_) {
    const auto evaluation = newton_.evaluate_jacobian(task, run);
    has_jacobian_ = evaluation == Evaluation::ok;
    if (!has_jacobian_) return failed_evaluation(evaluation);
    jacobian_is_current_ = true;
    wants_jacobian_ = false;
  }
  if (newton_.is_factored_for(rule(), task.h)) return {};
  const auto factors = newton_.factor(rule(), task.h, !settings_.fixed_step);
  if (factors.ok) return {};
  return {.outcome = Outcome::singular, .column = factors.singular_column};
}

bool CollocationScheme::look_ahead(const StepTask& task, Run& run) {
  predict(task);
  const int last = rule().stages - 1;
  as_vector(x_new_) = as_vector(task.x) + newton_.stages().col(last);
  StepTask ahead = task;
  ahead.t = task.t + rule().c(last) * task.h;
  ahead.x = x_new_;
  jacobian_is_current_ = false;
  has_jacobian_ = newton_.evaluate_jacobian(ahead, run) == Evaluation::ok;
  return has_jacobian_;
}

Attempt CollocationScheme::solve_stages(const StepTask& task, Run& run) {
  bool has_looked_ahead = false;
  for (;;) {
    Attempt attempt = prepare_matrices(task, run);
    if (attempt.outcome == Outcome::ok) {
      predict(task);
      NewtonSettings settings = newton_settings_[current_];
      if (has_noise_) settings.kappa = std::max(settings.kappa, kappa_of_noise);
      report_ = newton_.iterate(rule(), task, settings, run);
      attempt = {.outcome = report_.outcome, .advice = report_.advice};
    }
    if (attempt.outcome == Outcome::ok || attempt.outcome == Outcome::fatal) return attempt;
    // A fixed step cannot be shortened until the Jacobian at its beginning serves.
    if (settings_.fixed_step && jacobian_is_current_ && look_ahead(task, run)) {
      has_looked_ahead = true;
      continue;
    }
    if (jacobian_is_current_ || !has_jacobian_ || has_looked_ahead) {
      has_diverged_ = true;
      lower_order_after(attempt);
      return attempt;
    }
    wants_jacobian_ = true;  // an old Jacobian may be to blame: once more with a new one
  }
}

void CollocationScheme::predict(const StepTask& task) {
  auto& z = newton_.stages();
  const int s = rule().stages;
  const bool is_extrapolated = has_history_ && !has_diverged_;
  if (is_extrapolated && dense_.shape().degree == s) {
    // Σ_j θ_iʲ coefficient_j − x of all stages at once.
    powers_.resize(s, s);
    for (int i = 0; i < s; ++i) {
      const double theta = dense_.theta(task.t + rule().c(i) * task.h);
      double power = 1.0;
      for (int j = 0; j < s; ++j) powers_(j, i) = power *= theta;
    }
    const double* const start = dense_.coefficient(0).data();
    for (int i = 0; i < s; ++i) {
      double* const stage = z.col(i).data();
      for (std::size_t k = 0; k < x_.size(); ++k) stage[k] = start[k] - task.x[k];
    }
    multiply_stages(dense_.coefficient(1).data(), z.rows(), powers_, 1.0, Sum::added, z.data());
    return;
  }
  for (int i = 0; i < s; ++i) {
    if (is_extrapolated) {
      const double theta = (task.t + rule().c(i) * task.h - dense_.shape().t0) / dense_.shape().h;
      dense_.evaluate(theta, work_, {});
      z.col(i) = as_vector(work_) - as_vector(task.x);
      continue;
    }
    // The derivative of an algebraic unknown is not known at a start.
    for (std::size_t k = 0; k < x_.size(); ++k) {
      z(to_index(k), i) = is_differential_[k] ? rule().c(i) * task.h * task.xp[k] : 0.0;
    }
  }
}

Attempt CollocationScheme::finish(const StepTask& task, Run& run) {
  if (rule().is_stiffly_accurate) {
    as_vector(x_new_) = as_vector(task.x) + newton_.stages().col(rule().stages - 1);
  } else {
    combine(rule().end_value, 1.0, x_new_);
    as_vector(x_new_) += as_vector(task.x);
  }
  combine(rule().end_slope, 1.0 / task.h, xp_new_);
  if (explicit_ != nullptr) {
    const double t = task.t + task.h;
    auto evaluation = Evaluation::ok;
    if (explicit_->has_complete()) evaluation = explicit_->complete(t, x_new_, run);
    if (evaluation == Evaluation::ok) evaluation = explicit_->rhs(t, x_new_, run, xp_new_);
    if (evaluation != Evaluation::ok) return failed_evaluation(evaluation);
  }
  if (!is_finite(x_new_) || !is_finite(xp_new_)) return {.outcome = Outcome::non_finite};
  return {.outcome = has_spike() ? Outcome::diverged : Outcome::ok};
}

/// Multipliers are in no test, and nothing determines them in a singular position: there a step
/// ends with any value.
bool CollocationScheme::has_spike() const {
  if (!has_history_) return false;
  for (std::size_t k = 0; k < multipliers_.size(); ++k) {
    const double greatest = greatest_multiplier_[k];
    if (greatest > 0.0 && std::abs(x_new_[multipliers_[k]]) > steepest_rise * greatest) return true;
  }
  return false;
}

Attempt CollocationScheme::estimate_error(const StepTask& task, Run& run) {
  const NewtonSettings& settings = newton_settings_[current_];
  const double n = settings.max_iterations;
  Attempt attempt{.error_order = rule().stages + 1,
                  .safety = 0.9 * (2.0 * n + 1.0) / (2.0 * n + report_.iterations)};
  combine(rule().start_slope, 1.0 / task.h, slope_);
  std::ranges::copy(task.x, work_.begin());
  const bool is_delicate = !has_history_ || was_rejected_;
  for (int pass = 0; pass < (is_delicate ? 2 : 1); ++pass) {
    const auto evaluation = newton_.residual(task.t, work_, slope_, run, error_);
    if (evaluation != Evaluation::ok) {
      // x0 + err of the second pass may lie outside the domain: the first estimate then stands.
      return pass == 0 ? failed_evaluation(evaluation) : attempt;
    }
    newton_.solve_real(error_);
    for (double& entry : error_) entry = -entry;
    attempt.error = weighted_rms(error_, task.weights);
    if (!std::isfinite(attempt.error)) return {.outcome = Outcome::non_finite};
    if (attempt.error < 1.0) break;
    as_vector(work_) = as_vector(task.x) + as_vector(error_);
  }
  if (attempt.error > 1.0) return attempt;
  estimate_ = error_;
  const double between = error_between(task, run);
  if (!std::isfinite(between)) return {.outcome = Outcome::non_finite};
  attempt.error = std::max(attempt.error, between);
  return attempt;
}

/// The estimate above is damped where the equations are stiff, as the error at the ends is. Between
/// the stages nothing is damped: there the polynomial is off by what one Newton step would correct.
double CollocationScheme::error_between(const StepTask& task, Run& run) {
  if (!correct_at(rule().gap, task, run)) return infinity;
  if (has_loose_algebraic(task, run)) return loose;
  // Algebraic unknowns follow from the others: see refine(). At a start they may be off.
  for (std::size_t i = 0; i < error_.size(); ++i) {
    if (!is_differential_[i]) error_[i] = 0.0;
  }
  const double error = weighted_rms(error_, task.weights);
  // What a much shorter step from the same state has left as it was is no error of a polynomial:
  // the state itself is off, near a singular position by a few tolerances, and the step puts it
  // right.
  const bool is_again = last_look_.t == task.t && std::abs(task.h) < std::abs(last_look_.h);
  const bool is_much_shorter = std::abs(task.h) < 0.5 * std::abs(last_look_.h);
  const bool is_small = error < error_of_state;
  const bool is_of_state =
      is_again && is_much_shorter && is_small && error > 0.7 * last_look_.error;
  if (!is_again || is_much_shorter) last_look_ = {task.t, task.h, error};
  return is_of_state ? 0.0 : error;
}

/// What one Newton step would correct at a place of the step: error_.
bool CollocationScheme::correct_at(const CollocationRule::Gap& place, const StepTask& task,
                                   Run& run) {
  combine(place.value, 1.0, work_);
  as_vector(work_) += as_vector(task.x);
  combine(place.slope, 1.0 / task.h, slope_);
  const double t = task.t + place.theta * task.h;
  if (newton_.residual(t, work_, slope_, run, error_) != Evaluation::ok) return false;
  newton_.solve_real(error_);
  return true;
}

/// Where the polynomial of an algebraic unknown bends most between two stages, in shares of its
/// range; null where none bends.
template <class Share>
const CollocationRule::Gap* CollocationScheme::greatest_bend(const Share& share) const {
  const CollocationRule::Gap* place = nullptr;
  double greatest = share_of_range;
  for (std::size_t i = 0; i < is_differential_.size(); ++i) {
    if (is_differential_[i]) continue;
    const auto stages = newton_.stages().row(to_index(i)).head(rule().stages);
    double before = 0.0;
    for (int j = 0; j < rule().stages; ++j) {
      const CollocationRule::Gap& middle = middles_[current_][to_size(j)];
      const double line = rule().stages == 1 ? 0.0 : 0.5 * (before + stages(j));
      before = stages(j);
      const double bend = share(i, stages.transpose().dot(middle.value) - line);
      if (bend <= greatest) continue;
      greatest = bend;
      place = &middle;
    }
  }
  return place;
}

/// Whether the polynomial of an algebraic unknown is so far off between the stages that a solution
/// found from there may be another one, or none: as error_ says, and where the polynomials bend
/// most. A jump remains in steps of any length: after a few shorter ones it is left to the step.
bool CollocationScheme::has_loose_algebraic(const StepTask& task, Run& run) {
  if (!has_algebraic_ || highest_index_ > 1 || !has_history_) return false;
  const double h = std::abs(task.h);
  if (h > shorter_for_algebraic * loose_step_) loose_step_ = 0.0;
  if (loose_step_ > 0.0 && h < shortest_for_algebraic * loose_step_) return false;
  const auto share = [&](std::size_t i, double value) {
    if (is_differential_[i] || !(std::abs(value) * task.weights[i] > most_of_algebraic)) return 0.0;
    const auto stages = newton_.stages().row(to_index(i)).head(rule().stages);
    // A range far beyond all values so far may itself be one of other solutions.
    const double range = std::max(stages.maxCoeff(), 0.0) - std::min(stages.minCoeff(), 0.0);
    return std::abs(value) / std::min(range, greatest_value_[i]);
  };
  const auto is_off = [&] {
    double greatest = 0.0;
    for (std::size_t i = 0; i < error_.size(); ++i)
      greatest = std::max(greatest, share(i, error_[i]));
    return greatest > share_of_range;
  };
  bool is_any = is_off();
  if (const auto* place = is_any ? nullptr : greatest_bend(share)) {
    kept_error_ = error_;
    is_any = !correct_at(*place, task, run) || is_off();
    error_ = kept_error_;
  }
  if (is_any && loose_step_ == 0.0) loose_step_ = h;
  return is_any;
}

bool CollocationScheme::local_error(std::span<double> error) {
  std::ranges::copy(estimate_, error.begin());
  return true;
}

bool CollocationScheme::carry(std::span<double> perturbation) {
  return !settings_.fixed_step && newton_.carry(rule(), h_, perturbation);
}

void CollocationScheme::accept(Run&) {
  const int s = rule().stages;
  dense_.reshape({.t0 = t_, .h = h_, .degree = s, .order = s});
  dense_.coefficient(0) = as_vector(x_);
  multiply_stages(newton_.stages().data(), newton_.stages().rows(), rule().monomials, 1.0,
                  Sum::fresh, dense_.coefficient(1).data());
  if (explicit_ != nullptr && explicit_->has_complete()) {
    dense_.evaluate(1.0, work_, {});
    as_vector(work_) = as_vector(x_new_) - as_vector(work_);
    dense_.shift_end(work_);
  }
  newton_.forget_state_matrix();
  for (std::size_t i = 0; i < greatest_value_.size(); ++i)
    greatest_value_[i] = std::max({greatest_value_[i], std::abs(x_[i]), std::abs(x_new_[i])});
  for (std::size_t k = 0; k < multipliers_.size(); ++k) {
    greatest_multiplier_[k] = std::max(greatest_multiplier_[k], std::abs(x_new_[multipliers_[k]]));
  }
  has_history_ = true;
  was_rejected_ = false;
  has_diverged_ = false;
  failures_in_a_row_ = 0;
  jacobian_is_current_ = false;
  wants_jacobian_ = report_.rate > good_rate;
  contraction_ = std::min(10.0, std::max(report_.rate, 0.5 * contraction_));
  if (steps_since_switch_ < steps_to_settle) return;
  advanced_ += std::abs(h_);
  work_done_ += s * (report_.iterations + 1);
}

void CollocationScheme::refine(double t, std::span<double> x, std::span<double> xp, Run& run) {
  // Unknowns of higher index are not determined by the equations at one instant.
  if (!has_algebraic_ || highest_index_ > 1 || explicit_ != nullptr) return;
  if (xp.empty()) {
    dense_.derivative(dense_.theta(t), 1, work_);
    xp = work_;
  }
  newton_.complete_state({t, x, xp}, is_differential_, weights_, run);
}

void CollocationScheme::choose_order(double step_ratio) {
  ++steps_since_switch_;
  if (settings_.rules.size() == 1 || steps_since_switch_ <= steps_between_switches) return;
  const bool is_high = current_ > settings_.first_rule;
  const double progress = advanced_ / work_done_;
  if (is_trial_ && is_high && progress < least_gain * progress_before_) {
    patience_ *= 2;
    switch_to(current_ - 1);
    return;
  }
  is_trial_ = false;
  // One stage is a refuge after failures only: leave it as soon as Newton works again.
  const bool in_refuge = current_ < settings_.first_rule && report_.rate < 0.5;
  const bool is_steady = step_ratio > 0.8 && step_ratio < 1.2;
  const bool contracts = report_.iterations > 1 && contraction_ <= rate_to_rise && is_steady;
  const bool may_try = contraction_ <= rate_to_try && is_steady && steps_since_switch_ > patience_;
  if ((contracts || may_try || in_refuge) && current_ + 1 < settings_.rules.size()) {
    switch_to(current_ + 1);
    is_trial_ = !contracts && !in_refuge;
    progress_before_ = progress;
  } else if (contraction_ >= rate_to_fall && is_high) {
    switch_to(current_ - 1);
  }
}

void CollocationScheme::switch_to(std::size_t rule) {
  current_ = rule;
  steps_since_switch_ = 0;
  advanced_ = work_done_ = 0.0;
  is_trial_ = false;
}

void CollocationScheme::lower_order_after(const Attempt& failure) {
  ++failures_in_a_row_;
  // An iteration that converges too slowly needs a shorter step, one that diverges fewer stages.
  // Three stages are given up only if shorter steps did not help either.
  const bool is_slow = failure.outcome == Outcome::diverged && failure.advice > 0.5;
  const bool is_high = current_ > settings_.first_rule;
  if (settings_.rules.size() == 1 || current_ == 0) return;
  if (is_high ? is_slow : failures_in_a_row_ < 4) return;
  if (is_trial_) patience_ *= 2;
  switch_to(current_ - 1);
}

double CollocationScheme::adjust_factor(double factor) const {
  // The contraction is in proportion to the step: a longer one must not leave it too slow.
  if (contraction_ > 0.0) factor = std::min(factor, std::max(1.0, slowest_rate / contraction_));
  // A step kept is a factorisation saved (RADAU5's QUOT1, QUOT2).
  return !wants_jacobian_ && factor >= 1.0 && factor <= 1.2 ? 1.0 : factor;
}

namespace {

CollocationSettings rules_of(const Radau& radau) {
  if (radau.stages == 0) {
    return {.rules = {&radau_iia(1), &radau_iia(3), &radau_iia(5), &radau_iia(7)},
            .first_rule = 1,
            .storage = linalg::storage_of(radau.linear_solver)};
  }
  if (radau.stages % 2 == 0) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("The parameter 'stages' of 'radau' must be 1, 3 or 5, or 0 to "
                                  "switch between them (got {}).",
                                  radau.stages));
  }
  return {.rules = {&radau_iia(radau.stages)}, .storage = linalg::storage_of(radau.linear_solver)};
}

CollocationSettings rules_of(const Gauss& gauss) {
  return {.rules = {&gauss_legendre(gauss.stages)}};
}

CollocationSettings rules_of(const EulerBackward&) {
  return {.rules = {&radau_iia(1)}};
}

CollocationSettings with_options(CollocationSettings settings, const StepOptions& options) {
  while (options.max_order > 0 && settings.rules.size() > 1 &&
         settings.rules.back()->order > options.max_order) {
    settings.rules.pop_back();
  }
  settings.first_rule = std::min(settings.first_rule, settings.rules.size() - 1);
  settings.rtol = options.rtol;
  settings.fixed_step = options.fixed_step > 0.0;
  return settings;
}

template <class Value>
std::unique_ptr<Stepper> make_implicit(const ImplicitSystem& system, const StepOptions& options,
                                       const Value& value) {
  return std::make_unique<OneStepStepper>(
      system, std::make_unique<CollocationScheme>(system, with_options(rules_of(value), options)),
      options, value.index_weights);
}

template <class Value>
std::unique_ptr<Stepper> make_explicit(const ExplicitSystem& system, const StepOptions& options,
                                       const Value& value) {
  std::unique_ptr<OneStepScheme> scheme = std::make_unique<CollocationScheme>(
      std::make_unique<AsImplicit>(system), with_options(rules_of(value), options));
  if (options.symmetric_projection) {
    scheme = std::make_unique<SymmetricProjection>(system, std::move(scheme));
  }
  return std::make_unique<OneStepStepper>(system, std::move(scheme), options, value.index_weights);
}

/// Gauss is not stiffly accurate: on index 3 it does not converge (Hairer, Lubich, Roche 1989).
std::unique_ptr<Stepper> make_gauss(const ImplicitSystem& system, const StepOptions& options,
                                    const Gauss& gauss) {
  const auto kinds = system.kinds();
  const auto third = std::ranges::find_if(kinds, [](const auto& kind) { return kind.index > 2; });
  if (third != kinds.end()) {
    throw OptionError(
        ErrorCode::illegal_combination,
        fmt::format(
            "gauss supports systems of index 2 at most, and {} has index {}: use radau, or a "
            "method that lowers the index.",
            system.unknown_name(third - kinds.begin()), third->index));
  }
  return make_implicit(system, options, gauss);
}

}  // namespace

std::vector<IntegratorRow> collocation_integrators() {
  const Capabilities stiff{.explicit_systems = true,
                           .implicit_systems = true,
                           .fixed_step = true,
                           .projects = true,
                           .keeps_history = true,
                           .max_index = 3};
  Capabilities symmetric = stiff;
  symmetric.symmetric = true;
  symmetric.max_index = 2;
  return {integrator_row<Radau, make_explicit<Radau>, make_implicit<Radau>>(
              "Radau IIA of 1, 3 or 5 stages, or with order switching up to 7 (orders 1, 5, 9, 13)",
              stiff),
          integrator_row<Gauss, make_explicit<Gauss>, make_gauss>(
              "Gauss of 1, 2 or 3 stages (orders 2, 4, 6), symmetric", symmetric),
          integrator_row<EulerBackward, make_explicit<EulerBackward>, make_implicit<EulerBackward>>(
              "The backward Euler method", stiff)};
}

}  // namespace daedal::integration
