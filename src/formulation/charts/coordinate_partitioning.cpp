// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/charts/local_coordinates.hpp"
#include "formulation/constrained/constrained_ode.hpp"
#include "formulation/constrained/view_choice.hpp"
#include "formulation/frame/parameters.hpp"
#include "formulation/mechanics/mechanical_methods.hpp"

namespace daedal::formulation {

namespace {

ChartSettings settings(const Request& request, Chart chart) {
  ChartSettings result{.chart = chart};
  result.switch_ratio = parameter(request, "switch_ratio", result.switch_ratio);
  check_range("switch_ratio", result.switch_ratio, {.above = 0.0, .at_most = 1.0});
  result.is_fixed = parameter(request, "fixed", 0.0) != 0.0;
  return result;
}

template <Chart chart>
std::unique_ptr<Formulation> make(const Request& request) {
  return mechanical_or_general(
      request,
      [](const Request& mechanical) -> std::unique_ptr<Formulation> {
        return std::make_unique<LocalCoordinatesFormulation>(mechanical,
                                                             settings(mechanical, chart));
      },
      [](const Request& general, ConstrainedOdeView view) -> std::unique_ptr<Formulation> {
        return make_constrained_ode(general, std::move(view), {.chart = settings(general, chart)});
      });
}

std::vector<ParameterInfo> parameters() {
  return {
      {"switch_ratio", "a chart is left when its quality falls below this share of the best one's",
       ChartSettings{}.switch_ratio},
      {"fixed", "1: keep the first chart to its singular end", 0.0}};
}

}  // namespace

MethodInfo coordinate_partitioning_method() {
  return {.name = "coordinate-partitioning",
          .summary =
              "Independent coordinates integrated, dependent ones solved from the "
              "constraints; re-selected on the way.",
          .paper = "Poell, Hafner 7; Fuehrer, Leimkuhler 2.2",
          .needs = View::constrained,
          .yields = Yields::explicit_system,
          .parameters = parameters(),
          .default_integrator = "dop853",
          .make = make<Chart::partition>};
}

MethodInfo tangent_space_method() {
  return {.name = "tangent-space",
          .summary =
              "Local coordinates on the tangent space of the constraints; the base point is "
              "renewed on the way.",
          .paper = "Poell, Hafner 7",
          .needs = View::constrained,
          .yields = Yields::explicit_system,
          .parameters = parameters(),
          .default_integrator = "dop853",
          .make = make<Chart::tangent>};
}

}  // namespace daedal::formulation
