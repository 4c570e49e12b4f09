// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanics/mechanical_dae.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <daedal/error.hpp>
#include <utility>

#include "expr/calculus.hpp"
#include "expr/pool.hpp"
#include "model/symbolic_solve.hpp"
#include "model/views/constrained_view.hpp"

namespace daedal::formulation {

namespace {

/// Leaves of the unknowns of a form: those of the view, and fresh ones for the multipliers.
struct MechanicalLeaves {
  std::vector<NodeId> q, v, lambda, mu, eta;
  std::vector<NodeId> q_prime, v_prime;

  /// All unknowns in order, and their derivatives (no_node for multipliers).
  [[nodiscard]] std::vector<NodeId> x() const;
  [[nodiscard]] std::vector<NodeId> xp() const;
};

using Row = std::vector<NodeId>;

Row zeros(Pool& pool, std::size_t n) {
  return Row(n, pool.constant(0.0));
}

/// y += A x for sparse A.
void add_product(Pool& pool, std::span<const JacobianEntry> a, const Row& x, Row& y) {
  for (const JacobianEntry& e : a) {
    NodeId& target = y[static_cast<std::size_t>(e.row)];
    target = pool.add(target, pool.mul(e.value, x[static_cast<std::size_t>(e.column)]));
  }
}

/// y += Aᵀ x for sparse A.
void add_transposed(Pool& pool, std::span<const JacobianEntry> a, const Row& x, Row& y) {
  for (const JacobianEntry& e : a) {
    NodeId& target = y[static_cast<std::size_t>(e.column)];
    target = pool.add(target, pool.mul(e.value, x[static_cast<std::size_t>(e.row)]));
  }
}

/// M w = b, M positive definite.
Row solve_mass(Pool& pool, std::span<const JacobianEntry> mass, Row b) {
  auto solved = solve_symbolically(pool, mass, std::move(b));
  if (solved) return std::move(*solved);
  throw ModelError(ErrorCode::not_recognized,
                   "The mass matrix is singular: the multipliers cannot be given in closed form, "
                   "which this method needs.");
}

Row constraint_rows(const ConstrainedView& view, ConstraintRow kind, const MechanicalForm& form,
                    const MechanicalLeaves& leaves, Pool& pool) {
  switch (kind) {
    case ConstraintRow::position:
      return view.levels[0];
    case ConstraintRow::velocity:
      return view.levels[1];
    case ConstraintRow::acceleration: {
      Row rows = form.damping.has_curvature ? view.remainder : zeros(pool, view.remainder.size());
      add_product(pool, view.jacobian, leaves.v_prime, rows);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const NodeId damping =
            pool.add(pool.mul(pool.constant(form.damping.velocity), view.levels[1][i]),
                     pool.mul(pool.constant(form.damping.position), view.levels[0][i]));
        rows[i] = pool.add(rows[i], damping);
      }
      return rows;
    }
    case ConstraintRow::multiplier: {
      Row force = zeros(pool, view.force.size());
      add_transposed(pool, view.jacobian, leaves.lambda, force);
      for (std::size_t i = 0; i < force.size(); ++i) force[i] = pool.sub(view.force[i], force[i]);
      Row rows = view.remainder;
      add_product(pool, view.jacobian, solve_mass(pool, view.mass, std::move(force)), rows);
      return rows;
    }
  }
  return {};
}

void append(std::vector<NodeId>& nodes, const std::vector<NodeId>& more) {
  nodes.insert(nodes.end(), more.begin(), more.end());
}

std::vector<NodeId> MechanicalLeaves::x() const {
  std::vector<NodeId> all;
  for (const auto* part : {&q, &v, &lambda, &mu, &eta}) append(all, *part);
  return all;
}

std::vector<NodeId> MechanicalLeaves::xp() const {
  std::vector<NodeId> all;
  append(all, q_prime);
  append(all, v_prime);
  all.resize(q.size() + v.size() + lambda.size() + mu.size() + eta.size(), no_node);
  return all;
}

MechanicalLeaves make_leaves(const ConstrainedView& view, const MechanicalForm& form, Pool& pool) {
  MechanicalLeaves leaves;
  for (const std::int32_t variable : view.states[0]) {
    leaves.q.push_back(pool.variable(variable));
    leaves.q_prime.push_back(pool.variable(variable, 1));
  }
  for (const std::int32_t variable : view.states[1]) {
    leaves.v.push_back(pool.variable(variable));
    leaves.v_prime.push_back(pool.variable(variable, 1));
  }
  // Multipliers in our own scale are symbols beyond the model's variables.
  auto symbol = static_cast<SymbolId>(view.model.variables().size());
  const auto add = [&](std::vector<NodeId>& set) {
    for (std::size_t i = 0; i < view.levels[0].size(); ++i) set.push_back(pool.variable(symbol++));
  };
  add(leaves.lambda);
  if (form.has_mu) add(leaves.mu);
  if (form.has_eta) add(leaves.eta);
  return leaves;
}

/// Residuals of the square block, then of the overdetermined one.
std::vector<NodeId> make_rows(const ConstrainedView& view, const MechanicalForm& form,
                              const MechanicalLeaves& leaves, Pool& pool) {
  const std::size_t n = leaves.q.size();
  Row kinematic(n);
  for (std::size_t i = 0; i < n; ++i) kinematic[i] = pool.sub(leaves.q_prime[i], leaves.v[i]);
  if (form.has_mu) add_transposed(pool, view.jacobian, leaves.mu, kinematic);
  if (form.has_eta) {
    const std::vector<JacobianEntry> gamma = jacobian(pool, view.levels[1], leaves.q);
    add_transposed(pool, gamma, leaves.eta, kinematic);
  }
  Row dynamic = zeros(pool, n);
  add_product(pool, view.mass, leaves.v_prime, dynamic);
  for (std::size_t i = 0; i < n; ++i) dynamic[i] = pool.sub(dynamic[i], view.force[i]);
  add_transposed(pool, view.jacobian, leaves.lambda, dynamic);
  if (form.has_eta) add_transposed(pool, view.jacobian, leaves.eta, dynamic);

  std::vector<NodeId> rows = kinematic;
  append(rows, dynamic);
  for (const auto* block : {&form.square, &form.overdetermined}) {
    for (const ConstraintRow kind : *block) {
      append(rows, constraint_rows(view, kind, form, leaves, pool));
    }
  }
  return rows;
}

std::string_view level_name(ConstraintRow row) {
  switch (row) {
    case ConstraintRow::position:
      return "";
    case ConstraintRow::velocity:
      return "the time derivative of ";
    case ConstraintRow::acceleration:
    case ConstraintRow::multiplier:
      return "the second time derivative of ";
  }
  return "";
}

bool holds_position(const std::vector<ConstraintRow>& rows) {
  return std::find(rows.begin(), rows.end(), ConstraintRow::position) != rows.end();
}

void declare_unknowns(const Mechanics& mechanics, const MechanicalForm& form, SystemRows& rows) {
  const auto variables = mechanics.view().model.variables();
  const auto add = [&](std::span<const std::int32_t> numbers, UnknownKind kind) {
    for (const std::int32_t number : numbers) {
      const Variable& variable = variables[to_size(number)];
      rows.add_unknown(variable.name, kind, kind.in_error_test ? variable.nominal : 1.0);
    }
  };
  add(mechanics.view().states[0], {.differential = true, .index = 1});
  add(mechanics.view().states[1], {.differential = true, .index = form.velocity_index});
  add(mechanics.view().algebraic,
      {.differential = false, .index = form.multiplier_index, .in_error_test = false});
  const auto add_auxiliary = [&](std::string_view name) {
    for (Index i = 0; i < mechanics.m(); ++i) {
      rows.add_unknown(fmt::format("{} of {}", name, mechanics.constraint_name(i)),
                       {.differential = false, .index = 2, .in_error_test = false}, 1.0);
    }
  };
  if (form.has_mu) add_auxiliary("the position correction");
  if (form.has_eta) add_auxiliary("the velocity correction");
}

void name_rows(const Mechanics& mechanics, const MechanicalForm& form, SystemRows& rows) {
  const ConstrainedView& view = mechanics.view();
  for (Index i = 0; i < mechanics.n(); ++i) {
    const auto velocity = to_size(view.states[1][to_size(i)]);
    rows.row_names.push_back(fmt::format("der({}) = {}", mechanics.coordinate_name(i),
                                         view.model.variables()[velocity].name));
  }
  for (Index i = 0; i < mechanics.n(); ++i) rows.row_names.push_back(mechanics.dynamic_name(i));
  for (const auto* block : {&form.square, &form.overdetermined}) {
    for (const ConstraintRow kind : *block) {
      for (Index i = 0; i < mechanics.m(); ++i) {
        rows.row_names.push_back(
            fmt::format("{}{}", level_name(kind), mechanics.constraint_name(i)));
      }
    }
  }
}

CompiledRows compile_rows(const Mechanics& mechanics, const MechanicalForm& form) {
  const ConstrainedView& view = mechanics.view();
  Pool pool(view.pool);
  const MechanicalLeaves leaves = make_leaves(view, form, pool);
  SystemRows rows{.rows = make_rows(view, form, leaves, pool), .x = leaves.x(), .xp = leaves.xp()};
  declare_unknowns(mechanics, form, rows);
  name_rows(mechanics, form, rows);
  return {std::move(rows), pool, view.model};
}

}  // namespace

