// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanical_dae.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "formulation/mechanical_rows.hpp"

namespace daedal::formulation {

namespace {

enum Block : int {
  time_block,
  x_block,
  xp_block,
  parameter_block,
  mode_block,
  discrete_block,
  pre_block,
  n_own_blocks
};

/// The run of an implicit mechanical form.
class DaeRun final : public MechanicalRun {
 public:
  using MechanicalRun::MechanicalRun;
  Evaluator residual;
  kernel::JacobianWorkspace jacobian;

  std::array<const double*, n_own_blocks> own_blocks(const double& t, std::span<const double> x,
                                                     std::span<const double> xp) const {
    return {&t, x.data(), xp.data(), parameters.data(), modes.data(), discretes.data(), pre.data()};
  }
};

std::string_view level_name(ConstraintRow row) {
  switch (row) {
    case ConstraintRow::position:
      return "";
    case ConstraintRow::velocity:
      return "the time derivative of ";
    case ConstraintRow::acceleration:
    case ConstraintRow::multiplier:
      return "the second time derivative of ";
  }
  return "";
}

}  // namespace

MechanicalDae::MechanicalDae(std::shared_ptr<const MechanicalContext> context,
                             const MechanicalForm& form)
    : context_(std::move(context)) {
  declare_unknowns(form);
  compile(form);
}

void MechanicalDae::declare_unknowns(const MechanicalForm& form) {
  const Mechanics& mechanics = context_->mechanics();
  const auto variables = mechanics.view().model.variables();
  const auto add = [&](std::span<const std::int32_t> numbers, UnknownKind kind) {
    for (const std::int32_t number : numbers) {
      names_.push_back(variables[to_size(number)].name);
      nominals_.push_back(kind.in_error_test ? variables[to_size(number)].nominal : 1.0);
      kinds_.push_back(kind);
    }
  };
  add(mechanics.view().positions, {.differential = true, .index = 1});
  add(mechanics.view().velocities, {.differential = true, .index = form.velocity_index});
  add(mechanics.view().multipliers,
      {.differential = false, .index = form.multiplier_index, .in_error_test = false});
  const auto add_auxiliary = [&](std::string_view name) {
    for (Index i = 0; i < mechanics.m(); ++i) {
      names_.push_back(fmt::format("{} of {}", name, mechanics.constraint_name(i)));
      nominals_.push_back(1.0);
      kinds_.push_back({.differential = false, .index = 2, .in_error_test = false});
    }
  };
  if (form.has_mu) add_auxiliary("the position correction");
  if (form.has_eta) add_auxiliary("the velocity correction");

  const MechanicalView& view = mechanics.view();
  for (Index i = 0; i < mechanics.n(); ++i) {
    row_names_.push_back(fmt::format("der({}) = {}", mechanics.coordinate_name(i),
                                     variables[to_size(view.velocities[to_size(i)])].name));
  }
  for (Index i = 0; i < mechanics.n(); ++i) row_names_.push_back(mechanics.dynamic_name(i));
  for (const auto* block : {&form.square, &form.overdetermined}) {
    for (const ConstraintRow kind : *block) {
      for (Index i = 0; i < mechanics.m(); ++i) {
        row_names_.push_back(fmt::format("{}{}", level_name(kind), mechanics.constraint_name(i)));
      }
    }
  }
  n_constraints_ = to_index(form.overdetermined.size()) * mechanics.m();
  const auto holds_position = [](const std::vector<ConstraintRow>& rows) {
    return std::find(rows.begin(), rows.end(), ConstraintRow::position) != rows.end();
  };
  drifts_ = !holds_position(form.square) && !holds_position(form.overdetermined);
}

void MechanicalDae::compile(const MechanicalForm& form) {
  const MechanicalView& view = context_->mechanics().view();
  Pool pool(view.pool);
  const MechanicalLeaves leaves = make_leaves(view, form, pool);
  const std::vector<NodeId> rows = make_rows(view, form, leaves, pool);
  const std::vector<NodeId> x = leaves.x();
  const std::vector<NodeId> xp = leaves.xp();

  std::vector<kernel::Input> bound = inputs(pool);
  for (std::size_t i = 0; i < x.size(); ++i) {
    bound.push_back({x[i], x_block, to_index(i)});
    if (xp[i] != no_node) bound.push_back({xp[i], xp_block, to_index(i)});
  }
  residual_ = kernel::Program::compile(pool, rows, bound);
  jacobian_ =
      kernel::JacobianProgram::compile(pool, {.roots = rows, .groups = {x, xp}, .inputs = bound});
}

std::vector<kernel::Input> MechanicalDae::inputs(Pool& pool) const {
  const Model& model = context_->mechanics().view().model;
  std::vector<kernel::Input> bound{{pool.time(), time_block, 0}};
  for (std::size_t i = 0; i < model.parameters().size(); ++i) {
    bound.push_back({pool.parameter(static_cast<SymbolId>(i)), parameter_block, to_index(i)});
  }
  for (std::int32_t id = 0; id < pool.n_relations(); ++id) {
    bound.push_back({pool.relation_node(id), mode_block, id});
  }
  for (std::size_t i = 0; i < model.discretes().size(); ++i) {
    bound.push_back({pool.discrete(static_cast<SymbolId>(i)), discrete_block, to_index(i)});
    bound.push_back({pool.pre(static_cast<SymbolId>(i)), pre_block, to_index(i)});
  }
  return bound;
}

std::unique_ptr<Run> MechanicalDae::make_run() const {
  auto run = std::make_unique<DaeRun>(context_->mechanics().view().model, context_->parameters());
  context_->prepare(*run);
  run->residual = Evaluator(residual_);
  run->jacobian = jacobian_.make_workspace();
  return run;
}

Evaluation MechanicalDae::residual(double t, std::span<const double> x, std::span<const double> xp,
                                   Run& base, std::span<double> values) const {
  auto& run = static_cast<DaeRun&>(base);
  const auto out = run.residual(run.own_blocks(t, x, xp));
  std::copy(out.begin(), out.end(), values.begin());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    run.failure = {Status::non_finite_value, to_index(i),
                   fmt::format("{} is not finite at t = {:.12g}.", row_names_[i], t)};
    return Evaluation::recoverable;
  }
  return Evaluation::ok;
}

