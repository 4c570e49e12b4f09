// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constrained/constrained_ode_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "formulation/constrained/manifold_newton.hpp"
#include "linalg/dense/independent_columns.hpp"
#include "linalg/newton_watch.hpp"
#include "linalg/sparse/sparsity.hpp"

namespace daedal::formulation {

namespace {

/// Quadratic convergence takes five or six; the rest is for start values far from the solution.
constexpr int most_derivative_iterations = 30;
/// No invariant is met to less than this share of the terms it is made of.
constexpr double attainable = 4.0 * round_off;

}  // namespace

std::vector<double> ConstraintDamping::weights(int depth) const {
  if (depth == 2) return {beta * beta, 2.0 * alpha};
  // (s + γ)ʳ = Σ (r choose j) γʳ⁻ʲ sʲ.
  std::vector<double> result;
  double binomial = 1.0;
  for (int j = 0; j < depth; ++j) {
    result.push_back(binomial * std::pow(gamma, depth - j));
    binomial *= static_cast<double>(depth - j) / (j + 1);
  }
  return result;
}

ConstrainedOdeContext::ConstrainedOdeContext(const Request& request, ConstrainedView given,
                                             const ConstraintDamping& damping)
    : ConstrainedContext(request, std::move(given), Meeting::together) {
  Pool pool(view().pool);
  const std::vector<kernel::Input> bound = inputs(pool);
  rates_ = kernel::Program::compile(pool, view().force, bound);
  std::vector<NodeId> rows = view().determining;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<double> weights = damping.weights(view().depths[i]);
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (weights[j] == 0.0) continue;
      const NodeId term = pool.mul(pool.constant(weights[j]), view().levels[j][i]);
      rows[i] = pool.add(rows[i], term);
    }
  }
  std::vector<NodeId> u;
  for (const std::int32_t variable : view().algebraic) u.push_back(pool.variable(variable));
  determining_ = kernel::JacobianProgram::compile(
      pool, {.roots = rows, .groups = {u}, .inputs = bound, .with_values = true});
}

void ConstrainedOdeContext::prepare(ConstrainedRun& run) const {
  ConstrainedContext::prepare(run);
  run.general.rates = Evaluator(rates_);
  run.general.determining = determining_.make_workspace();
  run.general.invariant_jacobian = event_stages().front().equations.jacobian.make_workspace();
  run.general.accepted_u = run.u;
  run.general.residual.assign(to_size(m()), 0.0);
  run.general.matrix.assign(determining_.pattern().row.size(), 0.0);
  run.general.solver = linalg::make_real_solver(determining_.pattern());
  run.general.metric.clear();
  for (const double nominal : nominals()) run.general.metric.push_back(1.0 / (nominal * nominal));
  run.general.jacobian.assign(invariant_pattern().row.size(), 0.0);
  run.general.violation.assign(to_size(n_invariants()), 0.0);
  run.general.correction.assign(to_size(n()), 0.0);
  run.general.curvature.resize(to_size(n()), to_size(n_invariants()));
  run.general.projector.clear();
  run.general.projector.emplace_back(diagonal_pattern(n()), invariant_pattern());
}

Evaluation ConstrainedOdeContext::fail(Status status, std::string detail, ConstrainedRun& run) {
  run.failure = {status, -1, std::move(detail)};
  return Evaluation::recoverable;
}

ConstrainedOdeContext::NewtonEnd ConstrainedOdeContext::newton(double t, std::span<const double> x,
                                                               ConstrainedRun& run) const {
  const std::array<std::span<double>, 1> groups{run.general.matrix};
  // Quadratic convergence has begun where a correction is a tenth of the last one.
  linalg::NewtonWatch watch({.trusted_rate = 0.1, .first_noise = 4});
  for (int i = 0; i < most_derivative_iterations; ++i) {
    determining_.evaluate(blocks(t, x, run), groups, run.general.determining, run.general.residual);
    if (!is_finite(run.general.residual) || !is_finite(run.general.matrix))
      return NewtonEnd::not_finite;
    if (!run.general.solver->factor(run.general.matrix).ok) return NewtonEnd::singular;
    run.general.solver->solve(run.general.residual);
    double size = 0.0;
    double scale = 0.0;
    for (std::size_t j = 0; j < run.u.size(); ++j) {
      run.u[j] -= run.general.residual[j];
      size = std::max(size, std::abs(run.general.residual[j]));
      scale = std::max(scale, std::abs(run.u[j]));
    }
    if (view().is_linear) return NewtonEnd::converged;
    if (watch.judge(size, scale) == linalg::NewtonWatch::Verdict::converged) {
      return NewtonEnd::converged;
    }
  }
  return NewtonEnd::failed;
}

