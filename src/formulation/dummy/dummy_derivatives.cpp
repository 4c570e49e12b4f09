// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy/dummy_derivatives.hpp"

#include <algorithm>
#include <limits>

#include "formulation/dummy/start.hpp"
#include "formulation/dummy/system.hpp"

namespace daedal::formulation {

namespace {

/// Between steps the highest derivatives are not interpolated, but solved for. A run without a
/// history has selected nothing yet.
void to_model(const DummyContext& context, const DummyDerivativesOde& ode, double t,
              std::span<const double> x, DummyRun& run, std::span<double> values,
              std::span<double> derivatives) {
  const DifferentiatedSystem& system = context.system();
  const Index n = system.view().n_given;
  run.places.assign(x.begin(), x.end());
  const bool has_selection = !run.selection.place_of.empty() || context.select(t, x, run);
  if (has_selection && ode.complete(t, run.places, run) == Evaluation::ok) x = run.places;
  for (Index v = 0; v < n; ++v) {
    values[to_size(v)] = x[to_size(system.place_of(v))];
    if (derivatives.empty()) continue;
    const Index next = system.place_of_derivative(v);
    derivatives[to_size(v)] =
        next >= 0 ? x[to_size(next)] : std::numeric_limits<double>::quiet_NaN();
  }
  std::copy(run.discretes.begin(), run.discretes.end(), values.begin() + n);
}

}  // namespace

Formulation make_dummy_derivatives(const std::shared_ptr<const DummyContext>& context,
                                   bool is_explicit) {
  Formulation result;
  result.find_start = [context, start = std::make_shared<const DummyStart>(*context)](
                          double t0, Run& run) { return start->find(t0, run_of<DummyRun>(run)); };
  result.outputs = model_outputs(context, context->system().view().n_given);
  for (const Index c : context->system().report().offsets.c)
    if (c > 0) result.levels.n = std::max(result.levels.n, static_cast<int>(c) + 1);
  result.levels.residual = [context](double t, std::span<const double> x, std::span<const double>,
                                     int level, Run& run) {
    return context->constraint_residual(t, x, level, run_of<DummyRun>(run));
  };
  if (!is_explicit) {
    result.implicit_system = std::make_shared<const DummyDerivativesSystem>(context);
    return result;
  }
  const auto ode = std::make_shared<const DummyDerivativesOde>(context);
  result.explicit_system = ode;
  result.outputs.to_model = [context, ode](
                                double t, std::span<const double> x, std::span<const double>,
                                Run& run, std::span<double> values, std::span<double> derivatives) {
    to_model(*context, *ode, t, x, run_of<DummyRun>(run), values, derivatives);
  };
  return result;
}

namespace {

Formulation make(const DummyDerivatives& method, const Request& request) {
  return make_dummy_derivatives(std::make_shared<const DummyContext>(request, method),
                                request.prefers_explicit);
}

}  // namespace

std::vector<MethodRow> dummy_methods() {
  return {method_row<DummyDerivatives, make>(
      {.summary = "Equations differentiated as the structure demands, as many derivatives replaced "
                  "by algebraic unknowns; states re-selected during the run.",
       .paper = "Poell, Hafner 5.3; Mattsson, Soederlind",
       .needs = RequiredView::general,
       .yields = SystemKind::implicit_system,
       .default_integrator = "bdf"})};
}

}  // namespace daedal::formulation
