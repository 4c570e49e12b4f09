// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/one_step/stage_newton.hpp"

#include <algorithm>
#include <cmath>

#include "integrate/weights.hpp"

namespace daedal::integration {

namespace {

/// Conjugate pairs of eigenvalues of a rule with so many stages.
int pairs(int stages) {
  return stages / 2;
}

std::span<const double> column(const Matrix& m, int j) {
  return {m.col(j).data(), to_size(m.rows())};
}
std::span<double> column(Matrix& m, int j) {
  return {m.col(j).data(), to_size(m.rows())};
}

}  // namespace

StageNewton::StageNewton(const ImplicitSystem& system, int max_stages)
    : system_(system),
      real_solver_(linalg::make_real_solver(system.pattern())),
      f_x_(system.pattern().row.size()),
      f_xp_(f_x_.size()),
      real_values_(f_x_.size()),
      complex_values_(f_x_.size()),
      real_rhs_(to_size(system.size())),
      complex_rhs_(to_size(system.size())),
      z_(Matrix::Zero(system.size(), max_stages)),
      residuals_(z_),
      corrections_(z_),
      stage_x_(to_size(system.size())),
      stage_xp_(stage_x_.size()) {
  for (int k = 0; k < pairs(max_stages); ++k) {
    complex_solvers_.push_back(linalg::make_complex_solver(system.pattern()));
  }
}

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
  const bool finite = as_vector(f_x_).allFinite() && as_vector(f_xp_).allFinite();
  return finite ? Evaluation::ok : Evaluation::recoverable;
}

linalg::FactorReport StageNewton::factor(const CollocationRule& rule, double h, bool with_real) {
  factored_rule_ = nullptr;
  if (rule.has_real_mode || with_real) {
    const double scale = rule.real_gamma / h;
    for (std::size_t k = 0; k < f_x_.size(); ++k) real_values_[k] = scale * f_xp_[k] + f_x_[k];
    ++factorizations_;
    if (const auto report = real_solver_->factor(real_values_); !report.ok) return report;
  }
  for (std::size_t m = 0; m < rule.modes.size(); ++m) {
    const std::complex<double> scale = rule.modes[m].gamma / h;
    for (std::size_t k = 0; k < f_x_.size(); ++k) {
      complex_values_[k] = {scale.real() * f_xp_[k] + f_x_[k], scale.imag() * f_xp_[k]};
    }
    ++factorizations_;
    if (const auto report = complex_solvers_[m]->factor(complex_values_); !report.ok) return report;
  }
  factored_rule_ = &rule;
  factored_step_ = h;
  return {};
}

Evaluation StageNewton::evaluate_stages(const CollocationRule& rule, const StepTask& task,
                                        Run& run) {
  for (int i = 0; i < rule.stages; ++i) {
    as_vector(stage_x_) = as_vector(task.x) + z_.col(i);
    as_vector(stage_xp_).setZero();
    for (int j = 0; j < rule.stages; ++j) {
      as_vector(stage_xp_) += (rule.d(i, j) / task.h) * z_.col(j);
    }
    const auto evaluation =
        residual(task.t + rule.c(i) * task.h, stage_x_, stage_xp_, run, column(residuals_, i));
    if (evaluation != Evaluation::ok) return evaluation;
  }
  return Evaluation::ok;
}

void StageNewton::solve_modes(const CollocationRule& rule) {
  corrections_.leftCols(rule.stages).setZero();
  if (rule.has_real_mode) {
    const auto& mode = rule.real_mode;
    as_vector(real_rhs_).setZero();
    for (int j = 0; j < rule.stages; ++j) {
      as_vector(real_rhs_) -= mode.left[to_size(j)].real() * residuals_.col(j);
    }
    real_solver_->solve(real_rhs_);
    for (int i = 0; i < rule.stages; ++i) {
      corrections_.col(i) += mode.right[to_size(i)].real() * as_vector(real_rhs_);
    }
  }
  for (std::size_t m = 0; m < rule.modes.size(); ++m) {
    const auto& mode = rule.modes[m];
    std::ranges::fill(complex_rhs_, 0.0);
    for (int j = 0; j < rule.stages; ++j) {
      const auto weight = mode.left[to_size(j)];
      for (std::size_t i = 0; i < complex_rhs_.size(); ++i) {
        complex_rhs_[i] -= weight * residuals_(to_index(i), j);
      }
    }
    complex_solvers_[m]->solve(complex_rhs_);
    for (int j = 0; j < rule.stages; ++j) {
      const double re = 2.0 * mode.right[to_size(j)].real();
      const double im = 2.0 * mode.right[to_size(j)].imag();
      for (std::size_t i = 0; i < complex_rhs_.size(); ++i) {
        corrections_(to_index(i), j) += re * complex_rhs_[i].real() - im * complex_rhs_[i].imag();
      }
    }
  }
}

double StageNewton::correction_norm(int stages, std::span<const double> weights) const {
  double sum = 0.0;
  for (int i = 0; i < stages; ++i) {
    const double norm = weighted_rms(column(corrections_, i), weights);
    sum += norm * norm;
  }
  return std::sqrt(sum / stages);
}

NewtonReport StageNewton::iterate(const CollocationRule& rule, const StepTask& task,
                                  const NewtonSettings& settings, Run& run) {
  NewtonReport report;
  // Hairer, Wanner (IV.8.11): the rate of the last step, weakened, judges the first iterate.
  remaining_ = std::pow(std::max(remaining_, round_off), 0.8);
  double previous = 0.0;
  double previous_ratio = 0.0;
  for (int k = 1; k <= settings.max_iterations; ++k) {
    ++iterations_;
    report.iterations = k;
    const auto evaluation = evaluate_stages(rule, task, run);
    if (evaluation != Evaluation::ok) {
      report.outcome = failed_evaluation(evaluation).outcome;
      return report;
    }
    solve_modes(rule);
    const double norm = correction_norm(rule.stages, task.weights) / settings.scale;
    if (!std::isfinite(norm)) {
      report.outcome = Attempt::Outcome::non_finite;
      return report;
    }
    z_.leftCols(rule.stages) += corrections_.leftCols(rule.stages);
    if (k > 1) {
      const double ratio = norm / previous;
      if (ratio > 0.3 && norm <= settings.stagnation) return report;
      report.rate = k == 2 ? ratio : std::sqrt(ratio * previous_ratio);
      previous_ratio = ratio;
      const int left = settings.max_iterations - k;
      if (report.rate >= 0.99) break;
      remaining_ = report.rate / (1.0 - report.rate);
      const double predicted = remaining_ * norm * std::pow(report.rate, left) / settings.kappa;
      if (settings.extrapolates_failure && predicted >= 1.0) {
        // Hairer, Wanner IV.8: the step at which the iteration would have converged in time.
        report.advice = 0.8 * std::pow(std::clamp(predicted, 1e-4, 20.0), -1.0 / (4.0 + left));
        break;
      }
    }
    if (remaining_ * norm <= settings.kappa) return report;
    previous = std::max(norm, round_off);
  }
  remaining_ = infinity;
  report.outcome = Attempt::Outcome::diverged;
  return report;
}

void StageNewton::count(Statistics& statistics) const {
  statistics.residual_evaluations += residual_evaluations_;
  statistics.jacobian_evaluations += jacobian_evaluations_;
  statistics.factorizations += factorizations_;
  statistics.newton_iterations += iterations_;
}

}  // namespace daedal::integration
