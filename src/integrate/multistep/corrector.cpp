// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/multistep/corrector.hpp"

#include <algorithm>
#include <cmath>

#include "core/types.hpp"
#include "integrate/weights.hpp"

namespace daedal::integration {

namespace {

using Cause = CorrectorFailure::Cause;

// The matrix is factored anew when c_j has moved by a quarter, and the correction is iterated to a
// third of the tolerance (Brenan, Campbell & Petzold, 5.2.2). Unknowns of index 2 and 3 depend on
// c_j and c_j², those outside the tests are iterated as far as the others happen to need it, and
// their errors come back through the next predictor: with these tighter values pendulum problems
// take half the steps for the same number of residuals.
constexpr double usual_change_of_c = 0.25;
constexpr double usual_tolerance = 0.33;
constexpr double careful_change_of_c = 0.05;
constexpr double careful_tolerance = 0.01;
constexpr int most_corrections = 4;
// A converged iteration may continue for this many corrections to meet its constraints.
constexpr int iterations_for_constraints = 3;
// Beyond this rate four iterations gain less than a digit.
constexpr double max_rate = 0.9;
// ρ/(1 − ρ) before a rate is known: pessimistic after a factorisation, more so with another c_j
// than the factored one (the values of DASSL and IDA).
constexpr double error_after_factorization = 20.0;
constexpr double error_after_change_of_c = 100.0;
// No iteration counts as better than this: the next solve may meet equations that have changed, and
// a correction 33 times the tolerance is never taken on trust.
constexpr double least_error = 0.01;
// A first correction this far below the tolerance needs no estimate of the rate.
constexpr double negligible = 1e-4;
// A Jacobian this many solves old is evaluated anew when the matrix is factored anyway, and one
// whose last iteration contracted worse than `slow_rate` is too.
constexpr std::int64_t max_jacobian_age = 20;
constexpr double slow_rate = 0.2;
// The largest residual of a constraint, in units of the tolerance, where it matters: the next step
// has to remove it, amplified by 1/h.
constexpr double max_constraint_defect = 3e-5;
// Rows contract at different rates: the greatest residual may belong to a fast one.
constexpr double least_kept = 0.1;
// Units of round-off that an evaluated constraint may be off by.
constexpr double evaluation_error = 10.0;

bool needs_care(const System& system) {
  const auto kinds = system.kinds();
  return std::any_of(kinds.begin(), kinds.end(),
                     [](const UnknownKind& k) { return k.index > 1 || !k.in_error_test; });
}

}  // namespace

Corrector::Corrector(const ImplicitSystem& system, linalg::Corrector kind, linalg::Storage storage)
    : system_(system),
      n_(to_size(system.size())),
      n_constraints_(to_size(system.n_constraints())),
      max_change_of_c_(needs_care(system) ? careful_change_of_c : usual_change_of_c),
      tolerance_(needs_care(system) ? careful_tolerance : usual_tolerance),
      solver_(make_correction_solver(system.pattern(), system.nominals(), kind, storage)),
      tests_constraints_(kind != linalg::Corrector::least_squares &&
                         (n_constraints_ > 0 || needs_care(system))),
      f_x_(to_size(system.pattern().nonzeros())),
      f_xp_(f_x_.size()),
      residual_(n_ + n_constraints_),
      delta_(n_),
      x_(n_),
      xp_(n_),
      constraint_scale_(n_ + n_constraints_) {}

void Corrector::forget_matrix() {
  has_matrix_ = false;
  has_jacobian_ = false;
  has_converged_ = false;
}

Corrector::Outcome Corrector::fail(Cause cause, double t, Index row, Index column) {
  failure_ = {.cause = cause, .t = t, .row = row, .column = column};
  return cause == Cause::fatal ? Outcome::fatal : Outcome::recoverable;
}

bool Corrector::wants_matrix(double c) const {
  return !has_matrix_ || std::abs(c / c_factored_ - 1.0) > max_change_of_c_;
}

bool Corrector::wants_jacobian() const {
  return !has_jacobian_ || jacobian_age_ >= max_jacobian_age || converged_slowly_;
}

Corrector::Outcome Corrector::solve(const CorrectorProblem& problem, Run& run,
                                    std::span<double> correction) {
  ++counters_.solves;
  ++jacobian_age_;
  bool jacobian_is_fresh = false;
  if (wants_matrix(problem.c)) {
    jacobian_is_fresh = wants_jacobian();
    const Outcome updated = update_matrix(problem, run, jacobian_is_fresh);
    if (updated != Outcome::converged) return updated;
  }
  Outcome outcome = iterate(problem, run, correction);
  if (outcome == Outcome::recoverable && !jacobian_is_fresh) {
    outcome = update_matrix(problem, run, true);
    if (outcome == Outcome::converged) outcome = iterate(problem, run, correction);
  }
  const bool is_at_start = !has_converged_;
  if (outcome == Outcome::recoverable && failure_.cause == Cause::diverged && is_at_start) {
    outcome = iterate_beyond_kink(problem, run, correction);
  }
  if (outcome == Outcome::converged) has_converged_ = true;
  if (outcome != Outcome::converged) has_matrix_ = false;
  return outcome;
}

// A run starts anew at an event, which may be a kink: with the slopes of one side the iteration
// never settles on the other, however small the step (a contact that closes). They are taken where
// it has led. Later on an iteration that does not settle is a step too long, or the end of the
// solution.
Corrector::Outcome Corrector::iterate_beyond_kink(const CorrectorProblem& problem, Run& run,
                                                  std::span<double> correction) {
  const CorrectorFailure first = failure_;
  CorrectorProblem reached = problem;
  reached.x = x_;
  reached.xp = xp_;
  Outcome outcome = update_matrix(reached, run, true);
  if (outcome == Outcome::converged) outcome = iterate(problem, run, correction);
  if (outcome == Outcome::recoverable) failure_ = first;
  return outcome;
}

void Corrector::set_point(const CorrectorProblem& problem, std::span<const double> correction) {
  for (std::size_t i = 0; i < n_; ++i) {
    x_[i] = problem.x[i] + correction[i];
    xp_[i] = problem.xp[i] + problem.c * correction[i];
  }
}

Corrector::Outcome Corrector::evaluate_jacobian(const CorrectorProblem& problem, Run& run) {
  ++counters_.jacobians;
  has_jacobian_ = false;
  const Evaluation evaluation =
      system_.jacobian(problem.t, problem.x, problem.xp, run, f_x_, f_xp_);
  if (evaluation == Evaluation::fatal) return fail(Cause::fatal, problem.t, run.failure.row, -1);
  if (evaluation == Evaluation::recoverable) {
    return fail(Cause::jacobian_not_finite, problem.t, run.failure.row, -1);
  }
  const Index bad = std::max(first_not_finite(f_x_), first_not_finite(f_xp_));
  if (bad >= 0) {
    return fail(Cause::jacobian_not_finite, problem.t, system_.pattern().row[to_size(bad)], -1);
  }
  has_jacobian_ = true;
  jacobian_age_ = 0;
  return Outcome::converged;
}

Corrector::Outcome Corrector::update_matrix(const CorrectorProblem& problem, Run& run,
                                            bool with_jacobian) {
  has_matrix_ = false;
  if (with_jacobian) {
    const Outcome evaluated = evaluate_jacobian(problem, run);
    if (evaluated != Outcome::converged) return evaluated;
  }
  ++counters_.factorizations;
  const linalg::FactorReport report = solver_->factor(f_x_, f_xp_, problem.c);
  if (!report.ok) return fail(Cause::singular_matrix, problem.t, -1, report.singular_column);
  has_matrix_ = true;
  converged_slowly_ = false;
  c_factored_ = problem.c;
  c_last_ = problem.c;
  error_per_correction_ = error_after_factorization;
  if (tests_constraints_) scale_constraints(problem);
  return Outcome::converged;
}

Corrector::Outcome Corrector::evaluate_residual(const CorrectorProblem& problem, Run& run) {
  ++counters_.residuals;
  const Evaluation evaluation = system_.residual(problem.t, x_, xp_, run, residual_);
  if (evaluation == Evaluation::ok) return Outcome::converged;
  if (evaluation == Evaluation::fatal) return fail(Cause::fatal, problem.t, run.failure.row, -1);
  return fail(Cause::residual_not_finite, problem.t, run.failure.row, -1);
}

Corrector::Outcome Corrector::iterate(const CorrectorProblem& problem, Run& run,
                                      std::span<double> correction) {
  if (problem.c != c_last_) error_per_correction_ = error_after_change_of_c;
  c_last_ = problem.c;
  // Brenan, Campbell & Petzold (5.2.18): the factor that is best for a matrix with another c_j.
  const double relaxation = 2.0 / (1.0 + problem.c / c_factored_);

  // Not a NewtonWatch: as in DASSL the rate is the mean over all corrections of the step and is
  // kept from step to step, and the constraints have a test of their own.
  std::fill(correction.begin(), correction.end(), 0.0);
  set_point(problem, correction);
  double first_norm = 0.0;
  double last_defect = 0.0;
  for (int m = 0; m < most_corrections + iterations_for_constraints; ++m) {
    const Outcome evaluated = evaluate_residual(problem, run);
    if (evaluated != Outcome::converged) return evaluated;
    ++counters_.iterations;
    const double defect = constraint_defect();
    solver_->solve(residual_, delta_);
    for (std::size_t i = 0; i < n_; ++i) {
      delta_[i] *= relaxation;
      correction[i] += delta_[i];
    }
    set_point(problem, correction);

    const double norm = weighted_rms(delta_, problem.weights);
    if (!std::isfinite(norm)) {
      const Index row = first_not_finite(residual_);
      return fail(row < 0 ? Cause::diverged : Cause::residual_not_finite, problem.t, row, -1);
    }
    if (m == 0) {
      first_norm = norm;
      if (norm <= negligible * tolerance_ && defect <= allowed_defect_) {
        return Outcome::converged;
      }
    } else {
      const double gain = first_norm > 0.0 ? norm / first_norm : 0.0;
      const double rate = m == 1 ? gain : std::pow(gain, 1.0 / m);
      if (!(rate <= max_rate)) return fail(Cause::diverged, problem.t, -1, -1);
      error_per_correction_ = std::max(rate / (1.0 - rate), least_error);
      converged_slowly_ = rate > slow_rate;
    }
    // What this correction leaves of the constraint residuals it was made for: as much as the last
    // one did; all of it when there was none, for the matrix may be an old one.
    const double kept = last_defect > 0.0 ? std::clamp(defect / last_defect, least_kept, 1.0) : 1.0;
    last_defect = defect;
    const bool has_converged = error_per_correction_ * norm <= tolerance_;
    if (has_converged && kept * defect <= allowed_defect_) return Outcome::converged;
    if (!has_converged && m + 1 >= most_corrections) break;
  }
  return fail(Cause::diverged, problem.t, -1, -1);
}

// A constraint is a row of the overdetermined block, or one without derivatives and without
// unknowns outside the tests, which it would be solved for. Its residual counts in units of what
// the tolerances of the unknowns allow it: s_i² = Σ_j (A_ij / w_j)², over the tested unknowns; 0
// for rows that are no constraints.
void Corrector::scale_constraints(const CorrectorProblem& problem) {
  const SparsityPattern& pattern = system_.pattern();
  std::fill(constraint_scale_.begin(), constraint_scale_.end(), 0.0);
  double rounding = 0.0;
  for (std::size_t j = 0; j < n_; ++j) {
    const double weight = problem.weights[j];
    if (weight <= 0.0) continue;
    rounding = std::max(rounding, round_off * weight * std::abs(problem.x[j]));
    for (Index k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      const double entry = (f_x_[to_size(k)] + c_factored_ * f_xp_[to_size(k)]) / weight;
      constraint_scale_[to_size(pattern.row[to_size(k)])] += entry * entry;
    }
  }
  for (double& scale : constraint_scale_) scale = std::sqrt(scale);
  for (std::size_t j = 0; j < n_; ++j) {
    const bool is_tested = problem.weights[j] > 0.0;
    for (Index k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      const std::size_t row = to_size(pattern.row[to_size(k)]);
      const bool decides = f_xp_[to_size(k)] != 0.0 || (!is_tested && f_x_[to_size(k)] != 0.0);
      if (decides && row < n_) constraint_scale_[row] = 0.0;
    }
  }
  allowed_defect_ = std::max(max_constraint_defect, evaluation_error * rounding);
}

double Corrector::constraint_defect() const {
  double defect = 0.0;
  if (!tests_constraints_) return defect;
  for (std::size_t i = 0; i < constraint_scale_.size(); ++i) {
    if (constraint_scale_[i] <= 0.0) continue;
    defect = std::max(defect, std::abs(residual_[i]) / constraint_scale_[i]);
  }
  return defect;
}

}  // namespace daedal::integration
