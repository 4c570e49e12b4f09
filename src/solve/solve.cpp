// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/solve.hpp>

#include <chrono>
#include <memory>
#include <utility>

#include "formulation/registry.hpp"
#include "integrate/driver.hpp"
#include "integrate/registry.hpp"
#include "model/simplify.hpp"
#include "solve/automatic.hpp"
#include "solve/choice.hpp"
#include "solve/recorder.hpp"

namespace daedal {

namespace {

using Clock = std::chrono::steady_clock;

integrate::StepOptions step_options(const Options& options) {
  return {.rtol = options.rtol,
          .atol = options.atol,
          .fixed_step = options.fixed_step,
          .initial_step = options.initial_step,
          .max_step = options.max_step,
          .max_steps = options.max_steps,
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

std::unique_ptr<integrate::Stepper> make_stepper(const integrate::IntegratorInfo& integrator,
                                                 const formulation::Formulation& formulation,
                                                 const Options& options) {
  integrate::require_known_parameters(integrator, options.integrator_parameters);
  if (const ImplicitSystem* system = formulation.implicit_system()) {
    return integrator.make_implicit(*system, step_options(options), options.integrator_parameters);
  }
  return integrator.make_explicit(*formulation.explicit_system(), step_options(options),
                                  options.integrator_parameters);
}

/// Runs one formulation from its start to the end of the span; fills `solution`.
void run(const std::shared_ptr<const solve_detail::OutputMap>& map,
         const integrate::IntegratorInfo& integrator, const TimeSpan& span, const Options& options,
         Solution& solution) {
  const formulation::Formulation& formulation = map->formulation();
  const std::unique_ptr<Run> state = formulation.system().make_run();
  solve_detail::Recorder recorder(map, options.keep_dense, solution);
  const formulation::Start start = formulation.start(span.start, *state);
  solution.notices.insert(solution.notices.end(), start.notices.begin(), start.notices.end());
  if (start.status != Status::success) {
    solution.status = start.status;
    solution.message = start.message;
    return;
  }
  const auto stepper = make_stepper(integrator, formulation, options);
  const integrate::Outcome outcome =
      integrate::drive(formulation.system(), *stepper, *state, start.x, start.xp,
                       driver_options(span, options), recorder);
  solution.status = outcome.status;
  solution.message = outcome.message;
  solution.statistics = outcome.statistics;
}

}  // namespace

Solution solve(const Model& model, const TimeSpan& span, const Options& options) {
  const auto begin = Clock::now();
  solve_detail::check_options(span, options);
  const std::vector<double> parameters = model.parameter_values(options.parameters);
  Simplified simplified = simplify(model, {.starts = options.starts});

  Solution solution;
  solution.model_name = model.name();
  solution.rtol = options.rtol;
  solution.atol = options.atol;
  solution.method.requested = options.method;
  solution.integrator.requested = options.integrator;
  formulation::Request request{.model = simplified.model,
                               .parameters = parameters,
                               .starts = {},
                               .method_parameters = options.method_parameters,
                               .rtol = options.rtol,
                               .atol = options.atol,
                               .fixed_step = options.fixed_step,
                               .prefers_implicit = solve_detail::prefers_implicit(options)};

  const solve_detail::Choice choice = solve_detail::choose_method(request, options);
  solution.method.used = choice.method->name;
  solution.notices.insert(solution.notices.end(), choice.reasons.begin(), choice.reasons.end());
  solve_detail::check_parameters(*choice.method, options);
  std::shared_ptr<const formulation::Formulation> formulation = choice.method->make(request);
  const auto& integrator = solve_detail::choose_integrator(*choice.method, *formulation, options);
  solve_detail::check_parameters(integrator, options);
  solution.integrator.used = integrator.name;

  const auto map = std::make_shared<const solve_detail::OutputMap>(
      std::move(formulation), std::move(simplified.recovery), simplified.model.variables().size(),
      parameters);
  run(map, integrator, span, options, solution);
  solution.statistics.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return solution;
}

}  // namespace daedal
