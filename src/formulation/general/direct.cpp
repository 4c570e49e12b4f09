// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/general/direct.hpp"

#include <algorithm>
#include <cmath>

#include "formulation/frame/general_start.hpp"

namespace daedal::formulation {

namespace {

/// The greatest residual of the algebraic equations.
double algebraic_residual(const WrittenEquations& system, double t, std::span<const double> x,
                          std::span<const double> xp, ModelRun& run) {
  auto& values = run.values;
  system.residual(t, x, xp, run, values);
  double greatest = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!system.is_algebraic_row()[i]) continue;
    if (!(std::abs(values[i]) <= greatest)) greatest = std::abs(values[i]);
  }
  return greatest;
}

}  // namespace

Formulation make_direct(const Direct&, const Request& request) {
  const auto system = written_equations(request);
  Formulation result;
  result.implicit_system = system;
  result.find_start = [system, start = std::make_shared<const GeneralStart>(*system)](double t0,
                                                                                      Run& run) {
    return start->find(t0, run_of<ModelRun>(run), true);
  };
  result.outputs = model_outputs(system, system->view().n_given);
  const auto& rows = system->is_algebraic_row();
  result.levels.n = std::find(rows.begin(), rows.end(), true) == rows.end() ? 0 : 1;
  result.levels.residual = [system](double t, std::span<const double> x, std::span<const double> xp,
                                    int, Run& run) {
    return algebraic_residual(*system, t, x, xp, run_of<ModelRun>(run));
  };
  return result;
}

}  // namespace daedal::formulation
