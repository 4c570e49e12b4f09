// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanical_dae.hpp"
#include "formulation/mechanical_methods.hpp"

namespace daedal::formulation {

// The equations of motion with the constraint on one level: Fuehrer, Leimkuhler (1)-(3), (1)-(2)
// with (4), (1)-(2) with (5); Poell, Hafner 5.1.

MethodInfo index3_method() {
  return {.name = "index3",
          .summary = "The constraints on position level, as they are written.",
          .paper = "Poell, Hafner 5.1; Fuehrer, Leimkuhler (1)-(3)",
          .needs = View::mechanical,
          .yields = Yields::implicit_system,
          .parameters = {},
          .default_integrator = "radau",
          .make = [](const Request& request) -> std::unique_ptr<Formulation> {
            return std::make_unique<MechanicalDaeFormulation>(
                request, MechanicalForm{.square = {ConstraintRow::position},
                                        .velocity_index = 2,
                                        .multiplier_index = 3});
          }};
}

MethodInfo index2_method() {
  return {.name = "index2",
          .summary = "The constraints on velocity level; positions drift linearly.",
          .paper = "Poell, Hafner 5.1; Fuehrer, Leimkuhler (4)",
          .needs = View::mechanical,
          .yields = Yields::implicit_system,
          .parameters = {},
          .default_integrator = "radau",
          .make = [](const Request& request) -> std::unique_ptr<Formulation> {
            return std::make_unique<MechanicalDaeFormulation>(
                request,
                MechanicalForm{.square = {ConstraintRow::velocity}, .multiplier_index = 2});
          }};
}

}  // namespace daedal::formulation
