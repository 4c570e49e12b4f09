// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/regular_mechanics.hpp"

#include "formulation/redundancy.hpp"
#include "formulation/singular_mass.hpp"

namespace daedal::formulation {

Change RegularMechanicalOde::after_step(double t, std::span<double> x, std::span<double> xp,
                                        const History& history, Run& base) const {
  auto& run = static_cast<MechanicalRun&>(base);
  if (run.work.monitor) {
    Change change = run.work.monitor->after_step(t, x, history, run);
    if (change.kind != Change::Kind::none) return change;
  }
  return MechanicalOde::after_step(t, x, xp, history, base);
}

Start RegularMechanicalFormulation::start(double t0, Run& base) const {
  auto& run = static_cast<MechanicalRun&>(base);
  Start found = MechanicalFormulation::start(t0, run);
  const Mechanics& mechanics = context().mechanics();
  report_redundancy(mechanics, t0, run, found);
  if (found.status != Status::success) return found;
  if (has_singular_mass_) refuse_pushed_massless(mechanics, t0, run, found);
  run.work.regular->remember_scale();
  if (watch_.singularities) {
    run.work.monitor = std::make_shared<SingularityMonitor>(mechanics, t0, found.x, run);
  }
  return found;
}

}  // namespace daedal::formulation
