// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/frame/model_context.hpp"

#include <algorithm>
#include <cmath>

#include "formulation/general/direct.hpp"
#include "model/views/general_view.hpp"

namespace daedal::formulation {

ModelContext::ModelContext(const Model& model) : events_(general_view(model)) {}

Evaluation ModelContext::event_functions(double t, std::span<const double> x,
                                         std::span<const double> xp, ModelRun& run,
                                         std::span<double> values) const {
  read(t, x, xp, run, run.values, run.derivatives);
  return events_.event_functions(t, run.values, run.derivatives, run, values);
}

Change ModelContext::check_assertions(double t, std::span<const double> x,
                                      std::span<const double> xp, ModelRun& run) const {
  if (!events_.has_assertions()) return {};
  read(t, x, xp, run, run.values, run.derivatives);
  return events_.check_assertions(t, run.values, run.derivatives, run);
}

Start ModelContext::start(double t0, std::size_t size, ModelRun& run,
                          const std::function<Start()>& find) const {
  Start found;
  found.x.resize(size);
  found.xp.resize(size);
  const auto solve = [&]() -> Change {
    Start again = find();
    // The events look at x and x' through views: they stay where they are.
    std::copy(again.x.begin(), again.x.end(), found.x.begin());
    std::copy(again.xp.begin(), again.xp.end(), found.xp.begin());
    found.notices = std::move(again.notices);
    if (again.status == Status::success) return {};
    return {Change::Kind::stop, again.status, again.message};
  };
  const Change change = events_.initialize(t0, found.x, found.xp, run, *this, solve);
  if (change.kind == Change::Kind::stop) {
    found.status = change.status;
    found.message = change.message;
  }
  return found;
}

void ModelContext::to_model(double t, std::span<const double> x, std::span<const double> xp,
                            ModelRun& run, std::span<double> values,
                            std::span<double> derivatives) const {
  read(t, x, xp, run, run.values, run.derivatives);
  const std::size_t n = values.size() - run.discretes.size();
  std::copy_n(run.values.begin(), n, values.begin());
  std::copy(run.discretes.begin(), run.discretes.end(),
            values.begin() + static_cast<std::ptrdiff_t>(n));
  if (!derivatives.empty()) std::copy_n(run.derivatives.begin(), n, derivatives.begin());
}

ContextFormulation::ContextFormulation(const Request& request, const Model& view_model)
    : names_(output_names_of(view_model, to_index(request.model.variables().size()))) {}

void ContextFormulation::to_model(double t, std::span<const double> x, std::span<const double> xp,
                                  Run& run, std::span<double> values,
                                  std::span<double> derivatives) const {
  model().to_model(t, x, xp, static_cast<ModelRun&>(run), values, derivatives);
}

std::string ContextFormulation::describe_event(std::span<const std::int64_t> fired,
                                               const Change& change, const Run&) const {
  return model().events().describe(fired, change);
}

double greatest(std::span<const double> values) {
  double result = 0.0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

}  // namespace daedal::formulation
