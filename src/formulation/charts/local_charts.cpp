// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/charts/local_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linalg/newton_watch.hpp"
#include "linalg/scaling.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

/// At a digit an iteration sixteen reach round-off; the rest is for points far from the chart's
/// factors, which are renewed meanwhile.
constexpr int most_chart_iterations = 25;
/// A digit an iteration: beyond it a new factorisation is cheaper.
constexpr double slow_rate = 0.1;
/// A chart is unusable when its quality is below this share of the best one's.
constexpr double singular_share = 1e-4;
/// Closer than this to a singular position, in usual lengths of the rows, no chart is usable: the
/// remaining digits would decide which branch the motion takes.
constexpr double singular_pivot = 1e-6;

}  // namespace

ChartWork LocalCharts::make_work() const {
  const SparsityPattern& pattern = constraints_.pattern();
  ChartWork work;
  work.units = as_vector(constraints_.coordinate_nominals().first(to_size(pattern.columns)));
  work.normals = Matrix::Zero(pattern.columns, pattern.rows);
  work.dense = Matrix::Zero(pattern.rows, pattern.columns);
  work.solver.emplace_back(pattern.rows);
  work.jacobian.resize(pattern.row.size());
  work.values.resize(to_size(pattern.rows));
  work.row_scales.resize(to_size(pattern.rows));
  work.usual = Vector::Zero(pattern.rows);
  return work;
}

Evaluation LocalCharts::read_jacobian(double t, std::span<const double> x, Run& run,
                                      ChartWork& work) const {
  const Evaluation read = constraints_.constraint_jacobian(t, x, run, work.jacobian);
  if (read != Evaluation::ok) return read;
  const SparsityPattern& pattern = constraints_.pattern();
  for (Index j = 0; j < pattern.columns; ++j) {
    for (Index p = pattern.column_start[to_size(j)]; p < pattern.column_start[to_size(j + 1)];
         ++p) {
      work.dense(pattern.row[to_size(p)], j) = work.jacobian[to_size(p)] * work.units[j];
    }
  }
  return Evaluation::ok;
}

std::string LocalCharts::chart_name(const ChartWork& work) const {
  if (settings_.chart == Chart::tangent) return "the tangent space of the last base point";
  std::vector<std::string> names;
  for (const Index j : work.dependent) {
    names.push_back("'" + constraints_.coordinate_name(j) + "'");
  }
  return "the dependent coordinates " + join_words(names);
}

Evaluation LocalCharts::factor(double t, Run& run, ChartWork& work) const {
  linalg::DenseLu<double>& lu = work.solver.front();
  const Index m = constraints_.pattern().rows;
  Eigen::Map<Matrix> product(lu.matrix().data(), m, m);
  product.noalias() = work.dense * work.normals;
  for (Index i = 0; i < m; ++i) {
    double& scale = work.row_scales[to_size(i)];
    scale = linalg::reciprocal_power_of_two(product.row(i).cwiseAbs().maxCoeff());
    product.row(i) *= scale;
  }
  const linalg::FactorReport report = lu.factor();
  if (report.ok) return Evaluation::ok;
  const linalg::PivotColumns pivots = linalg::choose_pivot_columns(work.dense * work.normals);
  run.failure = {
      Status::singular_iteration_matrix, pivots.dependent_row,
      fmt::format("At t = {:.12g} the constraints do not determine {}: {} is the first "
                  "that adds nothing.",
                  t, chart_name(work),
                  constraints_.constraint_name(std::max<Index>(pivots.dependent_row, 0)))};
  return Evaluation::recoverable;
}

const linalg::PivotColumns& LocalCharts::choose_columns(ChartWork& work) {
  Matrix& scaled = work.search.matrix(work.dense.rows(), work.dense.cols());
  for (Index i = 0; i < work.dense.rows(); ++i) {
    const double length = work.dense.row(i).norm();
    scaled.row(i) = work.dense.row(i) * linalg::reciprocal_power_of_two(length);
  }
  return work.search.choose();
}

Evaluation LocalCharts::choose(double t, std::span<const double> x, Run& run,
                               ChartWork& work) const {
  const Evaluation read = read_jacobian(t, x, run, work);
  if (read != Evaluation::ok) return read;
  if (choose_columns(work).dependent_row >= 0) {
    // Nominal values that were not given, or mean little, are no units.
    const linalg::Equilibration balanced = linalg::balance(constraints_.pattern(), work.jacobian);
    work.dense = work.dense * (balanced.column.array() / work.units.array()).matrix().asDiagonal();
    work.units = balanced.column;
    work.usual.setZero();
  }
  const linalg::PivotColumns best = choose_columns(work);
  if (best.dependent_row >= 0) {
    run.failure = {Status::singular_iteration_matrix, best.dependent_row,
                   fmt::format("At t = {:.12g} the constraint {} depends on the others: it is "
                               "redundant, or the position is singular.",
                               t, constraints_.constraint_name(best.dependent_row))};
    return Evaluation::fatal;
  }
  if (settings_.chart == Chart::tangent) {
    work.normals = work.dense.transpose();
    work.normals.colwise().normalize();
  } else {
    work.dependent = best.columns;
    work.normals.setZero();
    for (std::size_t k = 0; k < work.dependent.size(); ++k) {
      work.normals(work.dependent[k], to_index(k)) = 1.0;
    }
  }
  return factor(t, run, work);
}

