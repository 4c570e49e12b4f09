// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/srm/srm_system.hpp"

namespace daedal::formulation {

namespace {

// Ascher, Lin (3.3), (3.4), (3.15).
Formulation make_sequential(const Srm& method, const Request& request) {
  return make_srm(request, hessenberg_view(request), srm_settings(method, request));
}

// Ascher, Lin (3.5): one iteration from y = 0.
Formulation make_penalty(const Penalty& method, const Request& request) {
  return make_srm(request, hessenberg_view(request), penalty_settings(method, request));
}

}  // namespace

std::vector<MethodRow> srm_methods() {
  std::vector<MethodRow> rows{
      method_row<Srm, make_sequential>(
          {.summary = "Sequential regularisation: a chain of ordinary differential equations that "
                      "passes constraint singularities, with By bounded.",
           .paper = "Ascher, Lin (3.3), (3.4), (3.15)",
           .needs = RequiredView::hessenberg,
           .yields = SystemKind::explicit_system,
           .default_integrator = "radau"}),
      method_row<Penalty, make_penalty>(
          {.summary =
               "Multipliers proportional to the violation, y = E g / epsilon: for comparison.",
           .paper = "Ascher, Lin (3.5)",
           .needs = RequiredView::hessenberg,
           .yields = SystemKind::explicit_system,
           .default_integrator = "radau"}),
      method_row<ParkChiou, make_park_chiou>(
          {.summary = "The penalty method's multipliers by their own differential equation: for "
                      "comparison.",
           .paper = "Ascher, Lin (3.7)",
           .needs = RequiredView::hessenberg,
           .yields = SystemKind::explicit_system,
           .default_integrator = "radau"})};
  // The regularisation follows from the tolerance and the step.
  for (MethodRow& row : rows) row.depends_on_tolerance = true;
  return rows;
}

}  // namespace daedal::formulation
