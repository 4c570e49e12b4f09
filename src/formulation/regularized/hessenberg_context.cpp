// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/regularized/hessenberg_context.hpp"

#include <fmt/format.h>

#include "formulation/regularized/refinement.hpp"
#include "linalg/dense/rank.hpp"
#include "linalg/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace daedal::formulation {

namespace {

/// Least √ε in the scale of GB: redundant multipliers have errors of round-off/√ε.
constexpr double least_root_share = 1e-11;

/// Below this share of its value at the start the smallest singular value of GB announces a
/// singular position: the regularisation sets in there long before rounding errors do.
constexpr double regular_share = 0.1;

/// What run.memory begins with; the factors of the rows follow.
enum Memory : std::size_t { memory_rank, memory_least, memory_rows };

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
    : ConstrainedContext(request, std::move(view), Meeting::together),
      settings_(std::move(settings)) {
  const ConstrainedView& own = this->view();
  Pool pool(own.pool);
  std::vector<NodeId> nodes;
  append_values(nodes, own.mass);
  nodes.insert(nodes.end(), own.force.begin(), own.force.end());
  append_values(nodes, own.coefficient);
  append_values(nodes, own.jacobian);
  nodes.insert(nodes.end(), own.remainder.begin(), own.remainder.end());
  for (const auto& level : own.levels) nodes.insert(nodes.end(), level.begin(), level.end());
  dynamics_ = kernel::Program::compile(pool, nodes, inputs(pool));
  units_ = ones_ = Vector::Ones(m());
  if (!is_automatic()) return;
  for (std::size_t i = 0; i < own.algebraic.size(); ++i) {
    units_[to_index(i)] = own.model.variables()[to_size(own.algebraic[i])].nominal;
  }
}

void HessenbergContext::prepare(HessenbergRun& run) const {
  ConstrainedContext::prepare(run);
  run.dynamics = Evaluator(dynamics_);
  run.solver.emplace_back(n(), m());
  // Start values are consistent: an automatic rate sets in after the first steps.
  run.weights = settings_.weights(order(), settings_.is_rate_automatic ? 0.0 : settings_.gamma);
}

HessenbergTerms HessenbergContext::split(std::span<const double> out) const {
  HessenbergTerms terms;
  const auto take = [&](std::span<const double>& part, std::size_t count) {
    part = out.first(count);
    out = out.subspan(count);
  };
  take(terms.mass, view().mass.size());
  take(terms.force, view().force.size());
  take(terms.coefficient, view().coefficient.size());
  take(terms.jacobian, view().jacobian.size());
  take(terms.remainder, view().remainder.size());
  take(terms.levels, view().levels.size() * to_size(m()));
  return terms;
}

HessenbergTerms HessenbergContext::terms(double t, std::span<const double> x,
                                         HessenbergRun& run) const {
  return split(run.dynamics(blocks(t, x, run)));
}

void HessenbergContext::fill(std::span<const double> out, HessenbergRun& run) const {
  RegularSolver& solver = run.solver.front();
  Eigen::Map<Matrix> mass(solver.mass().data(), n(), n());
  mass.setZero();
  std::size_t first = scatter_entries(view().mass, out, mass);
  std::copy_n(out.begin() + static_cast<std::ptrdiff_t>(first), n(), run.top.begin());
  first += to_size(n());
  solver.coefficient().setZero();
  first += scatter_entries(view().coefficient, out.subspan(first), solver.coefficient());
  if (run.sign < 0.0) solver.coefficient() *= -1.0;
  scatter_entries(view().jacobian, out.subspan(first), solver.jacobian());
  if (!is_automatic()) return;
  solver.coefficient().array().rowwise() *= units_.transpose().array();
  solver.jacobian().array().colwise() *= row_scales(run).array();
}

Eigen::Map<const Vector> HessenbergContext::row_scales(const HessenbergRun& run) const {
  const bool is_noted = is_automatic() && run.memory.size() > memory_rows;
  return {is_noted ? run.memory.data() + memory_rows : ones_.data(), m()};
}

void HessenbergContext::give_units(std::span<double> y, const HessenbergRun& run) const {
  as_vector(y).array() *= run.sign * units_.array();
}

void HessenbergContext::fill_right(std::span<const double> out, std::span<const double> x,
                                   HessenbergRun& run) const {
  const auto m = to_size(this->m());
  const std::size_t n_levels = view().levels.size();
  const std::span<const double> levels = out.last(m * n_levels);
  const std::span<const double> remainder = out.subspan(out.size() - m * (n_levels + 1), m);
  VectorView right = as_vector(run.u);
  if (settings_.is_paper) {
    right.setZero();
  } else {
    right = -as_vector(remainder).cwiseProduct(row_scales(run));
  }
  for (std::size_t j = 0; j < n_levels; ++j) {
    const double weight = run.weights[j];
    if (settings_.is_paper && j >= 2) {
      right -= weight * (run.solver.front().jacobian() *
                         as_vector(x.subspan(j * to_size(n()), to_size(n()))));
    } else {
      right.array() -=
          weight * row_scales(run).array() * as_vector(levels.subspan(j * m, m)).array();
    }
  }
}

Evaluation HessenbergContext::solve(double t, std::span<const double> x,
                                    ConstrainedRun& base) const {
  auto& run = run_of<HessenbergRun>(base);
  const std::span<const double> out = run.dynamics(blocks(t, x, run));
  if (!is_finite(out)) {
    return note_failure(Status::non_finite_value,
                        fmt::format("The equations are not finite at t = {:.12g}.", t), run);
  }
  fill(out, run);
  fill_right(out, x, run);
  Regularization rule = settings_.rule;
  const auto automatic = [&] {
    const double share = std::max(0.1 * settings_.rtol, least_root_share);
    const double root = share * std::max(run.scale, run.usual_scale);
    return root * root;
  };
  if (is_automatic()) rule.amount = automatic();
  RegularReport report = run.solver.front().factor(rule);
  if (report.ok() && is_automatic() && report.scale > std::max(run.scale, run.usual_scale)) {
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
                  view()
                      .model.variables()[to_size(view().states.back()[to_size(report.massless)])]
                      .name)
            : fmt::format("At t = {:.12g} the constraints do not determine the algebraic "
                          "variables: they are redundant, or the position is singular.",
                          t),
        run);
  }
  run.right = run.u;
  run.solver.front().solve(run.top, run.u);
  give_units(run.u, run);
  return Evaluation::ok;
}

