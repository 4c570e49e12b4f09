// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/error.hpp>
#include <limits>

#include "formulation/frame/parameters.hpp"
#include "formulation/mechanics/mechanical_methods.hpp"
#include "formulation/regularized/regularized_mechanics.hpp"
#include "formulation/regularized/regularized_options.hpp"

namespace daedal::formulation {

namespace {

constexpr double chosen = std::numeric_limits<double>::quiet_NaN();
/// The coupled form is for implicit schemes, which need no rate of the size of their steps: the
/// pair of the paper's own experiments.
constexpr double coupled_gamma = 1e3;
constexpr double coupled_epsilon = 1e-6;

RegularSettings settings(const Request& request) {
  RegularSettings result{.rtol = request.rtol};
  result.mass_shift = parameter(request, "singular_mass", 0.0);
  check_range("singular_mass", result.mass_shift, {.above = -1e-300});
  if (has_parameter(request, "epsilon") && has_parameter(request, "radius")) {
    throw OptionError(ErrorCode::invalid_option,
                      "The parameters 'epsilon' and 'radius' are two ways to say the same: give "
                      "one of them.");
  }
  if (has_parameter(request, "epsilon")) {
    const double epsilon = parameter(request, "epsilon", 0.0);
    check_range("epsilon", epsilon, {.above = 0.0});
    result.given = Regularization{Regularization::Rule::damp, epsilon};
  } else if (has_parameter(request, "radius")) {
    const double radius = parameter(request, "radius", 0.0);
    check_range("radius", radius, {.above = 0.0});
    result.given = Regularization{Regularization::Rule::bound, radius};
  }
  return result;
}

std::unique_ptr<Formulation> make_mechanical(const Request& request) {
  // Automatic: the damping is given for the rate 1, and follows the steps.
  const RegularOptions options = regular_options(request, 1.0);
  MechanicalOde::Settings ode{.damping = damping(options), .regular = settings(request)};
  ode.regular->is_rate_automatic = !has_parameter(request, "gamma");
  if (options.projects) ode.projection = Metric::mass;
  return std::make_unique<RegularMechanicalFormulation>(request, ode);
}

}  // namespace

// Petzold, Ren, Maly (2.9)-(2.11) and (4.6), (4.7): the multipliers minimise the violation of the
// damped constraint under a bound on their length. It needs no inverse of GM⁻¹Gᵀ.
MethodInfo trust_region_method() {
  return {.name = "trust-region",
          .summary =
              "Multipliers by least squares with a brake: for constraints that are redundant or "
              "become singular.",
          .paper = "Petzold, Ren, Maly (2.9)-(2.11), (4.6), (4.11), (4.16)",
          .needs = View::hessenberg,
          .yields = Yields::explicit_system,
          .parameters =
              {{"gamma", "rate at which violations decay [by the step]", chosen},
               {"epsilon", "weight of the multipliers' length [by the tolerance]", chosen},
               {"radius", "greatest length of the multipliers, in place of epsilon", chosen},
               {"index", "2: constraints on velocity level, 3: on position level", 3.0},
               {"paper", "1: index 3 without second derivatives, as published", 0.0},
               {"projection", "1: project every step [1 for index 3 in full, else 0]", chosen},
               {"watch", "1: look for singular positions on the way", 1.0},
               {"coupled", "1: as a DAE with the equations of motion, for implicit schemes", 0.0},
               {"singular_mass", "shift of M'M for a singular mass matrix, 0: none", 0.0}},
          .default_integrator = "dop853",
          .make = [](const Request& request) -> std::unique_ptr<Formulation> {
            if (parameter(request, "coupled", 0.0) != 0.0) {
              const double epsilon = parameter(request, "epsilon", coupled_epsilon);
              check_range("epsilon", epsilon, {.above = 0.0});
              return make_coupled(request, {Regularization::Rule::damp, epsilon}, coupled_gamma);
            }
            const Regularization rule =
                settings(request).given.value_or(Regularization{.amount = chosen});
            const double gamma = parameter(request, "gamma", chosen);
            return mechanical_or_hessenberg(request, rule, gamma, make_mechanical);
          }};
}

}  // namespace daedal::formulation
