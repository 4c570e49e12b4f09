// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constrained/constrained_dae.hpp"
#include "formulation/constrained/view_choice.hpp"
#include "formulation/mechanics/mechanical_dae.hpp"
#include "formulation/mechanics/mechanical_methods.hpp"

namespace daedal::formulation {

// The equations of motion with the constraint on one level: Fuehrer, Leimkuhler (1)-(3), (1)-(2)
// with (4), (1)-(2) with (5); Poell, Hafner 5.1. In the general form of index k the constraints
// differentiated k - 3 and k - 2 times.

namespace {

std::unique_ptr<Formulation> make_index3(const Request& request) {
  return std::make_unique<MechanicalDaeFormulation>(
      request,
      MechanicalForm{
          .square = {ConstraintRow::position}, .velocity_index = 2, .multiplier_index = 3});
}

std::unique_ptr<Formulation> make_index2(const Request& request) {
  return std::make_unique<MechanicalDaeFormulation>(
      request, MechanicalForm{.square = {ConstraintRow::velocity}, .multiplier_index = 2});
}

template <int index>
std::unique_ptr<Formulation> make_general(const Request& request, ConstrainedOdeView view) {
  return make_constrained_dae(request, std::move(view), {.index = index});
}

}  // namespace

MethodInfo index3_method() {
  return {.name = "index3",
          .summary = "The constraints on position level, as they are written.",
          .paper = "Poell, Hafner 5.1; Fuehrer, Leimkuhler (1)-(3)",
          .needs = View::constrained,
          .yields = Yields::implicit_system,
          .parameters = {},
          .default_integrator = "radau",
          .make = [](const Request& request) {
            return mechanical_or_general(request, make_index3, make_general<3>);
          }};
}

MethodInfo index2_method() {
  return {.name = "index2",
          .summary = "The constraints on velocity level; positions drift linearly.",
          .paper = "Poell, Hafner 5.1; Fuehrer, Leimkuhler (4)",
          .needs = View::constrained,
          .yields = Yields::implicit_system,
          .parameters = {},
          .default_integrator = "radau",
          .make = [](const Request& request) {
            return mechanical_or_general(request, make_index2, make_general<2>);
          }};
}

}  // namespace daedal::formulation
