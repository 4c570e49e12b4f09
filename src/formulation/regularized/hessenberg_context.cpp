// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/regularized/hessenberg_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

bool is_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

void append_values(std::vector<NodeId>& nodes, std::span<const JacobianEntry> entries) {
  for (const JacobianEntry& entry : entries) nodes.push_back(entry.value);
}

/// Of √ε in the scale of GB: what is free among redundant multipliers has errors of round-off/√ε.
constexpr double least_share = 1e-11;

/// Every entry at its place; the others keep their zero.
template <class Target>
std::size_t scatter_entries(std::span<const JacobianEntry> entries, std::span<const double> values,
                            Target&& target) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    target(entries[i].row, entries[i].column) = values[i];
  }
  return entries.size();
}

}  // namespace

std::vector<double> constraint_weights(int order, double gamma, bool is_paper) {
  std::vector<double> weights(static_cast<std::size_t>(order));
  for (int j = 0; j < order; ++j) {
    double factor = 1.0;
    // m!/j!, and for the binomial polynomial divided by (m − j)!.
    for (int k = j + 1; k <= order; ++k) factor *= k;
    if (!is_paper && order > 2) {
      for (int k = 2; k <= order - j; ++k) factor /= k;
    }
    weights[static_cast<std::size_t>(j)] = factor * std::pow(gamma, order - j);
  }
  return weights;
}

std::vector<double> HessenbergSettings::weights(int order, double rate) const {
  std::vector<double> result = constraint_weights(order - lowest_level, rate, is_paper);
  result.insert(result.begin(), static_cast<std::size_t>(lowest_level), 0.0);
  return result;
}

HessenbergContext::HessenbergContext(const Request& request, ConstrainedView view,
                                     HessenbergSettings settings)
    : ModelContext(general_view(view.model), request.parameters, request.starts),
      view_(std::move(view)),
      settings_(std::move(settings)),
      n_(to_index(view_.force.size())),
      n_constraints_(to_index(view_.levels.front().size())),
      start_values_(view_.model) {
  Pool pool(view_.pool);
  const std::vector<kernel::Input> bound = inputs(pool);
  std::vector<NodeId> nodes;
  append_values(nodes, view_.mass);
  nodes.insert(nodes.end(), view_.force.begin(), view_.force.end());
  append_values(nodes, view_.coefficient);
  append_values(nodes, view_.jacobian);
  nodes.insert(nodes.end(), view_.remainder.begin(), view_.remainder.end());
  std::vector<NodeId> all_levels;
  for (const auto& level : view_.levels) {
    all_levels.insert(all_levels.end(), level.begin(), level.end());
  }
  nodes.insert(nodes.end(), all_levels.begin(), all_levels.end());
  dynamics_ = kernel::Program::compile(pool, nodes, bound);
  levels_ = kernel::Program::compile(pool, all_levels, bound);
  outputs_ = kernel::Program::compile(pool, view_.outputs, bound);
  std::vector<std::int32_t> unknowns;
  for (const auto& states : view_.states) {
    for (const std::int32_t variable : states) {
      unknowns.push_back(variable);
      nominals_.push_back(view_.model.variables()[to_size(variable)].nominal);
    }
  }
  start_equations_ = CompiledEquations::compile(pool, all_levels, std::move(unknowns), bound);
  for (std::size_t j = 0; j < view_.levels.size(); ++j) {
    for (Index i = 0; i < n_constraints_; ++i) {
      const std::string name = constraint_name(i);
      start_equations_.names.push_back(j == 0 ? name
                                              : fmt::format("time derivative {} of {}", j, name));
    }
  }
}

std::vector<kernel::Input> HessenbergContext::inputs(Pool& pool) const {
  std::vector<kernel::Input> bound = held_inputs(view_.model, pool,
                                                 {.time = time_block,
                                                  .parameters = parameter_block,
                                                  .modes = mode_block,
                                                  .discretes = discrete_block,
                                                  .pre = pre_block});
  for (std::size_t k = 0; k < view_.states.size(); ++k) {
    const bool is_last = k + 1 == view_.states.size();
    for (std::size_t i = 0; i < view_.states[k].size(); ++i) {
      const auto place = to_index(k) * n_ + to_index(i);
      bound.push_back({pool.variable(view_.states[k][i]), state_block, place});
      bound.push_back({pool.variable(view_.states[k][i], 1), is_last ? top_block : state_block,
                       is_last ? to_index(i) : place + n_});
    }
  }
  for (std::size_t i = 0; i < view_.algebraic.size(); ++i) {
    bound.push_back({pool.variable(view_.algebraic[i]), multiplier_block, to_index(i)});
  }
  return bound;
}

