// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/equations/lagrangian_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "expr/calculus.hpp"
#include "model/equations_of_motion.hpp"
#include "modelica/elaborate/components.hpp"
#include "modelica/elaborate/expressions/expressions.hpp"

namespace daedal::modelica {

void LagrangianSection::read(const Statement& statement, const std::string& suffix) {
  if (begin_.line == 0) begin_ = statement.where;
  switch (statement.kind) {
    case StatementKind::coordinates:
      return read_coordinates(context_.ast.expr(statement.lhs));
    case StatementKind::kinetic:
      has_kinetic_ = true;
      energies_.push_back({.value = expressions_.number(statement.lhs, "A kinetic energy"),
                           .what = "kinetic energy",
                           .where = statement.where});
      return;
    case StatementKind::potential: {
      const NodeId value = expressions_.number(statement.lhs, "A potential energy");
      energies_.push_back({.value = context_.pool.neg(value),
                           .what = "potential energy",
                           .where = statement.where});
      return;
    }
    case StatementKind::force:
      return equalities_.read(statement, suffix, forces_);
    default:
      return equalities_.read(statement, suffix, constraints_);
  }
}

void LagrangianSection::read_coordinates(const ExprNode& list) {
  for (const ExprId id : context_.ast.children_of(list)) {
    const Position where = context_.ast.expr(id).where;
    for (const NodeId leaf : leaves(expressions_.evaluate(id))) {
      const Node& node = context_.pool[leaf];
      if (node.op != Op::variable || node.order != 0 || components_.is_input(leaf)) {
        context_.fail(ErrorCode::type_mismatch, where,
                      "A coordinate must be a Real variable of the model whose motion is sought.");
      }
      if (!places_.emplace(leaf, coordinates_.size()).second) {
        context_.fail(ErrorCode::duplicate_name, where,
                      fmt::format("'{}' is a coordinate already.", name_of(leaf)));
      }
      coordinates_.push_back({.position = leaf, .where = where});
    }
  }
}

const std::string& LagrangianSection::name_of(NodeId variable) const {
  return components_.variable_name(context_.pool[variable].symbol);
}

std::string LagrangianSection::coordinate_names() const {
  std::vector<std::string> names;
  for (const Coordinate& coordinate : coordinates_) names.push_back(name_of(coordinate.position));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Equations `variable = expression` or the other way round, the first one of each variable.
void LagrangianSection::find_definitions(const FlatEquations& equations) {
  const auto define = [&](NodeId variable, NodeId value) {
    const Node& node = context_.pool[variable];
    return node.op == Op::variable && node.order == 0 && !places_.contains(variable) &&
           !components_.is_input(variable) && definitions_.emplace(variable, value).second;
  };
  for (const FlatEquation& equation : equations) {
    if (!define(equation.lhs, equation.rhs)) define(equation.rhs, equation.lhs);
  }
}

/// The model's own names of velocities (v = der(x)), or new ones.
void LagrangianSection::find_velocities(FlatEquations& equations) {
  std::unordered_map<NodeId, NodeId> named;
  for (const FlatEquation& equation : equations) {
    for (const auto& [variable, rate] :
         {std::pair(equation.lhs, equation.rhs), std::pair(equation.rhs, equation.lhs)}) {
      const auto found = definitions_.find(variable);
      if (found != definitions_.end() && found->second == rate) named.emplace(rate, variable);
    }
  }
  for (Coordinate& coordinate : coordinates_) {
    const NodeId rate = context_.pool.variable(context_.pool[coordinate.position].symbol, 1);
    if (const auto found = named.find(rate); found != named.end()) {
      coordinate.velocity = found->second;
      definitions_.erase(found->second);
    } else {
      const std::string name = name_of(coordinate.position);
      coordinate.velocity = components_.add_variable(fmt::format("der({})", name));
      equations.push_back({.lhs = rate,
                           .rhs = coordinate.velocity,
                           .where = coordinate.where,
                           .name = "velocity of " + name});
    }
    velocities_.emplace(coordinate.velocity, places_.at(coordinate.position));
  }
}

/// What a variable stands for: itself where it may stay.
NodeId LagrangianSection::resolve_leaf(NodeId leaf, const Term& term) const {
  Pool& pool = context_.pool;
  const Node node = pool[leaf];
  if (node.op != Op::variable) return leaf;
  const NodeId variable = pool.variable(node.symbol, 0);
  if (components_.is_input(variable)) return leaf;
  const auto velocity = velocities_.find(variable);
  const bool is_velocity = velocity != velocities_.end();
  if (is_velocity || places_.contains(variable)) {
    const int order = node.order + (is_velocity ? 1 : 0);
    if (order <= term.highest) return leaf;
    context_.fail(
        ErrorCode::unsupported, term.where,
        fmt::format("The {} depends on {}, here of '{}'; it may contain {}.", term.what,
                    order == 1 ? "velocities" : "accelerations",
                    name_of(is_velocity ? coordinates_[velocity->second].position : variable),
                    term.highest == 0 ? "positions and time alone, 0 = g(q, t)"
                                      : "positions, velocities and time"));
  }
  const auto found = definitions_.find(variable);
  if (found == definitions_.end()) {
    context_.fail(ErrorCode::unknown_name, term.where,
                  fmt::format("The {} depends on '{}', which is not a coordinate, and no equation "
                              "'{} = ...' says how it follows from them. The coordinates are: {}.",
                              term.what, name_of(variable), name_of(variable), coordinate_names()));
  }
  std::vector<NodeId> value{found->second};
  for (int order = 0; order < node.order; ++order) value = total_time_derivative(pool, value);
  return value.front();
}

NodeId LagrangianSection::resolve(const Term& term) const {
  NodeId value = term.value;
  for (std::size_t round = 0; round <= definitions_.size(); ++round) {
    std::vector<NodeId> from, to;
    for (const NodeId leaf : dependencies(context_.pool, std::span(&value, 1))) {
      const NodeId meant = resolve_leaf(leaf, term);
      if (meant == leaf) continue;
      from.push_back(leaf);
      to.push_back(meant);
    }
    if (from.empty()) return value;
    value = substitute(context_.pool, std::span(&value, 1), from, to).front();
  }
  context_.fail(ErrorCode::unsupported, term.where,
                fmt::format("The {} depends on variables that are defined by each other; it must "
                            "follow from the coordinates by equations 'variable = expression'.",
                            term.what));
}

void LagrangianSection::constrain(FlatEquation& constraint) {
  bool has_position = false;
  for (NodeId* side : {&constraint.lhs, &constraint.rhs}) {
    *side =
        resolve({.value = *side, .what = "constraint", .where = constraint.where, .highest = 0});
    for (const NodeId leaf : dependencies(context_.pool, std::span(side, 1))) {
      has_position = has_position || places_.contains(leaf);
    }
  }
  if (has_position) return;
  context_.fail(
      ErrorCode::unbalanced, constraint.where,
      fmt::format("The constraint contains none of the coordinates: {}.", coordinate_names()));
}

std::vector<NodeId> LagrangianSection::total_forces() const {
  Pool& pool = context_.pool;
  std::vector<NodeId> total(coordinates_.size(), pool.constant(0.0));
  for (const FlatEquation& force : forces_) {
    const auto place = places_.find(force.lhs);
    if (place == places_.end()) {
      context_.fail(ErrorCode::unknown_name, force.where,
                    fmt::format("A force must act on a coordinate: 'force x = ...' with one of {}.",
                                coordinate_names()));
    }
    total[place->second] = pool.add(total[place->second], force.rhs);
  }
  return total;
}

void LagrangianSection::check_complete() const {
  if (coordinates_.empty()) {
    context_.fail(ErrorCode::unbalanced, begin_,
                  "A lagrangian section must name its coordinates: 'coordinates x, y;'.");
  }
  if (!has_kinetic_) {
    context_.fail(ErrorCode::unbalanced, begin_,
                  "A lagrangian section must state a kinetic energy: 'kinetic m/2*der(x)^2;'.");
  }
  if (!constraints_.empty() && components_.find("lambda") != nullptr) {
    context_.fail(ErrorCode::duplicate_name, constraints_.front().where,
                  "The multipliers of constraints are called lambda[1], lambda[2], ...: give the "
                  "model's own 'lambda' another name.");
  }
}

void LagrangianSection::derive(FlatEquations& equations) {
  // After mistakes in the section what is left of it would only make more of them.
  if (begin_.line == 0 || context_.diagnostics.count() > 0) return;
  try {
    derive_now(equations);
  } catch (const Abandon&) {
    // Reported.
  }
}

void LagrangianSection::derive_now(FlatEquations& equations) {
  Pool& pool = context_.pool;
  check_complete();
  find_definitions(equations);
  find_velocities(equations);
  MotionStatement statement{.lagrangian = pool.constant(0.0), .forces = total_forces()};
  for (const Coordinate& coordinate : coordinates_) {
    statement.positions.push_back(coordinate.position);
    statement.velocities.push_back(coordinate.velocity);
  }
  for (const Term& energy : energies_) {
    statement.lagrangian = pool.add(statement.lagrangian, resolve(energy));
  }
  for (FlatEquation& constraint : constraints_) {
    constrain(constraint);
    statement.constraints.push_back(pool.sub(constraint.lhs, constraint.rhs));
    statement.multipliers.push_back(
        components_.add_variable(fmt::format("lambda[{}]", statement.constraints.size())));
  }
  const EquationsOfMotion motion = derive_motion(pool, statement);
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    equations.push_back({.lhs = motion.inertia[i],
                         .rhs = motion.force[i],
                         .where = coordinates_[i].where,
                         .name = "motion of " + name_of(coordinates_[i].position)});
  }
  equations.insert(equations.end(), constraints_.begin(), constraints_.end());
  context_.builder.energy({pool, motion.energy});
}

}  // namespace daedal::modelica
