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
  const auto all = context_.invariants(t, x, run_of<ConstrainedRun>(run));
  if (all.empty()) return Evaluation::recoverable;
  std::copy_n(all.begin() + context_.level_start(level), n_invariants(level), values.begin());
  return Evaluation::ok;
}

Evaluation ConstrainedManifold::project(double t, std::span<double> x,
                                        std::span<const double> weights, Run& base) const {
  auto& run = run_of<ConstrainedRun>(base);
  switch (context_.meet(t, x, weights, run)) {
    case Projected::yes:
      return Evaluation::ok;
    case Projected::not_evaluated:
      return Evaluation::recoverable;
    case Projected::singular:
      return Evaluation::fatal;
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
  auto& run = run_of<ConstrainedRun>(base);
  const Evaluation read = context_.invariant_jacobian(t, x_base, run, run.general.jacobian);
  if (read != Evaluation::ok) return read;
  const SparsityPattern& pattern = context_.invariant_pattern();
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (auto p = to_size(pattern.column_start[j]); p < to_size(pattern.column_start[j + 1]); ++p) {
      x[j] += run.general.jacobian[p] * mu[to_size(pattern.row[p])] / run.general.metric[j];
    }
  }
  return Evaluation::ok;
}

ConstrainedOde::ConstrainedOde(std::shared_ptr<const ConstrainedOdeContext> context, bool projects)
    : context_(std::move(context)), manifold_(*context_), projects_(projects) {}

Evaluation ConstrainedOde::rhs(double t, std::span<const double> x, Run& run,
                               std::span<double> xp) const {
  return context_->derivatives(t, x, own(run), xp);
}

Change ConstrainedOde::after_step(double t, std::span<double> x, std::span<double> xp,
                                  const History& history, Run& run) const {
  own(run).general.accepted_u = own(run).u;
  Change change = ModelSystem::after_step(t, x, xp, history, run);
  return change.kind == Change::Kind::none ? context_->check_branch(t, x, own(run)) : change;
}

Change ConstrainedOde::on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                                std::span<double> xp, Run& run) const {
  Change change = ModelSystem::on_event(t, fired, x, xp, run);
  own(run).general.accepted_u = own(run).u;
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

Formulation make_constrained_ode(const Request& request, ConstrainedView view,
                                 const ConstrainedOdeSettings& settings) {
  const auto context =
      std::make_shared<const ConstrainedOdeContext>(request, std::move(view), settings.damping);
  if (!settings.chart) {
    Formulation result = constrained_formulation(request, context, {});
    result.explicit_system = std::make_shared<const ConstrainedOde>(context, settings.projects);
    return result;
  }
  const auto system = std::make_shared<const ConstrainedCoordinates>(context, *settings.chart);
  const auto start_chart = [system](double t0, ConstrainedRun& run, Start& start) {
    if (start.status == Status::success) system->start_chart(t0, run, start);
  };
  Formulation result = constrained_formulation(request, context, {.extend_start = start_chart});
  result.explicit_system = system;
  return result;
}

}  // namespace daedal::formulation
