// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/charts/user_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <daedal/error.hpp>
#include <limits>
#include <random>

#include "expr/calculus.hpp"
#include "linalg/dense/independent_columns.hpp"
#include "linalg/newton_watch.hpp"
#include "model/labels.hpp"
#include "model/rewrite.hpp"

namespace daedal::formulation {

namespace {

/// Points at which a chart must meet the constraints, and guesses for the coordinates of the start.
constexpr int n_checks = 8;
constexpr int n_guesses = 40;
constexpr int max_fit_iterations = 50;
/// Relative to the positions: above it g(ψ) is not zero, and ψ(s) is not the start.
constexpr double chart_tolerance = 1e-8;
/// Largest error of the trapezoidal rule for v over a step, in units of the greatest possible
/// change. A rotation by one radian in a step gives 0.04, one by two radians 0.3; a reflection 1.
constexpr double largest_jump = 0.6;

[[noreturn]] void refuse(std::string message) {
  throw OptionError(ErrorCode::invalid_option, std::move(message));
}

std::vector<std::string> position_names(const Mechanics& mechanics) {
  std::vector<std::string> names;
  for (Index i = 0; i < mechanics.n(); ++i) names.push_back(mechanics.coordinate_name(i));
  return names;
}

/// The expressions of the positions in the pool of a chart's model, and its coordinates.
struct Parts {
  std::vector<NodeId> positions;
  std::vector<std::int32_t> coordinates;
};

Parts parts_of(const Mechanics& mechanics, const Model& model) {
  const std::vector<std::string> names = position_names(mechanics);
  Parts parts;
  parts.positions.assign(names.size(), no_node);
  for (const Equation& equation : model.equations()) {
    const Node& left = (*model.pool())[equation.lhs];
    if (left.op == Op::variable && left.order == 1) {
      parts.coordinates.push_back(left.symbol);
      continue;
    }
    const std::string& name = model.variables()[to_size(left.symbol)].name;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      refuse(fmt::format("The chart gives '{}', which is not a position. The positions are {}.",
                         name, join_words(names, 20)));
    }
    parts.positions[to_size(found - names.begin())] = equation.rhs;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (parts.positions[i] == no_node)
      refuse(fmt::format("The chart does not give '{}'.", names[i]));
  }
  return parts;
}

}  // namespace

UserChart::UserChart(const Mechanics& mechanics, const Model& model,
                     std::span<const double> parameters)
    : n_(mechanics.n()) {
  compile(mechanics, model);
  check_constraints(mechanics, parameters);
}

void UserChart::compile(const Mechanics& mechanics, const Model& model) {
  const ConstrainedView& view = mechanics.view();
  const Parts parts = parts_of(mechanics, model);
  for (const std::int32_t coordinate : parts.coordinates) {
    names_.push_back(model.variables()[to_size(coordinate)].name);
  }
  const Index n_free = mechanics.n() - mechanics.m();
  if (n_coordinates() != n_free) {
    std::vector<std::string> quoted;
    for (const std::string& name : names_) quoted.push_back("'" + name + "'");
    refuse(
        fmt::format("The chart has {} coordinates ({}); {} positions under {} constraints have "
                    "{} degrees of freedom.",
                    names_.size(), join_words(quoted, 20), mechanics.n(), mechanics.m(), n_free));
  }
  Pool pool(view.pool);
  Rewriter rewriter(*model.pool(), pool);
  Pool leaves(model.pool());
  // What no expression uses is no leaf of the chart's own pool.
  const auto bind = [&](NodeId leaf, NodeId target) {
    if (leaf < model.pool()->size()) rewriter.bind(leaf, target);
  };
  for (std::size_t i = 0; i < model.parameters().size(); ++i) {
    const auto own = view.model.parameters();
    const auto found = std::find_if(own.begin(), own.end(), [&](const Parameter& parameter) {
      return parameter.name == model.parameters()[i].name;
    });
    bind(leaves.parameter(static_cast<SymbolId>(i)),
         pool.parameter(static_cast<SymbolId>(found - own.begin())));
  }
  // Coordinates and their rates are symbols beyond the model's variables.
  const auto d = parts.coordinates.size();
  const auto first = static_cast<SymbolId>(view.model.variables().size());
  std::vector<NodeId> s, rates, slopes, accelerations, zeros;
  for (std::size_t i = 0; i < d; ++i) {
    const auto symbol = first + static_cast<SymbolId>(i);
    s.push_back(pool.variable(symbol));
    slopes.push_back(pool.variable(symbol, 1));
    rates.push_back(pool.variable(symbol + static_cast<SymbolId>(d)));
    accelerations.push_back(pool.variable(symbol + static_cast<SymbolId>(d), 1));
    zeros.push_back(pool.constant(0.0));
    bind(leaves.variable(parts.coordinates[i]), s.back());
  }
  std::vector<NodeId> q;
  for (const NodeId position : parts.positions) q.push_back(rewriter.rewrite(position));
  const auto v = substitute(pool, total_time_derivative(pool, q), slopes, rates);
  auto curvature = substitute(pool, total_time_derivative(pool, v), slopes, rates);
  curvature = substitute(pool, curvature, accelerations, zeros);
  entries_ = jacobian(pool, q, s);

  std::vector<kernel::Input> inputs;
  for (const kernel::Input& input : mechanics.inputs(pool)) {
    if (input.block == Mechanics::time_block || input.block == Mechanics::parameter_block) {
      inputs.push_back(input);
    }
  }
  for (std::size_t i = 0; i < d; ++i) {
    inputs.push_back({s[i], Mechanics::first_state_block, to_index(i)});
    inputs.push_back({rates[i], Mechanics::first_state_block + 1, to_index(i)});
  }
  std::vector<NodeId> all = q;
  all.insert(all.end(), v.begin(), v.end());
  all.insert(all.end(), curvature.begin(), curvature.end());
  for (const JacobianEntry& entry : entries_) all.push_back(entry.value);
  program_ = kernel::Program::compile(pool, all, inputs);
  std::vector<NodeId> positions;
  for (const std::int32_t position : view.states[0]) positions.push_back(pool.variable(position));
  constraints_ =
      kernel::Program::compile(pool, substitute(pool, view.levels[0], positions, q), inputs);
}

