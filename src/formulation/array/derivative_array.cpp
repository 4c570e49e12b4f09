// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/array/derivative_array.hpp"

#include <algorithm>

namespace daedal::formulation {

Formulation array_formulation(std::shared_ptr<const ArraySystem> array) {
  Formulation result;
  result.outputs = model_outputs(array, array->view().n_given);
  result.levels.n = 1;
  result.levels.n_of = [array](const Run& run) {
    return array->solver().n_constraint_levels(run_of<ArrayRun>(run));
  };
  result.levels.residual = [array](double t, std::span<const double> x, std::span<const double>,
                                   int level, Run& run) {
    return array->solver().constraint_residual(t, x, level, run_of<ArrayRun>(run));
  };
  return result;
}

Formulation make_array_ode(const Request& request, const ArraySettings& settings) {
  const auto system = std::make_shared<const ArraySystem>(
      recognized(request).view(), request.parameters, request.starts, settings);
  Formulation result = array_formulation(system);
  result.explicit_system = system;
  result.find_start = [system](double t0, Run& run) {
    return system->start(t0, run_of<ArrayRun>(run));
  };
  return result;
}

namespace {

Formulation make_derivative_array(const DerivativeArray& method, const Request& request) {
  return make_array_ode(request, {.form = ArrayForm::partition,
                                  .max_index = method.max_index,
                                  .epsilon = method.epsilon,
                                  .switch_gain = method.switch_gain});
}

Formulation make_least_squares_completion(const LeastSquaresCompletion& method,
                                          const Request& request) {
  return make_array_ode(
      request,
      {.form = ArrayForm::completion, .max_index = method.max_index, .epsilon = method.epsilon});
}

}  // namespace

std::vector<MethodRow> array_methods() {
  return {method_row<LeastSquaresCompletion, make_least_squares_completion>(
              {.summary = "Any index: the ordinary differential equation of the derivative array's "
                          "least-squares solution; it drifts.",
               .paper = "Campbell, Moore (4), (5)",
               .needs = RequiredView::general,
               .yields = SystemKind::explicit_system,
               .default_integrator = "dop853"}),
          method_row<DerivativeArray, make_derivative_array>(
              {.summary = "Any index, all constraints hidden: coordinates partitioned by the "
                          "derivative array, re-selected during the run.",
               .paper = "Campbell, Moore 5",
               .needs = RequiredView::general,
               .yields = SystemKind::explicit_system,
               .default_integrator = "dop853"}),
          method_row<DerivativeArrayImplicit, make_derivative_array_implicit>(
              {.summary = "Any index, stiff: the projected differential equations with the "
                          "constraints on all levels, for implicit integrators.",
               .paper = "after Campbell, Moore; Kunkel, Mehrmann: Differential-Algebraic "
                        "Equations, 6.2",
               .needs = RequiredView::general,
               .yields = SystemKind::implicit_system,
               .default_integrator = "bdf"})};
}

}  // namespace daedal::formulation
