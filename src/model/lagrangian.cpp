// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <daedal/lagrangian.hpp>
#include <utility>

#include "expr/calculus.hpp"
#include "expr/pool.hpp"
#include "model/equations_of_motion.hpp"

namespace daedal {

namespace {

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
  MotionStatement statement{.lagrangian = (kinetic_ - potential_).in(pool)};
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    statement.positions.push_back(coordinates_[i].q.in(pool));
    statement.velocities.push_back(coordinates_[i].v.in(pool));
    statement.forces.push_back(forces_[i].in(pool));
    builder_.equation(der(coordinates_[i].q) == coordinates_[i].v, "velocity of " + names_[i]);
  }
  for (const Constraint& constraint : constraints_) {
    statement.constraints.push_back(constraint.g.in(pool));
    check_holonomic(pool, index_, statement.constraints.back(), constraint.name);
    const std::string multiplier = fmt::format("lambda[{}]", statement.constraints.size());
    statement.multipliers.push_back(builder_.variable(multiplier).in(pool));
  }
  const EquationsOfMotion motion = derive_motion(pool, statement);
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    builder_.equation({{pool, motion.inertia[i]}, {pool, motion.force[i]}},
                      "motion of " + names_[i]);
  }
  for (const Constraint& constraint : constraints_) {
    builder_.equation(constraint.g == 0, constraint.name);
  }
  builder_.energy({pool, motion.energy});
  return builder_.build();
}

}  // namespace daedal