void UserChart::check_constraints(const Mechanics& mechanics,
                                  std::span<const double> parameters) const {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Evaluator constraints(constraints_), chart(program_);
  std::vector<double> z(2 * names_.size());
  for (int k = 0; k < n_checks; ++k) {
    for (double& value : z) value = uniform(random);
    const double t = uniform(random);
    std::array<const double*, Mechanics::first_state_block + 2> blocks{};
    blocks[Mechanics::time_block] = &t;
    blocks[Mechanics::first_state_block] = z.data();
    blocks[Mechanics::first_state_block + 1] = z.data() + names_.size();
    blocks[Mechanics::parameter_block] = parameters.data();
    const auto g = constraints(blocks);
    const auto q = chart(blocks).first(to_size(n_));
    const double scale = std::max(1.0, greatest(q));
    for (std::size_t i = 0; i < g.size(); ++i) {
      // Outside its domain a chart says nothing.
      if (!std::isfinite(g[i]) || std::abs(g[i]) <= chart_tolerance * scale * scale) continue;
      refuse(
          fmt::format("The chart does not meet the constraint {}: its residual is {:.3g} at "
                      "{} = {:.3g}.",
                      mechanics.constraint_name(to_index(i)), g[i],
                      names_.empty() ? "time" : names_.front(), names_.empty() ? t : z.front()));
    }
  }
}

void UserChart::prepare(UserChartRun& run) const {
  run.chart = Evaluator(program_);
  run.x.assign(2 * to_size(n_), 0.0);
  run.xp.assign(run.x.size(), 0.0);
  run.right.assign(names_.size(), 0.0);
  run.shortest.assign(names_.size(), infinity);
  run.longest.assign(names_.size(), 0.0);
  run.solver.clear();
  run.solver.emplace_back(n_coordinates());
}

UserChart::Values UserChart::evaluate(double t, std::span<const double> z,
                                      UserChartRun& run) const {
  std::array<const double*, Mechanics::first_state_block + 2> blocks{};
  blocks[Mechanics::time_block] = &t;
  blocks[Mechanics::first_state_block] = z.data();
  blocks[Mechanics::first_state_block + 1] = z.data() + names_.size();
  blocks[Mechanics::parameter_block] = run.parameters.data();
  const auto out = run.chart(blocks);
  const auto n = to_size(n_);
  return {out.first(n), out.subspan(n, n), out.subspan(2 * n, n), out.subspan(3 * n)};
}

Index UserChart::solve(const Values& at, std::span<const double> b, UserChartRun& run) const {
  const Index d = n_coordinates();
  const std::span<double> product = run.solver.front().matrix();
  std::fill(product.begin(), product.end(), 0.0);
  std::fill(run.right.begin(), run.right.end(), 0.0);
  // ψ_sᵀψ_s and ψ_sᵀb; entries come by columns, so that pairs in one row are searched for.
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    run.right[to_size(entries_[e].column)] += at.jacobian[e] * b[to_size(entries_[e].row)];
    for (std::size_t f = 0; f < entries_.size(); ++f) {
      if (entries_[f].row != entries_[e].row) continue;
      product[to_size(entries_[f].column * d + entries_[e].column)] +=
          at.jacobian[e] * at.jacobian[f];
    }
  }
  const linalg::FactorReport report = run.solver.front().factor();
  if (!report.ok) return std::max<Index>(report.singular_column, 0);
  run.solver.front().solve(run.right);
  return -1;
}

