// SPDX-License-Identifier: BSD-3-Clause
#include "solve/run/prepared_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "formulation/dummy/states_only.hpp"
#include "formulation/frame/start_problem.hpp"
#include "solve/integrator_choice.hpp"

namespace daedal::solve_detail {

namespace {

/// A local tolerance below this is lost in the rounding errors of a step.
constexpr double sharpest_tolerance = 1e-13;

formulation::Request request_for(const PreparedRun& run, const RunContext& context) {
  const SolveOptions& own = run.options;
  const bool is_watched = run.candidate.when_singular || run.candidate.is_for_speed;
  const Method& method = context.options.method;
  return {.model = run.from.model->model(),
          .parameters = run.from.parameters,
          .recognized = run.from.model->recognized(),
          .method = method.is_automatic() ? Method(run.candidate.method->name) : method,
          .chart = own.chart,
          .rtol = *own.rtol,
          .atol = own.atol,
          .start_time = context.span.start,
          .fixed_step = own.fixed_step,
          .prefers_implicit = prefers_implicit(own),
          .watch_singularities = own.watch_singularities || is_watched,
          .stop_at_singularities = is_watched,
          .prefers_explicit = prefers_explicit(own),
          .is_automatic = method.is_automatic() && !run.candidate.takes_any_constraints,
          .is_backward = context.span.stop < context.span.start,
          .stability = stability(own),
          .stop = context.stop};
}

/// Demands on the choice of states that cannot be met make no model unsolvable: where a start
/// fails, it is tried with wishes in their place.
Expected<PreparedRun> prepare_softly(const Candidate& candidate, const StartPoint& from,
                                     const RunContext& context) {
  auto run = try_prepare_run(candidate, from, context);
  const bool may_be_demands =
      run ? run->start.status == Status::inconsistent_start : run.code() == ErrorCode::unsupported;
  const PreparedModel* relaxed = may_be_demands ? from.model->relaxed() : nullptr;
  if (relaxed == nullptr) return run;
  StartPoint softer = from;
  softer.model = relaxed;
  auto again = try_prepare_run(candidate, softer, context);
  if (run && again && again->start.status != Status::success) return run;
  if (again) {
    again->start.notices.emplace_back(
        "stateSelect of the model cannot be obeyed: always was taken as prefer, never as avoid.");
  }
  return again;
}

/// The values of the model's variables from which a run continues.
std::span<const double> given_values(const StartPoint& from) {
  const std::size_t n = from.model->model().variables().size();
  return std::span(from.parameters).last(n);
}

void hold_states(const StartPoint& from, Run& run) {
  auto& own = formulation::run_of<formulation::ModelRun>(run);
  const auto& is_differential = from.model->written()->view().is_differential;
  const auto values = given_values(from);
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (is_differential[j]) own.starts[j] = values[j];
  }
}

/// A start that has moved a differential variable by more than a drift has failed.
void refuse_moved_states(PreparedRun& run) {
  const auto& view = run.from.model->written()->view();
  const auto given = given_values(run.from);
  const std::vector<double> values = start_values_of(run);
  for (std::size_t j = 0; j < given.size(); ++j) {
    const Variable& variable = view.model.variables()[j];
    if (!view.is_differential[j]) continue;
    if (!formulation::is_jump(given[j], values[j], variable.nominal)) continue;
    run.start.status = Status::inconsistent_start;
    run.start.message = fmt::format("At t = {:.12g} '{}' would have to move from {:.6g} to {:.6g}.",
                                    run.from.t0, variable.name, given[j], values[j]);
    return;
  }
}

}  // namespace

std::vector<double> start_values_of(const PreparedRun& run) {
  std::vector<double> values(run.formulation->outputs.names.size());
  run.formulation->outputs.to_model(run.from.t0, run.start.x, run.start.xp, *run.run, values, {});
  return values;
}

bool may_hide_mechanics(const PreparedRun& run, const Reading& reading, const RunContext& context) {
  const bool has_started = (run.candidate.is_for_low_index || run.candidate.is_for_speed) &&
                           run.start.status == Status::success;
  return !context.stop.is_raised() && reading.simplified.n_outputs > 0 && context.is_automatic() &&
         run.candidate.method->needs == RequiredView::general && !has_started;
}

bool does_not_fit(ErrorCode code) {
  return code == ErrorCode::not_recognized || code == ErrorCode::illegal_combination;
}

bool can_be_sharper(double rtol) {
  return rtol > 2.0 * sharpest_tolerance;
}

std::unique_ptr<integration::Stepper> make_stepper(const PreparedRun& run) {
  integration::StepOptions step =
      step_options(run.options, run.candidate.method->symmetric_projection);
  step.follows_scales = run.follows_scales;
  step.sharpness = std::min(1.0, run.candidate.tolerance_factor);
  if (const ImplicitSystem* system = run.formulation->implicit_system.get()) {
    return run.integrator->make_implicit(*system, step, run.options.integrator);
  }
  return run.integrator->make_explicit(*run.formulation->explicit_system.get(), step,
                                       run.options.integrator);
}

