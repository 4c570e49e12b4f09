// SPDX-License-Identifier: BSD-3-Clause
#include "solve/run/handovers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "model/variants.hpp"

namespace daedal::solve_detail {

PreparedRun Handovers::next(const PreparedRun& run, const SegmentEnd& end,
                            const StartPoint& start) {
  if (end.reason == SegmentEnd::Reason::length) return sharper(run, end, start);
  if (end.reason == SegmentEnd::Reason::singular) {
    // From the start of the run: what was computed on the way to a singular position is less
    // accurate the nearer it came.
    record_.start_again();
    return hand_over(
        run, {.successor = *run.candidate.when_singular,
              .found = fmt::format("Near t = {:.6g} the constraints became singular", end.t),
              .from = start});
  }
  if (end.reason == SegmentEnd::Reason::failed) return after_failure(run, end, start);
  const std::string found =
      fmt::format("At t = {:.6g} the model turned out to be stiff for '{}' with '{}'", end.t,
                  run.candidate.method->name, run.integrator->name);
  if (!run.candidate.when_stiff) {
    record_.start_again();
    record_.note(found + ": from the start on without Taylor series.");
    return without_series(start);
  }
  // From where the segment ended, or from the start of the run for models with memory.
  const bool resumes = can_restart(run.from.model->model());
  if (!resumes) record_.start_again();
  StartPoint from = resumes ? resumption(end) : start;
  // Stiff as it is, the run may be short enough for the method that found it so.
  std::optional<Successor> fallback;
  if (std::abs(context_.span.stop - end.t) <= bearable_steps * std::abs(end.last_step)) {
    fallback = as_before(run.candidate);
  }
  return hand_over(run, {.successor = *run.candidate.when_stiff,
                         .found = found,
                         .resumes = resumes,
                         .last_step = resumes ? end.last_step : 0.0,
                         .from = std::move(from),
                         .fallback = fallback});
}

StartPoint Handovers::resumption(SegmentEnd end) const {
  StartPoint from{&context_.reading->prepared.restarted(), std::move(end.parameters), end.t};
  from.parameters.resize(context_.parameters.size());
  from.parameters.insert(from.parameters.end(), end.values.begin(), end.values.end());
  return from;
}

/// The same method from the start, with a sharper local tolerance.
PreparedRun Handovers::sharper(const PreparedRun& run, const SegmentEnd& end,
                               const StartPoint& start) {
  record_.start_again();
  const double n_steps = end.projected_steps;
  PreparedRun next = prepare_run(sharpened(run.candidate, n_steps, end.step_room), start, context_);
  record_.note(
      fmt::format("The run would take about {:.2g} steps, over which errors add up: its local "
                  "relative tolerance is {:.2g}.",
                  n_steps, *next.options.rtol));
  record_.doubt_length(n_steps, long_run_factor(n_steps, end.step_room));
  return next;
}

PreparedRun Handovers::after_failure(const PreparedRun& run, const SegmentEnd& end,
                                     const StartPoint& start) {
  const std::string found = fmt::format(
      "At t = {:.6g} '{}' with '{}' {}", end.t, run.candidate.method->name, run.integrator->name,
      end.projected_steps > 0.0
          ? fmt::format("was about to take {:.2g} steps in all", end.projected_steps)
          : fmt::format("stopped ({})", to_string(record_.solution.status)));
  record_.start_again();
  const auto& successor = run.candidate.when_failed;
  if (record_.solution.status == Status::no_unique_solution && run.candidate.when_undetermined) {
    return hand_over(
        run, {.successor = *run.candidate.when_undetermined, .found = found, .from = start});
  }
  const bool is_series = run.candidate.is_for_speed && run.integrator->name == TaylorSteps::name;
  // A tolerance that was sharpened for the length of the run is given up first.
  if (end.follows_small && !(successor && successor->was_before) && !is_series &&
      !run.candidate.is_sharpened) {
    Candidate coarser = run.candidate;
    coarser.ignores_scales = true;
    record_.note(found + ": from the start on with one absolute tolerance for all variables.");
    return prepare_run(coarser, start, context_);
  }
  if (successor) {
    return hand_over(run, {.successor = *successor, .found = found, .from = start});
  }
  if (run.candidate.is_for_speed) {
    record_.note(found + (is_series ? ": from the start on without Taylor series."
                                    : ": from the start on with all unknowns."));
    return without_series(start);
  }
  Candidate plain = run.candidate;
  plain.tolerance_factor = 1.0;
  plain.is_sharpened = false;
  plain.most_steps = HUGE_VAL;
  record_.note(found + ": from the start on with the tolerance that was asked for.");
  return prepare_run(plain, start, context_);
}

PreparedRun Handovers::without_series(const StartPoint& start) {
  return first_that_fits(candidates(context_.options, context_.reading->prepared, false), start,
                         context_, record_.solution.notices)
      .get();
}

PreparedRun Handovers::hand_over(const PreparedRun& run, const Handover& handover) {
  const Successor& successor = handover.successor;
  const Candidate candidate{.method = successor.method,
                            .integrator = successor.integrator,
                            .when_failed = handover.fallback,
                            .tolerance_factor = successor.tolerance_factor,
                            .minds_length = run.candidate.minds_length && !handover.resumes,
                            .ignores_scales = run.candidate.ignores_scales && handover.resumes};
  auto next = prepare_exactly(candidate, handover.from, handover.resumes);
  if (next && next->start.status == Status::success) {
    // A successor in the middle of a run begins with the last step of its predecessor: near a state
    // of rest its own first step might reach to the end.
    if (next->options.initial_step == 0.0) next->options.initial_step = handover.last_step;
    record_.note(fmt::format("{}: from {} on {}", handover.found,
                             handover.resumes ? "there" : "the start", successor.reason));
    return std::move(*next);
  }
  record_.note(
      fmt::format("{}, but '{}' cannot continue the run.", handover.found, successor.method->name));
  Candidate same = run.candidate;
  same.when_stiff.reset();
  same.when_singular.reset();
  same.when_failed.reset();
  return handover.resumes ? resume_run(same, handover.from, context_)
                          : prepare_run(same, handover.from, context_);
}

Expected<PreparedRun> Handovers::prepare_exactly(const Candidate& candidate, const StartPoint& from,
                                                 bool resumes) {
  const auto prepare = [&](const StartPoint& start) {
    return Expected<PreparedRun>::from([&] {
      return resumes ? resume_run(candidate, start, context_)
                     : prepare_run(candidate, start, context_);
    });
  };
  auto run = prepare(from);
  if (!run || from.model->holds_for(from.parameters)) return run;
  StartPoint exact = from;
  exact.model =
      own_models_
          .emplace_back(std::make_unique<const PreparedModel>(from.model->model(), from.parameters))
          .get();
  return prepare(exact);
}

}  // namespace daedal::solve_detail
