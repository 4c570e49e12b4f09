// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/array/implicit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulation/array/derivative_array.hpp"
#include "linalg/dense/rank.hpp"
#include "linalg/newton_watch.hpp"
#include "linalg/sparse/sparsity.hpp"

namespace daedal::formulation {

namespace {

/// Frozen factors that contract by 0.15 reach the tolerance below in twelve corrections.
constexpr int max_corrections = 12;
/// Iterations above which the factors are renewed after the step.
constexpr int many_iterations = 2;
/// Bound on the last correction of x' and w, relative to |x| + nominal: residuals of constraints
/// are then far below any tolerance of an integrator.
constexpr double correction_tolerance = 1e-10;
constexpr double stagnation = 1e-6;

SparsityPattern full_pattern(Index n) {
  SparsityPattern pattern{.rows = n, .columns = n, .column_start = {0}, .row = {}};
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) pattern.row.push_back(i);
    pattern.column_start.push_back(pattern.nonzeros());
  }
  return pattern;
}

}  // namespace

ArrayDae::ArrayDae(const GeneralView& view, const std::vector<double>& parameters,
                   const Overrides& starts, const ArraySettings& settings)
    : array_(std::make_shared<const ArraySystem>(view, parameters, starts, settings)),
      written_(view, parameters),
      pattern_(full_pattern(array_->size())) {}

void ArrayDae::prepare(ArrayRun& run) const {
  written_.prepare(run);
  run.projected.f.resize(to_size(size()));
  run.projected.f_x.resize(to_size(written_.pattern().nonzeros()));
  run.projected.f_xp.resize(run.projected.f_x.size());
}

Start ArrayDae::start(double t0, ArrayRun& run) const {
  Start start = array_->start(t0, run);
  if (start.status != Status::success) return start;
  const Change change = choose_bases(t0, start.x, start.xp, run);
  if (change.kind == Change::Kind::stop) {
    start.status = change.status;
    start.message = change.message;
  }
  return start;
}

Change ArrayDae::choose_bases(double t, std::span<const double> x, std::span<const double> xp,
                              ArrayRun& run) const {
  ProjectedWork& work = run.projected;
  work.constraints = run.corrector->constraints();
  for (Index j = 0; j < size(); ++j) work.constraints.col(j) /= nominals()[to_size(j)];
  if (written_.jacobian(t, x, xp, run, work.f_x, work.f_xp) != Evaluation::ok) {
    return {Change::Kind::stop, Status::non_finite_value, run.failure.detail};
  }
  // T in the units of the unknowns: C N (N⁻¹ δx) = 0 with N the nominal values. The rank of C is
  // known; rows from derivatives may be small as powers of the step length that scales the array.
  const Index states = size() - work.constraints.rows();
  Matrix tangent = work.constraints.rows() == 0
                       ? Matrix(Matrix::Identity(size(), size()))
                       : Matrix(linalg::svd(run.corrector->constraints()).v.rightCols(states));
  for (Index j = 0; j < size(); ++j) tangent.row(j) *= nominals()[to_size(j)];
  Matrix rates = linalg::to_dense(written_.pattern(), work.f_xp);
  Vector unit = Vector::Ones(rates.rows());
  for (Index i = 0; i < rates.rows(); ++i) {
    double greatest = 0.0;
    for (Index j = 0; j < rates.cols(); ++j) {
      greatest = std::max(greatest, std::abs(rates(i, j) * nominals()[to_size(j)]));
    }
    if (greatest > 0.0) unit(i) = 1.0 / greatest;
  }
  const Matrix image = unit.asDiagonal() * rates * tangent;
  if (states == 0) {
    work.z1.resize(size(), 0);
    return {Change::Kind::equations, Status::success, {}};
  }
  const linalg::Svd svd = linalg::svd(image);
  if (linalg::decide_rank(svd.s).rank < states) {
    return {Change::Kind::stop, Status::rank_change,
            fmt::format("At t = {:.12g} the equations do not determine the motion along their "
                        "constraints: the model is singular there{}.",
                        t,
                        run.index.levels.back().depends_on_scale
                            ? ", or its time scales lie too far apart"
                            : "")};
  }
  work.z1 = unit.asDiagonal() * svd.u.leftCols(states);
  return {Change::Kind::equations, Status::success, {}};
}

Evaluation ArrayDae::solve(double t, std::span<const double> x, ArrayRun& run) const {
  array_->solver().predict(t, x, run);
  const auto n = x.size();
  using Verdict = linalg::NewtonWatch::Verdict;
  linalg::NewtonWatch watch(
      {.tolerance = correction_tolerance, .remainder = 0.0, .noise = stagnation});
  for (int i = 1; i <= max_corrections; ++i) {
    run.projected.slowest = std::max(run.projected.slowest, i);
    if (!run.corrector->evaluate(array_->solver().point(t, run.series, run))) break;
    run.corrector->correct(run.delta);
    double size = 0.0;
    for (std::size_t j = n; j < run.series.size(); ++j) {
      run.series[j] += run.delta[j];
      const double scale = std::abs(run.series[j]) +
                           run.order_weights[j / n] * (std::abs(x[j % n]) + nominals()[j % n]);
      size = std::max(size, std::abs(run.delta[j]) / scale);
    }
    const Verdict verdict = watch.judge(size);
    if (verdict == Verdict::converged) return Evaluation::ok;
    if (verdict == Verdict::diverging) break;
  }
  run.failure = {Status::newton_failure, -1,
                 fmt::format("The higher derivatives could not be solved at t = {:.12g}.", t)};
  return Evaluation::recoverable;
}

