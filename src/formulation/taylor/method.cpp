// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <daedal/error.hpp>

#include "formulation/frame/registry.hpp"
#include "formulation/frame/start_problem.hpp"
#include "formulation/taylor/system.hpp"

namespace daedal::formulation {

namespace {

Formulation make_taylor(const Taylor&, const Request& request) {
  refuse_free_parameters(request.model, "Taylor series");
  const auto system =
      std::make_shared<const TaylorSystem>(recognized(request).view(), request.parameters,
                                           request.starts, request.stop_at_singularities);
  Formulation result;
  result.explicit_system = system;
  result.outputs = model_outputs(system, system->view().n_given);
  result.find_start = [system](double t0, Run& run) {
    return system->start(t0, run_of<ModelRun>(run));
  };
  result.levels.n = 1;
  result.levels.residual = [system](double t, std::span<const double> x, std::span<const double> xp,
                                    int, Run& run) {
    return system->constraint_residual(t, x, xp, run_of<ModelRun>(run));
  };
  result.watch.describe = [system](double t, std::span<const double>, Run& run) {
    return system->describe(t, run_of<ModelRun>(run));
  };
  return result;
}

}  // namespace

std::vector<MethodRow> taylor_methods() {
  return {method_row<Taylor, make_taylor>(
      {.summary = "Any structural index: Taylor series of the solution by the offsets of the "
                  "equations, block by block, projected on all hidden constraints.",
       .paper = "Pryce 2001; Nedialkov, Pryce 2005-2008",
       .needs = RequiredView::general,
       .yields = SystemKind::explicit_system,
       .default_integrator = "taylor"})};
}

}  // namespace daedal::formulation
