// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constrained/constrained_ode.hpp"
#include "formulation/constrained/view_choice.hpp"
#include "formulation/frame/parameters.hpp"
#include "formulation/mechanics/mechanical_methods.hpp"
#include "formulation/mechanics/mechanical_ode.hpp"

namespace daedal::formulation {

namespace {

std::unique_ptr<Formulation> make_mechanical(const Request& request) {
  const bool euclidean = parameter(request, "euclidean", 0.0) != 0.0;
  return std::make_unique<MechanicalOdeFormulation>(
      request, MechanicalOde::Settings{.projection = euclidean ? Metric::euclidean : Metric::mass});
}

std::unique_ptr<Formulation> make_general(const Request& request, ConstrainedOdeView view) {
  refuse_mechanical_parameter(request, "euclidean");
  return make_constrained_ode(request, std::move(view), {.projects = true});
}

}  // namespace

// Poell, Hafner 6.1: the index-1 equation is stepped by any scheme, and every accepted step is
// projected on the constraints of position and velocity; in the general form of index k on all
// levels 0..k-2 (37).
MethodInfo orthogonal_projection_method() {
  return {.name = "orthogonal-projection",
          .summary =
              "The index-1 equation, every step projected on the position and velocity "
              "constraints, or on all levels of a higher index.",
          .paper = "Poell, Hafner 6.1",
          .needs = View::constrained,
          .yields = Yields::explicit_system,
          .parameters = {{"euclidean",
                          "1: project in the Euclidean metric, 0: in that of the masses", 0.0}},
          .default_integrator = "dop853",
          .make = [](const Request& request) {
            return mechanical_or_general(request, make_mechanical, make_general);
          }};
}

}  // namespace daedal::formulation
