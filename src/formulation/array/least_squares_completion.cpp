// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/array/derivative_array.hpp"

namespace daedal::formulation {

MethodInfo least_squares_completion_method() {
  return {.name = "least-squares-completion",
          .summary =
              "Any index: the ordinary differential equation of the derivative array's "
              "least-squares solution; it drifts.",
          .paper = "Campbell, Moore (4), (5)",
          .needs = View::general,
          .yields = Yields::explicit_system,
          .parameters = {{"max_index", "differentiations that are tried", 6.0},
                         {"epsilon", "accuracy of the solved unknowns, relative to |x| + nominal",
                          1e-12}},
          .default_integrator = "dop853",
          .make = [](const Request& request) -> std::unique_ptr<Formulation> {
            return std::make_unique<ArrayFormulation>(
                request, read_array_settings(request, ArrayForm::completion));
          }};
}

}  // namespace daedal::formulation
