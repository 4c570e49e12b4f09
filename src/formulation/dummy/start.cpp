// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "formulation/frame/start_notices.hpp"
#include "formulation/frame/start_overrides.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

Index first_bad(std::span<const double> values) {
  const auto bad =
      std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
  return bad == values.end() ? -1 : bad - values.begin();
}

}  // namespace

DummyConstraints::DummyConstraints(const DummyContext& context, double t, ModelRun& run,
                                   const DummyStartEquations* start)
    : system_(context.system()),
      t_(t),
      run_(run),
      parameters_(start != nullptr ? std::span<const std::size_t>(start->parameters)
                                   : std::span<const std::size_t>()),
      jacobian_(start != nullptr ? start->jacobian : system_.jacobian()),
      residuals_(start != nullptr ? start->residual : system_.residual()),
      nonzeros_(jacobian_.program) {}

void DummyConstraints::set_parameters(std::span<const double> u) {
  for (std::size_t k = 0; k < parameters_.size(); ++k)
    run_.parameters[parameters_[k]] = u[to_size(system_.n_places()) + k];
}

void DummyConstraints::unpack(std::span<const double> u, std::span<double> x) {
  std::copy_n(u.begin(), x.size(), x.begin());
  set_parameters(u);
}

Index DummyConstraints::residual(std::span<const double> u, std::span<double> values) {
  set_parameters(u);
  const auto found = residuals_(run_.blocks(t_, u, {}));
  std::copy(found.begin(), found.end(), values.begin());
  return first_bad(found);
}

Index DummyConstraints::jacobian(std::span<const double> u, std::span<double> values) {
  set_parameters(u);
  const auto found = nonzeros_(run_.blocks(t_, u, {}));
  std::copy(found.begin(), found.end(), values.begin());
  const Index bad = first_bad(found);
  return bad < 0 ? -1 : pattern().row[to_size(bad)];
}

std::string DummyConstraints::unknown_name(Index unknown) const {
  if (unknown < system_.n_places()) return system_.place_name(unknown);
  const auto k = to_size(unknown - system_.n_places());
  return system_.view().model.parameters()[parameters_[k]].name;
}

std::string DummyConstraints::equation_name(Index equation) const {
  if (equation < system_.n_equations()) return system_.equation_name(equation);
  const Index k = equation - system_.n_equations();
  const auto& initial = system_.view().model.initial_equations()[to_size(k)];
  return (initial.name.empty() ? "initial " : "") + equation_label(initial, k);
}

DummyStart::DummyStart(const DummyContext& context, const Overrides& starts)
    : context_(context),
      overrides_(find_overrides(context.system().view().model, starts)),
      initial_(context.system().view()) {
  const DifferentiatedSystem& system = context.system();
  Pool pool(system.pool());
  std::vector<NodeId> nodes;
  for (const Variable& variable : system.view().model.variables())
    nodes.push_back(variable.start == no_node ? pool.constant(0.0) : variable.start);
  const auto inputs = system.inputs(pool);
  start_values_ = kernel::Program::compile(pool, nodes, inputs);
  if (initial_.is_empty()) return;
  const auto free = initial_.free_parameters();
  std::vector<NodeId> roots(system.residual_nodes().begin(), system.residual_nodes().end());
  roots.insert(roots.end(), system.initial_nodes().begin(), system.initial_nodes().end());
  DummyStartEquations equations;
  equations.parameters.assign(free.begin(), free.end());
  equations.jacobian = system.jacobian_of(roots, DifferentiatedSystem::Columns::all, free);
  equations.residual = kernel::Program::compile(pool, roots, inputs);
  equations_ = std::move(equations);
}

DummyStart::Wishes DummyStart::wishes(DummyRun& run) const {
  using analysis::Role;
  const DifferentiatedSystem& system = context_.system();
  const auto variables = system.view().model.variables();
  Evaluator evaluator(start_values_);
  const double t = 0.0;  // start values are expressions of parameters alone
  const auto values = evaluator(run.blocks(t, run.values, run.derivatives));
  Wishes result;
  for (std::size_t p = 0; p < system.places().size(); ++p) {
    const Place& place = system.places()[p];
    analysis::InitialUnknown unknown{.role = Role::free, .nominal = context_.nominals()[p]};
    bool is_given = true;
    if (place.variable >= 0) {
      const auto v = to_size(place.variable);
      const Variable& variable = variables[v];
      const bool has_start = overrides_[v].has_value() || variable.start != no_node;
      const bool is_held = overrides_[v].has_value() || variable.fixed;
      is_given = has_start || variable.fixed;
      unknown.value = overrides_[v].value_or(
          has_start ? values[v] : std::clamp(0.0, variable.min, variable.max));
      if (is_held) {
        unknown.role = Role::held;
      } else if (!place.is_highest) {
        unknown.role = Role::guess;
      }
      unknown.confidence = has_start ? 1.0 : confidence_of_default;
    }
    result.unknowns.push_back(unknown);
    result.is_given.push_back(is_given);
  }
  for (const std::size_t k : initial_.free_parameters())
    result.unknowns.push_back({.value = run.parameters[k], .role = Role::free});
  return result;
}

Start DummyStart::find(double t0, DummyRun& run) const {
  const DifferentiatedSystem& system = context_.system();
  Start start;
  start.x.resize(to_size(system.n_places()));
  start.xp.resize(start.x.size(), 0.0);
  const Wishes wished = wishes(run);
  for (std::size_t p = 0; p < start.x.size(); ++p) start.x[p] = wished.unknowns[p].value;
  context_.read(t0, start.x, start.xp, run, run.values, run.derivatives);

  DummyConstraints constraints(context_, t0, run, equations_ ? &*equations_ : nullptr);
  analysis::InitialValues found;
  const auto solve = [&]() -> Change {
    found = analysis::find_initial_values(constraints, wished.unknowns, {.stop = run.stop});
    constraints.unpack(found.values, start.x);
    context_.set_rates(start.x, start.xp);
    if (found.status == Status::success) return {};
    return {Change::Kind::stop, found.status, found.message};
  };
  const Change change = context_.events().initialize(t0, start.x, start.xp, run, context_, solve);
  if (change.kind == Change::Kind::stop) {
    start.status = change.status;
    start.message = change.message;
  }
  select(t0, run, start);
  if (start.status != Status::success) return start;
  add_start_notices(found, constraints, wished.is_given, start);
  return start;
}

void DummyStart::select(double t0, DummyRun& run, Start& start) const {
  if (start.status == Status::success) {
    if (context_.select(t0, start.x, run)) return;
    start.status = run.failure.status;
    start.message = run.failure.detail;
    return;
  }
  // A structure that does not show the true index is the better explanation of a start that
  // cannot be found, if it is singular around the start too and not at one point alone.
  if (start.status != Status::inconsistent_start) return;
  std::vector<double> near = start.x;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> draw(0.05, 0.1);
  for (std::size_t p = 0; p < near.size(); ++p)
    near[p] += draw(random) * (context_.nominals()[p] + std::abs(near[p]));
  if (!context_.is_singular(t0, near, run) || context_.select(t0, start.x, run)) return;
  start.status = run.failure.status;
  start.message = run.failure.detail;
}

}  // namespace daedal::formulation
