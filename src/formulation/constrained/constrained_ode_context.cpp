// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constrained/constrained_ode_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "formulation/constrained/manifold_newton.hpp"
#include "linalg/dense/independent_columns.hpp"
#include "linalg/sparse/sparsity.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

constexpr int max_iterations = 30;
/// No invariant is met to less than this share of the terms it is made of.
constexpr double attainable = 4.0 * round_off;

bool is_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

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

ConstrainedOdeContext::ConstrainedOdeContext(const Request& request, ConstrainedView view,
                                             const ConstraintDamping& damping)
    : ModelContext(general_view(view.model), request.parameters, request.starts),
      view_(std::move(view)),
      damping_(damping),
      start_values_(view_.model) {
  Pool pool(view_.pool);
  const std::vector<kernel::Input> bound = inputs(pool);
  rates_ = kernel::Program::compile(pool, view_.force, bound);
  outputs_ = kernel::Program::compile(pool, view_.outputs, bound);
  for (const std::int32_t state : view_.states[0]) {
    nominals_.push_back(view_.model.variables()[to_size(state)].nominal);
  }
  compile_determining(pool, bound);
  compile_invariants(pool, bound);
}

std::vector<kernel::Input> ConstrainedOdeContext::inputs(Pool& pool) const {
  std::vector<kernel::Input> bound = held_inputs(view_.model, pool,
                                                 {.time = time_block,
                                                  .parameters = parameter_block,
                                                  .modes = mode_block,
                                                  .discretes = discrete_block,
                                                  .pre = pre_block});
  for (std::size_t i = 0; i < view_.states[0].size(); ++i) {
    bound.push_back({pool.variable(view_.states[0][i]), state_block, to_index(i)});
    bound.push_back({pool.variable(view_.states[0][i], 1), rate_block, to_index(i)});
  }
  for (std::size_t i = 0; i < view_.algebraic.size(); ++i) {
    bound.push_back({pool.variable(view_.algebraic[i]), algebraic_block, to_index(i)});
  }
  return bound;
}

void ConstrainedOdeContext::compile_determining(Pool& pool, std::span<const kernel::Input> bound) {
  std::vector<NodeId> rows = view_.determining;
  std::vector<std::vector<double>> weights;
  for (const int depth : view_.depths) weights.push_back(damping_.weights(depth));
  for (std::size_t j = 0; j < view_.levels.size(); ++j) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (view_.levels[j][i] == no_node || weights[i][j] == 0.0) continue;
      const NodeId weight = pool.constant(weights[i][j]);
      rows[i] = pool.add(rows[i], pool.mul(weight, view_.levels[j][i]));
    }
  }
  std::vector<NodeId> u;
  for (const std::int32_t variable : view_.algebraic) u.push_back(pool.variable(variable));
  determining_ = kernel::JacobianProgram::compile(
      pool, {.roots = rows, .groups = {u}, .inputs = bound, .with_values = true});
}

void ConstrainedOdeContext::compile_invariants(Pool& pool, std::span<const kernel::Input> bound) {
  std::vector<NodeId> all;
  std::vector<std::string> names;
  for (std::size_t j = 0; j < view_.levels.size(); ++j) {
    level_start_.push_back(to_index(all.size()));
    for (std::size_t i = 0; i < view_.n_constraints(); ++i) {
      if (view_.levels[j][i] == no_node) continue;
      const std::string name = constraint_name(to_index(i));
      all.push_back(view_.levels[j][i]);
      names.push_back(j == 0 ? name : fmt::format("time derivative {} of {}", j, name));
    }
  }
  level_start_.push_back(to_index(all.size()));
  event_equations_ = CompiledEquations::compile(pool, all, view_.states[0], bound);
  event_equations_.names = names;
  const InitialResiduals initial = initial_residuals(view_, pool);
  all.insert(all.end(), initial.residuals.begin(), initial.residuals.end());
  names.insert(names.end(), initial.names.begin(), initial.names.end());
  start_equations_ = CompiledEquations::compile(pool, all, view_.states[0], bound);
  start_equations_.names = std::move(names);
}

