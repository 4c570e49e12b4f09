// SPDX-License-Identifier: BSD-3-Clause
// x' and the dependent coordinates at given (t, x_2): the nonlinear equations F_k = 0.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulation/array/system.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

using analysis::ArrayCorrector;
using analysis::ArrayPoint;

/// A damped iteration halves its step at most six times: below 1/64 of a correction the direction
/// is wrong, not its length.
constexpr int max_iterations = 40;
constexpr double least_damping = 1.0 / 64.0;
/// Contraction above which fresh factors pay.
constexpr double slow_contraction = 0.2;
/// Not trusted below: parts that shrink fast hide others.
constexpr double least_contraction = 0.2;
/// What the last correction of x and x' leaves undone is this much below the wanted accuracy, but
/// not below what the arithmetic allows.
constexpr double safety = 1e-3;
constexpr double least_tolerance = 2e-13;
/// Tolerance of w in every run: constraints of the higher levels are as accurate as w.
constexpr double high_tolerance = 2e-13;
/// Corrections that no longer shrink below these are at the round-off of the array; the last one
/// with fresh factors.
constexpr double low_round_off = 1e-12;
constexpr double high_round_off = 1e-11;
constexpr double round_off_level = 1e-10;

/// How far a dependent coordinate may move from the integrator's value, relative to |x| + nominal:
/// farther away lies another solution of the constraints.
constexpr double farthest_move = 0.25;

Evaluation fail(Status status, std::string detail, Run& run) {
  run.failure = {status, -1, std::move(detail)};
  return Evaluation::recoverable;
}

void add(std::span<double> to, double factor, std::span<const double> what) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * what[i];
}

}  // namespace

ArraySolver::ArraySolver(const GeneralView& view, const ArraySettings& settings)
    : model_(view.model), settings_(settings), array_(view, settings.max_index) {
  for (const Variable& variable : view.model.variables()) nominals_.push_back(variable.nominal);
}

ArrayPoint ArraySolver::point(double t, std::span<const double> series, const ArrayRun& run) const {
  ArrayPoint point = array_point(t, run);
  point.scale = run.scale;
  point.series = series;
  return point;
}

std::string ArraySolver::names_of(std::span<const Index> unknowns) const {
  std::vector<std::string> names;
  for (const Index j : unknowns) names.push_back("'" + model_.variables()[to_size(j)].name + "'");
  return join_words(names);
}

void ArraySolver::predict(double t, std::span<const double> x, ArrayRun& run) const {
  if (run.solved_t == t && run.has_series) {
    // Another x at the same time (a corrector after its predictor): the last solution is nearest.
    std::copy(x.begin(), x.end(), run.series.begin());
    return;
  }
  // The series at the nearest point solved, the last accepted one or another of this step, moved to
  // t: Y_j = Σ_i C(i, j) s^(i−j) X_i, by repeated Horner steps.
  const bool is_nearer = run.has_series && std::abs(t - run.solved_t) < std::abs(t - run.base_t);
  if (!is_nearer) run.series = run.base;
  const double s = (t - (is_nearer ? run.solved_t : run.base_t)) / run.scale;
  const Index n = size();
  for (int first = 0; first <= run.level; ++first) {
    for (int i = run.level; i >= first; --i) {
      for (Index j = 0; j < n; ++j) {
        run.series[to_size(i * n + j)] += s * run.series[to_size((i + 1) * n + j)];
      }
    }
  }
  std::copy(x.begin(), x.end(), run.series.begin());
}

ArraySolver::Size ArraySolver::size_of(std::span<const double> delta, const ArrayRun& run) const {
  Size size;
  const auto n = nominals_.size();
  for (std::size_t first = 0; first < delta.size(); first += n) {
    double& part = first < 2 * n ? size.low : size.high;
    for (std::size_t j = 0; j < n; ++j) {
      const double move = std::abs(delta[first + j]);
      const double scale = std::abs(run.series[first + j]) +
                           run.order_weights[first / n] * (std::abs(run.series[j]) + nominals_[j]);
      if (!(move <= part * scale)) part = move / scale;
    }
  }
  return size;
}

bool ArraySolver::is_small(const Size& size) const {
  return size.low <= std::max(safety * settings_.epsilon, least_tolerance) &&
         size.high <= high_tolerance;
}

