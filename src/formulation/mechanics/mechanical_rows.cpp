// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanics/mechanical_rows.hpp"

#include <daedal/error.hpp>
#include <utility>

#include "expr/calculus.hpp"
#include "model/symbolic_solve.hpp"

namespace daedal::formulation {

namespace {

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

Row constraint_rows(const MechanicalView& view, ConstraintRow kind, const MechanicalForm& form,
                    const MechanicalLeaves& leaves, Pool& pool) {
  switch (kind) {
    case ConstraintRow::position:
      return view.constraints;
    case ConstraintRow::velocity:
      return view.velocity_level;
    case ConstraintRow::acceleration: {
      Row rows = form.damping.has_curvature ? view.curvature : zeros(pool, view.curvature.size());
      add_product(pool, view.jacobian, leaves.v_prime, rows);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const NodeId damping =
            pool.add(pool.mul(pool.constant(form.damping.velocity), view.velocity_level[i]),
                     pool.mul(pool.constant(form.damping.position), view.constraints[i]));
        rows[i] = pool.add(rows[i], damping);
      }
      return rows;
    }
    case ConstraintRow::multiplier: {
      Row force = zeros(pool, view.force.size());
      add_transposed(pool, view.jacobian, leaves.lambda, force);
      for (std::size_t i = 0; i < force.size(); ++i) force[i] = pool.sub(view.force[i], force[i]);
      Row rows = view.curvature;
      add_product(pool, view.jacobian, solve_mass(pool, view.mass, std::move(force)), rows);
      return rows;
    }
  }
  return {};
}

void append(std::vector<NodeId>& nodes, const std::vector<NodeId>& more) {
  nodes.insert(nodes.end(), more.begin(), more.end());
}

}  // namespace

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

MechanicalLeaves make_leaves(const MechanicalView& view, const MechanicalForm& form, Pool& pool) {
  MechanicalLeaves leaves;
  for (const std::int32_t variable : view.positions) {
    leaves.q.push_back(pool.variable(variable));
    leaves.q_prime.push_back(pool.variable(variable, 1));
  }
  for (const std::int32_t variable : view.velocities) {
    leaves.v.push_back(pool.variable(variable));
    leaves.v_prime.push_back(pool.variable(variable, 1));
  }
  // Multipliers in our own scale are symbols beyond the model's variables.
  auto symbol = static_cast<SymbolId>(view.model.variables().size());
  const auto add = [&](std::vector<NodeId>& set) {
    for (std::size_t i = 0; i < view.constraints.size(); ++i)
      set.push_back(pool.variable(symbol++));
  };
  add(leaves.lambda);
  if (form.has_mu) add(leaves.mu);
  if (form.has_eta) add(leaves.eta);
  return leaves;
}

std::vector<NodeId> make_rows(const MechanicalView& view, const MechanicalForm& form,
                              const MechanicalLeaves& leaves, Pool& pool) {
  const std::size_t n = leaves.q.size();
  Row kinematic(n);
  for (std::size_t i = 0; i < n; ++i) kinematic[i] = pool.sub(leaves.q_prime[i], leaves.v[i]);
  if (form.has_mu) add_transposed(pool, view.jacobian, leaves.mu, kinematic);
  if (form.has_eta) {
    const std::vector<JacobianEntry> gamma = jacobian(pool, view.velocity_level, leaves.q);
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

}  // namespace daedal::formulation