std::array<const double*, HessenbergContext::n_hessenberg_blocks> HessenbergContext::blocks(
    const double& t, std::span<const double> x, const HessenbergRun& run) const {
  return {&t,
          x.data(),
          run.top.data(),
          run.multiplier.data(),
          run.parameters.data(),
          run.modes.data(),
          run.discretes.data(),
          run.pre.data()};
}

void HessenbergContext::prepare(HessenbergRun& run) const {
  run.dynamics = Evaluator(dynamics_);
  run.levels = Evaluator(levels_);
  run.outputs = Evaluator(outputs_);
  run.top.assign(to_size(n_), 0.0);
  run.multiplier.assign(view_.algebraic.size(), 0.0);
  run.solver.emplace_back(n_, n_constraints_);
  // Start values are consistent: an automatic rate sets in after the first steps.
  run.weights = settings_.weights(order(), settings_.is_rate_automatic ? 0.0 : settings_.gamma);
}

HessenbergTerms HessenbergContext::split(std::span<const double> out) const {
  HessenbergTerms terms;
  const auto take = [&](std::span<const double>& part, std::size_t count) {
    part = out.first(count);
    out = out.subspan(count);
  };
  take(terms.mass, view_.mass.size());
  take(terms.force, view_.force.size());
  take(terms.coefficient, view_.coefficient.size());
  take(terms.jacobian, view_.jacobian.size());
  take(terms.remainder, view_.remainder.size());
  take(terms.levels, view_.levels.size() * to_size(n_constraints_));
  return terms;
}

HessenbergTerms HessenbergContext::terms(double t, std::span<const double> x,
                                         HessenbergRun& run) const {
  return split(run.dynamics(blocks(t, x, run)));
}

void HessenbergContext::fill(std::span<const double> out, HessenbergRun& run) const {
  RegularSolver& solver = run.solver.front();
  Eigen::Map<Matrix> mass(solver.mass().data(), n_, n_);
  mass.setZero();
  std::size_t first = scatter_entries(view_.mass, out, mass);
  std::copy_n(out.begin() + static_cast<std::ptrdiff_t>(first), n_, run.top.begin());
  first += to_size(n_);
  solver.coefficient().setZero();
  first += scatter_entries(view_.coefficient, out.subspan(first), solver.coefficient());
  if (run.sign < 0.0) solver.coefficient() *= -1.0;
  scatter_entries(view_.jacobian, out.subspan(first), solver.jacobian());
}

void HessenbergContext::fill_right(std::span<const double> out, std::span<const double> x,
                                   const HessenbergSettings& settings, HessenbergRun& run) const {
  const auto m = to_size(n_constraints_);
  const std::size_t n_levels = view_.levels.size();
  const std::span<const double> levels = out.last(m * n_levels);
  const std::span<const double> remainder = out.subspan(out.size() - m * (n_levels + 1), m);
  VectorView right = as_vector(run.multiplier);
  if (settings.is_paper) {
    right.setZero();
  } else {
    right = -as_vector(remainder);
  }
  for (std::size_t j = 0; j < n_levels; ++j) {
    const double weight = run.weights[j];
    if (settings.is_paper && j >= 2) {
      right -= weight *
               (run.solver.front().jacobian() * as_vector(x.subspan(j * to_size(n_), to_size(n_))));
    } else {
      right -= weight * as_vector(levels.subspan(j * m, m));
    }
  }
}

Evaluation HessenbergContext::solve(double t, std::span<const double> x,
                                    const HessenbergSettings& settings, HessenbergRun& run) const {
  const std::span<const double> out = run.dynamics(blocks(t, x, run));
  if (!is_finite(out)) {
    return note_failure(Status::non_finite_value,
                        fmt::format("The equations are not finite at t = {:.12g}.", t), run);
  }
  fill(out, run);
  fill_right(out, x, settings, run);
  Regularization rule = settings.rule;
  const bool is_automatic = std::isnan(rule.amount);
  const auto automatic = [&] {
    const double share = std::max(0.1 * settings.rtol, least_share);
    const double root = share * std::max(run.scale, run.usual_scale);
    return root * root;
  };
  if (is_automatic) rule.amount = automatic();
  RegularReport report = run.solver.front().factor(rule);
  if (report.ok() && is_automatic && report.scale > std::max(run.scale, run.usual_scale)) {
    run.scale = report.scale;
    rule.amount = automatic();
    report = run.solver.front().refactor(rule);
  }
  run.scale = report.scale;
  if (!report.ok()) {
    if (!report.is_finite) {
      return note_failure(Status::non_finite_value,
                          fmt::format("The equations are not finite at t = {:.12g}.", t), run);
    }
    return note_failure(
        Status::singular_iteration_matrix,
        report.massless >= 0
            ? fmt::format(
                  "At t = {:.12g} the equations do not determine the derivative of "
                  "'{}'.",
                  t,
                  view_.model.variables()[to_size(view_.states.back()[to_size(report.massless)])]
                      .name)
            : fmt::format("At t = {:.12g} the constraints do not determine the algebraic "
                          "variables: they are redundant, or the position is singular.",
                          t),
        run);
  }
  run.solver.front().solve(run.top, run.multiplier);
  if (run.sign < 0.0) as_vector(run.multiplier) *= -1.0;
  return Evaluation::ok;
}

