// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/charts/local_coordinates.hpp"

#include <fmt/format.h>

namespace daedal::formulation {

LocalCoordinatesSystem::LocalCoordinatesSystem(std::shared_ptr<const MechanicalContext> context,
                                               const ChartSettings& settings)
    : ChartedSystem(settings, std::move(context), MechanicalOde::Settings{}) {}

std::unique_ptr<Run> LocalCoordinatesSystem::make_run() const {
  return make_charted_run(context(), context().mechanics().view().model);
}

Evaluation LocalCoordinatesSystem::residual(double t, std::span<const double> x, int level,
                                            Run& run, std::span<double> values) const {
  return context().mechanics().residual(context().mechanics().point(t, x), level,
                                        static_cast<MechanicalRun&>(run), values);
}

Evaluation LocalCoordinatesSystem::constraint_jacobian(double t, std::span<const double> x,
                                                       Run& run, std::span<double> values) const {
  const Mechanics& mechanics = context().mechanics();
  auto& own = static_cast<MechanicalRun&>(run);
  if (mechanics.position_level(mechanics.point(t, x), own, own.work.bottom, values)) {
    return Evaluation::ok;
  }
  run.failure = {Status::non_finite_value, -1,
                 fmt::format("A constraint is not finite at t = {:.12g}.", t)};
  return Evaluation::recoverable;
}

void LocalCoordinatesFormulation::extend_start(double t0, MechanicalRun& run, Start& start) const {
  if (system_.choose_chart(t0, start.x, run) == Evaluation::ok) return;
  start.status = run.failure.status;
  start.message = run.failure.detail;
}

}  // namespace daedal::formulation
