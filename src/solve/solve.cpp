// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/solve.hpp>

#include <fmt/format.h>

#include <chrono>
#include <daedal/error.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/structural_model.hpp"
#include "formulation/registry.hpp"
#include "integrate/driver.hpp"
#include "integrate/registry.hpp"
#include "model/general_view.hpp"
#include "model/labels.hpp"
#include "model/simplify.hpp"
#include "model/usage.hpp"
#include "solve/automatic.hpp"
#include "solve/choice.hpp"
#include "solve/recorder.hpp"
#include "solve/residual_check.hpp"

namespace daedal {

namespace {

using Clock = std::chrono::steady_clock;

integrate::StepOptions step_options(const formulation::MethodInfo& method, const Options& options) {
  return {.rtol = options.rtol,
          .atol = options.atol,
          .fixed_step = options.fixed_step,
          .initial_step = options.initial_step,
          .max_step = options.max_step,
          .max_steps = options.max_steps,
          .symmetric_projection = method.symmetric_projection,
          .log = options.log};
}

integrate::DriverOptions driver_options(const TimeSpan& span, const Options& options) {
  integrate::DriverOptions driver;
  driver.t0 = span.start;
  driver.t1 = span.stop;
  driver.interval = options.interval;
  driver.stop_times = options.stop_times;
  driver.rtol = options.rtol;
  driver.atol = options.atol;
  driver.max_steps = options.max_steps;
  driver.time_limit = options.time_limit;
  driver.cancel = options.cancel;
  driver.on_progress = options.on_progress;
  return driver;
}

/// One candidate of the method, ready to run.
struct Attempt {
  const formulation::MethodInfo* method = nullptr;
  const integrate::IntegratorInfo* integrator = nullptr;
  std::shared_ptr<const formulation::Formulation> formulation;
  std::unique_ptr<Run> run;
  formulation::Start start;
};

std::unique_ptr<integrate::Stepper> make_stepper(const Attempt& attempt, const Options& options) {
  const integrate::IntegratorInfo& integrator = *attempt.integrator;
  integrate::require_known_parameters(integrator, options.integrator_parameters);
  const integrate::StepOptions step = step_options(*attempt.method, options);
  if (const ImplicitSystem* system = attempt.formulation->implicit_system()) {
    return integrator.make_implicit(*system, step, options.integrator_parameters);
  }
  return integrator.make_explicit(*attempt.formulation->explicit_system(), step,
                                  options.integrator_parameters);
}

/// The check is one of tolerances: it says nothing about fixed steps.
std::optional<solve_detail::ResidualCheck> make_check(const Attempt& attempt,
                                                      const formulation::Request& request,
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
  return std::optional<solve_detail::ResidualCheck>(
      std::in_place, std::move(system),
      solve_detail::ResidualCheck::Tolerances{options.rtol, options.atol});
}

void apply_verdict(const solve_detail::ResidualCheck& check, Solution& solution) {
  const auto verdict = check.verdict();
  if (verdict.message.empty()) return;
  if (is_success(solution.status) && verdict.is_no_solution) {
    solution.status = Status::check_failed;
    solution.message = verdict.message;
  } else {
    solution.warnings.push_back(verdict.message);
  }
}

/// Makes the formulation of `candidate` and its start values. Throws Error when the model or the
/// options do not fit.
Attempt prepare(const solve_detail::Candidate& candidate, const formulation::Request& request,
                double t0, const Options& options) {
  Attempt attempt;
  attempt.method = candidate.method;
  solve_detail::check_parameters(*candidate.method, options);
  attempt.formulation = candidate.method->make(request);
  attempt.integrator =
      &solve_detail::choose_integrator(*candidate.method, *attempt.formulation, options);
  solve_detail::check_parameters(*attempt.integrator, options);
  attempt.run = attempt.formulation->system().make_run();
  attempt.start = attempt.formulation->start(t0, *attempt.run);
  return attempt;
}

/// Starts after which another method may do better: the index is too high for this one, its
/// matrices are singular, or its search did not reach the domain of the equations.
bool is_passed_over(Status status) {
  return status == Status::index_too_high || status == Status::no_unique_solution ||
         status == Status::singular_iteration_matrix || status == Status::non_finite_value;
}

/// The first candidate that fits and starts; what the others lack goes to `reasons`. When none
/// starts, the last one that was made; when none could be made, the first one's error.
Attempt first_that_fits(const std::vector<solve_detail::Candidate>& candidates,
                        const formulation::Request& request, double t0, const Options& options,
                        std::vector<std::string>& reasons) {
  std::optional<Attempt> refused;
  std::exception_ptr error;
  bool is_singular = false;
  for (const solve_detail::Candidate& candidate : candidates) {
    const bool is_undetermined =
        refused && refused->start.status == Status::no_unique_solution && !is_singular;
    if (candidate.is_for_singular && !is_singular) continue;
    if (is_undetermined && candidate.method->needs == formulation::View::general) continue;
    if (request.model.variables().size() > candidate.max_unknowns) {
      reasons.push_back(fmt::format(
          "'{}' was passed over: it takes {} unknowns at most, the model "
          "has {} after simplification.",
          candidate.method->name, candidate.max_unknowns, request.model.variables().size()));
      continue;
    }
    try {
      Attempt attempt = prepare(candidate, request, t0, options);
      const Status status = attempt.start.status;
      is_singular = is_singular || status == Status::singular_iteration_matrix;
      if (!is_passed_over(status) || candidates.size() == 1) {
        if (!candidate.reason.empty()) reasons.emplace_back(candidate.reason);
        return attempt;
      }
      if (status == Status::singular_iteration_matrix) {
        reasons.push_back(
            fmt::format("'{}' was passed over: {}", candidate.method->name, attempt.start.message));
      }
      // A singular start says more than an index that is too high.
      if (!refused || refused->start.status == Status::index_too_high) {
        refused = std::move(attempt);
      }
    } catch (const Error& caught) {
      const bool is_unfit = caught.code() == ErrorCode::not_recognized ||
                            caught.code() == ErrorCode::illegal_combination;
      if (!is_unfit || candidates.size() == 1) throw;
      if (!error) error = std::current_exception();
      reasons.push_back(
          fmt::format("'{}' was passed over: {}", candidate.method->name, caught.what()));
    }
  }
  if (refused) return std::move(*refused);
  std::rethrow_exception(error);
}

/// What a run is made of beside its attempt.
struct Job {
  const formulation::Request& request;
  const TimeSpan& span;
  const Options& options;
  std::shared_ptr<const solve_detail::OutputMap> map;
  solve_detail::ResidualCheck* check;  ///< may be null
};

/// Runs to the end of the span; fills `solution`.
void run(Attempt& attempt, const Job& job, Solution& solution) {
  const Options& options = job.options;
  solve_detail::Recorder recorder(job.map, options.keep_dense, job.check, solution);
  const formulation::Start& start = attempt.start;
  solution.notices.insert(solution.notices.end(), start.notices.begin(), start.notices.end());
  if (start.status != Status::success) {
    solution.status = start.status;
    solution.message = start.message;
    return;
  }
  const auto stepper = make_stepper(attempt, options);
  const integrate::Outcome outcome =
      integrate::drive(attempt.formulation->system(), *stepper, *attempt.run, start.x, start.xp,
                       driver_options(job.span, options), recorder);
  solution.status = outcome.status;
  solution.message = outcome.message;
  solution.statistics = outcome.statistics;
  solution.warnings = attempt.run->warnings;
  if (const auto ended = recorder.end().diagnose(outcome.status, job.request, *attempt.formulation,
                                                 *attempt.run)) {
    solution.status = ended->status;
    solution.message = ended->message;
  }
  if (job.check != nullptr) apply_verdict(*job.check, solution);
}

}  // namespace

Solution solve(const Model& model, const TimeSpan& span, const Options& options) {
  const auto begin = Clock::now();
  solve_detail::check_options(span, options);
  if (!model.boundary_equations().empty()) {
    const Equation& first = model.boundary_equations().front();
    throw ModelError(
        ErrorCode::unsupported,
        fmt::format("Model '{}' has conditions at the end of the interval, such as {}: "
                    "it is a boundary value problem, for solve_bvp().",
                    model.name(), equation_label(first, 0)),
        first.where);
  }
  const std::vector<double> parameters = model.parameter_values(options.parameters);
  refuse_unused(model, options.parameters);
  Simplified simplified = simplify(model, {.starts = options.starts});

  Solution solution;
  solution.model_name = model.name();
  solution.rtol = options.rtol;
  solution.atol = options.atol;
  solution.method.requested = options.method;
  solution.integrator.requested = options.integrator;
  const formulation::Request request{.model = simplified.model,
                                     .parameters = parameters,
                                     .starts = {},
                                     .method_parameters = options.method_parameters,
                                     .rtol = options.rtol,
                                     .atol = options.atol,
                                     .fixed_step = options.fixed_step,
                                     .prefers_implicit = solve_detail::prefers_implicit(options),
                                     .prefers_explicit = solve_detail::prefers_explicit(options),
                                     .is_automatic = options.method == "auto"};

  Attempt attempt = first_that_fits(solve_detail::candidates(options, simplified.model), request,
                                    span.start, options, solution.notices);
  // What can never determine its unknowns is an error of the model, whichever method finds it.
  if (attempt.start.status != Status::success) (void)analysis::structural_report(model);
  solution.method.used = attempt.method->name;
  solution.integrator.used = attempt.integrator->name;
  auto check = make_check(attempt, request, options);
  auto map = std::make_shared<const solve_detail::OutputMap>(
      attempt.formulation, std::move(simplified.recovery), simplified.model.variables().size());
  run(attempt,
      {.request = request,
       .span = span,
       .options = options,
       .map = std::move(map),
       .check = check ? &*check : nullptr},
      solution);
  solution.statistics.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return solution;
}

}  // namespace daedal
