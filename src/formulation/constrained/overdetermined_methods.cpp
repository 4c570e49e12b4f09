// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constrained/constrained_dae.hpp"
#include "formulation/constrained/view_choice.hpp"
#include "formulation/mechanics/mechanical_dae.hpp"
#include "formulation/mechanics/mechanical_methods.hpp"

namespace daedal::formulation {

// Fuehrer, Leimkuhler (17) and (47): more equations than unknowns, solved by the ssf-iteration of
// the integrator. Rows of the square block stand in the order kinematic, dynamic, multiplier
// equation: aligned with (q, v, λ), as the theory of the iteration asks.

namespace {

std::unique_ptr<Formulation> make_index1(const Request& request) {
  return std::make_unique<MechanicalDaeFormulation>(
      request, MechanicalForm{.square = {ConstraintRow::multiplier},
                              .overdetermined = {ConstraintRow::position, ConstraintRow::velocity},
                              .multiplier_index = 1});
}

std::unique_ptr<Formulation> make_index2(const Request& request) {
  return std::make_unique<MechanicalDaeFormulation>(
      request, MechanicalForm{.square = {ConstraintRow::velocity},
                              .overdetermined = {ConstraintRow::position},
                              .multiplier_index = 2});
}

template <int index>
std::unique_ptr<Formulation> make_general(const Request& request, ConstrainedOdeView view) {
  return make_constrained_dae(request, std::move(view),
                              {.index = index, .below = ConstrainedForm::Below::overdetermined});
}

}  // namespace

MethodInfo overdetermined_index1_method() {
  return {.name = "overdetermined-index1",
          .summary = "Overdetermined: constraints on all three levels, ssf-iteration.",
          .paper = "Fuehrer, Leimkuhler (17), (27), (30)",
          .needs = View::constrained,
          .yields = Yields::overdetermined_system,
          .parameters = {},
          .default_integrator = "bdf",
          .make = [](const Request& request) {
            return mechanical_or_general(request, make_index1, make_general<1>);
          }};
}

MethodInfo overdetermined_index2_method() {
  return {.name = "overdetermined-index2",
          .summary = "Overdetermined: constraints on position and velocity level, ssf-iteration.",
          .paper = "Fuehrer, Leimkuhler (47), (27), (30)",
          .needs = View::constrained,
          .yields = Yields::overdetermined_system,
          .parameters = {},
          .default_integrator = "bdf",
          .make = [](const Request& request) {
            return mechanical_or_general(request, make_index2, make_general<2>);
          }};
}

}  // namespace daedal::formulation