bool ArraySolver::refactor(double t, ArrayRun& run) const {
  using Outcome = ArrayCorrector::Outcome;
  const Outcome outcome = run.corrector->factor(point(t, run.series, run));
  if (outcome == Outcome::ok) return true;
  switch (outcome) {
    case Outcome::rank_changed:
      fail(Status::rank_change,
           fmt::format("The rank of the derivative array changes at t = {:.12g}.", t), run);
      break;
    case Outcome::singular_partition:
      fail(Status::singular_iteration_matrix,
           fmt::format("At t = {:.12g} the constraints do not determine {}.", t,
                       names_of(run.corrector->dependent())),
           run);
      break;
    default:
      fail(Status::non_finite_value,
           fmt::format("The equations or their derivatives are not finite at t = {:.12g}.", t),
           run);
  }
  return false;
}

Evaluation ArraySolver::solve_completion(double t, ArrayRun& run) const {
  // Not a NewtonWatch: low and high derivatives have tolerances of their own, and only the low ones
  // tell round-off.
  double before = infinity;
  for (int i = 0; i < max_iterations; ++i) {
    if (!refactor(t, run)) return Evaluation::recoverable;
    run.corrector->correct(run.delta);
    const Size size = size_of(run.delta, run);
    if (!std::isfinite(size.low + size.high)) break;
    add(run.series, 1.0, run.delta);
    const bool has_settled = size.low <= round_off_level && size.low >= 0.5 * before;
    if (is_small(size) || has_settled) return Evaluation::ok;
    before = size.low;
  }
  return fail(Status::newton_failure,
              fmt::format("The derivatives could not be solved at t = {:.12g}.", t), run);
}

Evaluation ArraySolver::solve_partition(double t, ArrayRun& run) const {
  // Campbell, Moore (21). A damped step is taken when the correction at its end, by the same
  // factors, is shorter (Deuflhard's natural monotonicity test); factors that contract slowly are
  // renewed. Not a NewtonWatch: the corrections compared belong to trial points.
  ArrayCorrector& corrector = *run.corrector;
  const auto not_finite = [&] {
    return fail(Status::non_finite_value,
                fmt::format("The equations or their derivatives are not finite at t = {:.12g}.", t),
                run);
  };
  if (!corrector.evaluate(point(t, run.series, run))) return not_finite();
  corrector.correct(run.delta);
  Size size = size_of(run.delta, run);
  bool is_fresh = false;
  double damping = 1.0;
  double contraction = 1.0;  // observed: what a correction leaves undone, relative to it
  for (int i = 0; i < max_iterations; ++i) {
    if (is_small({contraction * size.low, contraction * size.high})) {
      add(run.series, 1.0, run.delta);
      return Evaluation::ok;
    }
    run.trial = run.series;
    add(run.trial, damping, run.delta);
    const double before = std::max(size.low, size.high);
    Size next{infinity, infinity};
    if (corrector.evaluate(point(t, run.trial, run))) {
      corrector.correct(run.trial_delta);
      next = size_of(run.trial_delta, run);
    }
    const double length = std::max(next.low, next.high);
    if (length <= (1.0 - 0.25 * damping) * before) {
      run.series.swap(run.trial);
      run.delta.swap(run.trial_delta);
      size = next;
      contraction = damping < 1.0 ? 1.0 : std::max(length / before, least_contraction);
      if (contraction <= slow_contraction) continue;
      damping = std::min(1.0, 2.0 * damping);
    } else if ((size.low <= low_round_off && size.high <= high_round_off) ||
               (size.low <= round_off_level && is_fresh)) {
      // Both corrections together, where the second is no worse: it undoes errors of the first.
      const bool takes_both = next.low <= std::max(size.low, low_round_off) &&
                              next.high <= std::max(size.high, high_round_off);
      if (takes_both) run.series.swap(run.trial);
      add(run.series, 1.0, takes_both ? run.trial_delta : run.delta);
      return Evaluation::ok;
    } else if (is_fresh) {
      damping *= 0.5;
      if (damping < least_damping) break;
      continue;
    }
    if (!refactor(t, run)) return Evaluation::recoverable;
    corrector.correct(run.delta);
    size = size_of(run.delta, run);
    is_fresh = true;
    contraction = 1.0;
  }
  return fail(Status::newton_failure,
              fmt::format("The dependent coordinates {} could not be solved at t = {:.12g}.",
                          names_of(corrector.dependent()), t),
              run);
}

