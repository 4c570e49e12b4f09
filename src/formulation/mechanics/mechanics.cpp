// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanics/mechanics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

SparsityPattern to_pattern(Index rows, Index columns, std::span<const JacobianEntry> entries) {
  SparsityPattern pattern;
  pattern.rows = rows;
  pattern.columns = columns;
  pattern.column_start.assign(to_size(columns) + 1, 0);
  for (const JacobianEntry& entry : entries) {
    ++pattern.column_start[to_size(entry.column) + 1];
    pattern.row.push_back(entry.row);
  }
  for (std::size_t j = 0; j < to_size(columns); ++j) {
    pattern.column_start[j + 1] += pattern.column_start[j];
  }
  return pattern;
}

void append_values(std::vector<NodeId>& nodes, std::span<const JacobianEntry> entries) {
  for (const JacobianEntry& entry : entries) nodes.push_back(entry.value);
}

void append_nodes(std::vector<NodeId>& nodes, std::span<const NodeId> more) {
  nodes.insert(nodes.end(), more.begin(), more.end());
}

/// 0·v is 0 for numbers and NaN for all else: sums without a branch, for the innermost loop; four
/// of them, so that they do not wait for each other.
bool is_finite(std::span<const double> values) {
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += 0.0 * values[i + k];
  }
  for (; i < values.size(); ++i) sums[0] += 0.0 * values[i];
  return sums[0] + sums[1] + sums[2] + sums[3] == 0.0;
}

}  // namespace

Mechanics::Mechanics(ConstrainedView view)
    : view_(std::move(view)),
      n_(to_index(view_.states[0].size())),
      m_(to_index(view_.levels[0].size())),
      mass_pattern_(to_pattern(n_, n_, view_.mass)),
      jacobian_pattern_(to_pattern(m_, n_, view_.jacobian)) {
  Pool pool(view_.pool);
  const std::vector<kernel::Input> bound = inputs(pool);
  const auto compile = [&](const std::vector<NodeId>& nodes) {
    return kernel::Program::compile(pool, nodes, bound);
  };
  std::vector<NodeId> nodes;
  append_values(nodes, view_.mass);
  mass_ = compile(nodes);
  append_nodes(nodes, view_.force);
  append_values(nodes, view_.jacobian);
  append_nodes(nodes, view_.remainder);
  dynamics_ = compile(nodes);
  append_nodes(nodes, view_.levels[1]);
  append_nodes(nodes, view_.levels[0]);
  stabilized_ = compile(nodes);
  nodes = view_.levels[0];
  append_values(nodes, view_.jacobian);
  position_ = compile(nodes);
  nodes = view_.levels[1];
  append_values(nodes, view_.jacobian);
  velocity_ = compile(nodes);
  outputs_ = compile(view_.outputs);
}

std::vector<kernel::Input> Mechanics::inputs(Pool& pool) const {
  std::vector<kernel::Input> bound = held_inputs(view_.model, pool,
                                                 {.time = time_block,
                                                  .parameters = parameter_block,
                                                  .modes = mode_block,
                                                  .discretes = discrete_block,
                                                  .pre = pre_block});
  for (std::size_t i = 0; i < view_.states[0].size(); ++i) {
    const auto offset = to_index(i);
    bound.push_back({pool.variable(view_.states[0][i]), q_block, offset});
    bound.push_back({pool.variable(view_.states[1][i]), v_block, offset});
    bound.push_back({pool.variable(view_.states[0][i], 1), v_block, offset});
    bound.push_back({pool.variable(view_.states[1][i], 1), a_block, offset});
  }
  for (std::size_t i = 0; i < view_.algebraic.size(); ++i) {
    bound.push_back({pool.variable(view_.algebraic[i]), lambda_block, to_index(i)});
  }
  return bound;
}

void Mechanics::prepare(MechanicsWork& work) const {
  work.dynamics = Evaluator(dynamics_);
  work.stabilized = Evaluator(stabilized_);
  work.position = Evaluator(position_);
  work.velocity = Evaluator(velocity_);
  work.mass = Evaluator(mass_);
  work.outputs = Evaluator(outputs_);
  work.acceleration.assign(to_size(n_), 0.0);
  work.multipliers.assign(to_size(m_), 0.0);
  work.model_multipliers.assign(to_size(m_), 0.0);
  work.top.assign(to_size(n_), 0.0);
  work.bottom.assign(to_size(m_), 0.0);
  work.solver.clear();
  work.solver.emplace_back(mass_pattern_, jacobian_pattern_);
  work.mass_is_factored = false;
  work.regular.reset();
  work.monitor.reset();
}