void ConstrainedOdeContext::prepare(ConstrainedOdeRun& run) const {
  run.rates = Evaluator(rates_);
  run.invariants = Evaluator(event_equations_.residual);
  run.outputs = Evaluator(outputs_);
  run.determining = determining_.make_workspace();
  run.invariant_jacobian = event_equations_.jacobian.make_workspace();
  run.u.assign(to_size(m()), 0.0);
  run.accepted_u = run.u;
  run.residual.assign(to_size(m()), 0.0);
  run.matrix.assign(determining_.pattern().row.size(), 0.0);
  run.solver = linalg::make_real_solver(determining_.pattern());
  run.metric.clear();
  for (const double nominal : nominals_) run.metric.push_back(1.0 / (nominal * nominal));
  run.jacobian.assign(invariant_pattern().row.size(), 0.0);
  run.violation.assign(to_size(n_invariants()), 0.0);
  run.correction.assign(to_size(n()), 0.0);
  run.curvature.resize(to_size(n()), to_size(n_invariants()));
  run.projector.clear();
  run.projector.emplace_back(diagonal_pattern(n()), invariant_pattern());
}

ConstrainedOdeContext::Blocks ConstrainedOdeContext::blocks(const double& t,
                                                            std::span<const double> x,
                                                            const ConstrainedOdeRun& run,
                                                            const double* rates) const {
  return {&t,
          x.data(),
          rates,
          run.u.data(),
          run.parameters.data(),
          run.modes.data(),
          run.discretes.data(),
          run.pre.data()};
}

Evaluation ConstrainedOdeContext::fail(Status status, std::string detail,
                                       ConstrainedOdeRun& run) const {
  run.failure = {status, -1, std::move(detail)};
  return Evaluation::recoverable;
}

ConstrainedOdeContext::NewtonEnd ConstrainedOdeContext::newton(double t, std::span<const double> x,
                                                               ConstrainedOdeRun& run) const {
  const std::array<std::span<double>, 1> groups{run.matrix};
  double before = infinity;
  for (int i = 0; i < max_iterations; ++i) {
    determining_.evaluate(blocks(t, x, run), groups, run.determining, run.residual);
    if (!is_finite(run.residual) || !is_finite(run.matrix)) return NewtonEnd::not_finite;
    if (!run.solver->factor(run.matrix).ok) return NewtonEnd::singular;
    run.solver->solve(run.residual);
    double size = 0.0;
    double scale = 0.0;
    for (std::size_t j = 0; j < run.u.size(); ++j) {
      run.u[j] -= run.residual[j];
      size = std::max(size, std::abs(run.residual[j]));
      scale = std::max(scale, std::abs(run.u[j]));
    }
    if (view_.is_linear) return NewtonEnd::converged;
    // Quadratic: what the next correction would be is below round-off.
    const double rate = size / before;
    if (size <= 4.0 * round_off * scale ||
        (i > 0 && rate < 0.1 && rate * size <= round_off * scale)) {
      return NewtonEnd::converged;
    }
    if (i > 2 && rate > 0.5 && size <= 1e3 * round_off * scale) return NewtonEnd::converged;
    before = size;
  }
  return NewtonEnd::failed;
}

Evaluation ConstrainedOdeContext::solve(double t, std::span<const double> x,
                                        ConstrainedOdeRun& run) const {
  NewtonEnd end = newton(t, x, run);
  if (end != NewtonEnd::converged && !view_.is_linear) {
    // An attempt far away may have left u on another branch.
    run.u = run.accepted_u;
    end = newton(t, x, run);
  }
  if (end == NewtonEnd::converged) return Evaluation::ok;
  std::copy(run.accepted_u.begin(), run.accepted_u.end(), run.u.begin());
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
  const Matrix matrix = linalg::to_dense(determining_.pattern(), run.matrix);
  const Index row = std::max<Index>(linalg::choose_pivot_columns(matrix).dependent_row, 0);
  fail(Status::singular_iteration_matrix,
       fmt::format("At t = {:.12g} the constraint {} depends on the others: it is redundant, or "
                   "the position is singular.",
                   t, constraint_name(row)),
       run);
  // A nonlinear iteration may have strayed; a linear system is what it is.
  return view_.is_linear ? Evaluation::fatal : Evaluation::recoverable;
}

Evaluation ConstrainedOdeContext::rates(double t, std::span<const double> x, ConstrainedOdeRun& run,
                                        std::span<double> xp) const {
  const Evaluation solved = solve(t, x, run);
  if (solved != Evaluation::ok) return solved;
  const auto out = run.rates(blocks(t, x, run));
  std::copy(out.begin(), out.end(), xp.begin());
  if (is_finite(out)) return Evaluation::ok;
  return fail(Status::non_finite_value,
              fmt::format("The equations are not finite at t = {:.12g}.", t), run);
}

