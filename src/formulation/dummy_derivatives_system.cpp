// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy_derivatives_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::formulation {

namespace {

/// Newton's method converges quadratically: after a correction this small nothing is left.
constexpr double small_correction = 1e-9;
constexpr int max_iterations = 12;

}  // namespace

Evaluation DummyDerivativesSystem::residual(double t, std::span<const double> x,
                                            std::span<const double> xp, Run& run,
                                            std::span<double> values) const {
  const auto& equation_at = own(run).selection.equation_at;
  for (std::size_t p = 0; p < x.size(); ++p)
    if (equation_at[p] < 0) values[p] = xp[p] - x[p + 1];
  return context().residual(t, x, own(run), values);
}

Evaluation DummyDerivativesSystem::jacobian(double t, std::span<const double> x,
                                            std::span<const double>, Run& run,
                                            std::span<double> f_x, std::span<double> f_xp) const {
  std::fill(f_xp.begin(), f_xp.end(), 0.0);
  const Evaluation evaluation = context().jacobian(t, x, own(run), f_x);
  const auto& equation_at = own(run).selection.equation_at;
  for (std::size_t p = 0; p < x.size(); ++p) {
    if (equation_at[p] >= 0) continue;
    f_xp[to_size(context().diagonal(to_index(p)))] = 1.0;
    f_x[to_size(context().next(to_index(p)))] = -1.0;
  }
  return evaluation;
}

std::unique_ptr<Run> DummyDerivativesOde::make_run() const {
  auto run = context().make_run();
  run->solver = linalg::make_real_solver(context().pattern());
  run->matrix.resize(to_size(context().pattern().nonzeros()));
  run->rows.resize(to_size(size()));
  return run;
}

Evaluation DummyDerivativesOde::rhs(double, std::span<const double> x, Run&,
                                    std::span<double> xp) const {
  // Highest derivatives are solved for before every stage: any slope will do.
  std::fill(xp.begin(), xp.end(), 0.0);
  context().set_rates(x, xp);
  return Evaluation::ok;
}

Evaluation DummyDerivativesOde::complete(double t, std::span<double> x, Run& base) const {
  DummyRun& run = own(base);
  const auto nominals = context().nominals();
  for (int k = 0; k < max_iterations; ++k) {
    std::fill(run.rows.begin(), run.rows.end(), 0.0);
    Evaluation evaluation = context().residual(t, x, run, run.rows);
    if (evaluation == Evaluation::ok) evaluation = context().jacobian(t, x, run, run.matrix);
    if (evaluation != Evaluation::ok) return evaluation;
    for (std::size_t p = 0; p < x.size(); ++p)
      if (run.selection.equation_at[p] < 0)
        run.matrix[to_size(context().diagonal(to_index(p)))] = 1.0;
    if (const auto report = run.solver->factor(run.matrix); !report.ok) {
      run.failure = {Status::singular_iteration_matrix, report.singular_column,
                     fmt::format("The algebraic equations cannot be solved for '{}' at t = "
                                 "{:.12g}: their matrix is singular.",
                                 context().system().place_name(report.singular_column), t)};
      return Evaluation::recoverable;
    }
    run.solver->solve(run.rows);
    double greatest = 0.0;
    for (std::size_t p = 0; p < x.size(); ++p) {
      const double share = std::abs(run.rows[p]) / (std::abs(x[p]) + nominals[p]);
      if (!(share <= greatest)) greatest = share;
      x[p] -= run.rows[p];
    }
    if (greatest <= small_correction) return Evaluation::ok;
    if (!std::isfinite(greatest)) break;
  }
  run.failure = {Status::newton_failure, -1,
                 fmt::format("The algebraic equations of the selected states have no solution near "
                             "the last one at t = {:.12g}.",
                             t)};
  return Evaluation::recoverable;
}

}  // namespace daedal::formulation
