// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanics/mechanical_formulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "formulation/constrained/manifold_newton.hpp"
#include "formulation/singular/distance.hpp"
#include "formulation/singular/redundancy.hpp"
#include "formulation/singular/singularity.hpp"
#include "model/views/general_view.hpp"

namespace daedal::formulation {

std::shared_ptr<const MechanicalContext> mechanical_context(const Request& request,
                                                            const ConstrainedView& view) {
  return std::make_shared<const MechanicalContext>(request, view);
}

MechanicalContext::MechanicalContext(const Request& request, ConstrainedView view)
    : ModelContext(general_view(view.model), request.parameters, request.starts),
      mechanics_(std::move(view)),
      start_(mechanics_),
      stops_at_singularities_(request.stop_at_singularities) {
  const ConstrainedView& own = mechanics_.view();
  for (const auto* variables : {&own.states[0], &own.states[1]}) {
    for (const std::int32_t variable : *variables) {
      nominals_.push_back(own.model.variables()[to_size(variable)].nominal);
    }
  }
}

void MechanicalContext::prepare(MechanicalRun& run) const {
  mechanics_.prepare(run.work);
  manifold_.prepare(run);
}

void MechanicalContext::read(double t, std::span<const double> x, std::span<const double>,
                             ModelRun& run, std::span<double> values,
                             std::span<double> derivatives) const {
  auto& own = run_of<MechanicalRun>(run);
  const MechanicalPoint at = mechanics_.point(t, x);
  // Where the multipliers are not determined they are not a number, and so is what needs them.
  if (mechanics_.accelerations(at, {}, own) != Evaluation::ok) {
    std::fill(own.work.multipliers.begin(), own.work.multipliers.end(),
              std::numeric_limits<double>::quiet_NaN());
  }
  mechanics_.to_model(at, own, values, derivatives);
}

bool MechanicalContext::assign(std::int32_t variable, double value, std::span<double> x) const {
  const ConstrainedView& view = mechanics_.view();
  const auto n = to_size(mechanics_.n());
  for (std::size_t i = 0; i < n; ++i) {
    if (view.states[0][i] == variable) {
      x[i] = value;
      return true;
    }
    if (view.states[1][i] == variable) {
      x[n + i] = value;
      return true;
    }
  }
  return false;
}

Evaluation MechanicalContext::make_consistent(double t, std::span<double> x, std::span<double> xp,
                                              ModelRun& run) const {
  auto& own = run_of<MechanicalRun>(run);
  const auto n = to_size(mechanics_.n());
  const Evaluation projected = start_.project(t, x.first(2 * n), own);
  if (projected != Evaluation::ok) return projected;
  const Evaluation solved = mechanics_.accelerations(mechanics_.point(t, x), {}, own);
  if (solved != Evaluation::ok) return solved;
  std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(n), n, xp.begin());
  std::copy_n(own.work.acceleration.begin(), n, xp.begin() + static_cast<std::ptrdiff_t>(n));
  return Evaluation::ok;
}

Change MechanicalContext::watch(double t, std::span<const double> x, const History& history,
                                MechanicalRun& run) const {
  if (!run.work.monitor) return {};
  const std::size_t n_warnings = run.warnings.size();
  Change change = run.work.monitor->after_step(t, x, history, run);
  if (stops_at_singularities_ && run.warnings.size() > n_warnings) {
    return {Change::Kind::stop, Status::rank_change, run.warnings.back()};
  }
  return change;
}

Change MechanicalContext::check_branch(double t, std::span<const double> x,
                                       MechanicalRun& run) const {
  if (mechanics_.m() == 0) return {};
  const double contraction = manifold_.contraction(t, x.first(2 * to_size(mechanics_.n())), run);
  if (contraction <= projection::largest_contraction) return {};
  if (!std::isfinite(contraction)) {
    return {Change::Kind::stop, run.failure.status, run.failure.detail};
  }
  std::vector<double>& values = run.work.bottom;
  mechanics_.residual(mechanics_.point(t, x), 0, run, values);
  const auto worst = std::max_element(values.begin(), values.end(),
                                      [](double a, double b) { return std::abs(a) < std::abs(b); });
  return {
      Change::Kind::stop, Status::bifurcation,
      fmt::format("Near t = {:.12g} the motion has drifted off {} by {:.3g}, which is not small "
                  "against the distance to a singular position: the drift would decide where "
                  "the motion goes on. Use a method that holds the constraints of position.",
                  t, mechanics_.constraint_name(worst - values.begin()), *worst)};
}

