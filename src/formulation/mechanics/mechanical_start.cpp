// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanics/mechanical_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "expr/calculus.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

/// A fixed multiplier that is given to so many digits is the same.
constexpr double same_multiplier = 1e-6;

}  // namespace

MechanicalStart::MechanicalStart(const Mechanics& mechanics)
    : mechanics_(mechanics), start_values_(mechanics.view().model) {
  Pool pool(mechanics.view().pool);
  levels_.push_back(make_level(0, pool));
  levels_.push_back(make_level(1, pool));
}

CompiledEquations MechanicalStart::make_level(int level, Pool& pool) const {
  const ConstrainedView& view = mechanics_.view();
  std::vector<std::string> names;
  std::vector<NodeId> equations = level == 0 ? view.levels[0] : view.levels[1];
  for (Index i = 0; i < mechanics_.m(); ++i) {
    names.push_back(level == 0
                        ? mechanics_.constraint_name(i)
                        : fmt::format("the time derivative of {}", mechanics_.constraint_name(i)));
  }
  const InitialResiduals initial = initial_residuals(view, pool);
  for (std::size_t i = 0; i < initial.residuals.size(); ++i) {
    if (initial.levels[i] != level) continue;
    equations.push_back(initial.residuals[i]);
    names.push_back(initial.names[i]);
  }
  CompiledEquations result = CompiledEquations::compile(
      pool, equations, level == 0 ? view.states[0] : view.states[1], mechanics_.inputs(pool));
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
  const ConstrainedView& view = mechanics_.view();
  MechanicsWork& work = run.work;
  multipliers_of_model(view, work.multipliers, work.model_multipliers);
  for (std::size_t i = 0; i < view.algebraic.size(); ++i) {
    const auto k = to_size(view.algebraic[i]);
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
  const ConstrainedView& view = mechanics_.view();
  const StartWishes wishes = start_values_.wishes(run);
  for (std::size_t i = 0; i < n; ++i) {
    start.x[i] = wishes.unknowns[to_size(view.states[0][i])].value;
    start.x[n + i] = wishes.unknowns[to_size(view.states[1][i])].value;
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
