// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanics/mechanical_manifold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulation/constrained/manifold_newton.hpp"

namespace daedal::formulation {

namespace {

/// Corrections below this share of the positions are rounding errors, whose rate means nothing.
constexpr double negligible_drift = 1e-12;
}  // namespace

void MechanicalManifold::prepare(MechanicalRun& run) const {
  ProjectionWork& work = run.projection;
  work.mass.assign(mechanics_.mass_pattern().row.size(), 0.0);
  work.jacobian.assign(mechanics_.jacobian_pattern().row.size(), 0.0);
  work.values.assign(to_size(mechanics_.m()), 0.0);
  work.correction.assign(to_size(mechanics_.n()), 0.0);
  work.trial.assign(2 * to_size(mechanics_.n()), 0.0);
  work.solver.clear();
  if (metric_ == Metric::euclidean) {
    work.solver.emplace_back(diagonal_pattern(mechanics_.n()), mechanics_.jacobian_pattern());
    work.mass.assign(to_size(mechanics_.n()), 1.0);
  }
}

std::string MechanicalManifold::invariant_name(std::int64_t invariant) const {
  if (invariant < mechanics_.m()) return mechanics_.constraint_name(invariant);
  return "the time derivative of " + mechanics_.constraint_name(invariant - mechanics_.m());
}

Evaluation MechanicalManifold::residual(double t, std::span<const double> x, int level, Run& run,
                                        std::span<double> values) const {
  return mechanics_.residual(mechanics_.point(t, x), level, run_of<MechanicalRun>(run), values);
}

Evaluation MechanicalManifold::read_and_factor(const MechanicalPoint& at,
                                               MechanicalRun& run) const {
  ProjectionWork& work = run.projection;
  if (!mechanics_.position_level(at, run, work.values, work.jacobian)) {
    run.failure = {Status::non_finite_value, -1,
                   fmt::format("A constraint is not finite at t = {:.12g}.", at.t)};
    return Evaluation::recoverable;
  }
  if (metric_ == Metric::mass && !mechanics_.mass(at, run, work.mass)) {
    run.failure = {Status::non_finite_value, -1,
                   fmt::format("A mass is not finite at t = {:.12g}.", at.t)};
    return Evaluation::recoverable;
  }
  return factor(at.t, run);
}

Evaluation MechanicalManifold::factor(double t, MechanicalRun& run) const {
  ProjectionWork& work = run.projection;
  if (metric_ == Metric::mass) {
    return mechanics_.factor(work.mass, work.jacobian, t, run,
                             RegularConstraints::Purpose::projection);
  }
  const linalg::SaddlePointReport report = work.solver.front().factor(work.mass, work.jacobian);
  if (report.ok) return Evaluation::ok;
  run.failure = {
      Status::singular_iteration_matrix, report.singular_constraint,
      fmt::format("At t = {:.12g} the constraint {} depends on the others: it is redundant, or "
                  "the position is singular.",
                  t, mechanics_.constraint_name(std::max<Index>(report.singular_constraint, 0)))};
  return Evaluation::fatal;
}

void MechanicalManifold::correct(MechanicalRun& run) const {
  ProjectionWork& work = run.projection;
  std::fill(work.correction.begin(), work.correction.end(), 0.0);
  if (metric_ == Metric::mass) {
    mechanics_.solve(work.correction, work.values, run);
  } else {
    work.solver.front().solve(work.correction, work.values);
  }
}

Evaluation MechanicalManifold::project_level(int level, double t, std::span<double> x,
                                             std::span<const double> weights,
                                             MechanicalRun& run) const {
  ProjectionWork& work = run.projection;
  const std::size_t n = x.size() / 2;
  const std::span<double> moves = level == 0 ? x.first(n) : x.subspan(n, n);
  const std::span<const double> scale = level == 0 ? weights.first(n) : weights.subspan(n, n);
  bool is_known = level == 0;  // factor() has left g
  const auto next = [&] {
    const Evaluation evaluation =
        is_known ? Evaluation::ok : residual(t, x, level, run, work.values);
    if (evaluation != Evaluation::ok) return evaluation;
    is_known = false;
    for (double& value : work.values) value = -value;
    correct(run);
    return Evaluation::ok;
  };
  switch (project_by_newton({moves, scale, work.correction}, next)) {
    case Projected::yes:
      return Evaluation::ok;
    case Projected::not_evaluated:
      return Evaluation::recoverable;
    default:
      break;
  }
  residual(t, x, level, run, work.values);
  const auto worst = std::max_element(work.values.begin(), work.values.end(),
                                      [](double a, double b) { return std::abs(a) < std::abs(b); });
  run.failure = {Status::singular_iteration_matrix, -1,
                 fmt::format("The projection on the constraint {} did not converge at t = {:.12g}: "
                             "the drift of a step is too large, or a singular position is near.",
                             mechanics_.constraint_name(worst - work.values.begin()), t)};
  return Evaluation::recoverable;
}

Evaluation MechanicalManifold::project(double t, std::span<double> x,
                                       std::span<const double> weights, Run& base) const {
  auto& run = run_of<MechanicalRun>(base);
  Evaluation evaluation = read_and_factor(mechanics_.point(t, x), run);
  if (evaluation == Evaluation::ok) evaluation = project_level(0, t, x, weights, run);
  if (evaluation == Evaluation::ok) evaluation = project_level(1, t, x, weights, run);
  return evaluation;
}

double MechanicalManifold::contraction(double t, std::span<const double> x, Run& base) const {
  auto& run = run_of<MechanicalRun>(base);
  ProjectionWork& work = run.projection;
  const std::size_t n = x.size() / 2;
  if (read_and_factor(mechanics_.point(t, x), run) != Evaluation::ok) return infinity;
  std::copy_n(x.begin(), 2 * n, work.trial.begin());
  double sizes[2] = {};
  for (double& size : sizes) {
    if (residual(t, work.trial, 0, run, work.values) != Evaluation::ok) return infinity;
    for (double& value : work.values) value = -value;
    correct(run);
    size = relative_size(work.correction, x.first(n));
    if (size <= negligible_drift) return 0.0;
    for (std::size_t j = 0; j < n; ++j) work.trial[j] += work.correction[j];
  }
  return sizes[1] / sizes[0];
}

Evaluation MechanicalManifold::add_normal(double t, std::span<const double> x_base,
                                          std::span<const double> mu, std::span<double> x,
                                          Run& base) const {
  auto& run = run_of<MechanicalRun>(base);
  ProjectionWork& work = run.projection;
  if (!mechanics_.position_level(mechanics_.point(t, x_base), run, work.values, work.jacobian)) {
    run.failure = {Status::non_finite_value, -1,
                   fmt::format("A constraint is not finite at t = {:.12g}.", t)};
    return Evaluation::recoverable;
  }
  const SparsityPattern& pattern = mechanics_.jacobian_pattern();
  const std::size_t n = x.size() / 2;
  const auto m = to_size(mechanics_.m());
  for (std::size_t j = 0; j < n; ++j) {
    for (auto p = to_size(pattern.column_start[j]); p < to_size(pattern.column_start[j + 1]); ++p) {
      const auto row = to_size(pattern.row[p]);
      x[j] += work.jacobian[p] * mu[row];
      x[n + j] += work.jacobian[p] * mu[m + row];
    }
  }
  return Evaluation::ok;
}

}  // namespace daedal::formulation
