// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/formulation.hpp"

namespace daedal::formulation {

const System& Formulation::system() const {
  if (const auto* implicit = implicit_system()) return *implicit;
  return *explicit_system();
}

double Formulation::constraint_residual(double, std::span<const double>, std::span<const double>,
                                        int, Run&) const {
  return 0.0;
}

}  // namespace daedal::formulation
