// SPDX-License-Identifier: BSD-3-Clause
#include "solve/prepared_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <daedal/error.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "model/variants.hpp"
#include "solve/integrator_choice.hpp"

namespace daedal::solve_detail {

namespace {

/// Starts after which another method may do better: the index is too high for this one, its
/// matrices are singular, or its search did not reach the domain of the equations.
bool is_passed_over(Status status) {
  return status == Status::index_too_high || status == Status::no_unique_solution ||
         status == Status::singular_iteration_matrix || status == Status::non_finite_value;
}

/// Demands on the choice of states that cannot be met make no model unsolvable: where a start
/// fails, it is tried with wishes in their place.
Attempt prepare_softly(const Candidate& candidate, const formulation::Request& request, double t0,
                       const Options& options) {
  Attempt attempt = prepare(candidate, request, t0, options);
  if (attempt.start.status != Status::inconsistent_start) return attempt;
  std::optional<Model> model = softened(request.model);
  if (!model) return attempt;
  formulation::Request softer = request;
  softer.model = std::move(*model);
  Attempt again = prepare(candidate, softer, t0, options);
  if (again.start.status != Status::success) return attempt;
  again.start.notices.emplace_back(
      "stateSelect of the model cannot be obeyed: always was taken as prefer, never as avoid.");
  return again;
}

}  // namespace

std::unique_ptr<integration::Stepper> make_stepper(const Attempt& attempt) {
  const Options& options = attempt.options;
  const integration::IntegratorInfo& integrator = *attempt.integrator;
  const integration::StepOptions step =
      step_options(options, attempt.candidate.method->symmetric_projection);
  if (const ImplicitSystem* system = attempt.formulation->implicit_system()) {
    return integrator.make_implicit(*system, step, options.integrator_parameters);
  }
  return integrator.make_explicit(*attempt.formulation->explicit_system(), step,
                                  options.integrator_parameters);
}

Attempt prepare(const Candidate& candidate, const formulation::Request& request, double t0,
                const Options& options) {
  Attempt attempt;
  attempt.candidate = candidate;
  check_parameters(*candidate.method, options);
  Options& own = attempt.options;
  own = options;
  if (!candidate.integrator.empty()) own.integrator = candidate.integrator;
  own.rtol = std::max(candidate.tolerance_factor * options.rtol, std::min(options.rtol, 1e-13));
  own.atol *= candidate.tolerance_factor;
  formulation::Request own_request = request;
  own_request.watch_singularities = own.watch_singularities || candidate.when_singular.has_value();
  own_request.stop_at_singularities = candidate.when_singular.has_value();
  own_request.rtol = own.rtol;
  own_request.atol = own.atol;
  own_request.prefers_implicit = prefers_implicit(own);
  own_request.prefers_explicit = prefers_explicit(own);
  own_request.stability = stability(own);
  attempt.formulation = candidate.method->make(own_request);
  attempt.integrator = &choose_integrator(*candidate.method, *attempt.formulation, own);
  check_parameters(*attempt.integrator, own);
  check_watching(*candidate.method, *attempt.formulation, own);
  attempt.run = attempt.formulation->system().make_run();
  attempt.run->stop = request.stop;
  attempt.start = attempt.formulation->start(t0, *attempt.run);
  return attempt;
}

Attempt first_that_fits(const std::vector<Candidate>& candidates,
                        const formulation::Request& request, double t0, const Options& options,
                        std::vector<std::string>& notices) {
  std::optional<Attempt> refused;
  std::exception_ptr error;
  bool is_singular = false;
  for (const Candidate& candidate : candidates) {
    const bool is_undetermined =
        refused && refused->start.status == Status::no_unique_solution && !is_singular;
    if (candidate.is_for_singular && !is_singular) continue;
    if (is_undetermined && candidate.method->needs == formulation::View::general) continue;
    const auto pass_over = [&](std::string_view why) {
      if (candidate.is_shortcut) return;
      notices.push_back(fmt::format("'{}' was passed over: {}", candidate.method->name, why));
    };
    if (request.model.variables().size() > candidate.max_unknowns) {
      pass_over(fmt::format("it takes {} unknowns at most, the model has {} after simplification.",
                            candidate.max_unknowns, request.model.variables().size()));
      continue;
    }
    try {
      Attempt attempt = candidates.size() == 1 ? prepare(candidate, request, t0, options)
                                               : prepare_softly(candidate, request, t0, options);
      const Status status = attempt.start.status;
      is_singular = is_singular || status == Status::singular_iteration_matrix;
      if (!is_passed_over(status) || candidates.size() == 1) {
        if (!candidate.reason.empty()) notices.emplace_back(candidate.reason);
        return attempt;
      }
      // That the first, plain one takes no higher index goes without saying.
      if (status == Status::singular_iteration_matrix || refused) pass_over(attempt.start.message);
      // A singular start says more than an index that is too high.
      if (!refused || refused->start.status == Status::index_too_high) {
        refused = std::move(attempt);
      }
    } catch (const Error& caught) {
      const bool is_unfit = caught.code() == ErrorCode::not_recognized ||
                            caught.code() == ErrorCode::illegal_combination;
      if (!is_unfit || candidates.size() == 1) throw;
      if (!error && !candidate.is_shortcut) error = std::current_exception();
      pass_over(caught.what());
    }
  }
  if (refused) return std::move(*refused);
  std::rethrow_exception(error);
}

}  // namespace daedal::solve_detail
