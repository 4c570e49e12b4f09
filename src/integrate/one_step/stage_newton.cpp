// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/one_step/stage_newton.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "integrate/one_step/stage_products.hpp"

namespace daedal::integration {

namespace {

/// Conjugate pairs of eigenvalues of a rule with so many stages.
int pairs(int stages) {
  return stages / 2;
}

/// A better rate may only say that the first correction was large, perhaps of other unknowns than
/// the second: if that is more than a tolerance, a third is to confirm it.
constexpr double least_rate = 1e-3;

/// Equations with large gains, as those of amplifiers, turn the rounding of their unknowns into so
/// many times as much.
constexpr double amplification = 300.0;

/// Rounding errors of a row, in round-offs of its terms: functions such as those of media sum up
/// dozens of their own.
constexpr double roundings_of_row = 32.0;

double square(double x) {
  return x * x;
}

/// xⁿ of a small n.
double power(double x, int n) {
  double result = 1.0;
  for (; n > 0; --n) result *= x;
  return result;
}

std::span<double> column(Matrix& m, int j) {
  return {m.col(j).data(), to_size(m.rows())};
}

}  // namespace

StageNewton::StageNewton(const ImplicitSystem& system, int max_stages, linalg::Storage storage)
    : system_(system),
      modes_solver_(linalg::make_pencil_solver(system.pattern(), pairs(max_stages), storage)),
      f_x_(system.pattern().row.size()),
      f_xp_(f_x_.size()),
      z_(Matrix::Zero(system.size(), max_stages)),
      residuals_(z_),
      slopes_(z_),
      modes_(z_),
      stage_x_(to_size(system.size())) {}

Evaluation StageNewton::residual(double t, std::span<const double> x, std::span<const double> xp,
                                 Run& run, std::span<double> values) {
  ++residual_evaluations_;
  return system_.residual(t, x, xp, run, values);
}

Evaluation StageNewton::evaluate_jacobian(const StepTask& task, Run& run) {
  ++jacobian_evaluations_;
  factored_rule_ = nullptr;
  const auto evaluation = system_.jacobian(task.t, task.x, task.xp, run, f_x_, f_xp_);
  if (evaluation != Evaluation::ok) return evaluation;
  const bool finite = is_finite(f_x_) && is_finite(f_xp_);
  return finite ? Evaluation::ok : Evaluation::recoverable;
}

linalg::FactorReport StageNewton::factor(const CollocationRule& rule, double h, bool with_real) {
  factored_rule_ = nullptr;
  gammas_.clear();
  for (const auto& mode : rule.modes) gammas_.push_back(mode.gamma / h);
  const bool has_real = rule.has_real_mode || with_real;
  factorizations_ += to_index(gammas_.size()) + (has_real ? 1 : 0);
  const auto report = modes_solver_->factor(
      f_xp_, f_x_, {.has_real = has_real, .real = rule.real_gamma / h, .others = gammas_});
  if (!report.ok) return report;
  factored_rule_ = &rule;
  factored_step_ = h;
  return {};
}

Evaluation StageNewton::evaluate_stages(const CollocationRule& rule, const StepTask& task,
                                        Run& run) {
  const int n_stages = rule.stages;
  multiply_stages(z_.data(), z_.rows(), rule.to_slopes, 1.0 / task.h, Sum::fresh, slopes_.data());
  for (int i = 0; i < n_stages; ++i) {
    const double* const z = z_.col(i).data();
    for (std::size_t k = 0; k < stage_x_.size(); ++k) stage_x_[k] = task.x[k] + z[k];
    const auto evaluation = residual(task.t + rule.c(i) * task.h, stage_x_, column(slopes_, i), run,
                                     column(residuals_, i));
    if (evaluation != Evaluation::ok) return evaluation;
  }
  return Evaluation::ok;
}

double StageNewton::solve_modes(const CollocationRule& rule, std::span<const double> weights) {
  const int n_stages = rule.stages;
  multiply_stages(residuals_.data(), z_.rows(), rule.to_modes, 1.0, Sum::fresh, modes_.data());
  modes_solver_->solve(modes_.data(), rule.has_real_mode);
  multiply_stages(modes_.data(), z_.rows(), rule.from_modes, 1.0, Sum::added, z_.data());
  double sum = 0.0;
  for (int j = 0; j < n_stages; ++j) {
    double own = 0.0;
    const double* const mode = modes_.col(j).data();
    for (std::size_t i = 0; i < weights.size(); ++i) own += square(mode[i] * weights[i]);
    sum += rule.has_real_mode && j == 0 ? own : 4.0 * own;
  }
  const Index n_unknowns = std::max<Index>(z_.rows(), 1);  // a model may have conditions alone
  return std::sqrt(sum / static_cast<double>(n_stages * n_unknowns));
}

NewtonReport StageNewton::iterate(const CollocationRule& rule, const StepTask& task,
                                  const NewtonSettings& settings, Run& run) {
  NewtonReport report;
  // Hairer, Wanner (IV.8.11): the rate of the last step, weakened, judges the first iterate. It may
  // vouch for a correction within the tolerance, not for a larger one: where the equations have
  // changed since, as at a kink, the matrix is wrong and every correction too small.
  remaining_ = std::max(std::pow(std::max(remaining_, round_off), 0.8), settings.kappa);
  // No remainder can be told from rounding errors that are greater. Where equations amplify them
  // depends on the state: the memory of it fades.
  noise_ *= 0.9;
  const double enough = std::max(settings.kappa, noise_);
  double first = 0.0;
  double previous = 0.0;
  double previous_ratio = 0.0;
  bool is_confirming = false;
  for (int k = 1; k <= settings.max_iterations; ++k) {
    ++iterations_;
    report.iterations = k;
    const auto evaluation = evaluate_stages(rule, task, run);
    if (evaluation != Evaluation::ok) {
      report.outcome = failed_evaluation(evaluation).outcome;
      return report;
    }
    const double norm = solve_modes(rule, task.weights);
    if (!std::isfinite(norm)) {
      report.outcome = Attempt::Outcome::non_finite;
      return report;
    }
    if (k == 1) {
      first = norm;
    } else {
      const double ratio = norm / previous;
      // What no longer contracts are rounding errors.
      if (std::exchange(is_confirming, false) && ratio > 0.3) return report;
      if (ratio > 0.3 && norm <= settings.stagnation) return report;
      // They may be as large as that, and their ratios are no rate of the iteration.
      const bool is_amplified = norm <= amplification * settings.stagnation;
      const bool has_contracted = norm <= 1e-3 * first;
      const bool may_be_noise =
          norm <= (is_amplified && has_contracted ? 10.0 : 1.0) * settings.noise;
      if (ratio > 0.9 && may_be_noise) {
        if (is_amplified) noise_ = std::max(noise_, norm);
        return report;
      }
      if (k == 2 || previous > 10.0 * noise_) {
        report.rate = k == 2 ? ratio : std::sqrt(ratio * previous_ratio);
        previous_ratio = ratio;
      }
      const int left = settings.max_iterations - k;
      if (report.rate >= 0.99) break;
      remaining_ = report.rate / (1.0 - report.rate);
      const double predicted = remaining_ * norm * power(report.rate, left) / enough;
      if (settings.extrapolates_failure && predicted >= 1.0 && !(may_be_noise && is_amplified)) {
        // Hairer, Wanner IV.8: the step at which the iteration would have converged in time.
        report.advice = 0.8 * std::pow(std::clamp(predicted, 1e-4, 20.0), -1.0 / (4.0 + left));
        break;
      }
    }
    if (remaining_ * norm <= enough) {
      is_confirming = k == 2 && report.rate < least_rate && norm > 1.0;
      if (!is_confirming) return report;
    }
    previous = std::max(norm, round_off);
  }
  remaining_ = infinity;
  report.outcome = Attempt::Outcome::diverged;
  return report;
}

bool StageNewton::is_at_rounding(const CollocationRule& rule, std::span<const double> x) const {
  const SparsityPattern& pattern = system_.pattern();
  for (int i = 0; i < rule.stages; ++i) {
    Vector terms = Vector::Zero(residuals_.rows());
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double rate = slopes_(to_index(j), i);
      for (auto p = to_size(pattern.column_start[j]); p < to_size(pattern.column_start[j + 1]); ++p)
        terms[pattern.row[p]] += std::abs(f_x_[p] * x[j]) + std::abs(f_xp_[p] * rate);
    }
    for (Index k = 0; k < terms.size(); ++k) {
      if (!(std::abs(residuals_(k, i)) <= roundings_of_row * round_off * terms[k])) return false;
    }
  }
  return true;
}