Mechanics::Blocks Mechanics::blocks(const MechanicalPoint& at, const MechanicalRun& run) {
  return {&at.t,
          at.q.data(),
          at.v.data(),
          run.work.acceleration.data(),
          run.work.model_multipliers.data(),
          run.parameters.data(),
          run.modes.data(),
          run.discretes.data(),
          run.pre.data()};
}

Mechanics::Dynamics Mechanics::dynamics(const MechanicalPoint& at, MechanicalRun& run) const {
  const std::span<const double> out = run.work.dynamics(blocks(at, run));
  const std::size_t n_mass = view_.mass.size();
  const std::size_t n_jacobian = view_.jacobian.size();
  return {out.first(n_mass), out.subspan(n_mass, to_size(n_)),
          out.subspan(n_mass + to_size(n_), n_jacobian), out.last(to_size(m_))};
}

Evaluation Mechanics::factor_regular(std::span<const double> mass, std::span<const double> jacobian,
                                     double t, MechanicalRun& run,
                                     RegularConstraints::Purpose purpose) const {
  MechanicsWork& work = run.work;
  const RegularReport report = work.regular->factor(mass, jacobian, purpose, work.solver.front());
  if (report.ok()) return Evaluation::ok;
  if (!report.is_finite) {
    return note_failure(Status::non_finite_value,
                        fmt::format("The equations of motion are not finite at t = {:.12g}.", t),
                        run);
  }
  return note_failure(
      Status::singular_iteration_matrix,
      fmt::format("At t = {:.12g} the masses do not determine the acceleration of '{}': "
                  "the mass matrix is singular. The parameter singular_mass may help.",
                  t, coordinate_name(std::max<Index>(report.massless, 0))),
      run);
}

void Mechanics::solve(std::span<double> top, std::span<double> bottom, MechanicalRun& run) const {
  MechanicsWork& work = run.work;
  if (work.regular) {
    work.regular->solve(top, bottom, work.solver.front());
  } else {
    work.solver.front().solve(top, bottom);
  }
}

Evaluation Mechanics::factor(std::span<const double> mass, std::span<const double> jacobian,
                             double t, MechanicalRun& run,
                             RegularConstraints::Purpose purpose) const {
  MechanicsWork& work = run.work;
  if (work.regular) return factor_regular(mass, jacobian, t, run, purpose);
  linalg::SaddlePointSolver& solver = work.solver.front();
  const bool reuse = view_.mass_is_constant && work.mass_is_factored;
  return judge(reuse ? solver.factor(jacobian) : solver.factor(mass, jacobian), t, run);
}

Evaluation Mechanics::judge(const linalg::SaddlePointReport& report, double t,
                            MechanicalRun& run) const {
  run.work.mass_is_factored = report.ok;
  run.work.has_pivoted = report.pivoted;
  if (report.ok) return Evaluation::ok;
  if (report.singular_constraint >= 0) {
    return note_failure(Status::singular_iteration_matrix,
                        fmt::format("At t = {:.12g} the constraint {} depends on the others: it is "
                                    "redundant, or the position is singular.",
                                    t, constraint_name(report.singular_constraint)),
                        run, report.singular_constraint);
  }
  return note_failure(
      Status::singular_iteration_matrix,
      fmt::format("At t = {:.12g} neither the masses nor the constraints determine the "
                  "acceleration of '{}'.",
                  t, coordinate_name(std::max<Index>(report.singular_coordinate, 0))),
      run);
}

Evaluation Mechanics::accelerations(const MechanicalPoint& at, const Damping& damping,
                                    MechanicalRun& run) const {
  MechanicsWork& work = run.work;
  const bool damped = !damping.is_zero();
  const std::span<const double> out =
      damped ? work.stabilized(blocks(at, run)) : work.dynamics(blocks(at, run));
  const std::size_t n_mass = view_.mass.size();
  const std::size_t first_jacobian = n_mass + to_size(n_);
  const std::size_t first_curvature = first_jacobian + view_.jacobian.size();
  std::copy_n(out.begin() + static_cast<std::ptrdiff_t>(n_mass), n_, work.acceleration.begin());
  for (std::size_t i = 0; i < to_size(m_); ++i) {
    double right = damping.has_curvature ? -out[first_curvature + i] : 0.0;
    if (damped) {
      right -= damping.velocity * out[first_curvature + to_size(m_) + i] +
               damping.position * out[first_curvature + 2 * to_size(m_) + i];
    }
    work.multipliers[i] = right;
  }
  return factor_and_solve(out.first(n_mass), out.subspan(first_jacobian, view_.jacobian.size()),
                          at.t, run);
}

