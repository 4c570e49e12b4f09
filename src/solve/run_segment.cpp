// SPDX-License-Identifier: BSD-3-Clause
#include "solve/run_segment.hpp"

#include <fmt/format.h>

#include <cmath>
#include <daedal/error.hpp>
#include <optional>
#include <utility>

#include "integrate/driver/driver.hpp"
#include "integrate/driver/step_failure.hpp"
#include "model/variants.hpp"
#include "model/views/general_view.hpp"
#include "solve/checks/residual_check.hpp"
#include "solve/integrator_choice.hpp"
#include "solve/output_map.hpp"
#include "solve/recorder.hpp"

namespace daedal::solve_detail {

namespace {

/// The check is one of tolerances: it says nothing about fixed steps.
std::optional<ResidualCheck> make_check(const Attempt& attempt, const formulation::Request& request,
                                        const Options& options) {
  if (options.fixed_step > 0.0 || !attempt.integrator->can.error_controlled) return std::nullopt;
  // The system of `direct` is the equations as written; other methods have them made for the check.
  const auto* own =
      dynamic_cast<const formulation::DirectSystem*>(attempt.formulation->implicit_system());
  std::shared_ptr<const formulation::DirectSystem> system(attempt.formulation, own);
  if (own == nullptr) {
    system = std::make_shared<const formulation::DirectSystem>(general_view(request.model),
                                                               request.parameters);
  }
  return std::optional<ResidualCheck>(std::in_place, std::move(system),
                                      ResidualCheck::Tolerances{options.rtol, options.atol});
}

void apply_verdict(const ResidualCheck& check, Solution& solution) {
  if (!check.jump().empty()) solution.warnings.push_back(check.jump());
  if (std::string unseen = check.unseen_states(); !unseen.empty()) {
    solution.warnings.push_back(std::move(unseen));
  }
  const auto verdict = check.verdict();
  if (verdict.message.empty()) return;
  if (is_success(solution.status) && verdict.is_no_solution) {
    solution.status = Status::check_failed;
    solution.message = verdict.message;
  } else {
    solution.warnings.push_back(verdict.message);
  }
}

/// Where steps came to nothing, the constraints may be the reason.
void name_singularity(const formulation::Formulation& formulation,
                      const integration::Outcome& outcome, Run& run, Solution& solution) {
  switch (outcome.status) {
    case Status::step_size_underflow:
    case Status::newton_failure:
    case Status::singular_iteration_matrix:
    case Status::non_finite_value:
      break;
    default:
      return;
  }
  const std::string sentence = formulation.describe_singularity(outcome.t, outcome.x, run);
  if (sentence.empty() || solution.message.find(sentence) != std::string::npos) return;
  solution.message += ' ' + sentence;
}

/// Runs the driver; what came of it goes to `solution`.
integration::Outcome drive(Attempt& attempt, const formulation::Request& request, double t0,
                           const Journey& journey, Solution& solution) {
  const Options& options = attempt.options;
  auto check = make_check(attempt, request, journey.options);
  const auto map = std::make_shared<const OutputMap>(attempt.formulation, journey.recovery,
                                                     journey.n_continuous);
  Recorder recorder(map, journey.dense, check ? &*check : nullptr, solution);
  const auto stepper = make_stepper(attempt);
  integration::DriverOptions driver = driver_options(journey.span, options);
  driver.origin = driver.t0;
  driver.t0 = t0;
  driver.steps_before = solution.statistics.steps;
  driver.seconds_before = journey.seconds();
  driver.stop_when_stiff = attempt.candidate.when_stiff.has_value();
  if (attempt.candidate.minds_length) driver.max_projected_steps = long_run;
  integration::Outcome outcome =
      integration::drive(attempt.formulation->system(), *stepper, *attempt.run, attempt.start.x,
                         attempt.start.xp, driver, recorder);
  solution.status = outcome.status;
  solution.message = outcome.message;
  solution.statistics += outcome.statistics;
  const auto& warnings = attempt.run->warnings;
  solution.warnings.insert(solution.warnings.end(), warnings.begin(), warnings.end());
  if (const auto ended =
          recorder.end().diagnose(outcome.status, request, *attempt.formulation, *attempt.run)) {
    solution.status = ended->status;
    solution.message = ended->message + " The run itself stopped so: " + outcome.message;
  }
  name_singularity(*attempt.formulation, outcome, *attempt.run, solution);
  if (check) apply_verdict(*check, solution);
  if (const auto& bad = recorder.bad_value(); bad && is_success(solution.status)) {
    solution.status = Status::non_finite_value;
    solution.message = integration::with_remedy(
        solution.status,
        fmt::format("At t = {:.12g} '{}' has no finite value. What was integrated reached t = "
                    "{:.12g}.",
                    bad->t, solution.names[bad->column], outcome.t));
  }
  return outcome;
}

/// How far from its start a run has come.
double reach(const Solution& solution, const TimeSpan& span) {
  return solution.times.empty() ? 0.0 : std::abs(solution.times.back() - span.start);
}

/// The next leg starts where the run did. What was computed is set aside, for the case that no
/// later leg comes as far.
void start_anew(Journey& journey, Solution& solution) {
  const bool is_furthest =
      !journey.set_aside || reach(solution, journey.span) > reach(*journey.set_aside, journey.span);
  if (is_furthest) journey.set_aside = solution;
  solution.times.clear();
  solution.values.clear();
  solution.events.clear();
  solution.constraints.clear();
  solution.warnings.clear();
  if (journey.dense) solution.dense = journey.dense = std::make_shared<Solution::Dense>();
}

/// The same method from the start, with a sharper local tolerance.
NextLeg longer_leg(const Attempt& attempt, double n_steps, const formulation::Request& request,
                   Journey& journey, Solution& solution) {
  start_anew(journey, solution);
  Candidate sharper = attempt.candidate;
  sharper.tolerance_factor *= long_run_factor(n_steps);
  sharper.minds_length = false;
  NextLeg next{prepare(sharper, request, journey.span.start, journey.options), journey.span.start};
  solution.notices.push_back(
      fmt::format("The run would take about {:.2g} steps, over which errors add up: its local "
                  "relative tolerance is {:.2g}.",
                  n_steps, next.attempt.options.rtol));
  return next;
}

/// The same method from where the last leg of it ended, no longer asking whether it should.
NextLeg undisturbed_leg(const Attempt& attempt, double t0, const formulation::Request& request,
                        const Journey& journey) {
  Candidate same = attempt.candidate;
  same.when_stiff.reset();
  same.when_singular.reset();
  return {prepare(same, request, t0, journey.options), t0};
}

/// What a successor is asked for.
struct Errand {
  Successor successor;
  std::string found;  ///< the beginning of a sentence that says why
  bool resumes = false;
  double t0 = 0.0;
};

/// The successor, or else the same method once more.
NextLeg leg_of(const Errand& errand, const Attempt& attempt, const formulation::Request& request,
               const Journey& journey, Solution& solution) {
  const Successor& successor = errand.successor;
  try {
    NextLeg next{prepare({.method = successor.method,
                          .integrator = successor.integrator,
                          .tolerance_factor = successor.tolerance_factor,
                          .minds_length = attempt.candidate.minds_length && !errand.resumes},
                         request, errand.t0, journey.options),
                 errand.t0};
    if (next.attempt.start.status == Status::success) {
      solution.notices.push_back(fmt::format("{}: from {} on {}", errand.found,
                                             errand.resumes ? "there" : "the start",
                                             successor.reason));
      return next;
    }
  } catch (const Error&) {
    // The model has not the shape that the successor needs.
  }
  solution.notices.push_back(
      fmt::format("{}, but '{}' cannot go on.", errand.found, successor.method->name));
  return undisturbed_leg(attempt, errand.t0, request, journey);
}

/// From where `end` lies, or from the start of the run for models that remember.
NextLeg stiff_leg(const Attempt& attempt, LegEnd end, formulation::Request& request,
                  Journey& journey, Solution& solution) {
  const bool resumes = can_resume(request.model);
  if (resumes) {
    request.model = resumed(request.model, end.values);
    request.parameters = std::move(end.parameters);
  } else {
    start_anew(journey, solution);
  }
  return leg_of(
      {.successor = *attempt.candidate.when_stiff,
       .found = fmt::format("At t = {:.6g} the model turned out to be stiff for '{}' "
                            "with '{}'",
                            end.t, attempt.candidate.method->name, attempt.integrator->name),
       .resumes = resumes,
       .t0 = resumes ? end.t : journey.span.start},
      attempt, request, journey, solution);
}

/// From the start of the run: what was computed on the way to a singular position is less accurate
/// the nearer it came.
NextLeg singular_leg(const Attempt& attempt, double t, const formulation::Request& request,
                     Journey& journey, Solution& solution) {
  start_anew(journey, solution);
  return leg_of({.successor = *attempt.candidate.when_singular,
                 .found = fmt::format("At t = {:.6g} the constraints became singular", t),
                 .resumes = false,
                 .t0 = journey.span.start},
                attempt, request, journey, solution);
}

}  // namespace

LegEnd run_leg(Attempt& attempt, const formulation::Request& request, double t0,
               const Journey& journey, Solution& solution) {
  solution.method.used = attempt.candidate.method->name;
  solution.integrator.used = attempt.integrator->name;
  const formulation::Start& start = attempt.start;
  solution.notices.insert(solution.notices.end(), start.notices.begin(), start.notices.end());
  if (start.status != Status::success) {
    solution.status = start.status;
    solution.message = start.message;
    return {};
  }
  const integration::Outcome outcome = drive(attempt, request, t0, journey, solution);
  LegEnd end;
  end.t = outcome.t;
  const bool is_singular =
      outcome.status == Status::rank_change || outcome.status == Status::singular_iteration_matrix;
  if (is_singular && attempt.candidate.when_singular) {
    end.reason = LegEnd::Reason::singular;
    return end;
  }
  if (!is_success(solution.status) || outcome.t == journey.span.stop) {
    // Who asked for an explicit integrator keeps it, and is told.
    if (outcome.is_stiff) solution.warnings.push_back(stiffness_warning(*attempt.integrator));
    return end;
  }
  end.projected_steps = outcome.projected_steps;
  if (outcome.projected_steps > 0.0) end.reason = LegEnd::Reason::length;
  if (outcome.is_stiff && attempt.candidate.when_stiff) end.reason = LegEnd::Reason::stiff;
  end.values.resize(attempt.formulation->output_names().size());
  attempt.formulation->to_model(outcome.t, outcome.x, outcome.xp, *attempt.run, end.values, {});
  end.values.resize(journey.n_continuous);
  end.parameters = parameters_of(*attempt.run);
  return end;
}

void keep_the_longest(Journey& journey, Solution& solution) {
  if (is_success(solution.status) || !journey.set_aside) return;
  Solution& aside = *journey.set_aside;
  if (reach(aside, journey.span) <= reach(solution, journey.span)) return;
  solution.notices.push_back(fmt::format(
      "'{}' stopped sooner than '{}' with '{}' before it, which came to t = {:.6g}: the values are "
      "those of the latter.",
      solution.method.used, aside.method.used, aside.integrator.used, aside.times.back()));
  solution.method.used = std::move(aside.method.used);
  solution.integrator.used = std::move(aside.integrator.used);
  solution.warnings = std::move(aside.warnings);
  solution.constraints = std::move(aside.constraints);
  solution.events = std::move(aside.events);
  solution.times = std::move(aside.times);
  solution.values = std::move(aside.values);
  solution.dense = std::move(aside.dense);
  journey.set_aside.reset();
}

NextLeg next_leg(const Attempt& attempt, LegEnd end, formulation::Request& request,
                 Journey& journey, Solution& solution) {
  if (end.reason == LegEnd::Reason::length) {
    return longer_leg(attempt, end.projected_steps, request, journey, solution);
  }
  if (end.reason == LegEnd::Reason::singular) {
    return singular_leg(attempt, end.t, request, journey, solution);
  }
  return stiff_leg(attempt, std::move(end), request, journey, solution);
}

}  // namespace daedal::solve_detail
