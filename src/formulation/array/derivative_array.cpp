// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/array/derivative_array.hpp"

#include <algorithm>

#include "formulation/frame/parameters.hpp"
#include "formulation/general/direct.hpp"

namespace daedal::formulation {

namespace {

/// Derivatives of this order lose all digits in double precision.
constexpr double greatest_index = 12.0;

}  // namespace

ArrayFormulation::ArrayFormulation(const Request& request, const ArraySettings& settings)
    : system_(general_view(request.model), request.parameters, request.starts, settings),
      names_(output_names_of(system_.view().model, system_.view().n_given)) {}

Start ArrayFormulation::start(double t0, Run& run) const {
  return system_.start(t0, static_cast<ArrayRun&>(run));
}

void ArrayFormulation::to_model(double, std::span<const double> x, std::span<const double> xp,
                                Run& run, std::span<double> values,
                                std::span<double> derivatives) const {
  copy_to_model(system_.view(), {x, xp}, run, values, derivatives);
}

void copy_to_model(const GeneralView& view, const StateView& state, const Run& run,
                   std::span<double> values, std::span<double> derivatives) {
  std::copy_n(state.x.begin(), view.n_given, values.begin());
  std::copy(run.discretes.begin(), run.discretes.end(), values.begin() + view.n_given);
  if (!derivatives.empty()) std::copy_n(state.xp.begin(), view.n_given, derivatives.begin());
}

std::string ArrayFormulation::describe_event(std::span<const std::int64_t> fired,
                                             const Change& change, const Run&) const {
  return system_.events().describe(fired, change);
}

int ArrayFormulation::n_levels_of(const Run& run) const {
  return system_.n_constraint_levels(static_cast<const ArrayRun&>(run));
}

double ArrayFormulation::constraint_residual(double t, std::span<const double> x,
                                             std::span<const double>, int level, Run& run) const {
  return system_.constraint_residual(t, x, level, static_cast<ArrayRun&>(run));
}

ArraySettings read_array_settings(const Request& request, ArrayForm form) {
  ArraySettings settings{.form = form};
  const double max_index = parameter(request, "max_index", settings.max_index);
  check_range("max_index", max_index, {.above = -1.0, .at_most = greatest_index});
  settings.max_index = static_cast<int>(max_index);
  settings.epsilon = parameter(request, "epsilon", settings.epsilon);
  check_range("epsilon", settings.epsilon, {.above = 0.0, .at_most = 1e-3});
  return settings;
}

MethodInfo derivative_array_method() {
  return {.name = "derivative-array",
          .summary =
              "Any index, all constraints hidden: coordinates partitioned by the derivative array, "
              "re-selected on the way.",
          .paper = "Campbell, Moore 5",
          .needs = View::general,
          .yields = Yields::explicit_system,
          .parameters = {{"max_index", "differentiations that are tried", 6.0},
                         {"epsilon", "accuracy of the solved unknowns, relative to |x| + nominal",
                          1e-12},
                         {"switch_gain",
                          "the partition changes when its smallest singular value can grow by this "
                          "factor",
                          2.0}},
          .default_integrator = "dop853",
          .make = [](const Request& request) -> std::unique_ptr<Formulation> {
            ArraySettings settings = read_array_settings(request, ArrayForm::partition);
            settings.switch_gain = parameter(request, "switch_gain", settings.switch_gain);
            check_range("switch_gain", settings.switch_gain, {.above = 1.0});
            return std::make_unique<ArrayFormulation>(request, settings);
          }};
}

}  // namespace daedal::formulation
