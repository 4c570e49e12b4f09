// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constrained/constrained_dae.hpp"
#include "formulation/constrained/view_choice.hpp"
#include "formulation/mechanics/mechanical_dae.hpp"
#include "formulation/mechanics/mechanical_methods.hpp"

namespace daedal::formulation {

namespace {

std::unique_ptr<Formulation> make_ggl(const Request& request) {
  return std::make_unique<MechanicalDaeFormulation>(
      request, MechanicalForm{.square = {ConstraintRow::velocity, ConstraintRow::position},
                              .has_mu = true,
                              .multiplier_index = 2});
}

std::unique_ptr<Formulation> make_stabilized_index1(const Request& request) {
  return std::make_unique<MechanicalDaeFormulation>(
      request, MechanicalForm{.square = {ConstraintRow::multiplier, ConstraintRow::position,
                                         ConstraintRow::velocity},
                              .has_mu = true,
                              .has_eta = true,
                              .multiplier_index = 1});
}

template <int index>
std::unique_ptr<Formulation> make_general(const Request& request, ConstrainedOdeView view) {
  return make_constrained_dae(request, std::move(view),
                              {.index = index, .below = ConstrainedForm::Below::held});
}

}  // namespace

// Gear, Gupta, Leimkuhler: q' = v − Gᵀμ keeps the positions on the constraint, the multipliers λ
// hold the velocities. Poell, Hafner (41); Fuehrer, Leimkuhler (43)-(46).
MethodInfo ggl_method() {
  return {.name = "ggl",
          .summary =
              "Stabilised index 2: constraints on position and velocity level, with an "
              "extra multiplier in the kinematics.",
          .paper = "Poell, Hafner (41); Fuehrer, Leimkuhler (43)-(46)",
          .needs = View::constrained,
          .yields = Yields::implicit_system,
          .parameters = {},
          .default_integrator = "radau",
          .make = [](const Request& request) {
            return mechanical_or_general(request, make_ggl, make_general<2>);
          }};
}

MethodInfo stabilized_index2_method() {
  MethodInfo method = ggl_method();
  method.name = "stabilized-index2";
  method.summary = "Another name of ggl.";
  return method;
}

// Fuehrer, Leimkuhler (31)-(35): constraints on all three levels, multipliers μ and η.
MethodInfo stabilized_index1_method() {
  return {.name = "stabilized-index1",
          .summary =
              "Stabilised index 1: constraints on all three levels, with extra multipliers "
              "in kinematics and dynamics.",
          .paper = "Fuehrer, Leimkuhler (31)-(35)",
          .needs = View::constrained,
          .yields = Yields::implicit_system,
          .parameters = {},
          .default_integrator = "bdf",
          .make = [](const Request& request) {
            return mechanical_or_general(request, make_stabilized_index1, make_general<1>);
          }};
}

}  // namespace daedal::formulation
