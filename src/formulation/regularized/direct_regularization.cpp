// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/frame/parameters.hpp"
#include "formulation/mechanics/mechanical_methods.hpp"
#include "formulation/regularized/regularized_mechanics.hpp"
#include "formulation/regularized/regularized_options.hpp"

namespace daedal::formulation {

namespace {

/// The pair of the paper's own experiments.
constexpr double usual_gamma = 1e3;
constexpr double usual_epsilon = 1e-6;

std::unique_ptr<Formulation> make_mechanical(const Request& request) {
  const RegularOptions options = regular_options(request, usual_gamma);
  const double epsilon = parameter(request, "epsilon", usual_epsilon);
  return std::make_unique<RegularMechanicalFormulation>(
      request, MechanicalOde::Settings{.damping = damping(options), .saddle_shift = epsilon});
}

}  // namespace

// Petzold, Ren, Maly (2.12), (2.13), (4.8): GM⁻¹Gᵀ + εI in place of GM⁻¹Gᵀ. For mechanics that is
// the quasi-definite saddle-point system [M Gᵀ; G −εI], regular for every ε > 0.
MethodInfo direct_regularization_method() {
  return {
      .name = "direct-regularization",
      .summary = "Multipliers from GM^-1G' + epsilon I: for redundant constraints.",
      .paper = "Petzold, Ren, Maly (2.13), (4.8)",
      .needs = View::hessenberg,
      .yields = Yields::explicit_system,
      .parameters = {{"gamma", "rate at which violations of the constraints decay", usual_gamma},
                     {"epsilon", "what is added to the diagonal", usual_epsilon},
                     {"index", "2: constraints on velocity level, 3: on position level", 3.0},
                     {"paper", "1: index 3 without second derivatives, as published", 0.0},
                     {"coupled", "1: as a DAE with the equations of motion, for implicit schemes",
                      0.0},
                     {"watch", "1: look for singular positions on the way", 1.0}},
      .default_integrator = "dop853",
      .make = [](const Request& request) -> std::unique_ptr<Formulation> {
        const double epsilon = parameter(request, "epsilon", usual_epsilon);
        check_range("epsilon", epsilon, {.above = 0.0});
        if (parameter(request, "coupled", 0.0) != 0.0) {
          return make_coupled(request, {Regularization::Rule::shift, epsilon}, usual_gamma);
        }
        return mechanical_or_hessenberg(request, {Regularization::Rule::shift, epsilon},
                                        parameter(request, "gamma", usual_gamma), make_mechanical);
      }};
}

}  // namespace daedal::formulation
