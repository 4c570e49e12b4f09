// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/general/direct.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::formulation {

std::vector<std::string> output_names_of(const Model& model, Index n_continuous) {
  std::vector<std::string> names;
  for (const Variable& variable : model.variables().first(to_size(n_continuous)))
    names.push_back(variable.name);
  for (const Variable& variable : model.discretes()) names.push_back(variable.name);
  return names;
}

DirectFormulation::DirectFormulation(const Request& request)
    : system_(general_view(request.model), request.parameters),
      start_(system_, request.starts),
      names_(output_names_of(system_.view().model, system_.view().n_given)) {}

Start DirectFormulation::start(double t0, Run& run) const {
  return start_.find(t0, static_cast<ModelRun&>(run), true);
}

void DirectFormulation::to_model(double, std::span<const double> x, std::span<const double> xp,
                                 Run& run, std::span<double> values,
                                 std::span<double> derivatives) const {
  const Index n = system_.view().n_given;
  std::copy_n(x.begin(), n, values.begin());
  std::copy(run.discretes.begin(), run.discretes.end(), values.begin() + n);
  if (!derivatives.empty()) std::copy_n(xp.begin(), n, derivatives.begin());
}

std::string DirectFormulation::describe_event(std::span<const std::int64_t> fired,
                                              const Change& change, const Run&) const {
  return system_.events().describe(fired, change);
}

int DirectFormulation::n_levels() const {
  const auto& rows = system_.is_algebraic_row();
  return std::find(rows.begin(), rows.end(), true) == rows.end() ? 0 : 1;
}

double DirectFormulation::constraint_residual(double t, std::span<const double> x,
                                              std::span<const double> xp, int, Run& run) const {
  auto& values = static_cast<ModelRun&>(run).values;
  system_.residual(t, x, xp, run, values);
  double greatest = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!system_.is_algebraic_row()[i]) continue;
    if (!(std::abs(values[i]) <= greatest)) greatest = std::abs(values[i]);
  }
  return greatest;
}

MethodInfo direct_method() {
  return {
      .name = "direct",
      .summary = "The equations as they are written, for models of index at most 1.",
      .paper = "Brenan, Campbell, Petzold: Numerical Solution of Initial-Value Problems in DAEs",
      .needs = View::general,
      .yields = Yields::implicit_system,
      .parameters = {},
      .default_integrator = "bdf",
      .make = [](const Request& request) -> std::unique_ptr<Formulation> {
        return std::make_unique<DirectFormulation>(request);
      }};
}

}  // namespace daedal::formulation
