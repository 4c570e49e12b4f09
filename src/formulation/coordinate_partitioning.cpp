// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/local_coordinates.hpp"
#include "formulation/mechanical_methods.hpp"
#include "formulation/parameters.hpp"

namespace daedal::formulation {

namespace {

std::unique_ptr<Formulation> make(const Request& request, Chart chart) {
  LocalCoordinatesSettings settings{.chart = chart};
  settings.switch_ratio = parameter(request, "switch_ratio", settings.switch_ratio);
  check_range("switch_ratio", settings.switch_ratio, {.above = 0.0, .at_most = 1.0});
  settings.is_fixed = parameter(request, "fixed", 0.0) != 0.0;
  return std::make_unique<LocalCoordinatesFormulation>(request, settings);
}

std::vector<ParameterInfo> parameters() {
  return {
      {"switch_ratio", "a chart is left when its quality falls below this share of the best one's",
       LocalCoordinatesSettings{}.switch_ratio},
      {"fixed", "1: keep the first chart to its singular end", 0.0}};
}

}  // namespace

MethodInfo coordinate_partitioning_method() {
  return {.name = "coordinate-partitioning",
          .summary =
              "Independent coordinates integrated, dependent ones solved from the "
              "constraints; re-selected on the way.",
          .paper = "Poell, Hafner 7; Fuehrer, Leimkuhler 2.2",
          .needs = View::mechanical,
          .yields = Yields::explicit_system,
          .parameters = parameters(),
          .default_integrator = "dop853",
          .make = [](const Request& request) { return make(request, Chart::partition); }};
}

MethodInfo tangent_space_method() {
  return {.name = "tangent-space",
          .summary =
              "Local coordinates on the tangent space of the constraints; the base point is "
              "renewed on the way.",
          .paper = "Poell, Hafner 7",
          .needs = View::mechanical,
          .yields = Yields::explicit_system,
          .parameters = parameters(),
          .default_integrator = "dop853",
          .make = [](const Request& request) { return make(request, Chart::tangent); }};
}

}  // namespace daedal::formulation