Evaluation Mechanics::factor_and_solve(std::span<const double> mass,
                                       std::span<const double> jacobian, double t,
                                       MechanicalRun& run) const {
  MechanicsWork& work = run.work;
  if (work.regular) {
    work.has_pivoted = true;
    const Evaluation factored =
        factor_regular(mass, jacobian, t, run, RegularConstraints::Purpose::motion);
    if (factored == Evaluation::ok) solve(work.acceleration, work.multipliers, run);
    return factored;
  }
  const bool reuse = view_.mass_is_constant && work.mass_is_factored;
  return judge(
      work.solver.front().factor_and_solve(reuse ? std::span<const double>{} : mass, jacobian,
                                           {work.acceleration, work.multipliers}),
      t, run);
}

bool Mechanics::position_level(const MechanicalPoint& at, MechanicalRun& run, std::span<double> g,
                               std::span<double> jacobian) const {
  const std::span<const double> out = run.work.position(blocks(at, run));
  std::copy_n(out.begin(), m_, g.begin());
  std::copy_n(out.begin() + m_, jacobian.size(), jacobian.begin());
  return is_finite(out);
}

bool Mechanics::velocity_level(const MechanicalPoint& at, MechanicalRun& run,
                               std::span<double> rate, std::span<double> jacobian) const {
  const std::span<const double> out = run.work.velocity(blocks(at, run));
  std::copy_n(out.begin(), m_, rate.begin());
  std::copy_n(out.begin() + m_, jacobian.size(), jacobian.begin());
  return is_finite(out);
}

bool Mechanics::mass(const MechanicalPoint& at, MechanicalRun& run,
                     std::span<double> values) const {
  const std::span<const double> out = run.work.mass(blocks(at, run));
  std::copy(out.begin(), out.end(), values.begin());
  return is_finite(out);
}

Evaluation Mechanics::residual(const MechanicalPoint& at, int level, MechanicalRun& run,
                               std::span<double> values) const {
  bool finite = true;
  if (level == 0) {
    finite = position_level(at, run, values, {});
  } else if (level == 1) {
    finite = velocity_level(at, run, values, {});
  } else {
    const Dynamics d = dynamics(at, run);
    std::copy(d.curvature.begin(), d.curvature.end(), values.begin());
    for (Index j = 0; j < n_; ++j) {
      for (Index p = jacobian_pattern_.column_start[to_size(j)];
           p < jacobian_pattern_.column_start[to_size(j + 1)]; ++p) {
        values[to_size(jacobian_pattern_.row[to_size(p)])] +=
            d.jacobian[to_size(p)] * run.work.acceleration[to_size(j)];
      }
    }
    finite = is_finite(values);
  }
  if (finite) return Evaluation::ok;
  return note_failure(Status::non_finite_value,
                      fmt::format("A constraint is not finite at t = {:.12g}.", at.t), run);
}

void Mechanics::to_model(const MechanicalPoint& at, MechanicalRun& run, std::span<double> values,
                         std::span<double> derivatives) const {
  MechanicsWork& work = run.work;
  multipliers_of_model(view_, work.multipliers, work.model_multipliers);
  const std::span<const double> out = work.outputs(blocks(at, run));
  std::copy(out.begin(), out.end(), values.begin());
  if (derivatives.empty()) return;
  std::fill(derivatives.begin(), derivatives.end(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < to_size(n_); ++i) {
    const auto position = to_size(view_.states[0][i]);
    const auto velocity = to_size(view_.states[1][i]);
    if (position < derivatives.size()) derivatives[position] = at.v[i];
    if (velocity < derivatives.size()) derivatives[velocity] = work.acceleration[i];
  }
}

std::string Mechanics::constraint_name(Index constraint) const {
  return equation_label(view_.model, view_.constraint_equations[to_size(constraint)]);
}

std::string Mechanics::dynamic_name(Index row) const {
  return equation_label(view_.model, view_.dynamic_equations[to_size(row)]);
}

std::string Mechanics::coordinate_name(Index coordinate) const {
  return view_.model.variables()[to_size(view_.states[0][to_size(coordinate)])].name;
}

}  // namespace daedal::formulation