void HessenbergContext::note_start(double t, std::span<const double> x, HessenbergRun& run) const {
  run.memory.clear();
  if (m() == 0 || !product(t, x, run)) return;
  run.memory.assign(memory_rows, 0.0);
  if (is_automatic()) {
    const Eigen::Map<const Vector> nominal(nominals().data(), n());
    for (Index i = 0; i < m(); ++i) {
      const auto row = run.solver.front().jacobian().row(i).transpose().cwiseProduct(nominal);
      run.memory.push_back(linalg::reciprocal_power_of_two(row.cwiseAbs().maxCoeff()));
    }
    if (!product(t, x, run)) return;
  }
  const Vector values = linalg::svd(run.solver.front().product()).s;
  const Index rank = linalg::decide_rank(values).rank;
  run.memory[memory_rank] = static_cast<double>(rank);
  run.memory[memory_least] = rank > 0 ? values[rank - 1] : 0.0;
}

bool HessenbergContext::is_regular(double t, std::span<const double> x, HessenbergRun& run) const {
  if (run.memory.empty() || run.memory[memory_rank] == 0.0 || !product(t, x, run)) return false;
  const auto last = static_cast<Index>(run.memory[memory_rank]) - 1;
  const double least = linalg::svd(run.solver.front().product()).s[last];
  return least >= regular_share * run.memory[memory_least];
}

void HessenbergContext::read(double t, std::span<const double> x, std::span<const double>,
                             ModelRun& base, std::span<double> values,
                             std::span<double> derivatives) const {
  auto& run = run_of<HessenbergRun>(base);
  const bool is_bounded = settings_.rule.rule == Regularization::Rule::bound;
  const bool is_regular = !is_bounded && this->is_regular(t, x.first(to_size(n_states())), run);
  // What draws the motion back onto its constraints is no part of the multipliers: it multiplies
  // errors of a tolerance by the rate to the power of the order.
  std::vector<double> damping = run.weights;
  if (is_regular) std::ranges::fill(run.weights, 0.0);
  const Evaluation solved = solve(t, x, run);
  run.weights = std::move(damping);
  if (solved != Evaluation::ok) {
    std::ranges::fill(run.u, std::numeric_limits<double>::quiet_NaN());
  } else if (is_regular) {
    const RegularSolver& solver = run.solver.front();
    refine(run.top, run.u, [&](std::span<double> change_of_top, std::span<double> change_of_u) {
      std::ranges::fill(change_of_top, 0.0);
      as_vector(change_of_u) = as_vector(std::span<const double>(run.right));
      as_vector(change_of_u).noalias() -=
          run.solver.front().jacobian() * as_vector(std::span<const double>(run.top));
      solver.solve(change_of_top, change_of_u);
      give_units(change_of_u, run);
    });
  }
  write_outputs(t, x, run, values, derivatives);
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

Evaluation HessenbergContext::make_consistent(double t, std::span<double> x, std::span<double> xp,
                                              ModelRun& run) const {
  return derivatives(t, x, run_of<ConstrainedRun>(run), xp);
}

}  // namespace daedal::formulation
