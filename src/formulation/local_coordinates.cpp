// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/local_coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linalg/pivot_columns.hpp"
#include "linalg/sparsity.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

constexpr int max_iterations = 25;
/// A digit an iteration: beyond it a new factorisation is cheaper.
constexpr double slow_rate = 0.1;
/// A chart whose smallest pivot is below this share of the best one's has come to its end.
constexpr double singular_share = 1e-4;

LocalCoordinatesRun& own(Run& run) {
  return static_cast<LocalCoordinatesRun&>(run);
}

}  // namespace

LocalCoordinatesSystem::LocalCoordinatesSystem(std::shared_ptr<const MechanicalContext> context,
                                               const LocalCoordinatesSettings& settings)
    : MechanicalOde(std::move(context), {}), settings_(settings) {}

std::unique_ptr<Run> LocalCoordinatesSystem::make_run() const {
  const Mechanics& mechanics = context().mechanics();
  auto run = std::make_unique<LocalCoordinatesRun>(mechanics.view().model, context().parameters());
  context().prepare(*run);
  run->jacobian.resize(mechanics.jacobian_pattern().row.size());
  run->values.resize(to_size(mechanics.m()));
  run->normals = Matrix::Zero(mechanics.n(), mechanics.m());
  run->solver.emplace_back(mechanics.m());
  return run;
}

bool LocalCoordinatesSystem::read_jacobian(double t, std::span<const double> x,
                                           LocalCoordinatesRun& run) const {
  return context().mechanics().position_level(context().mechanics().point(t, x), run, run.values,
                                              run.jacobian);
}

Matrix LocalCoordinatesSystem::dense_jacobian(const LocalCoordinatesRun& run) const {
  return linalg::to_dense(context().mechanics().jacobian_pattern(), run.jacobian);
}

std::string LocalCoordinatesSystem::chart_name(const LocalCoordinatesRun& run) const {
  if (settings_.chart == Chart::tangent) return "the tangent space of the last base point";
  std::vector<std::string> names;
  for (const Index j : run.dependent) {
    names.push_back("'" + context().mechanics().coordinate_name(j) + "'");
  }
  return "the dependent coordinates " + join_words(names);
}

Evaluation LocalCoordinatesSystem::factor(double t, LocalCoordinatesRun& run) const {
  const SparsityPattern& pattern = context().mechanics().jacobian_pattern();
  linalg::DenseLu<double>& lu = run.solver.front();
  const Index m = pattern.rows;
  const std::span<double> product = lu.matrix();
  std::fill(product.begin(), product.end(), 0.0);
  for (Index j = 0; j < pattern.columns; ++j) {
    for (Index p = pattern.column_start[to_size(j)]; p < pattern.column_start[to_size(j + 1)];
         ++p) {
      const double value = run.jacobian[to_size(p)];
      for (Index k = 0; k < m; ++k) {
        product[to_size(k * m + pattern.row[to_size(p)])] += value * run.normals(j, k);
      }
    }
  }
  if (lu.factor().ok) return Evaluation::ok;
  run.failure = {
      Status::singular_iteration_matrix, -1,
      fmt::format("At t = {:.12g} the constraints do not determine {}.", t, chart_name(run))};
  return Evaluation::recoverable;
}

Evaluation LocalCoordinatesSystem::choose_chart(double t, std::span<const double> x,
                                                LocalCoordinatesRun& run) const {
  const Mechanics& mechanics = context().mechanics();
  if (!read_jacobian(t, x, run)) {
    run.failure = {Status::non_finite_value, -1,
                   fmt::format("A constraint is not finite at t = {:.12g}.", t)};
    return Evaluation::recoverable;
  }
  const Matrix jacobian = dense_jacobian(run);
  const linalg::PivotColumns best = linalg::choose_pivot_columns(jacobian);
  if (best.dependent_row >= 0) {
    run.failure = {Status::singular_iteration_matrix, best.dependent_row,
                   fmt::format("At t = {:.12g} the constraint {} depends on the others: it is "
                               "redundant, or the position is singular.",
                               t, mechanics.constraint_name(best.dependent_row))};
    return Evaluation::fatal;
  }
  if (settings_.chart == Chart::tangent) {
    run.normals = jacobian.transpose();
  } else {
    run.dependent = best.columns;
    run.normals.setZero();
    for (std::size_t k = 0; k < run.dependent.size(); ++k) {
      run.normals(run.dependent[k], to_index(k)) = 1.0;
    }
  }
  return factor(t, run);
}

