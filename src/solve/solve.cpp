// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/solve.hpp>

#include <fmt/format.h>

#include <chrono>
#include <daedal/error.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/structural_report.hpp"
#include "model/labels.hpp"
#include "model/simplify/simplify.hpp"
#include "model/usage.hpp"
#include "model/views/mechanical_view.hpp"
#include "solve/chart_text.hpp"
#include "solve/checks/impulse_check.hpp"
#include "solve/integrator_choice.hpp"
#include "solve/method_choice.hpp"
#include "solve/run_segment.hpp"

namespace daedal {

namespace {

/// The model as its methods read it, and the one of them that fits.
struct Reading {
  Simplified simplified;
  formulation::Request request;
  solve_detail::Attempt attempt{};
  std::vector<std::string> notices{};
};

/// Throws Error when no method fits.
Reading read(const Model& model, const SimplifyOptions& how, formulation::Request request,
             double t0, const Options& options) {
  Reading reading{.simplified = simplify(model, how), .request = std::move(request)};
  reading.request.model = reading.simplified.model;
  reading.attempt = first_that_fits(solve_detail::candidates(options, reading.simplified.model),
                                    reading.request, t0, options, reading.notices);
  return reading;
}

/// Variables that nothing else needs are taken out with the equations that determine them. Such an
/// equation may be one of motion, for the force that a prescribed coordinate needs: without it no
/// mechanism is recognised. Nothing is asked twice where a method for mechanics fits, or where none
/// is needed.
bool may_hide_mechanics(const Reading& reading) {
  const formulation::MethodInfo& method = *reading.attempt.candidate.method;
  const bool is_plain = method.name == "direct" || method.name == "ode";
  return !reading.request.stop.is_raised() && reading.simplified.n_outputs > 0 &&
         reading.request.is_automatic && method.needs == formulation::View::general &&
         (!is_plain || reading.attempt.start.status != Status::success);
}

/// The reading with all variables where only that is a mechanism, otherwise the shorter one.
Reading choose_reading(const Model& model, const formulation::Request& request, double t0,
                       const Options& options) {
  const SimplifyOptions all{.remove_outputs = false, .starts = options.starts};
  const auto is_mechanism = [&] {
    return bool(mechanical_view(simplify(model, all).model, request.parameters));
  };
  std::optional<Reading> reading;
  try {
    reading = read(model, {.starts = options.starts}, request, t0, options);
    if (!may_hide_mechanics(*reading) || !is_mechanism()) return std::move(*reading);
  } catch (const ModelError& error) {
    if (error.code() != ErrorCode::not_recognized || !is_mechanism()) throw;
  }
  Reading other = read(model, all, request, t0, options);
  const bool is_better = !reading || other.attempt.start.status == Status::success;
  return is_better ? std::move(other) : std::move(*reading);
}

}  // namespace

Solution solve(const Model& model, const TimeSpan& span, const Options& options) {
  const auto began = std::chrono::steady_clock::now();
  solve_detail::check_options(span, options);
  if (!model.boundary_equations().empty()) {
    const Equation& first = model.boundary_equations().front();
    throw ModelError(
        ErrorCode::unsupported,
        fmt::format("Model '{}' has conditions at the end of the interval, such as {}: "
                    "it is a boundary value problem, for solve_bvp() or "
                    "'daedal solve-bvp'.",
                    model.name(), equation_label(first, 0)),
        first.where);
  }
  if (span.stop < span.start && !model.samplers().empty()) {
    throw OptionError(
        ErrorCode::invalid_option,
        fmt::format("Model '{}' has sample(): it runs forward in time only.", model.name()));
  }
  const std::vector<double> parameters = model.parameter_values(options.parameters);
  refuse_unused(model, options.parameters);

  Solution solution;
  solution.model_name = model.name();
  solution.rtol = options.rtol;
  solution.atol = options.atol;
  solution.method.requested = options.method;
  solution.integrator.requested = options.integrator;
  const formulation::Request given{
      .model = model,
      .parameters = parameters,
      .starts = {},
      .method_parameters = options.method_parameters,
      .chart = solve_detail::parse_chart(options.chart, model),
      .rtol = options.rtol,
      .atol = options.atol,
      .start_time = span.start,
      .fixed_step = options.fixed_step,
      .watch_singularities = options.watch_singularities,
      .is_automatic = options.method == "auto",
      .is_backward = span.stop < span.start,
      .stop = StopSignal::after(options.time_limit, began, options.cancel)};
  Reading reading = choose_reading(model, given, span.start, options);
  formulation::Request& request = reading.request;
  solve_detail::Attempt& attempt = reading.attempt;
  solution.notices = std::move(reading.notices);
  solve_detail::Journey journey{
      .span = span,
      .options = options,
      .recovery = reading.simplified.recovery,
      .n_continuous = reading.simplified.model.variables().size(),
      .dense = options.keep_dense ? std::make_shared<Solution::Dense>() : nullptr,
      .began = began};
  solution.dense = journey.dense;
  // What can never determine its unknowns is an error of the model, whichever method finds it.
  if (attempt.start.status != Status::success && !request.stop.is_raised()) {
    (void)analysis::structural_report(model);
  }
  solve_detail::LegEnd end = run_leg(attempt, request, span.start, journey, solution);
  while (end.reason != solve_detail::LegEnd::Reason::none) {
    solve_detail::NextLeg next = next_leg(attempt, std::move(end), request, journey, solution);
    attempt = std::move(next.attempt);
    end = run_leg(attempt, request, next.t0, journey, solution);
  }
  keep_the_longest(journey, solution);
  if (auto jump = solve_detail::unexplained_jump(reading.simplified.model, solution);
      !jump.empty()) {
    solution.warnings.push_back(std::move(jump));
  }
  solution.statistics.wall_seconds = journey.seconds();
  return solution;
}

}  // namespace daedal
