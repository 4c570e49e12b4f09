// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/solve.hpp>

#include <fmt/format.h>

#include <chrono>
#include <daedal/error.hpp>
#include <memory>
#include <utility>

#include "analysis/structural_model.hpp"
#include "model/labels.hpp"
#include "model/simplify.hpp"
#include "model/usage.hpp"
#include "solve/automatic.hpp"
#include "solve/choice.hpp"
#include "solve/leg.hpp"

namespace daedal {

Solution solve(const Model& model, const TimeSpan& span, const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
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
  formulation::Request request{.model = simplified.model,
                               .parameters = parameters,
                               .starts = {},
                               .method_parameters = options.method_parameters,
                               .rtol = options.rtol,
                               .atol = options.atol,
                               .fixed_step = options.fixed_step,
                               .is_automatic = options.method == "auto",
                               .is_backward = span.stop < span.start};
  solve_detail::Journey journey{
      .span = span,
      .options = options,
      .recovery = simplified.recovery,
      .n_continuous = simplified.model.variables().size(),
      .dense = options.keep_dense ? std::make_shared<Solution::Dense>() : nullptr};
  solution.dense = journey.dense;

  solve_detail::Attempt attempt =
      first_that_fits(solve_detail::candidates(options, simplified.model), request, span.start,
                      options, solution.notices);
  // What can never determine its unknowns is an error of the model, whichever method finds it.
  if (attempt.start.status != Status::success) (void)analysis::structural_report(model);
  solve_detail::LegEnd end = run_leg(attempt, request, span.start, journey, solution);
  while (end.reason != solve_detail::LegEnd::Reason::none) {
    solve_detail::NextLeg next = next_leg(attempt, std::move(end), request, journey, solution);
    attempt = std::move(next.attempt);
    end = run_leg(attempt, request, next.t0, journey, solution);
  }
  solution.statistics.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return solution;
}

}  // namespace daedal