std::string MechanicalContext::describe_singularity(double t, std::span<const double> x,
                                                    MechanicalRun& run) const {
  // Regularising methods have words of their own, and no factors of the constraints.
  if (mechanics_.m() == 0 || run.work.regular) return {};
  const MechanicalPoint at = mechanics_.point(t, x);
  std::vector<double> mass(mechanics_.mass_pattern().row.size());
  std::vector<double> jacobian(mechanics_.jacobian_pattern().row.size());
  CurvatureWork work;
  work.resize(to_size(mechanics_.n()), to_size(mechanics_.m()));
  if (!mechanics_.position_level(at, run, work.base, jacobian) || !mechanics_.mass(at, run, mass)) {
    return {};
  }
  if (mechanics_.factor(mass, jacobian, t, run) != Evaluation::ok) return run.failure.detail;
  for (std::size_t p = 0; p < jacobian.size(); ++p) {
    double& row = work.rows[to_size(mechanics_.jacobian_pattern().row[p])];
    row = std::max(row, std::abs(jacobian[p]));
  }
  for (std::size_t i = 0; i < work.rows.size(); ++i) work.rows[i] *= uneven_share(i);
  const auto solve = [&](std::span<double> top, std::span<double> bottom) {
    mechanics_.solve(top, bottom, run);
  };
  const auto evaluate = [&](std::span<const double> q, std::span<double> values) {
    return mechanics_.position_level({t, q, at.v}, run, values, {});
  };
  const Curvature found = CurvatureProbe{
      at.q, std::span<const double>(nominals_).first(at.q.size()), solve, evaluate}(work);
  if (!is_near_singularity(found)) return {};
  return singularity_text(mechanics_.constraint_name(std::max<Index>(found.weakest, 0)),
                          1.0 / found.bend);
}

namespace {

Start find_start(const MechanicalContext& context, const MechanicalParts& parts, double t0,
                 MechanicalRun& run) {
  Start found = context.settle_start(t0, 2 * to_size(context.mechanics().n()), run,
                                     [&] { return context.find_start(t0, run); });
  if (found.status == Status::inconsistent_start) {
    report_redundancy(context.mechanics(), t0, run, found);
  }
  if (found.status == Status::success && parts.extend_start) parts.extend_start(t0, run, found);
  if (found.status == Status::success && parts.watches) {
    run.work.monitor = std::make_shared<SingularityMonitor>(context.mechanics(), t0, found.x, run);
  }
  return found;
}

double constraint_residual(const Mechanics& mechanics, double t, std::span<const double> x,
                           std::span<const double> xp, int level, MechanicalRun& run) {
  const auto n = to_size(mechanics.n());
  if (level == 2) {
    std::copy_n(xp.begin() + static_cast<std::ptrdiff_t>(n), n, run.work.acceleration.begin());
  }
  std::vector<double>& values = run.work.bottom;
  if (mechanics.residual(mechanics.point(t, x), level, run, values) != Evaluation::ok) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return greatest(values);
}

}  // namespace

Formulation mechanical_formulation(const Request& request,
                                   const std::shared_ptr<const MechanicalContext>& context,
                                   const MechanicalParts& parts) {
  Formulation result;
  result.find_start = [context, parts](double t0, Run& run) {
    return find_start(*context, parts, t0, run_of<MechanicalRun>(run));
  };
  result.outputs = model_outputs(context, to_index(request.model.variables().size()));
  result.levels.n = 3;
  result.levels.residual = [context](double t, std::span<const double> x,
                                     std::span<const double> xp, int level, Run& run) {
    return constraint_residual(context->mechanics(), t, x, xp, level, run_of<MechanicalRun>(run));
  };
  result.watch.is_on = parts.watches;
  result.watch.describe = [context](double t, std::span<const double> x, Run& run) {
    return context->describe_singularity(t, x, run_of<MechanicalRun>(run));
  };
  return result;
}

}  // namespace daedal::formulation
