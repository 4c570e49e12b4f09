// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/frame/formulation.hpp"

namespace daedal::formulation {

const System& Formulation::system() const {
  if (implicit_system) return *implicit_system;
  return *explicit_system;
}

Start Formulation::start(double t0, Run& run) const {
  Start found = find_start(t0, run);
  found.notices.insert(found.notices.end(), notices.begin(), notices.end());
  return found;
}

}  // namespace daedal::formulation