bool ArraySolver::has_jumped(std::span<const double> x, const ArrayRun& run) const {
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double scale = std::abs(x[j]) + nominals_[j];
    if (!(std::abs(run.series[j] - x[j]) <= farthest_move * scale)) return true;
  }
  return false;
}

bool ArraySolver::is_solved(double t, std::span<const double> x, const ArrayRun& run) {
  return run.is_solved && run.solved_t == t && std::ranges::equal(x, run.solved_x);
}

bool ArraySolver::follow_schedule(double t, ArrayRun& run) const {
  const auto& schedule = settings_.schedule;
  const auto due = std::find_if(schedule.rbegin(), schedule.rend(), [&](const auto& forced) {
    return forced.t <= t + 1e-9 * std::abs(t);
  });
  if (due == schedule.rend() || std::ranges::equal(due->dependent, run.corrector->dependent())) {
    return true;
  }
  ++run.reselections;
  return run.corrector->select(due->dependent);
}

Evaluation ArraySolver::solve(double t, std::span<const double> x, ArrayRun& run) const {
  if (is_solved(t, x, run)) return Evaluation::ok;
  run.is_solved = false;
  run.solved_x.assign(x.begin(), x.end());
  if (!follow_schedule(t, run)) {
    return fail(Status::singular_iteration_matrix,
                fmt::format("At t = {:.12g} the constraints do not determine {}.", t,
                            names_of(run.corrector->dependent())),
                run);
  }
  predict(t, x, run);
  Evaluation evaluation =
      settings_.form == ArrayForm::completion ? solve_completion(t, run) : solve_partition(t, run);
  if (evaluation == Evaluation::ok && has_jumped(x, run)) {
    evaluation = fail(Status::newton_failure,
                      fmt::format("At t = {:.12g} the dependent coordinates {} came out far from "
                                  "where the step led: it is too long.",
                                  t, names_of(run.corrector->dependent())),
                      run);
  }
  run.is_solved = run.has_series = evaluation == Evaluation::ok;
  run.solved_t = t;
  return evaluation;
}

double ArraySolver::residual_of_level(double t, std::span<const double> x, int level,
                                      ArrayRun& run) const {
  if (solve(t, x, run) != Evaluation::ok || level > run.level ||
      !run.corrector->evaluate(point(t, run.series, run))) {
    return NAN;
  }
  return level_residual(level, run, [](Index) { return true; });
}

int ArraySolver::n_constraint_levels(const ArrayRun& run) const {
  for (Index row = array_.n_equations() * (run.level + 1) - 1; row >= 0; --row) {
    if (run.corrector && run.corrector->is_constraining(row)) {
      return static_cast<int>(row / array_.n_equations()) + 1;
    }
  }
  return 0;
}

double ArraySolver::constraint_residual(double t, std::span<const double> x, int level,
                                        ArrayRun& run) const {
  if (solve(t, x, run) != Evaluation::ok) return NAN;
  return solved_constraint_residual(t, x, level, run);
}

double ArraySolver::solved_constraint_residual(double t, std::span<const double> x, int level,
                                               ArrayRun& run) const {
  // Asked for level after level: one evaluation serves them all.
  run.trial = run.series;
  std::ranges::copy(x, run.trial.begin());
  if (run.reported_t != t || !std::ranges::equal(run.reported, run.trial)) {
    run.reported_t = t;
    run.reported = run.trial;
    run.level_residuals.assign(static_cast<std::size_t>(run.level) + 1, NAN);
    if (!run.corrector->evaluate(point(t, run.reported, run))) return NAN;
    for (int i = 0; i <= run.level; ++i) {
      run.level_residuals[static_cast<std::size_t>(i)] =
          level_residual(i, run, [&](Index row) { return run.corrector->is_constraining(row); });
    }
  }
  return level <= run.level ? run.level_residuals[static_cast<std::size_t>(level)] : NAN;
}

template <class Takes>
double ArraySolver::level_residual(int level, const ArrayRun& run, Takes takes) const {
  double factor = 1.0;  // level!/scale^level
  for (int i = 1; i <= level; ++i) factor *= i / run.scale;
  double greatest = 0.0;
  const Index first = level * array_.n_equations();
  for (Index row = first; row < first + array_.n_equations(); ++row) {
    if (takes(row))
      greatest = std::max(greatest, std::abs(run.corrector->residual()[to_size(row)]));
  }
  return factor * greatest;
}

}  // namespace daedal::formulation
