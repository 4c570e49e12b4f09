// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanics/mechanical_dae.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formulation/mechanics/mechanical_rows.hpp"

namespace daedal::formulation {

namespace {

/// The run of an implicit mechanical form.
class DaeRun final : public MechanicalRun {
 public:
  using MechanicalRun::MechanicalRun;
  RowWork rows;
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

bool holds_position(const std::vector<ConstraintRow>& rows) {
  return std::find(rows.begin(), rows.end(), ConstraintRow::position) != rows.end();
}

void declare_unknowns(const Mechanics& mechanics, const MechanicalForm& form, SystemRows& rows) {
  const auto variables = mechanics.view().model.variables();
  const auto add = [&](std::span<const std::int32_t> numbers, UnknownKind kind) {
    for (const std::int32_t number : numbers) {
      const Variable& variable = variables[to_size(number)];
      rows.add_unknown(variable.name, kind, kind.in_error_test ? variable.nominal : 1.0);
    }
  };
  add(mechanics.view().positions, {.differential = true, .index = 1});
  add(mechanics.view().velocities, {.differential = true, .index = form.velocity_index});
  add(mechanics.view().multipliers,
      {.differential = false, .index = form.multiplier_index, .in_error_test = false});
  const auto add_auxiliary = [&](std::string_view name) {
    for (Index i = 0; i < mechanics.m(); ++i) {
      rows.add_unknown(fmt::format("{} of {}", name, mechanics.constraint_name(i)),
                       {.differential = false, .index = 2, .in_error_test = false}, 1.0);
    }
  };
  if (form.has_mu) add_auxiliary("the position correction");
  if (form.has_eta) add_auxiliary("the velocity correction");
}

void name_rows(const Mechanics& mechanics, const MechanicalForm& form, SystemRows& rows) {
  const MechanicalView& view = mechanics.view();
  for (Index i = 0; i < mechanics.n(); ++i) {
    const auto velocity = to_size(view.velocities[to_size(i)]);
    rows.row_names.push_back(fmt::format("der({}) = {}", mechanics.coordinate_name(i),
                                         view.model.variables()[velocity].name));
  }
  for (Index i = 0; i < mechanics.n(); ++i) rows.row_names.push_back(mechanics.dynamic_name(i));
  for (const auto* block : {&form.square, &form.overdetermined}) {
    for (const ConstraintRow kind : *block) {
      for (Index i = 0; i < mechanics.m(); ++i) {
        rows.row_names.push_back(
            fmt::format("{}{}", level_name(kind), mechanics.constraint_name(i)));
      }
    }
  }
}

}  // namespace

MechanicalDae::MechanicalDae(std::shared_ptr<const MechanicalContext> context,
                             const MechanicalForm& form)
    : context_(std::move(context)),
      drifts_(!holds_position(form.square) && !holds_position(form.overdetermined)) {
  const MechanicalView& view = context_->mechanics().view();
  Pool pool(view.pool);
  const MechanicalLeaves leaves = make_leaves(view, form, pool);
  SystemRows rows{.rows = make_rows(view, form, leaves, pool), .x = leaves.x(), .xp = leaves.xp()};
  declare_unknowns(context_->mechanics(), form, rows);
  name_rows(context_->mechanics(), form, rows);
  compile(std::move(rows), pool, view.model);
}

std::unique_ptr<Run> MechanicalDae::make_run() const {
  auto run = std::make_unique<DaeRun>(context_->mechanics().view().model, context_->parameters());
  context_->prepare(*run);
  run->rows = make_work();
  return run;
}

RowWork& MechanicalDae::work(Run& run) const {
  return static_cast<DaeRun&>(run).rows;
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
  Change change = context_->watch(t, x, history, run);
  if (change.kind != Change::Kind::none) return change;
  change = ContextSystem::after_step(t, x, xp, history, run);
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