bool StageNewton::factor_state_matrix(const StatePoint& at,
                                      const std::vector<bool>& is_differential, Run& run) {
  if (!state_solver_) {
    state_solver_ = linalg::make_real_solver(system_.pattern());
    state_values_.resize(f_x_.size());
    state_slopes_.resize(f_x_.size());
    state_x_.resize(stage_x_.size());
    state_xp_.resize(stage_x_.size());
    state_rhs_.resize(stage_x_.size());
    is_held_.resize(stage_x_.size());
  }
  ++jacobian_evaluations_;
  if (system_.jacobian(at.t, at.x, at.xp, run, state_values_, state_slopes_) != Evaluation::ok) {
    return false;
  }
  const SparsityPattern& pattern = system_.pattern();
  for (std::size_t j = 0; j < is_differential.size(); ++j) {
    const auto first = to_size(pattern.column_start[j]);
    const auto n = to_size(pattern.column_start[j + 1]) - first;
    const auto slopes = std::span<const double>(state_slopes_).subspan(first, n);
    is_held_[j] =
        is_differential[j] && std::ranges::any_of(slopes, [](double s) { return s != 0.0; });
    if (is_held_[j]) std::ranges::copy(slopes, state_values_.begin() + to_index(first));
  }
  ++factorizations_;
  return state_solver_->factor(state_values_).ok;
}

