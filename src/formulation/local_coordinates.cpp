// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/local_coordinates.hpp"

#include <fmt/format.h>

namespace daedal::formulation {

namespace {

LocalCoordinatesRun& own(Run& run) {
  return static_cast<LocalCoordinatesRun&>(run);
}

}  // namespace

LocalCoordinatesSystem::LocalCoordinatesSystem(std::shared_ptr<const MechanicalContext> context,
                                               const ChartSettings& settings)
    : MechanicalOde(std::move(context), {}), charts_(*this, settings) {}

std::unique_ptr<Run> LocalCoordinatesSystem::make_run() const {
  const Mechanics& mechanics = context().mechanics();
  auto run = std::make_unique<LocalCoordinatesRun>(mechanics.view().model, context().parameters());
  context().prepare(*run);
  run->chart = charts_.make_work();
  return run;
}

Evaluation LocalCoordinatesSystem::residual(double t, std::span<const double> x, int level,
                                            Run& run, std::span<double> values) const {
  return context().mechanics().residual(context().mechanics().point(t, x), level, own(run), values);
}

Evaluation LocalCoordinatesSystem::constraint_jacobian(double t, std::span<const double> x,
                                                       Run& run, std::span<double> values) const {
  const Mechanics& mechanics = context().mechanics();
  if (mechanics.position_level(mechanics.point(t, x), own(run), own(run).work.bottom, values)) {
    return Evaluation::ok;
  }
  run.failure = {Status::non_finite_value, -1,
                 fmt::format("A constraint is not finite at t = {:.12g}.", t)};
  return Evaluation::recoverable;
}

Evaluation LocalCoordinatesSystem::choose_chart(double t, std::span<const double> x,
                                                Run& run) const {
  return charts_.choose(t, x, run, own(run).chart);
}

Evaluation LocalCoordinatesSystem::complete(double t, std::span<double> x, Run& run) const {
  return charts_.complete(t, x, run, own(run).chart);
}

Evaluation LocalCoordinatesSystem::project(double t, std::span<double> x, std::span<const double>,
                                           Run& run) const {
  return complete(t, x, run);
}

Change LocalCoordinatesSystem::after_step(double t, std::span<double> x, std::span<double> xp,
                                          const History& history, Run& run) const {
  Change change = MechanicalOde::after_step(t, x, xp, history, run);
  return change.kind == Change::Kind::none ? charts_.watch(t, x, run, own(run).chart) : change;
}

Change LocalCoordinatesSystem::on_event(double t, std::span<const std::int64_t> fired,
                                        std::span<double> x, std::span<double> xp, Run& run) const {
  Change change = MechanicalOde::on_event(t, fired, x, xp, run);
  if (change.kind == Change::Kind::stop) return change;
  if (choose_chart(t, x, run) == Evaluation::ok) return change;
  return {Change::Kind::stop, run.failure.status, run.failure.detail};
}

void LocalCoordinatesFormulation::extend_start(double t0, MechanicalRun& run, Start& start) const {
  if (system_.choose_chart(t0, start.x, run) == Evaluation::ok) return;
  start.status = run.failure.status;
  start.message = run.failure.detail;
}

}  // namespace daedal::formulation
