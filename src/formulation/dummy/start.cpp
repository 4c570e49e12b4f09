// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

DummyStart::DummyStart(const DummyContext& context)
    : context_(context), start_values_(context.model()), initial_(context.system().view()) {
  if (initial_.is_empty()) return;
  const DifferentiatedSystem& system = context.system();
  const auto free = initial_.free_parameters();
  std::vector<NodeId> roots(system.residual_nodes().begin(), system.residual_nodes().end());
  roots.insert(roots.end(), system.initial_nodes().begin(), system.initial_nodes().end());
  DummyStartEquations equations;
  equations.parameters.assign(free.begin(), free.end());
  equations.jacobian = system.jacobian_of(roots, DifferentiatedSystem::Columns::all, free);
  Pool pool(system.pool());
  equations.residual = kernel::Program::compile(pool, roots, system.inputs(pool));
  equations_ = std::move(equations);
}

StartWishes DummyStart::wishes(DummyRun& run) const {
  using analysis::Role;
  const StartWishes of_variables = start_values_.wishes(run);
  StartWishes result;
  result.derives_defaults = of_variables.derives_defaults;
  for (std::size_t p = 0; p < context_.system().places().size(); ++p) {
    const Place& place = context_.system().places()[p];
    analysis::InitialUnknown unknown{.role = Role::free, .nominal = context_.nominals()[p]};
    if (place.variable >= 0) {
      unknown = of_variables.unknowns[to_size(place.variable)];
      if (unknown.role == Role::guess && place.is_highest) unknown.role = Role::free;
    }
    result.unknowns.push_back(unknown);
    result.is_given.push_back(place.variable < 0 || of_variables.is_given[to_size(place.variable)]);
  }
  for (const std::size_t k : initial_.free_parameters())
    result.unknowns.push_back({.value = run.parameters[k], .role = Role::free});
  return result;
}

/// The unit of time must not matter, and derivatives have no nominal values in models: those of
/// order k are 1/Tᵏ of the variable's, with the T for which the entries of every equation are most
/// alike,
///
///     minimise  Σ_ij (log|J_ij nominal_j| - k_j log T - r_i)²   over log T and the r_i.
void DummyStart::scale_derivatives(DummyConstraints& constraints, StartWishes& wishes) const {
  const auto& places = context_.system().places();
  const SparsityPattern& pattern = constraints.pattern();
  std::vector<double> u, entries(pattern.row.size());
  for (const analysis::InitialUnknown& unknown : wishes.unknowns) u.push_back(unknown.value);
  if (constraints.jacobian(u, entries) >= 0) return;
  struct Sums {
    double n = 0.0, a = 0.0, k = 0.0, ak = 0.0, kk = 0.0;
  };
  // Derivatives that are variables of the model have nominal values of their own.
  const auto order_of = [&](std::size_t j) {
    return places[j].variable >= 0 ? 0.0 : static_cast<double>(places[j].order);
  };
  std::vector<Sums> rows(to_size(pattern.rows));
  for (std::size_t j = 0; j < places.size(); ++j) {
    const double order = order_of(j);
    for (auto p = to_size(pattern.column_start[j]); p < to_size(pattern.column_start[j + 1]); ++p) {
      if (entries[p] == 0.0) continue;
      const double a = std::log(std::abs(entries[p] * wishes.unknowns[j].nominal));
      Sums& row = rows[to_size(pattern.row[p])];
      row.n += 1.0;
      row.a += a;
      row.k += order;
      row.ak += a * order;
      row.kk += order * order;
    }
  }
  double covariance = 0.0, variance = 0.0;
  for (const Sums& row : rows) {
    if (row.n == 0.0) continue;
    covariance += row.ak - row.a * row.k / row.n;
    variance += row.kk - row.k * row.k / row.n;
  }
  if (!(variance > 0.0)) return;
  const double log_unit = covariance / variance;
  for (std::size_t j = 0; j < places.size(); ++j) {
    wishes.unknowns[j].nominal *= std::exp(-order_of(j) * log_unit);
  }
}

Start DummyStart::find(double t0, DummyRun& run) const {
  DummyConstraints constraints(context_, t0, run, equations_ ? &*equations_ : nullptr);
  StartWishes wanted = wishes(run);
  scale_derivatives(constraints, wanted);
  const StartProblem problem{constraints, std::move(wanted), homotopy_share(context_.model(), run)};
  Start now;
  now.x.resize(to_size(context_.system().n_places()));
  now.xp.resize(now.x.size());
  for (std::size_t p = 0; p < now.x.size(); ++p) now.x[p] = problem.wishes.unknowns[p].value;
  context_.read(t0, now.x, now.xp, run, run.values, run.derivatives);
  analysis::InitialValues found;
  Start start = context_.settle_start(t0, now.x.size(), run, [&] {
    found = problem.solve(run.stop, now, run.start_goes_on);
    constraints.unpack(found.values, now.x);
    context_.set_rates(now.x, now.xp);
    // What happens at the very start holds the states that are selected there.
    if (now.status == Status::success && !context_.select(t0, now.x, run)) {
      run.selection = {};
      run.failure = {};
    }
    return now;
  });
  select(t0, run, start);
  if (start.status == Status::success) problem.add_notices(found, start);
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
  if (!context_.is_singular_around(t0, start.x, run) || context_.select(t0, start.x, run)) return;
  start.status = run.failure.status;
  start.message = run.failure.detail;
}

}  // namespace daedal::formulation