/// How far completing a state has moved it from x.
double StageNewton::distance(std::span<const double> x, std::span<const double> weights) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!is_held_[i]) sum += square((state_x_[i] - x[i]) * weights[i]);
  return std::sqrt(sum / static_cast<double>(x.size()));
}

void StageNewton::complete_state(const StatePoint& at, const std::vector<bool>& is_differential,
                                 std::span<const double> weights, Run& run) {
  // A remainder far below the tolerance. The matrix of one place in a step serves at the others as
  // long as the iteration contracts by one half. From far away each iterate needs its own.
  constexpr double enough = 0.01;
  constexpr int most_iterations = 6;
  constexpr int most_own = 50;
  // What is farther away than a first iteration tells is another solution.
  constexpr double farthest = 2.0;
  for (int attempt = state_matrix_ == StateMatrix::unknown ? 1 : 0; attempt < 3; ++attempt) {
    if (state_matrix_ == StateMatrix::singular) return;
    const bool has_own = attempt == 2;
    if (attempt == 1 && !factor_state_matrix(at, is_differential, run)) {
      state_matrix_ = StateMatrix::singular;
      n_singular_ = std::min(n_singular_ + 1, 8);
      steps_to_skip_ = (1 << n_singular_) - 2;
      return;
    }
    state_matrix_ = StateMatrix::regular;
    n_singular_ = steps_to_skip_ = 0;
    std::ranges::copy(at.x, state_x_.begin());
    std::ranges::copy(at.xp, state_xp_.begin());
    double previous = infinity;
    double first = 0.0;
    for (int k = 0; k < (has_own ? most_own : most_iterations); ++k) {
      if (has_own && !factor_state_matrix({at.t, state_x_, state_xp_}, is_differential, run))
        return;
      if (residual(at.t, state_x_, state_xp_, run, state_rhs_) != Evaluation::ok) return;
      state_solver_->solve(state_rhs_);
      double sum = 0.0;
      for (std::size_t i = 0; i < state_rhs_.size(); ++i) {
        (is_held_[i] ? state_xp_ : state_x_)[i] -= state_rhs_[i];
        if (!is_held_[i]) sum += square(state_rhs_[i] * weights[i]);
      }
      const double norm = std::sqrt(sum / static_cast<double>(state_rhs_.size()));
      if (!(norm < (has_own ? 1.0 : 0.5) * previous)) break;
      previous = norm;
      if (k == 0) first = norm;
      if (norm > enough) continue;
      if (has_own && distance(at.x, weights) > farthest * first) return;
      std::ranges::copy(state_x_, at.x.begin());
      std::ranges::copy(state_xp_, at.xp.begin());
      return;
    }
  }
}

bool StageNewton::carry(const CollocationRule& rule, double h, std::span<double> perturbation) {
  if (!is_factored_for(rule, h)) return false;
  // F_x v at all stages alike: its part of a mode is that of a column.
  const SparsityPattern& pattern = system_.pattern();
  const std::span<double> product = stage_x_;
  std::ranges::fill(product, 0.0);
  for (std::size_t j = 0; j < product.size(); ++j) {
    for (auto p = to_size(pattern.column_start[j]); p < to_size(pattern.column_start[j + 1]); ++p)
      product[to_size(pattern.row[p])] += f_x_[p] * perturbation[j];
  }
  for (int k = 0; k < rule.stages; ++k) {
    const double share = rule.to_modes.col(k).sum();
    const std::span<double> mode = column(modes_, k);
    for (std::size_t i = 0; i < product.size(); ++i) mode[i] = share * product[i];
  }
  modes_solver_->solve(modes_.data(), rule.has_real_mode);
  for (int j = 0; j < rule.stages; ++j) {
    const double share = rule.from_modes.row(j).dot(rule.end_value);
    const std::span<const double> mode = column(modes_, j);
    for (std::size_t i = 0; i < mode.size(); ++i) perturbation[i] += share * mode[i];
  }
  return true;
}

void StageNewton::count(Statistics& statistics) const {
  statistics.residual_evaluations += residual_evaluations_;
  statistics.jacobian_evaluations += jacobian_evaluations_;
  statistics.factorizations += factorizations_;
  statistics.newton_iterations += iterations_;
  statistics.linear_solver = modes_solver_->description();
}

}  // namespace daedal::integration