void UserChart::column_lengths(const Values& at, UserChartRun& run) const {
  std::fill(run.right.begin(), run.right.end(), 0.0);
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    run.right[to_size(entries_[e].column)] += at.jacobian[e] * at.jacobian[e];
  }
  for (double& length : run.right) length = std::sqrt(length);
}

UserChartContext::UserChartContext(const Request& request,
                                   std::shared_ptr<const Mechanics> mechanical)
    : ModelContext(*mechanical),
      mechanical_(std::move(mechanical)),
      chart_(*mechanical_, *request.chart, request.parameters),
      // Beyond it positions are not known to a thousandth.
      largest_distortion_(std::clamp(1e-3 / request.rtol, 1e2, 1e6)) {}

void UserChartContext::prepare(UserChartRun& run) const {
  mechanical_->prepare(run);
  chart_.prepare(run);
}

bool UserChartContext::lift(double t, std::span<const double> z, UserChartRun& run) const {
  const UserChart::Values at = chart_.evaluate(t, z, run);
  std::copy(at.q.begin(), at.q.end(), run.x.begin());
  std::copy(at.v.begin(), at.v.end(), run.x.begin() + static_cast<std::ptrdiff_t>(at.q.size()));
  return std::all_of(run.x.begin(), run.x.end(), [](double value) { return std::isfinite(value); });
}

Evaluation UserChartContext::rates(double t, std::span<const double> z, UserChartRun& run,
                                   std::span<double> zp) const {
  const Mechanics& mechanics = *mechanical_;
  if (!lift(t, z, run)) {
    run.failure = {Status::non_finite_value, -1,
                   fmt::format("The chart is not finite at t = {:.12g}.", t)};
    return Evaluation::recoverable;
  }
  const Evaluation solved = mechanics.accelerations(mechanics.point(t, run.x), {}, run);
  if (solved != Evaluation::ok) return solved;
  const UserChart::Values at = chart_.evaluate(t, z, run);
  const auto n = to_size(mechanics.n());
  const std::span<double> b(run.xp.data() + n, n);
  for (std::size_t i = 0; i < n; ++i) b[i] = run.work.acceleration[i] - at.curvature[i];
  const Index lost = chart_.solve(at, b, run);
  if (lost >= 0) {
    run.failure = {Status::singular_iteration_matrix, -1,
                   fmt::format("The chart ends at t = {:.12g}: the positions do not determine its "
                               "coordinate '{}'.",
                               t, chart_.coordinate_name(lost))};
    return Evaluation::recoverable;
  }
  const std::size_t d = z.size() / 2;
  std::copy(z.begin() + static_cast<std::ptrdiff_t>(d), z.end(), zp.begin());
  std::copy(run.right.begin(), run.right.end(), zp.begin() + static_cast<std::ptrdiff_t>(d));
  return Evaluation::ok;
}

bool UserChartContext::invert(double t0, std::span<const double> q, std::span<double> z,
                              UserChartRun& run) const {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-3.0, 3.0);
  const std::size_t d = z.size() / 2;
  std::vector<double> away(q.size());
  const double scale = std::max(1.0, greatest(q));
  for (int guess = 0; guess < n_guesses; ++guess) {
    std::fill(z.begin(), z.end(), 0.0);
    for (std::size_t i = 0; i < d && guess > 0; ++i) z[i] = uniform(random);
    linalg::NewtonWatch watch({.tolerance = 1e-14, .remainder = 0.0, .noise = 0.0});
    for (int k = 0; k < max_fit_iterations; ++k) {
      const UserChart::Values at = chart_.evaluate(t0, z, run);
      for (std::size_t i = 0; i < q.size(); ++i) away[i] = q[i] - at.q[i];
      const double distance = greatest(away);
      if (!std::isfinite(distance) || chart_.solve(at, away, run) >= 0) break;
      for (std::size_t i = 0; i < d; ++i) z[i] += run.right[i];
      const auto verdict = watch.judge(greatest(run.right), std::max(1.0, greatest(z.first(d))));
      if (verdict != linalg::NewtonWatch::Verdict::converged) continue;
      if (distance <= chart_tolerance * scale) return true;
      break;
    }
  }
  return false;
}

