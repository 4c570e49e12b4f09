// SPDX-License-Identifier: BSD-3-Clause
#include "model/equations_of_motion.hpp"

#include "expr/calculus.hpp"

namespace daedal {

EquationsOfMotion derive_motion(Pool& pool, const MotionStatement& statement) {
  const std::vector<NodeId>& q = statement.positions;
  const std::vector<NodeId>& v = statement.velocities;
  const NodeId zero = pool.constant(0.0);
  std::vector<NodeId> q_rate, v_rate;
  for (std::size_t i = 0; i < q.size(); ++i) {
    q_rate.push_back(pool.variable(pool[q[i]].symbol, 1));
    v_rate.push_back(pool.variable(pool[v[i]].symbol, 1));
  }
  const NodeId lagrangian =
      substitute(pool, std::span(&statement.lagrangian, 1), q_rate, v).front();
  const std::vector<NodeId> given = substitute(pool, statement.forces, q_rate, v);

  // M v' = Q + ∂L/∂q − (∂p/∂q v + ∂p/∂t), p = ∂L/∂v, M = ∂p/∂v: the left side of Poell & Hafner
  // (20) with d/dt written out.
  const std::vector<NodeId> momentum = gradient(pool, lagrangian, v);
  const std::vector<NodeId> gradient_q = gradient(pool, lagrangian, q);
  const auto rate = substitute(pool, total_time_derivative(pool, momentum), q_rate, v);
  const auto drift = substitute(pool, rate, v_rate, std::vector<NodeId>(v.size(), zero));
  EquationsOfMotion motion;
  motion.inertia.assign(v.size(), zero);
  // M is symmetric to the last bit: both halves are the same expressions, also where they cancel.
  const auto add_mass = [&](std::int32_t row, std::int32_t column, NodeId mass) {
    NodeId& sum = motion.inertia[static_cast<std::size_t>(row)];
    sum = pool.add(sum, pool.mul(mass, v_rate[static_cast<std::size_t>(column)]));
  };
  for (const JacobianEntry& entry : jacobian(pool, momentum, v)) {
    if (entry.row > entry.column) continue;
    add_mass(entry.row, entry.column, entry.value);
    if (entry.row < entry.column) add_mass(entry.column, entry.row, entry.value);
  }
  NodeId pv = zero;
  for (std::size_t i = 0; i < v.size(); ++i) {
    motion.force.push_back(pool.add(given[i], pool.sub(gradient_q[i], drift[i])));
    pv = pool.add(pv, pool.mul(v[i], momentum[i]));
  }
  motion.energy = pool.sub(pv, lagrangian);
  for (const JacobianEntry& entry : jacobian(pool, statement.constraints, q)) {
    NodeId& force = motion.force[static_cast<std::size_t>(entry.column)];
    const NodeId multiplier = statement.multipliers[static_cast<std::size_t>(entry.row)];
    force = pool.sub(force, pool.mul(entry.value, multiplier));
  }
  return motion;
}

}  // namespace daedal
