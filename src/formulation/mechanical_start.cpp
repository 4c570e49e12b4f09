// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanical_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>

#include "expr/calculus.hpp"
#include "formulation/start_notices.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

using analysis::Role;

/// 0: positions (and time, parameters) alone; 1: velocities too; 2: anything else.
int level_of(const Pool& pool, const MechanicalView& view, NodeId residual) {
  int level = 0;
  const NodeId roots[] = {residual};
  for (const NodeId leaf : dependencies(pool, roots)) {
    const Node& node = pool[leaf];
    if (node.op != Op::variable) continue;
    const auto contains = [&](const std::vector<std::int32_t>& variables) {
      return std::find(variables.begin(), variables.end(), node.symbol) != variables.end();
    };
    const bool is_position = contains(view.positions);
    const bool is_velocity = contains(view.velocities);
    if (is_position && node.order == 0) continue;
    const bool is_rate = (is_position && node.order == 1) || (is_velocity && node.order == 0);
    level = std::max(level, is_rate ? 1 : 2);
  }
  return level;
}

}  // namespace

/// One level as the initialiser sees it: u is q, or v with q held.
class MechanicalStart::Constraints final : public analysis::ConstraintSet {
 public:
  Constraints(const MechanicalStart& owner, int level, double t, std::span<double> q,
              std::span<double> v, MechanicalRun& run)
      : owner_(owner),
        level_(level),
        t_(t),
        q_(q),
        v_(v),
        run_(run),
        residual_(data().residual),
        workspace_(data().jacobian.make_workspace()) {}

  [[nodiscard]] Index n_unknowns() const override { return to_index(q_.size()); }
  [[nodiscard]] Index n_equations() const override { return to_index(data().equations.size()); }

  Index residual(std::span<const double> u, std::span<double> values) override {
    const auto out = residual_(blocks(u));
    std::copy(out.begin(), out.end(), values.begin());
    return first_non_finite(values);
  }
  [[nodiscard]] const SparsityPattern& pattern() const override {
    return data().jacobian.pattern();
  }
  Index jacobian(std::span<const double> u, std::span<double> values) override {
    const std::span<double> groups[] = {values};
    data().jacobian.evaluate(blocks(u), groups, workspace_);
    return first_non_finite(values) < 0 ? -1 : 0;
  }
  [[nodiscard]] std::string unknown_name(Index unknown) const override {
    const MechanicalView& view = owner_.mechanics_.view();
    const auto& variables = level_ == 0 ? view.positions : view.velocities;
    return view.model.variables()[to_size(variables[to_size(unknown)])].name;
  }
  [[nodiscard]] std::string equation_name(Index equation) const override {
    return data().names[to_size(equation)];
  }

 private:
  [[nodiscard]] const Level& data() const { return owner_.levels_[to_size(level_)]; }
  Mechanics::Blocks blocks(std::span<const double> u) {
    const MechanicalPoint at{t_, level_ == 0 ? u : std::span<const double>(q_),
                             level_ == 0 ? std::span<const double>(v_) : u};
    return Mechanics::blocks(at, run_);
  }
  static Index first_non_finite(std::span<const double> values) {
    const auto bad = std::find_if(values.begin(), values.end(),
                                  [](double value) { return !std::isfinite(value); });
    return bad == values.end() ? -1 : bad - values.begin();
  }

  const MechanicalStart& owner_;
  int level_;
  double t_;
  std::span<double> q_;
  std::span<double> v_;
  MechanicalRun& run_;
  Evaluator residual_;
  kernel::JacobianWorkspace workspace_;
};

MechanicalStart::MechanicalStart(const Mechanics& mechanics) : mechanics_(mechanics) {
  const MechanicalView& view = mechanics.view();
  Pool pool(view.pool);
  levels_.push_back(make_level(0, pool));
  levels_.push_back(make_level(1, pool));
  std::vector<NodeId> nodes;
  for (const Variable& variable : view.model.variables()) {
    nodes.push_back(variable.start == no_node ? pool.constant(0.0) : variable.start);
  }
  start_values_ = kernel::Program::compile(pool, nodes, mechanics.inputs(pool));
}

