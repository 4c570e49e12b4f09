// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanical_methods.hpp"
#include "formulation/mechanical_ode.hpp"

namespace daedal::formulation {

// Poell, Hafner 5.1: the constraints differentiated twice, a and λ eliminated. The position
// constraint drifts quadratically in time, the velocity constraint linearly.
MethodInfo index1_method() {
  return {.name = "index1",
          .summary =
              "Constraints differentiated twice, accelerations and multipliers eliminated; "
              "drifts off the constraints.",
          .paper = "Poell, Hafner 5.1; Fuehrer, Leimkuhler (6)",
          .needs = View::mechanical,
          .yields = Yields::explicit_system,
          .parameters = {},
          .default_integrator = "dop853",
          .make = [](const Request& request) { return make_index1_form(request, {}); }};
}

}  // namespace daedal::formulation