Evaluation MechanicalDae::jacobian(double t, std::span<const double> x, std::span<const double> xp,
                                   Run& base, std::span<double> f_x, std::span<double> f_xp) const {
  auto& run = static_cast<DaeRun&>(base);
  const std::array<std::span<double>, 2> groups{f_x, f_xp};
  jacobian_.evaluate(run.own_blocks(t, x, xp), groups, run.jacobian);
  for (const double value : f_x) {
    if (std::isfinite(value)) continue;
    run.failure = {Status::non_finite_value, -1,
                   fmt::format("A derivative of the equations is not finite at t = {:.12g}.", t)};
    return Evaluation::recoverable;
  }
  return Evaluation::ok;
}

Change MechanicalDae::on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                               std::span<double> xp, Run& base) const {
  auto& run = static_cast<MechanicalRun&>(base);
  Change change = ContextSystem::on_event(t, fired, x, xp, run);
  set_multipliers(run, x, xp);
  return change;
}

Change MechanicalDae::after_step(double t, std::span<double> x, std::span<double> xp,
                                 const History& history, Run& base) const {
  auto& run = static_cast<MechanicalRun&>(base);
  Change change = ContextSystem::after_step(t, x, xp, history, run);
  if (change.kind != Change::Kind::none || !drifts_) return change;
  return context_->check_branch(t, x, run);
}

void MechanicalDae::set_multipliers(const MechanicalRun& run, std::span<double> x,
                                    std::span<double> xp) const {
  const auto first = 2 * to_size(context_->mechanics().n());
  std::fill(x.begin() + static_cast<std::ptrdiff_t>(first), x.end(), 0.0);
  std::fill(xp.begin() + static_cast<std::ptrdiff_t>(first), xp.end(), 0.0);
  std::copy(run.work.multipliers.begin(), run.work.multipliers.end(),
            x.begin() + static_cast<std::ptrdiff_t>(first));
}

void MechanicalDaeFormulation::extend_start(double, MechanicalRun& run, Start& start) const {
  start.x.resize(to_size(system_.size()));
  start.xp.resize(start.x.size());
  system_.set_multipliers(run, start.x, start.xp);
}

}  // namespace daedal::formulation
