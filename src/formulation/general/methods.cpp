// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/general/direct.hpp"
#include "formulation/general/ode.hpp"

namespace daedal::formulation {

std::vector<MethodRow> general_methods() {
  return {
      method_row<Direct, make_direct>(
          {.summary = "The equations as they are written, for models of index at most 1.",
           .paper =
               "Brenan, Campbell, Petzold: Numerical Solution of Initial-Value Problems in DAEs",
           .needs = RequiredView::general,
           .yields = SystemKind::implicit_system,
           .default_integrator = "bdf"}),
      method_row<Ode, make_ode>(
          {.summary = "x' = f(t, x) with algebraic variables solved in sequence, where the model "
                      "can be written so.",
           .needs = RequiredView::general,
           .yields = SystemKind::explicit_system,
           .default_integrator = "dop853"})};
}

}  // namespace daedal::formulation
