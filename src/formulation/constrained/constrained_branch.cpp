// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulation/constrained/constrained_ode_context.hpp"
#include "formulation/constrained/manifold_newton.hpp"

namespace daedal::formulation {

namespace {

/// No invariant is met to less than this share of the terms it is made of.
constexpr double attainable = 4.0 * round_off;

}  // namespace

Curvature ConstrainedOdeContext::curvature(double t, std::span<const double> x,
                                           ConstrainedOdeRun& run) const {
  const auto solve = [&](std::span<double> top, std::span<double> bottom) {
    run.projector.front().solve(top, bottom);
  };
  const auto evaluate = [&](std::span<const double> at, std::span<double> values) {
    const auto all = invariants(t, at, run);
    std::copy(all.begin(), all.end(), values.begin());
    return !all.empty();
  };
  return CurvatureProbe{x, nominals_, solve, evaluate}(run.curvature);
}

/// Σ_j |J_ij x_j| of each invariant, times `share`.
void ConstrainedOdeContext::fill_rows(double share, std::span<const double> x,
                                      ConstrainedOdeRun& run) const {
  std::vector<double>& rows = run.curvature.rows;
  std::fill(rows.begin(), rows.end(), 0.0);
  const SparsityPattern& pattern = invariant_pattern();
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (auto p = to_size(pattern.column_start[j]); p < to_size(pattern.column_start[j + 1]); ++p) {
      rows[to_size(pattern.row[p])] +=
          share * std::abs(run.jacobian[p]) * std::max(std::abs(x[j]), nominals_[j]);
    }
  }
}

linalg::SaddlePointReport ConstrainedOdeContext::factor_invariants(double t,
                                                                   std::span<const double> x,
                                                                   ConstrainedOdeRun& run) const {
  if (invariant_jacobian(t, x, run, run.jacobian) != Evaluation::ok) return {.ok = false};
  return run.projector.front().factor(run.metric, run.jacobian);
}

Change ConstrainedOdeContext::check_branch(double t, std::span<const double> x,
                                           ConstrainedOdeRun& run) const {
  if (n_invariants() == 0) return {};
  const std::span<const double> states = x.first(to_size(n()));
  const linalg::SaddlePointReport report = factor_invariants(t, states, run);
  Index weakest = report.singular_constraint;
  if (report.ok) {
    fill_rows(attainable, states, run);
    const auto values = invariants(t, states, run);
    for (std::size_t i = 0; i < values.size(); ++i) {
      double& row = run.curvature.rows[i];
      row = uneven_share(i) * std::max(row, std::abs(values[i]));
    }
    const Curvature found = curvature(t, states, run);
    // What the invariants lack of zero, against the distance to a singular position.
    if (found.bend * found.move <= projection::largest_contraction) return {};
    weakest = found.weakest;
  } else if (weakest < 0) {
    return {};  // not finite: the next step says so
  }
  return {Change::Kind::stop, Status::bifurcation,
          fmt::format("Near t = {:.12g} the constraint {} depends on the others as closely as the "
                      "run holds it: the position is singular, and what is left of the constraints "
                      "does not say where the motion goes on.",
                      t, invariant_name(std::max<Index>(weakest, 0)))};
}

std::string ConstrainedOdeContext::describe_singularity(double t, std::span<const double> x,
                                                        ConstrainedOdeRun& run) const {
  if (n_invariants() == 0) return {};
  const std::span<const double> states = x.first(to_size(n()));
  const linalg::SaddlePointReport report = factor_invariants(t, states, run);
  if (!report.ok) {
    return report.singular_constraint < 0
               ? std::string{}
               : singularity_text(invariant_name(report.singular_constraint), 0.0);
  }
  fill_rows(1.0, states, run);
  for (std::size_t i = 0; i < run.curvature.rows.size(); ++i) {
    run.curvature.rows[i] *= uneven_share(i);
  }
  const Curvature found = curvature(t, states, run);
  if (!is_near_singularity(found)) return {};
  return singularity_text(invariant_name(std::max<Index>(found.weakest, 0)), 1.0 / found.bend);
}

}  // namespace daedal::formulation
