// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy/dummy_derivatives.hpp"

#include <algorithm>
#include <limits>

#include "formulation/general/direct.hpp"

namespace daedal::formulation {

DummyDerivativesFormulation::DummyDerivativesFormulation(const Request& request)
    : context_(request),
      system_(context_),
      ode_(request.prefers_explicit ? std::make_unique<DummyDerivativesOde>(context_) : nullptr),
      start_(context_, request.starts),
      names_(output_names_of(context_.system().view().model, context_.system().view().n_given)) {
  for (const Index c : context_.system().report().offsets.c)
    if (c > 0) n_levels_ = std::max(n_levels_, static_cast<int>(c) + 1);
}

Start DummyDerivativesFormulation::start(double t0, Run& run) const {
  return start_.find(t0, static_cast<DummyRun&>(run));
}

void DummyDerivativesFormulation::to_model(double t, std::span<const double> x,
                                           std::span<const double> xp, Run& run,
                                           std::span<double> values,
                                           std::span<double> derivatives) const {
  const DifferentiatedSystem& system = context_.system();
  const Index n = system.view().n_given;
  if (ode_) {
    // Between steps the highest derivatives are not interpolated, but solved for. A run without a
    // history has selected nothing yet.
    auto& own = static_cast<DummyRun&>(run);
    own.places.assign(x.begin(), x.end());
    const bool has_selection = !own.selection.place_of.empty() || context_.select(t, x, own);
    if (has_selection && ode_->complete(t, own.places, run) == Evaluation::ok) x = own.places;
  }
  for (Index v = 0; v < n; ++v) {
    const Index place = system.place_of(v);
    values[to_size(v)] = x[to_size(place)];
    if (derivatives.empty()) continue;
    const Index next = system.place_of_derivative(v);
    derivatives[to_size(v)] = next >= 0 ? x[to_size(next)]
                              : ode_    ? std::numeric_limits<double>::quiet_NaN()
                                        : xp[to_size(place)];
  }
  std::copy(run.discretes.begin(), run.discretes.end(), values.begin() + n);
}

std::string DummyDerivativesFormulation::describe_event(std::span<const std::int64_t> fired,
                                                        const Change& change, const Run&) const {
  return context_.events().describe(fired, change);
}

double DummyDerivativesFormulation::constraint_residual(double t, std::span<const double> x,
                                                        std::span<const double>, int level,
                                                        Run& run) const {
  return context_.constraint_residual(t, x, level, static_cast<DummyRun&>(run));
}

MethodInfo dummy_derivatives_method() {
  return {.name = "dummy-derivatives",
          .summary =
              "Equations differentiated as the structure demands, as many derivatives replaced by "
              "algebraic unknowns; states re-selected on the way.",
          .paper = "Poell, Hafner 5.3; Mattsson, Soederlind",
          .needs = View::general,
          .yields = Yields::implicit_system,
          .parameters = {{"switch_ratio",
                          "a selection is left when its smallest pivot falls below this share of "
                          "the best one's",
                          0.9},
                         {"fixed", "1: keep the first selection to its singular end", 0.0}},
          .default_integrator = "bdf",
          .make = [](const Request& request) -> std::unique_ptr<Formulation> {
            return std::make_unique<DummyDerivativesFormulation>(request);
          }};
}

}  // namespace daedal::formulation