Evaluation ArrayDae::residual(double t, std::span<const double> x, std::span<const double> xp,
                              Run& base, std::span<double> values) const {
  auto& run = own(base);
  ProjectedWork& work = run.projected;
  const Evaluation evaluation = written_.residual(t, x, xp, run, work.f);
  if (evaluation != Evaluation::ok) return evaluation;
  const Index states = work.z1.cols();
  for (Index i = 0; i < states; ++i) {
    values[to_size(i)] = work.z1.col(i).dot(as_vector(std::span<const double>(work.f)));
  }
  const Evaluation solved = solve(t, x, run);
  if (solved != Evaluation::ok) return solved;
  const auto constraints = run.corrector->constraint_residual();
  std::copy(constraints.begin(), constraints.end(), values.begin() + states);
  return Evaluation::ok;
}

Evaluation ArrayDae::jacobian(double t, std::span<const double> x, std::span<const double> xp,
                              Run& base, std::span<double> f_x, std::span<double> f_xp) const {
  ProjectedWork& work = own(base).projected;
  const Evaluation evaluation = written_.jacobian(t, x, xp, base, work.f_x, work.f_xp);
  if (evaluation != Evaluation::ok) return evaluation;
  std::fill(f_x.begin(), f_x.end(), 0.0);
  std::fill(f_xp.begin(), f_xp.end(), 0.0);
  const Index states = work.z1.cols();
  const SparsityPattern& entries = written_.pattern();
  for (Index j = 0; j < size(); ++j) {
    for (Index p = entries.column_start[to_size(j)]; p < entries.column_start[to_size(j + 1)];
         ++p) {
      for (Index i = 0; i < states; ++i) {
        const double weight = work.z1(entries.row[to_size(p)], i);
        f_x[to_size(j * size() + i)] += weight * work.f_x[to_size(p)];
        f_xp[to_size(j * size() + i)] += weight * work.f_xp[to_size(p)];
      }
    }
    for (Index i = states; i < size(); ++i) {
      f_x[to_size(j * size() + i)] = work.constraints(i - states, j);
    }
  }
  return Evaluation::ok;
}

double ArrayDae::constraint_residual(double t, std::span<const double> x, int level,
                                     ArrayRun& run) const {
  if (solve(t, x, run) != Evaluation::ok) return NAN;
  return array_->solver().solved_constraint_residual(t, x, level, run);
}

Change ArrayDae::after_step(double t, std::span<double> x, std::span<double> xp,
                            const History& history, Run& base) const {
  auto& run = own(base);
  const Change asserted = ModelSystem::after_step(t, x, xp, history, base);
  if (asserted.kind != Change::Kind::none) return asserted;
  if (solve(t, x, run) != Evaluation::ok) {
    return {Change::Kind::stop, run.failure.status, run.failure.detail};
  }
  const bool is_slow = run.projected.slowest > many_iterations;
  run.projected.slowest = 0;
  array_->renew_base(t, run);
  if (run.corrector->evaluate(array_->solver().point(t, run.base, run))) array_->correct_base(run);
  if (!is_slow) return {};
  // The seeds may be far from a solution: the factors are those of one.
  for (const bool is_last : {false, true}) {
    if (run.corrector->factor(array_->solver().point(t, run.base, run)) !=
        analysis::ArrayCorrector::Outcome::ok) {
      return {Change::Kind::stop, Status::rank_change,
              fmt::format("The rank of the derivative array changes at t = {:.12g}: the solution "
                          "has come to a singular point.",
                          t)};
    }
    if (!is_last) array_->correct_base(run);
  }
  return choose_bases(t, x, xp, run);
}

std::string ArrayDae::row_name(std::int64_t row) const {
  return fmt::format("projected equation {}", row + 1);
}

std::string ArrayDae::unknown_name(std::int64_t column) const {
  return written_.unknown_name(column);
}

Change ArrayDae::on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                          std::span<double> xp, Run& run) const {
  const Change change = ModelSystem::on_event(t, fired, x, xp, run);
  if (change.kind == Change::Kind::stop) return change;
  const Change bases = choose_bases(t, x, xp, own(run));
  return bases.kind == Change::Kind::stop ? bases : change;
}

Formulation make_derivative_array_implicit(const DerivativeArrayImplicit& method,
                                           const Request& request) {
  const auto system = std::make_shared<const ArrayDae>(
      recognized(request).view(), request.parameters, request.starts,
      ArraySettings{.form = ArrayForm::completion, .max_index = method.max_index});
  Formulation result = array_formulation(system->array());
  result.implicit_system = system;
  result.find_start = [system](double t0, Run& run) {
    return system->start(t0, run_of<ArrayRun>(run));
  };
  result.levels.residual = [system](double t, std::span<const double> x, std::span<const double>,
                                    int level, Run& run) {
    return system->constraint_residual(t, x, level, run_of<ArrayRun>(run));
  };
  return result;
}

}  // namespace daedal::formulation
