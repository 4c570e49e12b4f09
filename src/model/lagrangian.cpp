// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <daedal/lagrangian.hpp>
#include <utility>

#include "expr/calculus.hpp"
#include "expr/pool.hpp"

namespace daedal {

namespace {

/// The derivation in one pool: leaves of q, v and what follows from L.
class EquationsOfMotion {
 public:
  EquationsOfMotion(Pool& pool, const std::vector<Coordinate>& coordinates) : pool_(pool) {
    for (const Coordinate& coordinate : coordinates) {
      q_.push_back(coordinate.q.in(pool));
      v_.push_back(coordinate.v.in(pool));
      q_rate_.push_back(pool.variable(pool[q_.back()].symbol, 1));
      v_rate_.push_back(pool.variable(pool[v_.back()].symbol, 1));
    }
  }

  /// Expressions in which der(q) is written v.
  std::vector<NodeId> by_velocities(const std::vector<Expr>& expressions) {
    std::vector<NodeId> nodes;
    for (const Expr& expression : expressions) nodes.push_back(expression.in(pool_));
    return substitute(pool_, nodes, q_rate_, v_);
  }

  /// Both sides of M v' = Q + ∂L/∂q − (∂p/∂q v + ∂p/∂t), p = ∂L/∂v, M = ∂p/∂v: the left side of
  /// Poell & Hafner (20) with d/dt written out.
  void derive(Expr energies, const std::vector<Expr>& forces) {
    const NodeId zero = pool_.constant(0.0);
    const NodeId lagrangian = by_velocities({energies})[0];
    const std::vector<NodeId> given = by_velocities(forces);
    const std::vector<NodeId> momentum = gradient(pool_, lagrangian, v_);
    const std::vector<NodeId> gradient_q = gradient(pool_, lagrangian, q_);
    const auto rate = substitute(pool_, total_time_derivative(pool_, momentum), q_rate_, v_);
    const std::vector<NodeId> at_rest(v_.size(), zero);
    const auto drift = substitute(pool_, rate, v_rate_, at_rest);
    inertia_.assign(v_.size(), zero);
    for (const JacobianEntry& entry : jacobian(pool_, momentum, v_)) {
      NodeId& row = inertia_[entry.row];
      row = pool_.add(row, pool_.mul(entry.value, v_rate_[entry.column]));
    }
    NodeId pv = zero;
    for (std::size_t i = 0; i < v_.size(); ++i) {
      force_.push_back(pool_.add(given[i], pool_.sub(gradient_q[i], drift[i])));
      pv = pool_.add(pv, pool_.mul(v_[i], momentum[i]));
    }
    energy_ = pool_.sub(pv, lagrangian);
  }

  /// Subtracts Gᵀλ from the forces.
  void constrain(const std::vector<NodeId>& constraints, const std::vector<NodeId>& multipliers) {
    for (const JacobianEntry& entry : jacobian(pool_, constraints, q_)) {
      NodeId& force = force_[entry.column];
      const NodeId multiplier = multipliers[entry.row];
      force = pool_.sub(force, pool_.mul(entry.value, multiplier));
    }
  }

  [[nodiscard]] Equality row(std::size_t i) {
    return {Expr(pool_, inertia_[i]), Expr(pool_, force_[i])};
  }
  [[nodiscard]] Expr energy() { return {pool_, energy_}; }

 private:
  Pool& pool_;
  std::vector<NodeId> q_, v_, q_rate_, v_rate_;
  std::vector<NodeId> inertia_, force_;
  NodeId energy_ = no_node;
};

void check_holonomic(const Pool& pool, const std::unordered_map<NodeId, std::size_t>& positions,
                     NodeId g, const std::string& name) {
  for (const NodeId leaf : dependencies(pool, std::span(&g, 1))) {
    if (pool[leaf].op != Op::variable || positions.contains(leaf)) continue;
    ModelError error(ErrorCode::not_recognized,
                     fmt::format("The constraint '{}' depends on velocities: a Lagrangian takes "
                                 "constraints on positions and time, 0 = g(q, t).",
                                 name));
    error.with_equations({name});
    throw error;
  }
}

}  // namespace

Lagrangian::Lagrangian(std::string name, std::string description)
    : builder_(std::move(name), std::move(description)) {}

Coordinate Lagrangian::coordinate(const std::string& name, const CoordinateOptions& options) {
  const Expr q = builder_.variable(name, {.start = options.start,
                                          .fixed = options.fixed,
                                          .nominal = options.nominal,
                                          .unit = options.unit,
                                          .description = options.description});
  const std::string velocity =
      options.velocity_name.empty() ? fmt::format("der({})", name) : options.velocity_name;
  const Expr v = builder_.variable(velocity, {.start = options.velocity_start,
                                              .fixed = options.velocity_fixed,
                                              .nominal = options.velocity_nominal});
  index_.emplace(q.id(), coordinates_.size());
  coordinates_.push_back({q, v});
  names_.push_back(name);
  forces_.emplace_back(0.0);
  return coordinates_.back();
}

Expr Lagrangian::parameter(const std::string& name, Expr value, const ParameterOptions& options) {
  return builder_.parameter(name, value, options);
}

Expr Lagrangian::time() {
  return builder_.time();
}

void Lagrangian::kinetic_energy(Expr t) {
  kinetic_ += t;
}

void Lagrangian::potential_energy(Expr v) {
  potential_ += v;
}

void Lagrangian::force(const Coordinate& coordinate, Expr q) {
  const auto found = index_.find(coordinate.q.id());
  if (found == index_.end()) {
    throw ModelError(ErrorCode::unknown_name,
                     "A force acts on a coordinate that this Lagrangian does not have.");
  }
  forces_[found->second] += q;
}

void Lagrangian::constraint(Expr g, const std::string& name) {
  constraints_.push_back(
      {g, name.empty() ? fmt::format("constraint {}", constraints_.size() + 1) : name});
}

Model Lagrangian::build() {
  Pool& pool = builder_.pool();
  EquationsOfMotion motion(pool, coordinates_);
  motion.derive(kinetic_ - potential_, forces_);
  std::vector<NodeId> constraints, multipliers;
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    constraints.push_back(constraints_[i].g.in(pool));
    check_holonomic(pool, index_, constraints.back(), constraints_[i].name);
    multipliers.push_back(builder_.variable(fmt::format("lambda[{}]", i + 1)).in(pool));
  }
  motion.constrain(constraints, multipliers);
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    builder_.equation(der(coordinates_[i].q) == coordinates_[i].v, "velocity of " + names_[i]);
  }
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    builder_.equation(motion.row(i), "motion of " + names_[i]);
  }
  for (const Constraint& constraint : constraints_) {
    builder_.equation(constraint.g == 0, constraint.name);
  }
  builder_.energy(motion.energy());
  return builder_.build();
}

}  // namespace daedal
