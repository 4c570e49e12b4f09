// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constrained/constrained_ode.hpp"
#include "formulation/constrained/view_choice.hpp"
#include "formulation/mechanics/mechanical_methods.hpp"
#include "formulation/mechanics/mechanical_ode.hpp"

namespace daedal::formulation {

namespace {

std::unique_ptr<Formulation> make_mechanical(const Request& request) {
  return std::make_unique<MechanicalOdeFormulation>(
      request, MechanicalOde::Settings{.projection = Metric::euclidean});
}

std::unique_ptr<Formulation> make_general(const Request& request, ConstrainedOdeView view) {
  return make_constrained_ode(request, std::move(view), {.projects = true});
}

}  // namespace

// Poell, Hafner 6.2: the index-1 equation is stepped by a symmetric scheme between two projections
// along the Euclidean normals with the same multipliers (integrate/symmetric_projection.hpp). The
// whole step stays symmetric, so that reversible motions keep their energy over long runs.
MethodInfo symmetric_projection_method() {
  return {.name = "symmetric-projection",
          .summary =
              "The index-1 equation, every step of a symmetric scheme projected alike before "
              "and after.",
          .paper = "Poell, Hafner 6.2",
          .needs = View::constrained,
          .yields = Yields::explicit_system,
          .parameters = {},
          .default_integrator = "gauss",
          .make =
              [](const Request& request) {
                return mechanical_or_general(request, make_mechanical, make_general);
              },
          .symmetric_projection = true};
}

}  // namespace daedal::formulation
