// SPDX-License-Identifier: BSD-3-Clause

#include "formulation/mechanical_methods.hpp"
#include "formulation/mechanical_ode.hpp"
#include "formulation/parameters.hpp"

namespace daedal::formulation {

// Poell, Hafner 6.1: the index-1 equation is stepped by any scheme, and every accepted step is
// projected on the constraints of position and velocity.
MethodInfo orthogonal_projection_method() {
  return {.name = "orthogonal-projection",
          .summary =
              "The index-1 equation, every step projected on the position and velocity "
              "constraints.",
          .paper = "Poell, Hafner 6.1",
          .needs = View::mechanical,
          .yields = Yields::explicit_system,
          .parameters = {{"euclidean",
                          "1: project in the Euclidean metric, 0: in that of the masses", 0.0}},
          .default_integrator = "dop853",
          .make = [](const Request& request) -> std::unique_ptr<Formulation> {
            const bool euclidean = parameter(request, "euclidean", 0.0) != 0.0;
            return std::make_unique<MechanicalOdeFormulation>(
                request, MechanicalOde::Settings{.projection =
                                                     euclidean ? Metric::euclidean : Metric::mass});
          }};
}

}  // namespace daedal::formulation
