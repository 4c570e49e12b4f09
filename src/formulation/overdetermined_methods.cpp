// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanical_dae.hpp"
#include "formulation/mechanical_methods.hpp"

namespace daedal::formulation {

// Fuehrer, Leimkuhler (17) and (47): more equations than unknowns, solved by the ssf-iteration of
// the integrator. Rows of the square block stand in the order kinematic, dynamic, multiplier
// equation: aligned with (q, v, λ), as the theory of the iteration asks.

MethodInfo overdetermined_index1_method() {
  return {.name = "overdetermined-index1",
          .summary = "Overdetermined: constraints on all three levels, ssf-iteration.",
          .paper = "Fuehrer, Leimkuhler (17), (27), (30)",
          .needs = View::mechanical,
          .yields = Yields::overdetermined_system,
          .parameters = {},
          .default_integrator = "bdf",
          .make = [](const Request& request) -> std::unique_ptr<Formulation> {
            return std::make_unique<MechanicalDaeFormulation>(
                request,
                MechanicalForm{.square = {ConstraintRow::multiplier},
                               .overdetermined = {ConstraintRow::position, ConstraintRow::velocity},
                               .multiplier_index = 1});
          }};
}

MethodInfo overdetermined_index2_method() {
  return {.name = "overdetermined-index2",
          .summary = "Overdetermined: constraints on position and velocity level, ssf-iteration.",
          .paper = "Fuehrer, Leimkuhler (47), (27), (30)",
          .needs = View::mechanical,
          .yields = Yields::overdetermined_system,
          .parameters = {},
          .default_integrator = "bdf",
          .make = [](const Request& request) -> std::unique_ptr<Formulation> {
            return std::make_unique<MechanicalDaeFormulation>(
                request, MechanicalForm{.square = {ConstraintRow::velocity},
                                        .overdetermined = {ConstraintRow::position},
                                        .multiplier_index = 2});
          }};
}

}  // namespace daedal::formulation
