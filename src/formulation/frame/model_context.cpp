// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/frame/model_context.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "formulation/frame/start_problem.hpp"

namespace daedal::formulation {

ModelContext::ModelContext(const GeneralView& view, std::vector<double> parameters,
                           const Overrides& starts, std::shared_ptr<const ModelEvents> events)
    : model_(view.model),
      parameters_(std::move(parameters)),
      starts_(find_given_starts(model_, starts)),
      events_(events ? std::move(events) : std::make_shared<const ModelEvents>(view)) {}

Start ModelContext::settle_start(double t0, std::size_t size, ModelRun& run,
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
  const Change change = events_->initialize(t0, found.x, found.xp, run, *this, solve);
  if (change.kind == Change::Kind::stop) {
    found.status = change.status;
    found.message = change.message;
  }
  return found;
}

Outputs model_outputs(std::shared_ptr<const ModelContext> context, Index n_given) {
  Outputs outputs;
  for (const Variable& variable : context->model().variables().first(to_size(n_given)))
    outputs.names.push_back(variable.name);
  for (const Variable& variable : context->model().discretes())
    outputs.names.push_back(variable.name);
  outputs.describe_event = [context](std::span<const std::int64_t> fired, const Change& change) {
    return context->events().describe(fired, change);
  };
  outputs.to_model = [context = std::move(context), n_given](
                         double t, std::span<const double> x, std::span<const double> xp, Run& base,
                         std::span<double> values, std::span<double> derivatives) {
    auto& run = run_of<ModelRun>(base);
    context->read(t, x, xp, run, run.values, run.derivatives);
    std::copy_n(run.values.begin(), n_given, values.begin());
    std::copy(run.discretes.begin(), run.discretes.end(), values.begin() + n_given);
    if (!derivatives.empty()) std::copy_n(run.derivatives.begin(), n_given, derivatives.begin());
  };
  return outputs;
}

double greatest(std::span<const double> values) {
  double result = 0.0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

}  // namespace daedal::formulation