bool HessenbergContext::product(double t, std::span<const double> x, HessenbergRun& run) const {
  const std::span<const double> out = run.dynamics(blocks(t, x, run));
  if (!is_finite(out)) return false;
  fill(out, run);
  return run.solver.front().factor({Regularization::Rule::damp, 1.0}).ok();
}

void HessenbergContext::accept(double t, HessenbergRun& run) const {
  run.usual_scale = std::max(run.usual_scale, run.scale);
  if (!settings_.is_rate_automatic) return;
  run.rate.accept(t);
  run.weights = settings_.weights(order(), run.rate.value());
}

bool HessenbergContext::level(double t, std::span<const double> x, int j, HessenbergRun& run,
                              std::span<double> values) const {
  const std::span<const double> out = run.levels(blocks(t, x, run));
  std::copy_n(out.begin() + j * n_constraints_, n_constraints_, values.begin());
  return is_finite(values);
}

double HessenbergContext::level_residual(double t, std::span<const double> x, int j,
                                         HessenbergRun& run) const {
  std::vector<double> values(to_size(n_constraints_));
  if (!level(t, x, j, run, values)) return std::numeric_limits<double>::quiet_NaN();
  return greatest(values);
}

Evaluation HessenbergContext::derivatives(double t, std::span<const double> x, HessenbergRun& run,
                                          std::span<double> xp) const {
  const Evaluation solved = solve(t, x, settings_, run);
  if (solved != Evaluation::ok) return solved;
  std::copy(x.begin() + n_, x.end(), xp.begin());
  std::copy(run.top.begin(), run.top.end(), xp.end() - n_);
  return Evaluation::ok;
}

Start HessenbergContext::find_start(double t0, HessenbergRun& run) const {
  Start start;
  start.x.resize(to_size(n_ * order()));
  start.xp.resize(start.x.size());
  const StartWishes wishes = start_values_.wishes(run);
  ProgramConstraints levels(start_equations_, view_.model, [&](std::span<const double> u) {
    const auto all = blocks(t0, u, run);
    return std::vector<const double*>(all.begin(), all.end());
  });
  if (!meet_start_values(levels, wishes, start.x, run.stop, start)) return start;
  if (derivatives(t0, start.x, run, start.xp) != Evaluation::ok) {
    start.status = run.failure.status;
    start.message = run.failure.detail;
  }
  return start;
}

void HessenbergContext::read(double t, std::span<const double> x, std::span<const double>,
                             ModelRun& base, std::span<double> values,
                             std::span<double> derivatives) const {
  auto& run = run_of<HessenbergRun>(base);
  if (solve(t, x, settings_, run) != Evaluation::ok) {
    std::fill(run.multiplier.begin(), run.multiplier.end(),
              std::numeric_limits<double>::quiet_NaN());
  }
  write_outputs(t, x, run, values, derivatives);
}

void HessenbergContext::write_outputs(double t, std::span<const double> x, HessenbergRun& run,
                                      std::span<double> values,
                                      std::span<double> derivatives) const {
  const std::span<const double> out = run.outputs(blocks(t, x, run));
  std::copy(out.begin(), out.end(), values.begin());
  if (derivatives.empty()) return;
  std::fill(derivatives.begin(), derivatives.end(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < view_.states.size(); ++k) {
    const bool is_last = k + 1 == view_.states.size();
    for (std::size_t i = 0; i < view_.states[k].size(); ++i) {
      derivatives[to_size(view_.states[k][i])] =
          is_last ? run.top[i] : x[(k + 1) * to_size(n_) + i];
    }
  }
}

bool HessenbergContext::assign(std::int32_t variable, double value, std::span<double> x) const {
  for (std::size_t k = 0; k < view_.states.size(); ++k) {
    for (std::size_t i = 0; i < view_.states[k].size(); ++i) {
      if (view_.states[k][i] != variable) continue;
      x[k * to_size(n_) + i] = value;
      return true;
    }
  }
  return false;
}

// What reinit gave is left as it is: the damped constraint draws the state back.
Evaluation HessenbergContext::make_consistent(double t, std::span<double> x, std::span<double> xp,
                                              ModelRun& run) const {
  return derivatives(t, x, run_of<HessenbergRun>(run), xp);
}

std::string HessenbergContext::constraint_name(Index constraint) const {
  return equation_label(view_.model, view_.constraint_equations[to_size(constraint)]);
}

}  // namespace daedal::formulation