std::span<const double> ConstrainedOdeContext::invariants(double t, std::span<const double> x,
                                                          ConstrainedOdeRun& run) const {
  const auto out = run.invariants(blocks(t, x, run));
  if (is_finite(out)) return out;
  fail(Status::non_finite_value, fmt::format("A constraint is not finite at t = {:.12g}.", t), run);
  return {};
}

Evaluation ConstrainedOdeContext::invariant_jacobian(double t, std::span<const double> x,
                                                     ConstrainedOdeRun& run,
                                                     std::span<double> values) const {
  const std::array<std::span<double>, 1> groups{values};
  event_equations_.jacobian.evaluate(blocks(t, x, run), groups, run.invariant_jacobian);
  if (is_finite(values)) return Evaluation::ok;
  return fail(Status::non_finite_value,
              fmt::format("A constraint is not finite at t = {:.12g}.", t), run);
}

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

ProgramConstraints ConstrainedOdeContext::constraints(const double& t, ConstrainedOdeRun& run,
                                                      bool at_start) const {
  return {at_start ? start_equations_ : event_equations_, view_.model,
          [this, &t, &run](std::span<const double> x) {
            const Blocks all = blocks(t, x, run);
            return std::vector<const double*>(all.begin(), all.end());
          }};
}

Start ConstrainedOdeContext::find_start(double t0, ConstrainedOdeRun& run) const {
  Start start;
  start.x.resize(to_size(n()));
  start.xp.resize(start.x.size());
  const StartWishes wishes = start_values_.wishes(run);
  const auto value = [&](std::int32_t variable) {
    return wishes.unknowns[to_size(variable)].value;
  };
  std::ranges::transform(view_.states[0], start.x.begin(), value);
  std::ranges::transform(view_.algebraic, run.accepted_u.begin(), value);
  run.u = run.accepted_u;
  ProgramConstraints equations = constraints(t0, run, true);
  if (!meet_start_values(equations, wishes, start.x, run.stop, start)) return start;
  if (rates(t0, start.x, run, start.xp) != Evaluation::ok) {
    start.status = run.failure.status;
    start.message = run.failure.detail;
    return start;
  }
  run.accepted_u = run.u;
  return start;
}

void ConstrainedOdeContext::read(double t, std::span<const double> x, std::span<const double>,
                                 ModelRun& base, std::span<double> values,
                                 std::span<double> derivatives) const {
  auto& run = run_of<ConstrainedOdeRun>(base);
  if (rates(t, x, run, run.correction) != Evaluation::ok) {
    std::fill(run.u.begin(), run.u.end(), std::numeric_limits<double>::quiet_NaN());
    std::fill(run.correction.begin(), run.correction.end(),
              std::numeric_limits<double>::quiet_NaN());
  }
  const auto out = run.outputs(blocks(t, x, run, run.correction.data()));
  std::copy(out.begin(), out.end(), values.begin());
  if (!derivatives.empty()) {
    std::fill(derivatives.begin(), derivatives.end(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < view_.states[0].size(); ++i) {
      derivatives[to_size(view_.states[0][i])] = run.correction[i];
    }
  }
  if (!is_finite(run.u)) run.u = run.accepted_u;
}

bool ConstrainedOdeContext::assign(std::int32_t variable, double value, std::span<double> x) const {
  const std::vector<std::int32_t>& states = view_.states[0];
  const auto found = std::find(states.begin(), states.end(), variable);
  if (found == states.end()) return false;
  x[to_size(found - states.begin())] = value;
  return true;
}

Evaluation ConstrainedOdeContext::make_consistent(double t, std::span<double> x,
                                                  std::span<double> xp, ModelRun& base) const {
  auto& run = run_of<ConstrainedOdeRun>(base);
  ProgramConstraints equations = constraints(t, run, false);
  const std::span<double> states = x.first(to_size(n()));
  const Evaluation met = meet_beside_held(equations, states, run);
  return met == Evaluation::ok ? rates(t, states, run, xp.first(to_size(n()))) : met;
}

std::string ConstrainedOdeContext::constraint_name(Index constraint) const {
  return equation_label(view_.model, view_.constraint_equations[to_size(constraint)]);
}

std::string ConstrainedOdeContext::state_name(Index state) const {
  return view_.model.variables()[to_size(view_.states[0][to_size(state)])].name;
}

}  // namespace daedal::formulation
