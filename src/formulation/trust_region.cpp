// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/error.hpp>
#include <limits>

#include "formulation/mechanical_methods.hpp"
#include "formulation/parameters.hpp"
#include "formulation/regular_mechanics.hpp"
#include "formulation/regular_options.hpp"

namespace daedal::formulation {

namespace {

constexpr double chosen = std::numeric_limits<double>::quiet_NaN();

/// Projection keeps the drift at round-off: γ only has to bring back what a singular position let
/// go, and 5 is what Poell and Hafner's setting shows to cost no accuracy.
constexpr double usual_gamma = 5.0;
/// Hessenberg systems are not projected: γ alone holds the constraints.
constexpr double usual_hessenberg_gamma = 100.0;

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
  const RegularOptions options = regular_options(request, usual_gamma);
  MechanicalOde::Settings ode{.damping = damping(options), .regular = settings(request)};
  if (options.projects) ode.projection = Metric::mass;
  return std::make_unique<RegularMechanicalFormulation>(
      request, ode,
      RegularMechanicalFormulation::Watch{.singularities =
                                              parameter(request, "watch", 1.0) != 0.0});
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
              {{"gamma", "rate at which violations decay [5 with projection, else 100]", chosen},
               {"epsilon", "weight of the multipliers' length [by the tolerance]", chosen},
               {"radius", "greatest length of the multipliers, in place of epsilon", chosen},
               {"index", "2: constraints on velocity level, 3: on position level", 3.0},
               {"paper", "1: index 3 without second derivatives, as published", 0.0},
               {"projection", "1: project every step [1 for index 3 in full, else 0]", chosen},
               {"watch", "1: look for singular positions on the way", 1.0},
               {"singular_mass", "shift of M'M for a singular mass matrix, 0: none", 0.0}},
          .default_integrator = "dop853",
          .make = [](const Request& request) -> std::unique_ptr<Formulation> {
            const Regularization rule =
                settings(request).given.value_or(Regularization{.amount = chosen});
            const double gamma = parameter(request, "gamma", usual_hessenberg_gamma);
            return mechanical_or_hessenberg(request, rule, gamma, make_mechanical);
          }};
}

}  // namespace daedal::formulation
