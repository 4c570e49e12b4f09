// SPDX-License-Identifier: BSD-3-Clause
#include "draft.hpp"

namespace daedal::python {

namespace {

/// The expression of a node, given those of its arguments; leaves are the caller's.
Expr expression_of(const TapeNode& node, Expr a, Expr b, Expr c) {
  switch (node.op) {
    case TapeOp::add:
      return a + b;
    case TapeOp::subtract:
      return a - b;
    case TapeOp::multiply:
      return a * b;
    case TapeOp::divide:
      return a / b;
    case TapeOp::negate:
      return -a;
    case TapeOp::power:
      return pow(a, b);
    case TapeOp::integer_power:
      return pow(a, node.number);
#define DAEDAL_CASE(name, ...) \
  case TapeOp::name:           \
    return daedal::name(a);
      DAEDAL_ELEMENTARY_FUNCTIONS(DAEDAL_CASE)
#undef DAEDAL_CASE
    case TapeOp::atan2:
      return daedal::atan2(a, b);
    case TapeOp::minimum:
      return daedal::min(a, b);
    case TapeOp::maximum:
      return daedal::max(a, b);
    case TapeOp::less:
      return a < b;
    case TapeOp::less_equal:
      return a <= b;
    case TapeOp::greater:
      return a > b;
    case TapeOp::greater_equal:
      return a >= b;
    case TapeOp::logical_and:
      return a && b;
    case TapeOp::logical_or:
      return a || b;
    case TapeOp::logical_not:
      return !a;
    case TapeOp::if_else:
      return daedal::if_else(a, b, c);
    case TapeOp::no_event:
      return daedal::no_event(a);
    default:
      return node.value;
  }
}

/// floor(a) as a discrete variable, so that its jumps are located: it changes when `a` leaves
/// [before, before + 1), by at least one, because rounding may leave `a` on either side there.
Expr held_floor(ModelBuilder& builder, Expr a, std::size_t number) {
  const Expr held =
      builder.discrete("$floor" + std::to_string(number),
                       {.start = Expr(0.0), .fixed = true, .type = ValueType::integer});
  const Expr before = builder.pre(held);
  const Expr up = daedal::max(daedal::floor(a), before + 1.0);
  const Expr down = daedal::min(daedal::floor(a), before - 1.0);
  const Expr moved =
      daedal::if_else(a >= before + 1.0, up, daedal::if_else(a < before, down, before));
  builder.discrete_equation(held, moved);
  return held;
}

}  // namespace

TapeId Draft::variable(VariableDraft variable) {
  variables.push_back(std::move(variable));
  return tape.make(TapeOp::variable, no_id, no_id, no_id,
                   static_cast<std::int32_t>(variables.size() - 1));
}

TapeId Draft::discrete(VariableDraft variable) {
  discretes.push_back(std::move(variable));
  return tape.make(TapeOp::discrete, no_id, no_id, no_id,
                   static_cast<std::int32_t>(discretes.size() - 1));
}

TapeId Draft::parameter(ParameterDraft parameter) {
  parameters.push_back(std::move(parameter));
  return tape.make(TapeOp::parameter, no_id, no_id, no_id,
                   static_cast<std::int32_t>(parameters.size() - 1));
}

bool Draft::is_number(TapeId id) const {
  const TapeNode& node = tape[id];
  const auto number = static_cast<std::size_t>(node.number);
  switch (node.op) {
    case TapeOp::constant:
      return node.value != 0.0 && node.value != 1.0;
    case TapeOp::discrete:
      return discretes[number].options.type != ValueType::boolean;
    case TapeOp::sample:
      return false;
    case TapeOp::if_else:
      return is_number(node.b) || is_number(node.c);
    case TapeOp::previous:
    case TapeOp::no_event:
      return is_number(node.a);
    default:
      return node.op < TapeOp::less || node.op > TapeOp::logical_not;
  }
}

TapeId Draft::time() {
  if (time_ == no_id) time_ = tape.make(TapeOp::time);
  return time_;
}

Expr Draft::derivative(const TapeLeaves&, const TapeNode& node, Expr base) const {
  return der(base, node.number);
}

std::vector<Expr> Draft::replay(ModelBuilder& builder, const TapeLeaves& leaves,
                                const std::vector<TapeId>& roots) const {
  const std::vector<bool> wanted = tape.used(roots);
  const std::vector<bool> jumps = tape.jumping_floors(roots);
  std::vector<Expr> expressions(tape.size());
  const auto of = [&](TapeId id) {
    return id == no_id ? Expr() : expressions[static_cast<std::size_t>(id)];
  };
  for (std::size_t i = 0; i < tape.size(); ++i) {
    if (!wanted[i]) continue;
    const TapeNode& node = tape[static_cast<TapeId>(i)];
    const auto number = static_cast<std::size_t>(node.number);
    switch (node.op) {
      case TapeOp::time:
        expressions[i] = leaves.time;
        break;
      case TapeOp::variable:
        expressions[i] = leaves.variables[number];
        break;
      case TapeOp::discrete:
        expressions[i] = leaves.discretes[number];
        break;
      case TapeOp::parameter:
        expressions[i] = leaves.parameters[number];
        break;
      case TapeOp::derivative:
        expressions[i] = derivative(leaves, node, of(node.a));
        break;
      case TapeOp::previous:
        expressions[i] = builder.pre(of(node.a));
        break;
      case TapeOp::final_value:
        expressions[i] = builder.final_value(of(node.a));
        break;
      case TapeOp::sample:
        expressions[i] = builder.sample(of(node.a), of(node.b));
        break;
      default:
        expressions[i] = jumps[i] && boundary_equations.empty()
                             ? held_floor(builder, of(node.a), i)
                             : expression_of(node, of(node.a), of(node.b), of(node.c));
        break;
    }
  }
  return expressions;
}

std::vector<TapeId> Draft::roots() const {
  std::vector<TapeId> found{energy};
  for (const auto* list : {&equations, &initial_equations, &boundary_equations}) {
    for (const EquationDraft& equation : *list)
      found.insert(found.end(), {equation.lhs, equation.rhs});
  }
  for (const auto* list : {&variables, &discretes}) {
    for (const VariableDraft& variable : *list) found.push_back(variable.start);
  }
  for (const ParameterDraft& parameter : parameters) found.push_back(parameter.value);
  for (const WhenDraft& when : whens) {
    found.push_back(when.condition);
    for (const ActionDraft& action : when.actions) found.push_back(action.value);
  }
  for (const AssertionDraft& assertion : assertions) found.push_back(assertion.condition);
  return found;
}

void Draft::declare_parameters(ModelBuilder& builder, TapeLeaves& leaves) const {
  leaves.time = builder.time();
  for (const ParameterDraft& parameter : parameters) {
    leaves.parameters.push_back(builder.parameter(parameter.name, parameter.options));
  }
  for (const VariableDraft& discrete : discretes) {
    leaves.discretes.push_back(builder.discrete(discrete.name, discrete.options));
  }
}

void Draft::fill(ModelBuilder& builder, const TapeLeaves& leaves,
                 const std::vector<Expr>& expressions) const {
  const auto of = [&](TapeId id) { return expressions[static_cast<std::size_t>(id)]; };
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].value != no_id)
      builder.set_parameter(leaves.parameters[i], of(parameters[i].value));
  }
  for (std::size_t i = 0; i < discretes.size(); ++i) {
    if (discretes[i].start != no_id) builder.set_start(leaves.discretes[i], of(discretes[i].start));
  }
  for (const EquationDraft& equation : equations) {
    builder.equation(of(equation.lhs) == of(equation.rhs), equation.name, equation.where);
  }
  for (const EquationDraft& equation : initial_equations) {
    builder.initial_equation(of(equation.lhs) == of(equation.rhs), equation.name, equation.where);
  }
  for (const EquationDraft& equation : boundary_equations) {
    builder.boundary_equation(of(equation.lhs) == of(equation.rhs), equation.name, equation.where);
  }
  const auto node_of = [&](TapeId id) { return id == no_id ? no_node : of(id).in(builder.pool()); };
  for (const WhenDraft& when : whens) {
    WhenBranch branch{.condition = node_of(when.condition)};
    for (const ActionDraft& action : when.actions) {
      branch.actions.push_back({.kind = action.kind,
                                .target = action.target,
                                .value = node_of(action.value),
                                .message = action.message,
                                .where = when.where});
    }
    builder.when({.branches = {std::move(branch)}, .where = when.where});
  }
  for (const AssertionDraft& assertion : assertions) {
    builder.assertion({.condition = node_of(assertion.condition),
                       .message = assertion.message,
                       .warning = assertion.warning});
  }
  if (energy != no_id) builder.energy(of(energy));
}