MechanicalStart::Level MechanicalStart::make_level(int level, Pool& pool) const {
  const MechanicalView& view = mechanics_.view();
  Level result;
  result.equations = level == 0 ? view.constraints : view.velocity_level;
  for (Index i = 0; i < mechanics_.m(); ++i) {
    result.names.push_back(
        level == 0 ? mechanics_.constraint_name(i)
                   : fmt::format("the time derivative of {}", mechanics_.constraint_name(i)));
  }
  for (const Equation& equation : view.model.initial_equations()) {
    const NodeId residual = pool.sub(equation.lhs, equation.rhs);
    const int own = level_of(pool, view, residual);
    if (own > 1) {
      throw ModelError(ErrorCode::not_recognized,
                       fmt::format("The initial equation {} speaks of more than positions and "
                                   "velocities, which mechanical methods do not take.",
                                   equation.name.empty() ? place_suffix(equation.where)
                                                         : "'" + equation.name + "'"),
                       equation.where);
    }
    if (own != level) continue;
    result.equations.push_back(residual);
    result.names.push_back(equation.name.empty()
                               ? "an initial equation" + place_suffix(equation.where)
                               : "'" + equation.name + "'");
  }
  std::vector<NodeId> unknowns;
  for (const std::int32_t variable : level == 0 ? view.positions : view.velocities) {
    unknowns.push_back(pool.variable(variable));
  }
  const auto inputs = mechanics_.inputs(pool);
  result.residual = kernel::Program::compile(pool, result.equations, inputs);
  result.jacobian = kernel::JacobianProgram::compile(
      pool, {.roots = result.equations, .groups = {unknowns}, .inputs = inputs});
  return result;
}

std::span<const std::int32_t> MechanicalStart::variables(int level) const {
  return level == 0 ? mechanics_.view().positions : mechanics_.view().velocities;
}

bool MechanicalStart::solve(int level, double t0, MechanicalRun& run, Start& start) const {
  const auto n = to_size(mechanics_.n());
  const std::span<double> q(start.x.data(), n);
  const std::span<double> v(start.x.data() + n, n);
  const std::span<double> unknowns = level == 0 ? q : v;
  std::vector<analysis::InitialUnknown> wishes;
  std::vector<bool> is_given;
  for (std::size_t i = 0; i < n; ++i) {
    const Variable& variable = mechanics_.view().model.variables()[to_size(variables(level)[i])];
    const bool given = variable.start != no_node || variable.fixed;
    is_given.push_back(given);
    wishes.push_back({.value = unknowns[i],
                      .role = variable.fixed ? Role::held : Role::guess,
                      .nominal = variable.nominal,
                      .confidence = given ? 1.0 : confidence_of_default});
  }
  Constraints constraints(*this, level, t0, q, v, run);
  const analysis::InitialValues found = analysis::find_initial_values(constraints, wishes);
  std::copy(found.values.begin(), found.values.end(), unknowns.begin());
  if (found.status != Status::success) {
    start.status = found.status;
    start.message = found.message;
    return false;
  }
  add_start_notices(found, constraints, is_given, start);
  return true;
}

Evaluation MechanicalStart::project(double t, std::span<double> q, std::span<double> v,
                                    MechanicalRun& run, std::span<const std::int32_t> held) const {
  for (const int level : {0, 1}) {
    const std::span<double> unknowns = level == 0 ? q : v;
    std::vector<analysis::InitialUnknown> wishes;
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      const std::int32_t variable = variables(level)[i];
      const bool is_held = std::find(held.begin(), held.end(), variable) != held.end();
      wishes.push_back({.value = unknowns[i],
                        .role = is_held ? Role::held : Role::guess,
                        .nominal = mechanics_.view().model.variables()[to_size(variable)].nominal});
    }
    Constraints constraints(*this, level, t, q, v, run);
    const analysis::InitialValues found = analysis::find_initial_values(constraints, wishes);
    if (found.status != Status::success) {
      run.failure = {found.status, -1, found.message};
      return Evaluation::fatal;
    }
    std::copy(found.values.begin(), found.values.end(), unknowns.begin());
  }
  return Evaluation::ok;
}

Start MechanicalStart::find(double t0, MechanicalRun& run) const {
  const auto n = to_size(mechanics_.n());
  Start start;
  start.x.resize(2 * n);
  start.xp.resize(2 * n);
  const MechanicalView& view = mechanics_.view();
  Evaluator evaluator(start_values_);
  const auto values = evaluator(Mechanics::blocks(mechanics_.point(t0, start.x), run));
  for (std::size_t i = 0; i < n; ++i) {
    start.x[i] = values[to_size(view.positions[i])];
    start.x[n + i] = values[to_size(view.velocities[i])];
  }
  if (!solve(0, t0, run, start) || !solve(1, t0, run, start)) return start;
  if (mechanics_.accelerations(mechanics_.point(t0, start.x), {}, run) != Evaluation::ok) {
    start.status = run.failure.status;
    start.message = run.failure.detail;
    return start;
  }
  std::copy_n(start.x.begin() + static_cast<std::ptrdiff_t>(n), n, start.xp.begin());
  std::copy_n(run.work.acceleration.begin(), n, start.xp.begin() + static_cast<std::ptrdiff_t>(n));
  return start;
}

}  // namespace daedal::formulation
