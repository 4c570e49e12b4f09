// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/regularized/regularized_mechanics.hpp"

#include "formulation/frame/parameters.hpp"
#include "formulation/mechanics/singular_mass.hpp"
#include "formulation/singular/redundancy.hpp"

namespace daedal::formulation {

RegularMechanicalFormulation::RegularMechanicalFormulation(const Request& request,
                                                           const MechanicalOde::Settings& settings)
    : MechanicalFormulation(request),
      system_(shared_context(), settings),
      has_singular_mass_(settings.regular && settings.regular->mass_shift > 0.0) {
  set_watching(request.watch_singularities || parameter(request, "watch", 1.0) != 0.0);
}

Start RegularMechanicalFormulation::start(double t0, Run& base) const {
  auto& run = static_cast<MechanicalRun&>(base);
  Start found = MechanicalFormulation::start(t0, run);
  const Mechanics& mechanics = context().mechanics();
  report_redundancy(mechanics, t0, run, found);
  if (found.status != Status::success) return found;
  if (has_singular_mass_) refuse_pushed_massless(mechanics, t0, run, found);
  if (run.work.regular) run.work.regular->accept(t0);
  return found;
}

}  // namespace daedal::formulation
