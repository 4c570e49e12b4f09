// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanics/mechanical_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>

#include "expr/calculus.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

/// A fixed multiplier that is given to so many digits is the same.
constexpr double same_multiplier = 1e-6;

/// 0: positions (and time, parameters) alone; 1: velocities too; 2: anything else.
int level_of(const Pool& pool, const MechanicalView& view, NodeId residual) {
  int level = 0;
  const NodeId roots[] = {residual};
  for (const NodeId leaf : dependencies(pool, roots)) {
    const Node& node = pool[leaf];
    if (node.op != Op::variable) continue;
    const auto contains = [&](const std::vector<std::int32_t>& variables) {
      return std::find(variables.begin(), variables.end(), node.symbol) != variables.end();
    };
    const bool is_position = contains(view.positions);
    const bool is_velocity = contains(view.velocities);
    if (is_position && node.order == 0) continue;
    const bool is_rate = (is_position && node.order == 1) || (is_velocity && node.order == 0);
    level = std::max(level, is_rate ? 1 : 2);
  }
  return level;
}

}  // namespace

MechanicalStart::MechanicalStart(const Mechanics& mechanics)
    : mechanics_(mechanics), start_values_(mechanics.view().model) {
  Pool pool(mechanics.view().pool);
  levels_.push_back(make_level(0, pool));
  levels_.push_back(make_level(1, pool));
}

CompiledEquations MechanicalStart::make_level(int level, Pool& pool) const {
  const MechanicalView& view = mechanics_.view();
  std::vector<std::string> names;
  std::vector<NodeId> equations = level == 0 ? view.constraints : view.velocity_level;
  for (Index i = 0; i < mechanics_.m(); ++i) {
    names.push_back(level == 0
                        ? mechanics_.constraint_name(i)
                        : fmt::format("the time derivative of {}", mechanics_.constraint_name(i)));
  }
  for (const Equation& equation : view.model.initial_equations()) {
    const NodeId residual = pool.sub(equation.lhs, equation.rhs);
    const int own = level_of(pool, view, residual);
    if (own > 1) {
      throw ModelError(ErrorCode::not_recognized,
                       fmt::format("The initial equation {} speaks of more than positions and "
                                   "velocities, which mechanical methods do not take.",
                                   equation.name.empty() ? place_suffix(equation.where)
                                                         : "'" + equation.name + "'"),
                       equation.where);
    }
    if (own != level) continue;
    equations.push_back(residual);
    names.push_back(equation.name.empty() ? "an initial equation" + place_suffix(equation.where)
                                          : "'" + equation.name + "'");
  }
  CompiledEquations result = CompiledEquations::compile(
      pool, equations, level == 0 ? view.positions : view.velocities, mechanics_.inputs(pool));
  result.names = std::move(names);
  return result;
}

ProgramConstraints MechanicalStart::constraints(int level, const MechanicalPoint& at,
                                                MechanicalRun& run) const {
  const auto blocks = [level, at, &run](std::span<const double> u) {
    const MechanicalPoint moved{at.t, level == 0 ? u : at.q, level == 0 ? at.v : u};
    const Mechanics::Blocks all = Mechanics::blocks(moved, run);
    return std::vector<const double*>(all.begin(), all.end());
  };
  return {levels_[to_size(level)], mechanics_.view().model, blocks};
}

bool MechanicalStart::solve(int level, double t0, const StartWishes& wishes, MechanicalRun& run,
                            Start& start) const {
  const auto n = to_size(mechanics_.n());
  const std::span<double> unknowns = std::span(start.x).subspan(to_size(level) * n, n);
  ProgramConstraints own = constraints(level, mechanics_.point(t0, start.x), run);
  return meet_start_values(own, wishes, unknowns, run.stop, start);
}

Evaluation MechanicalStart::project(double t, std::span<double> x, MechanicalRun& run) const {
  const auto n = to_size(mechanics_.n());
  for (const int level : {0, 1}) {
    ProgramConstraints own = constraints(level, mechanics_.point(t, x), run);
    const Evaluation met = meet_beside_held(own, x.subspan(to_size(level) * n, n), run);
    if (met != Evaluation::ok) return met;
  }
  return Evaluation::ok;
}

void MechanicalStart::check_multipliers(const StartWishes& wishes, double t0, MechanicalRun& run,
                                        Start& start) const {
  const MechanicalView& view = mechanics_.view();
  MechanicsWork& work = run.work;
  multipliers_of_model(view, work.multipliers, work.model_multipliers);
  for (std::size_t i = 0; i < view.multipliers.size(); ++i) {
    const auto k = to_size(view.multipliers[i]);
    const Variable& variable = view.model.variables()[k];
    const analysis::InitialUnknown& wish = wishes.unknowns[k];
    const double found = work.model_multipliers[i];
    const double size = std::max(std::abs(found), variable.nominal);
    const bool is_held = wish.role == analysis::Role::held;
    if (!is_held || std::abs(found - wish.value) <= same_multiplier * size) continue;
    start.status = Status::inconsistent_start;
    start.message = fmt::format(
        "At t = {:.12g} positions and velocities determine '{}' = {:.6g}: its fixed start value "
        "{:g} "
        "contradicts them.",
        t0, variable.name, found, wish.value);
    return;
  }
}

Start MechanicalStart::find(double t0, MechanicalRun& run) const {
  const auto n = to_size(mechanics_.n());
  Start start;
  start.x.resize(2 * n);
  start.xp.resize(2 * n);
  const MechanicalView& view = mechanics_.view();
  const StartWishes wishes = start_values_.wishes(run);
  for (std::size_t i = 0; i < n; ++i) {
    start.x[i] = wishes.unknowns[to_size(view.positions[i])].value;
    start.x[n + i] = wishes.unknowns[to_size(view.velocities[i])].value;
  }
  if (!solve(0, t0, wishes, run, start) || !solve(1, t0, wishes, run, start)) return start;
  if (mechanics_.accelerations(mechanics_.point(t0, start.x), {}, run) != Evaluation::ok) {
    start.status = run.failure.status;
    start.message = run.failure.detail;
    return start;
  }
  check_multipliers(wishes, t0, run, start);
  std::copy_n(start.x.begin() + static_cast<std::ptrdiff_t>(n), n, start.xp.begin());
  std::copy_n(run.work.acceleration.begin(), n, start.xp.begin() + static_cast<std::ptrdiff_t>(n));
  return start;
}

}  // namespace daedal::formulation