PreparedRun prepare_run(const Candidate& candidate, const StartPoint& from,
                        const RunContext& context, StartSearch search) {
  PreparedRun run;
  run.candidate = candidate;
  run.options = context.options;
  run.from = from;
  run.follows_scales = context.follows_scales && !candidate.ignores_scales;
  SolveOptions& own = run.options;
  check_chart(*candidate.method, own);
  if (!candidate.integrator.empty()) own.integrator = Integrator(candidate.integrator);
  const double rtol = *context.options.rtol;
  own.rtol = std::max(candidate.tolerance_factor * rtol, std::min(rtol, sharpest_tolerance));
  // The absolute tolerance changes by the same factor: below round-off no step could meet it.
  own.atol *= *own.rtol / rtol;
  run.request = request_for(run, context);
  run.formulation = from.model->formulation(*candidate.method, run.request);
  run.integrator = &choose_integrator(*candidate.method, *run.formulation, own);
  if (own.integrator.is_automatic()) own.integrator = Integrator(run.integrator->name);
  run.integrator->check(own.integrator);
  check_watching(*candidate.method, *run.formulation, own);
  run.run = run.formulation->system().make_run();
  run.run->stop = context.stop;
  parameters_of(*run.run) = from.parameters;
  auto& model_run = formulation::run_of<formulation::ModelRun>(*run.run);
  if (run.request.is_backward) model_run.direction = -1.0;
  model_run.rtol = *own.rtol;
  if (from.holds_states) hold_states(from, *run.run);
  if (from.events) formulation::resume_events(*from.events, *run.run);
  const bool is_taken = search == StartSearch::none && run.formulation->take_start;
  run.start = is_taken ? run.formulation->take_start(from.t0, *run.run)
                       : run.formulation->start(from.t0, *run.run);
  return run;
}

Expected<PreparedRun> try_prepare_run(const Candidate& candidate, const StartPoint& from,
                                      const RunContext& context) {
  return Expected<PreparedRun>::from([&] { return prepare_run(candidate, from, context); });
}

PreparedRun resume_run(const Candidate& candidate, const StartPoint& from,
                       const RunContext& context) {
  StartPoint held = from;
  held.holds_states = true;
  PreparedRun run = prepare_run(candidate, held, context);
  if (run.start.status == Status::success || context.stop.is_raised()) return run;
  run = prepare_run(candidate, from, context);
  if (run.start.status == Status::success) refuse_moved_states(run);
  return run;
}

Expected<PreparedRun> first_that_fits(const std::vector<Candidate>& candidates,
                                      const StartPoint& from, const RunContext& context,
                                      std::vector<std::string>& notices) {
  std::optional<Expected<PreparedRun>> refused;  // at its start
  std::optional<Expected<PreparedRun>> unfit;
  bool is_singular = false;
  const std::size_t n_unknowns = from.model->model().variables().size();
  for (const Candidate& candidate : candidates) {
    const bool is_undetermined =
        refused && (*refused)->start.status == Status::no_unique_solution && !is_singular;
    if (candidate.is_for_singular && !is_singular) continue;
    if (is_undetermined && candidate.method->needs == RequiredView::general) continue;
    const auto pass_over = [&](std::string_view why) {
      if (candidate.is_shortcut) return;
      notices.push_back(fmt::format("'{}' was passed over: {}", candidate.method->name, why));
    };
    if (n_unknowns > candidate.max_unknowns) {
      pass_over(
          fmt::format("it supports at most {} unknowns, and the model has {} after simplification.",
                      candidate.max_unknowns, n_unknowns));
      continue;
    }
    auto run = candidates.size() == 1 ? try_prepare_run(candidate, from, context)
                                      : prepare_softly(candidate, from, context);
    if (!run) {
      const bool may_pass = does_not_fit(run.code()) || candidate.is_for_speed;
      if (!may_pass || candidates.size() == 1) return run;
      pass_over(run.message());
      if (!unfit && !candidate.is_shortcut && !candidate.is_for_speed) unfit = std::move(run);
      continue;
    }
    const Status status = run->start.status;
    // A method chosen for speed only gives way to the others, which may find a start.
    if (candidate.is_for_speed && status != Status::success && !context.stop.is_raised()) {
      pass_over(run->start.message);
      continue;
    }
    const auto* states =
        dynamic_cast<const formulation::StatesOnlySystem*>(&run->formulation->system());
    const bool minds_leaps = candidate.is_for_speed && !candidate.is_for_poles;
    if (minds_leaps && states != nullptr && states->may_leap(*run->run)) continue;
    is_singular = is_singular || status == Status::singular_iteration_matrix;
    if (!info(status).tries_next_method || candidates.size() == 1) {
      if (!candidate.reason.empty()) notices.emplace_back(candidate.reason);
      return run;
    }
    // A method for low index that comes first needs no notice that it does not support a higher
    // one.
    const bool says_why = candidate.method->name == Taylor::name;  // structure and numbers disagree
    if (status == Status::singular_iteration_matrix || refused || says_why) {
      pass_over(run->start.message);
    }
    // A singular start says more than an index that is too high.
    if (!refused || (*refused)->start.status == Status::index_too_high) refused = std::move(run);
  }
  return std::move(refused ? *refused : unfit.value());
}

}  // namespace daedal::solve_detail
