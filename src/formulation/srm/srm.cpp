// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "formulation/srm/srm_system.hpp"

namespace daedal::formulation {

namespace {

constexpr double chosen = std::numeric_limits<double>::quiet_NaN();

}  // namespace

// Ascher, Lin (3.3), (3.4), (3.15).
MethodInfo srm_method() {
  std::vector<ParameterInfo> parameters = gain_parameters();
  parameters.insert(
      parameters.end(),
      {{"iterations", "number of iterates, advanced together [by the tolerance]", chosen},
       {"start_order", "derivatives of y at the start that the first iterate has [iterations - 1]",
        chosen},
       {"alpha1", "weight of the constraints' derivative: only without singularities", 0.0},
       {"alpha2", "weight of the constraints", 1.0}});
  return {.name = "srm",
          .summary =
              "Sequential regularisation: a chain of ordinary differential equations that passes "
              "constraint singularities, with By bounded.",
          .paper = "Ascher, Lin (3.3), (3.4), (3.15)",
          .needs = View::hessenberg,
          .yields = Yields::explicit_system,
          .parameters = std::move(parameters),
          .default_integrator = "radau",
          .make = [](const Request& request) -> std::unique_ptr<Formulation> {
            return std::make_unique<SrmFormulation>(request, recognize_hessenberg(request),
                                                    srm_settings(request));
          }};
}

// Ascher, Lin (3.5): one iteration from y = 0.
MethodInfo penalty_method() {
  return {
      .name = "penalty",
      .summary = "Multipliers proportional to the violation, y = E g / epsilon: for comparison.",
      .paper = "Ascher, Lin (3.5)",
      .needs = View::hessenberg,
      .yields = Yields::explicit_system,
      .parameters = gain_parameters(),
      .default_integrator = "radau",
      .make = [](const Request& request) -> std::unique_ptr<Formulation> {
        return std::make_unique<SrmFormulation>(request, recognize_hessenberg(request),
                                                penalty_settings(request));
      }};
}

}  // namespace daedal::formulation