Model Draft::build() const {
  ModelBuilder builder(name_, description_);
  TapeLeaves leaves;
  declare_parameters(builder, leaves);
  for (const VariableDraft& variable : variables) {
    leaves.variables.push_back(builder.variable(variable.name, variable.options));
  }
  const std::vector<Expr> expressions = replay(builder, leaves, roots());
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].start == no_id) continue;
    builder.set_start(leaves.variables[i],
                      expressions[static_cast<std::size_t>(variables[i].start)]);
  }
  fill(builder, leaves, expressions);
  return builder.build();
}

std::pair<TapeId, TapeId> LagrangianDraft::coordinate(CoordinateDraft coordinate) {
  const std::string velocity = coordinate.options.velocity_name.empty()
                                   ? "der(" + coordinate.name + ")"
                                   : coordinate.options.velocity_name;
  const TapeId q = variable({.name = coordinate.name});
  const TapeId v = variable({.name = velocity});
  coordinates.push_back(std::move(coordinate));
  return {q, v};
}

Expr LagrangianDraft::derivative(const TapeLeaves& leaves, const TapeNode& node, Expr base) const {
  const TapeNode& argument = tape[node.a];
  // Energies are functions of positions and velocities: der(q) is the velocity of q.
  if (argument.op == TapeOp::variable && argument.number % 2 == 0 && node.number >= 1) {
    const Expr velocity = leaves.variables[static_cast<std::size_t>(argument.number) + 1];
    return node.number == 1 ? velocity : der(velocity, node.number - 1);
  }
  return Draft::derivative(leaves, node, base);
}