Evaluation ConstrainedOdeContext::solve_algebraic(double t, std::span<const double> x,
                                                  ConstrainedRun& run) const {
  NewtonEnd end = newton(t, x, run);
  if (end != NewtonEnd::converged && !view().is_linear) {
    // An attempt far away may have left u on another branch.
    run.u = run.general.accepted_u;
    end = newton(t, x, run);
  }
  if (end == NewtonEnd::converged) return Evaluation::ok;
  std::copy(run.general.accepted_u.begin(), run.general.accepted_u.end(), run.u.begin());
  if (end == NewtonEnd::not_finite) {
    return fail(Status::non_finite_value,
                fmt::format("The equations are not finite at t = {:.12g}.", t), run);
  }
  if (end == NewtonEnd::failed) {
    return fail(Status::newton_failure,
                fmt::format("At t = {:.12g} Newton's method does not find the algebraic variables "
                            "from the derivatives of the constraints.",
                            t),
                run);
  }
  const Matrix matrix = linalg::to_dense(determining_.pattern(), run.general.matrix);
  const Index row = std::max<Index>(linalg::choose_pivot_columns(matrix).dependent_row, 0);
  fail(Status::singular_iteration_matrix,
       fmt::format("At t = {:.12g} the constraint {} depends on the others: it is redundant, or "
                   "the position is singular.",
                   t, constraint_name(row)),
       run);
  // A nonlinear iteration may have strayed; a linear system is what it is.
  return view().is_linear ? Evaluation::fatal : Evaluation::recoverable;
}

Evaluation ConstrainedOdeContext::solve(double t, std::span<const double> x,
                                        ConstrainedRun& run) const {
  const Evaluation solved = solve_algebraic(t, x, run);
  if (solved != Evaluation::ok) {
    std::ranges::fill(run.top, std::numeric_limits<double>::quiet_NaN());
    return solved;
  }
  const auto out = run.general.rates(blocks(t, x, run));
  std::copy(out.begin(), out.end(), run.top.begin());
  if (is_finite(out)) return Evaluation::ok;
  return fail(Status::non_finite_value,
              fmt::format("The equations are not finite at t = {:.12g}.", t), run);
}

Evaluation ConstrainedOdeContext::invariant_jacobian(double t, std::span<const double> x,
                                                     ConstrainedRun& run,
                                                     std::span<double> values) const {
  const std::array<std::span<double>, 1> groups{values};
  event_stages().front().equations.jacobian.evaluate(blocks(t, x, run), groups,
                                                     run.general.invariant_jacobian);
  if (is_finite(values)) return Evaluation::ok;
  return fail(Status::non_finite_value,
              fmt::format("A constraint is not finite at t = {:.12g}.", t), run);
}

Curvature ConstrainedOdeContext::curvature(double t, std::span<const double> x,
                                           ConstrainedRun& run) const {
  const auto solve = [&](std::span<double> top, std::span<double> bottom) {
    run.general.projector.front().solve(top, bottom);
  };
  const auto evaluate = [&](std::span<const double> at, std::span<double> values) {
    const auto all = invariants(t, at, run);
    std::copy(all.begin(), all.end(), values.begin());
    return !all.empty();
  };
  return CurvatureProbe{x, nominals(), solve, evaluate}(run.general.curvature);
}

/// Σ_j |J_ij x_j| of each invariant, times `share`.
void ConstrainedOdeContext::fill_rows(double share, std::span<const double> x,
                                      ConstrainedRun& run) const {
  std::vector<double>& rows = run.general.curvature.rows;
  std::fill(rows.begin(), rows.end(), 0.0);
  const SparsityPattern& pattern = invariant_pattern();
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (auto p = to_size(pattern.column_start[j]); p < to_size(pattern.column_start[j + 1]); ++p) {
      rows[to_size(pattern.row[p])] +=
          share * std::abs(run.general.jacobian[p]) * std::max(std::abs(x[j]), nominals()[j]);
    }
  }
}

