// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constrained/constrained_ode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "formulation/constrained/manifold_newton.hpp"

namespace daedal::formulation {

Evaluation ConstrainedManifold::residual(double t, std::span<const double> x, int level, Run& run,
                                         std::span<double> values) const {
  const auto all = context_.invariants(t, x, run_of<ConstrainedOdeRun>(run));
  if (all.empty()) return Evaluation::recoverable;
  std::copy_n(all.begin() + context_.level_start(level), n_invariants(level), values.begin());
  return Evaluation::ok;
}

Evaluation ConstrainedManifold::project(double t, std::span<double> x,
                                        std::span<const double> weights, Run& base) const {
  auto& run = run_of<ConstrainedOdeRun>(base);
  const Evaluation read = context_.invariant_jacobian(t, x, run, run.jacobian);
  if (read != Evaluation::ok) return read;
  linalg::SaddlePointSolver& solver = run.projector.front();
  const linalg::SaddlePointReport report = solver.factor(run.metric, run.jacobian);
  if (!report.ok) {
    run.failure = {
        Status::singular_iteration_matrix, -1,
        fmt::format("At t = {:.12g} the constraint {} depends on the others: it is redundant, or "
                    "the position is singular.",
                    t, context_.invariant_name(std::max<Index>(report.singular_constraint, 0)))};
    return Evaluation::fatal;
  }
  const auto next = [&] {
    const auto all = context_.invariants(t, x, run);
    if (all.empty()) return Evaluation::recoverable;
    std::transform(all.begin(), all.end(), run.violation.begin(), std::negate<>());
    std::fill(run.correction.begin(), run.correction.end(), 0.0);
    solver.solve(run.correction, run.violation);
    return Evaluation::ok;
  };
  switch (project_by_newton({x, weights, run.correction}, next)) {
    case Projected::yes:
      return Evaluation::ok;
    case Projected::not_evaluated:
      return Evaluation::recoverable;
    case Projected::no:
      break;
  }
  const auto all = context_.invariants(t, x, run);
  const auto worst = std::max_element(all.begin(), all.end(),
                                      [](double a, double b) { return std::abs(a) < std::abs(b); });
  run.failure = {
      Status::singular_iteration_matrix, -1,
      fmt::format("The projection on the constraint {} did not converge at t = {:.12g}: the drift "
                  "of a step is too large, or a singular position is near.",
                  context_.invariant_name(all.empty() ? 0 : worst - all.begin()), t)};
  return Evaluation::recoverable;
}

Evaluation ConstrainedManifold::add_normal(double t, std::span<const double> x_base,
                                           std::span<const double> mu, std::span<double> x,
                                           Run& base) const {
  auto& run = run_of<ConstrainedOdeRun>(base);
  const Evaluation read = context_.invariant_jacobian(t, x_base, run, run.jacobian);
  if (read != Evaluation::ok) return read;
  const SparsityPattern& pattern = context_.invariant_pattern();
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (auto p = to_size(pattern.column_start[j]); p < to_size(pattern.column_start[j + 1]); ++p) {
      x[j] += run.jacobian[p] * mu[to_size(pattern.row[p])];
    }
  }
  return Evaluation::ok;
}

ConstrainedOde::ConstrainedOde(std::shared_ptr<const ConstrainedOdeContext> context, bool projects)
    : context_(std::move(context)), manifold_(*context_), projects_(projects) {}

Evaluation ConstrainedOde::rhs(double t, std::span<const double> x, Run& run,
                               std::span<double> xp) const {
  return context_->rates(t, x, own(run), xp);
}

Change ConstrainedOde::after_step(double t, std::span<double> x, std::span<double> xp,
                                  const History& history, Run& run) const {
  own(run).accepted_u = own(run).u;
  Change change = ModelSystem::after_step(t, x, xp, history, run);
  return change.kind == Change::Kind::none ? context_->check_branch(t, x, own(run)) : change;
}

Change ConstrainedOde::on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                                std::span<double> xp, Run& run) const {
  Change change = ModelSystem::on_event(t, fired, x, xp, run);
  own(run).accepted_u = own(run).u;
  return change;
}

ConstrainedCoordinates::ConstrainedCoordinates(std::shared_ptr<const ConstrainedOdeContext> context,
                                               const ChartSettings& settings)
    : ChartedSystem(settings, std::move(context), false) {}

Evaluation ConstrainedCoordinates::residual(double t, std::span<const double> x, int, Run& run,
                                            std::span<double> values) const {
  const auto all = context().invariants(t, x, own(run));
  std::copy(all.begin(), all.end(), values.begin());
  return all.empty() ? Evaluation::recoverable : Evaluation::ok;
}

Evaluation ConstrainedCoordinates::constraint_jacobian(double t, std::span<const double> x,
                                                       Run& run, std::span<double> values) const {
  return context().invariant_jacobian(t, x, own(run), values);
}

Formulation constrained_formulation(const Request& request,
                                    const std::shared_ptr<const ConstrainedOdeContext>& context,
                                    const ExtendConstrainedStart& extend_start) {
  Formulation result;
  result.find_start = [context, extend_start](double t0, Run& base) {
    auto& run = run_of<ConstrainedOdeRun>(base);
    Start found = context->settle_start(t0, to_size(context->n()), run,
                                        [&] { return context->find_start(t0, run); });
    if (found.status == Status::success && extend_start) extend_start(t0, run, found);
    return found;
  };
  result.outputs = model_outputs(context, to_index(request.model.variables().size()));
  // The levels that are invariants: 0..k−2.
  result.levels.n = context->view().index() - 1;
  result.levels.residual = [context](double t, std::span<const double> x, std::span<const double>,
                                     int level, Run& run) {
    const auto all = context->invariants(t, x, run_of<ConstrainedOdeRun>(run));
    if (all.empty()) return std::numeric_limits<double>::quiet_NaN();
    const auto first = to_size(context->level_start(level));
    return greatest(all.subspan(first, to_size(context->level_start(level + 1)) - first));
  };
  result.watch.describe = [context](double t, std::span<const double> x, Run& run) {
    return context->describe_singularity(t, x, run_of<ConstrainedOdeRun>(run));
  };
  return result;
}

Formulation make_constrained_ode(const Request& request, ConstrainedView view,
                                 const ConstrainedOdeSettings& settings) {
  const auto context =
      std::make_shared<const ConstrainedOdeContext>(request, std::move(view), settings.damping);
  if (!settings.chart) {
    Formulation result = constrained_formulation(request, context);
    result.explicit_system = std::make_shared<const ConstrainedOde>(context, settings.projects);
    return result;
  }
  const auto system = std::make_shared<const ConstrainedCoordinates>(context, *settings.chart);
  Formulation result = constrained_formulation(
      request, context, [system](double t0, ConstrainedOdeRun& run, Start& start) {
        system->start_chart(t0, run, start);
      });
  result.explicit_system = system;
  return result;
}

}  // namespace daedal::formulation