bool has_inverse_mass(const ConstrainedView& view) {
  Pool pool(view.pool);
  return solve_symbolically(pool, view.mass, zeros(pool, view.force.size())).has_value();
}

MechanicalDae::MechanicalDae(std::shared_ptr<const Mechanics> context, const MechanicalForm& form)
    : RowSystem(compile_rows(*context, form)),
      context_(std::move(context)),
      drifts_(!holds_position(form.square) && !holds_position(form.overdetermined)) {}

void MechanicalDae::prepare(MechanicalRun& run) const {
  context_->prepare(run);
  RowSystem::prepare(run);
}

Change MechanicalDae::on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                               std::span<double> xp, Run& base) const {
  auto& run = own(base);
  Change change = ModelSystem::on_event(t, fired, x, xp, run);
  set_multipliers(run, x, xp);
  return change;
}

Change MechanicalDae::after_step(double t, std::span<double> x, std::span<double> xp,
                                 const History& history, Run& base) const {
  auto& run = own(base);
  Change change = context_->watch(t, x, history, run);
  if (change.kind != Change::Kind::none) return change;
  change = ModelSystem::after_step(t, x, xp, history, run);
  if (change.kind != Change::Kind::none || !drifts_) return change;
  return context_->check_branch(t, x, run);
}

void MechanicalDae::set_multipliers(const MechanicalRun& run, std::span<double> x,
                                    std::span<double> xp) const {
  const auto first = 2 * to_size(context_->n());
  std::fill(x.begin() + static_cast<std::ptrdiff_t>(first), x.end(), 0.0);
  std::fill(xp.begin() + static_cast<std::ptrdiff_t>(first), xp.end(), 0.0);
  std::copy(run.work.multipliers.begin(), run.work.multipliers.end(),
            x.begin() + static_cast<std::ptrdiff_t>(first));
}

Formulation make_mechanical_dae(const Request& request,
                                const std::shared_ptr<const Mechanics>& context,
                                const MechanicalForm& form) {
  const auto system = std::make_shared<const MechanicalDae>(context, form);
  const auto extend_start = [system](double, ConstrainedRun& run, Start& start) {
    start.x.resize(to_size(system->size()));
    start.xp.resize(start.x.size());
    system->set_multipliers(run_of<MechanicalRun>(run), start.x, start.xp);
  };
  Formulation result = mechanical_formulation(
      request, context, {.watches = request.watch_singularities, .extend_start = extend_start});
  result.implicit_system = system;
  return result;
}

}  // namespace daedal::formulation