Evaluation LocalCoordinatesSystem::solve_level(int level, double t, std::span<double> x,
                                               LocalCoordinatesRun& run) const {
  const Mechanics& mechanics = context().mechanics();
  const auto n = to_size(mechanics.n());
  const std::span<double> moves = level == 0 ? x.first(n) : x.subspan(n, n);
  double before = infinity;
  for (int i = 0; i < max_iterations; ++i) {
    const Evaluation evaluation = mechanics.residual(mechanics.point(t, x), level, run, run.values);
    if (evaluation != Evaluation::ok) return evaluation;
    run.solver.front().solve(run.values);
    double size = 0.0;
    double scale = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      double move = 0.0;
      for (std::size_t k = 0; k < run.values.size(); ++k) {
        move -= run.normals(to_index(j), to_index(k)) * run.values[k];
      }
      moves[j] += move;
      size = std::max(size, std::abs(move));
      scale = std::max(scale, std::abs(moves[j]));
    }
    // Converged when what the next iteration would add, by the rate seen, is round-off.
    const double rate = size / before;
    if (size <= 4.0 * round_off * scale ||
        (i > 0 && rate < 1.0 && rate * size <= round_off * scale)) {
      return Evaluation::ok;
    }
    if (i > 0 && rate > slow_rate) {
      // Corrections of the size of rounding errors need not contract.
      if (rate > 0.5 && size <= 1e3 * round_off * scale) return Evaluation::ok;
      // The frozen matrix is too old for this point: take it anew.
      if (!read_jacobian(t, x, run)) break;
      const Evaluation factored = factor(t, run);
      if (factored != Evaluation::ok) return factored;
    }
    before = size;
  }
  run.failure = {Status::singular_iteration_matrix, -1,
                 fmt::format("At t = {:.12g} the constraints could not be solved for {}.", t,
                             chart_name(run))};
  return Evaluation::recoverable;
}

Evaluation LocalCoordinatesSystem::complete(double t, std::span<double> x, Run& run) const {
  const Evaluation solved = solve_level(0, t, x, own(run));
  return solved == Evaluation::ok ? solve_level(1, t, x, own(run)) : solved;
}

Evaluation LocalCoordinatesSystem::residual(double t, std::span<const double> x, int level,
                                            Run& run, std::span<double> values) const {
  return context().mechanics().residual(context().mechanics().point(t, x), level, own(run), values);
}

Evaluation LocalCoordinatesSystem::project(double t, std::span<double> x, std::span<const double>,
                                           Run& run) const {
  return complete(t, x, run);
}

Change LocalCoordinatesSystem::watch_partition(double t, std::span<const double> x,
                                               LocalCoordinatesRun& run) const {
  const Matrix jacobian = dense_jacobian(run);
  const double here = linalg::smallest_pivot(jacobian, run.dependent);
  const linalg::PivotColumns best = linalg::choose_pivot_columns(jacobian);
  if (settings_.is_fixed && here < singular_share * best.smallest_pivot) {
    return {Change::Kind::stop, Status::singular_iteration_matrix,
            fmt::format("The chart is singular at t = {:.12g}: the constraints no longer determine "
                        "{}. Let the coordinates be re-selected.",
                        t, chart_name(run))};
  }
  if (settings_.is_fixed || here >= settings_.switch_ratio * best.smallest_pivot) return {};
  if (choose_chart(t, x, run) != Evaluation::ok) {
    return {Change::Kind::stop, run.failure.status, run.failure.detail};
  }
  ++run.reselections;
  return {Change::Kind::equations, Status::success, {}};
}

Change LocalCoordinatesSystem::watch_tangent(double t, std::span<const double> x,
                                             LocalCoordinatesRun& run) const {
  // cos of the angle between a normal and its chart direction, the worst over the constraints:
  // 1 at the base point, 0 where the chart ends.
  const Matrix jacobian = dense_jacobian(run);
  double worst = 1.0;
  for (Index i = 0; i < jacobian.rows(); ++i) {
    const double lengths = jacobian.row(i).norm() * run.normals.col(i).norm();
    worst = std::min(worst, jacobian.row(i).dot(run.normals.col(i)) / lengths);
  }
  if (settings_.is_fixed && worst < singular_share) {
    return {
        Change::Kind::stop, Status::singular_iteration_matrix,
        fmt::format("The chart is singular at t = {:.12g}: the motion has left {}. Let the base "
                    "point be renewed.",
                    t, chart_name(run))};
  }
  if (settings_.is_fixed || worst >= settings_.switch_ratio) return {};
  if (choose_chart(t, x, run) != Evaluation::ok) {
    return {Change::Kind::stop, run.failure.status, run.failure.detail};
  }
  ++run.reselections;
  return {Change::Kind::equations, Status::success, {}};
}

Change LocalCoordinatesSystem::after_step(double t, std::span<double> x, std::span<double> xp,
                                          const History& history, Run& base) const {
  LocalCoordinatesRun& run = own(base);
  Change change = MechanicalOde::after_step(t, x, xp, history, base);
  if (change.kind != Change::Kind::none || context().mechanics().m() == 0) return change;
  if (!read_jacobian(t, x, run)) {
    return {Change::Kind::stop, Status::non_finite_value,
            fmt::format("A constraint is not finite at t = {:.12g}.", t)};
  }
  return settings_.chart == Chart::partition ? watch_partition(t, x, run)
                                             : watch_tangent(t, x, run);
}

Change LocalCoordinatesSystem::on_event(double t, std::span<const std::int64_t> fired,
                                        std::span<double> x, std::span<double> xp,
                                        Run& base) const {
  Change change = MechanicalOde::on_event(t, fired, x, xp, base);
  if (change.kind == Change::Kind::stop) return change;
  if (choose_chart(t, x, own(base)) == Evaluation::ok) return change;
  return {Change::Kind::stop, base.failure.status, base.failure.detail};
}

void LocalCoordinatesFormulation::extend_start(double t0, MechanicalRun& run, Start& start) const {
  if (system_.choose_chart(t0, start.x, own(run)) == Evaluation::ok) return;
  start.status = run.failure.status;
  start.message = run.failure.detail;
}

}  // namespace daedal::formulation