Projected ConstrainedOdeContext::meet(double t, std::span<double> x,
                                      std::span<const double> weights, ConstrainedRun& run) const {
  if (invariant_jacobian(t, x, run, run.general.jacobian) != Evaluation::ok) {
    return Projected::not_evaluated;
  }
  linalg::SaddlePointSolver& solver = run.general.projector.front();
  const linalg::SaddlePointReport report = solver.factor(run.general.metric, run.general.jacobian);
  if (!report.ok) {
    fail(Status::singular_iteration_matrix,
         fmt::format("At t = {:.12g} the constraint {} depends on the others: it is redundant, or "
                     "the position is singular.",
                     t, invariant_name(std::max<Index>(report.singular_constraint, 0))),
         run);
    return Projected::singular;
  }
  const auto next = [&] {
    const auto all = invariants(t, x, run);
    if (all.empty()) return Evaluation::recoverable;
    std::transform(all.begin(), all.end(), run.general.violation.begin(), std::negate<>());
    std::fill(run.general.correction.begin(), run.general.correction.end(), 0.0);
    solver.solve(run.general.correction, run.general.violation);
    return Evaluation::ok;
  };
  return project_by_newton({x, weights, run.general.correction}, next);
}

bool ConstrainedOdeContext::meet_levels(double t, std::span<double> x, ConstrainedRun& run) const {
  return n_invariants() == 0 || meet(t, x, result_weights(run), run) == Projected::yes;
}

linalg::SaddlePointReport ConstrainedOdeContext::factor_invariants(double t,
                                                                   std::span<const double> x,
                                                                   ConstrainedRun& run) const {
  if (invariant_jacobian(t, x, run, run.general.jacobian) != Evaluation::ok) return {.ok = false};
  return run.general.projector.front().factor(run.general.metric, run.general.jacobian);
}

Change ConstrainedOdeContext::watch(double, std::span<const double> x, const History&,
                                    ConstrainedRun& run) const {
  std::copy_n(x.begin() + n(), m(), run.u.begin());
  run.general.accepted_u = run.u;
  return {};
}

Change ConstrainedOdeContext::check_branch(double t, std::span<const double> x,
                                           ConstrainedRun& run) const {
  if (n_invariants() == 0) return {};
  const std::span<const double> states = x.first(to_size(n()));
  const linalg::SaddlePointReport report = factor_invariants(t, states, run);
  Index weakest = report.singular_constraint;
  if (report.ok) {
    fill_rows(attainable, states, run);
    const auto values = invariants(t, states, run);
    for (std::size_t i = 0; i < values.size(); ++i) {
      double& row = run.general.curvature.rows[i];
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
                      "does not determine how the motion continues.",
                      t, invariant_name(std::max<Index>(weakest, 0)))};
}

std::string ConstrainedOdeContext::describe_singularity(double t, std::span<const double> x,
                                                        ConstrainedRun& run) const {
  if (n_invariants() == 0) return {};
  const std::span<const double> states = x.first(to_size(n()));
  const linalg::SaddlePointReport report = factor_invariants(t, states, run);
  if (!report.ok) {
    return report.singular_constraint < 0
               ? std::string{}
               : singularity_text(invariant_name(report.singular_constraint), 0.0);
  }
  fill_rows(1.0, states, run);
  for (std::size_t i = 0; i < run.general.curvature.rows.size(); ++i) {
    run.general.curvature.rows[i] *= uneven_share(i);
  }
  const Curvature found = curvature(t, states, run);
  if (!is_near_singularity(found)) return {};
  return singularity_text(invariant_name(std::max<Index>(found.weakest, 0)), 1.0 / found.bend);
}

Start ConstrainedOdeContext::find_start(double t0, ConstrainedRun& run) const {
  Start found = ConstrainedContext::find_start(t0, run);
  if (found.status == Status::success) run.general.accepted_u = run.u;
  return found;
}

void ConstrainedOdeContext::read(double t, std::span<const double> x, std::span<const double> xp,
                                 ModelRun& base, std::span<double> values,
                                 std::span<double> derivatives) const {
  ConstrainedContext::read(t, x, xp, base, values, derivatives);
  // Newton's method does not begin at what is not a number.
  auto& run = run_of<ConstrainedRun>(base);
  if (!is_finite(run.u)) run.u = run.general.accepted_u;
}

}  // namespace daedal::formulation