Index LocalCharts::find_dependent(ChartWork& work) const {
  work.usual = work.usual.cwiseMax(work.dense.rowwise().norm());
  Matrix& scaled = work.search.matrix(work.dense.rows(), work.dense.cols());
  for (Index i = 0; i < work.dense.rows(); ++i) {
    scaled.row(i) = work.dense.row(i) / (work.usual[i] > 0.0 ? work.usual[i] : 1.0);
  }
  const linalg::PivotColumns& found = work.search.choose();
  return found.smallest_pivot < singular_pivot ? found.weakest_row : -1;
}

Evaluation LocalCharts::solve_level(int level, double t, std::span<double> x, Run& run,
                                    ChartWork& work) const {
  const auto n = to_size(constraints_.pattern().columns);
  const std::span<double> moves = x.subspan(to_size(level) * n, n);
  const std::span<const double> nominals =
      constraints_.coordinate_nominals().subspan(to_size(level) * n, n);
  using Verdict = linalg::NewtonWatch::Verdict;
  linalg::NewtonWatch watch({.slow_rate = slow_rate});
  for (int i = 0; i < most_chart_iterations; ++i) {
    const Evaluation evaluation = constraints_.residual(t, x, level, run, work.values);
    if (evaluation != Evaluation::ok) return evaluation;
    for (std::size_t k = 0; k < work.values.size(); ++k) work.values[k] *= work.row_scales[k];
    work.solver.front().solve(work.values);
    double size = 0.0;
    double scale = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      double move = 0.0;
      for (std::size_t k = 0; k < work.values.size(); ++k) {
        move -= work.normals(to_index(j), to_index(k)) * work.values[k];
      }
      move *= work.units[to_index(j)];
      moves[j] += move;
      size = std::max(size, std::abs(move) / nominals[j]);
      scale = std::max(scale, std::abs(moves[j]) / nominals[j]);
    }
    const Verdict verdict = watch.judge(size, scale);
    if (verdict == Verdict::converged) return Evaluation::ok;
    if (verdict == Verdict::stalled) {
      // The frozen matrix is too old for this point: take it anew.
      Evaluation renewed = read_jacobian(t, x, run, work);
      if (renewed == Evaluation::ok) renewed = factor(t, run, work);
      if (renewed != Evaluation::ok) return renewed;
    }
  }
  constraints_.residual(t, x, level, run, work.values);
  const auto worst = std::max_element(work.values.begin(), work.values.end(),
                                      [](double a, double b) { return std::abs(a) < std::abs(b); });
  run.failure = {
      Status::singular_iteration_matrix, -1,
      fmt::format("At t = {:.12g} the constraint {} could not be solved for {}.", t,
                  constraints_.constraint_name(worst - work.values.begin()), chart_name(work))};
  return Evaluation::recoverable;
}

Evaluation LocalCharts::complete(double t, std::span<double> x, Run& run, ChartWork& work) const {
  for (int level = 0; level < constraints_.n_levels(); ++level) {
    const Evaluation solved = solve_level(level, t, x, run, work);
    if (solved != Evaluation::ok) return solved;
  }
  return Evaluation::ok;
}

double LocalCharts::quality(ChartWork& work) const {
  const Index m = work.dense.rows();
  if (settings_.chart == Chart::partition) {
    const double best = choose_columns(work).smallest_pivot;
    Matrix& chosen = work.search.matrix(m, m);
    for (Index k = 0; k < m; ++k) chosen.col(k) = work.dense.col(work.dependent[to_size(k)]);
    for (Index i = 0; i < m; ++i) {
      chosen.row(i) *= linalg::reciprocal_power_of_two(work.dense.row(i).norm());
    }
    const double here = work.search.choose().smallest_pivot;
    return best > 0.0 ? here / best : 0.0;
  }
  // cos of the angle between a normal and its chart direction, the worst over the constraints:
  // 1 at the base point, 0 where the chart ends.
  double worst = 1.0;
  for (Index i = 0; i < m; ++i) {
    const double lengths = work.dense.row(i).norm() * work.normals.col(i).norm();
    worst = std::min(worst, work.dense.row(i).dot(work.normals.col(i)) / lengths);
  }
  return worst;
}

Change LocalCharts::watch(double t, std::span<const double> x, Run& run, ChartWork& work) const {
  if (work.values.empty()) return {};
  if (read_jacobian(t, x, run, work) != Evaluation::ok) {
    return {Change::Kind::stop, run.failure.status, run.failure.detail};
  }
  if (const Index dependent = find_dependent(work); dependent >= 0) {
    return {Change::Kind::stop, Status::bifurcation,
            fmt::format("At t = {:.12g} the constraint {} nearly depends on the others: the motion "
                        "is so near to a singular position that rounding errors would decide how "
                        "it continues.",
                        t, constraints_.constraint_name(dependent))};
  }
  const double share = quality(work);
  if (settings_.is_fixed) {
    if (share >= singular_share) return {};
    return {Change::Kind::stop, Status::singular_iteration_matrix,
            fmt::format("The chart is singular at t = {:.12g}: the constraints no longer determine "
                        "{}. Let the coordinates be re-selected.",
                        t, chart_name(work))};
  }
  if (share >= settings_.switch_ratio) return {};
  if (choose(t, x, run, work) != Evaluation::ok) {
    return {Change::Kind::stop, run.failure.status, run.failure.detail};
  }
  ++run.reselections;
  return {Change::Kind::equations, Status::success, {}};
}

}  // namespace daedal::formulation