Start UserChartContext::find_start(double t0, UserChartRun& run) const {
  Start start = mechanical_->find_start(t0, run);
  const std::vector<double> x = start.x;
  const auto n = to_size(mechanical_->n());
  const auto d = to_size(chart_.n_coordinates());
  start.x.assign(2 * d, 0.0);
  start.xp.assign(2 * d, 0.0);
  if (start.status != Status::success) return start;
  if (!invert(t0, std::span(x).first(n), start.x, run)) {
    start.status = Status::inconsistent_start;
    start.message =
        "The chart does not reach the positions of the start: no values of its "
        "coordinates that lead there were found.";
    return start;
  }
  // v = ψ_s s' + ψ_t, and s' is zero so far.
  const UserChart::Values at = chart_.evaluate(t0, start.x, run);
  std::vector<double> rest(x.begin() + static_cast<std::ptrdiff_t>(n), x.end());
  for (std::size_t i = 0; i < n; ++i) rest[i] -= at.v[i];
  if (chart_.solve(at, rest, run) < 0) {
    std::copy(run.right.begin(), run.right.end(), start.x.begin() + static_cast<std::ptrdiff_t>(d));
  }
  if (rates(t0, start.x, run, start.xp) != Evaluation::ok) {
    start.status = run.failure.status;
    start.message = run.failure.detail;
  }
  remember(t0, start.x, run);
  return start;
}

void UserChartContext::remember(double t, std::span<const double> z, UserChartRun& run) const {
  const Mechanics& mechanics = *mechanical_;
  const auto n = to_size(mechanics.n());
  run.last_t = t;
  run.last_v.assign(n, 0.0);
  run.last_a.assign(n, 0.0);
  if (!lift(t, z, run)) return;
  mechanics.accelerations(mechanics.point(t, run.x), {}, run);
  std::copy_n(run.x.begin() + static_cast<std::ptrdiff_t>(n), n, run.last_v.begin());
  std::copy_n(run.work.acceleration.begin(), n, run.last_a.begin());
}

Index UserChartContext::distorted(double t, std::span<const double> z, UserChartRun& run) const {
  chart_.column_lengths(chart_.evaluate(t, z, run), run);
  for (std::size_t i = 0; i < run.right.size(); ++i) {
    run.shortest[i] = std::min(run.shortest[i], run.right[i]);
    run.longest[i] = std::max(run.longest[i], run.right[i]);
    if (run.longest[i] > largest_distortion_ * run.shortest[i]) return to_index(i);
  }
  return -1;
}

Change UserChartContext::check_edge(double t, std::span<const double> z, UserChartRun& run) const {
  if (const Index i = distorted(t, z, run); i >= 0) {
    return {Change::Kind::stop, Status::singular_iteration_matrix,
            fmt::format("The chart ends near t = {:.12g}: its coordinate '{}' no longer determines "
                        "the position. Give a chart that covers the motion.",
                        t, chart_.coordinate_name(i))};
  }
  const auto n = to_size(mechanical_->n());
  run.before_v.swap(run.last_v);
  run.before_a.swap(run.last_a);
  const double h = t - run.last_t;
  remember(t, z, run);
  double jump = 0.0, speed = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double expected = 0.5 * h * (run.before_a[i] + run.last_a[i]);
    const double missing = run.last_v[i] - run.before_v[i] - expected;
    jump += missing * missing;
    speed += std::max(run.before_v[i] * run.before_v[i], run.last_v[i] * run.last_v[i]);
  }
  if (std::sqrt(jump) <= largest_jump * 2.0 * std::sqrt(speed)) return {};
  std::vector<std::string> names;
  for (Index i = 0; i < chart_.n_coordinates(); ++i) {
    names.push_back("'" + chart_.coordinate_name(i) + "'");
  }
  return {Change::Kind::stop, Status::singular_iteration_matrix,
          fmt::format("The chart ends before t = {:.12g}: the velocities jump there, while its "
                      "coordinates {} go on. Give a chart that covers the motion.",
                      t, join_words(names, 20))};
}

void UserChartContext::read(double t, std::span<const double> z, std::span<const double>,
                            ModelRun& base, std::span<double> values,
                            std::span<double> derivatives) const {
  auto& run = run_of<UserChartRun>(base);
  lift(t, z, run);
  mechanical_->read(t, run.x, run.xp, run, values, derivatives);
}

bool UserChartContext::assign(std::int32_t, double, std::span<double>) const {
  return false;
}

Evaluation UserChartContext::make_consistent(double t, std::span<double> z, std::span<double> zp,
                                             ModelRun& run) const {
  return rates(t, z, run_of<UserChartRun>(run), zp);
}

}  // namespace daedal::formulation
