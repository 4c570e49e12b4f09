// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constrained/constrained_dae.hpp"
#include "formulation/constrained/view_choice.hpp"
#include "formulation/mechanics/mechanical_methods.hpp"
#include "formulation/mechanics/mechanical_ode.hpp"

namespace daedal::formulation {

namespace {

std::unique_ptr<Formulation> make_mechanical(const Request& request) {
  return make_index1_form(request, std::make_shared<const MechanicalContext>(request), {});
}

std::unique_ptr<Formulation> make_general(const Request& request, ConstrainedOdeView view) {
  if (request.prefers_implicit) return make_constrained_dae(request, std::move(view), {});
  return make_constrained_ode(request, std::move(view), {});
}

}  // namespace

// Poell, Hafner 5.1: the constraints differentiated twice, a and λ eliminated. The position
// constraint drifts quadratically in time, the velocity constraint linearly. In the general form
// of index k they are differentiated k - 1 times.
MethodInfo index1_method() {
  return {.name = "index1",
          .summary =
              "Constraints differentiated twice, accelerations and multipliers eliminated; "
              "drifts off the constraints.",
          .paper = "Poell, Hafner 5.1; Fuehrer, Leimkuhler (6)",
          .needs = View::constrained,
          .yields = Yields::explicit_system,
          .parameters = {},
          .default_integrator = "dop853",
          .make = [](const Request& request) {
            return mechanical_or_general(request, make_mechanical, make_general);
          }};
}

}  // namespace daedal::formulation