Model LagrangianDraft::build() const {
  Lagrangian lagrangian(name(), description());
  ModelBuilder& builder = lagrangian.builder();
  TapeLeaves leaves;
  declare_parameters(builder, leaves);
  std::vector<Coordinate> made;
  for (const CoordinateDraft& draft : coordinates) {
    made.push_back(lagrangian.coordinate(draft.name, draft.options));
    leaves.variables.insert(leaves.variables.end(), {made.back().q, made.back().v});
  }
  std::vector<TapeId> needed = roots();
  needed.insert(needed.end(), kinetic.begin(), kinetic.end());
  needed.insert(needed.end(), potential.begin(), potential.end());
  for (const auto& [coordinate, force] : forces) needed.push_back(force);
  for (const auto& [g, name] : constraints) needed.push_back(g);
  for (const CoordinateDraft& draft : coordinates) {
    needed.insert(needed.end(), {draft.start, draft.velocity_start});
  }
  const std::vector<Expr> expressions = replay(builder, leaves, needed);
  const auto of = [&](TapeId id) { return expressions[static_cast<std::size_t>(id)]; };
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    if (coordinates[i].start != no_id) builder.set_start(made[i].q, of(coordinates[i].start));
    if (coordinates[i].velocity_start != no_id) {
      builder.set_start(made[i].v, of(coordinates[i].velocity_start));
    }
  }
  for (const TapeId term : kinetic) lagrangian.kinetic_energy(of(term));
  for (const TapeId term : potential) lagrangian.potential_energy(of(term));
  for (const auto& [coordinate, force] : forces) {
    lagrangian.force(made[static_cast<std::size_t>(coordinate)], of(force));
  }
  for (const auto& [g, name] : constraints) lagrangian.constraint(of(g), name);
  fill(builder, leaves, expressions);
  return lagrangian.build();
}

}  // namespace daedal::python
