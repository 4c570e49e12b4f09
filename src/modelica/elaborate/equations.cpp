// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/equations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "modelica/elaborate/elaborator.hpp"

namespace daedal::modelica {

void Equations::collect_assigned(const ClassDefinition& model) {
  collect_assigned(model.equations, false);
  for (const std::vector<StatementId>& section : model.algorithms) collect_assigned(section, false);
}

void Equations::collect_assigned(const std::vector<StatementId>& statements, bool in_when) {
  for (const StatementId id : statements) {
    const Statement& statement = hub_.context.ast.statement(id);
    const bool inside = in_when || statement.kind == StatementKind::when;
    const bool assigns =
        statement.kind == StatementKind::equality || statement.kind == StatementKind::assignment;
    if (inside && assigns) collect_target(statement.lhs);
    for (const Branch& branch : statement.branches) collect_assigned(branch.body, inside);
  }
}

void Equations::collect_target(ExprId target) {
  const Ast& ast = hub_.context.ast;
  if (target == none) return;
  const ExprNode& node = ast.expr(target);
  if (node.kind == ExprKind::tuple) {
    for (std::int32_t i = 0; i < node.n_children; ++i) collect_target(ast.child(node, i));
    return;
  }
  if (node.kind != ExprKind::reference) return;
  std::string name;
  for (std::int32_t i = 0; i < node.n_parts; ++i) {
    name += (i > 0 ? "." : "") + ast.text(ast.part(node, i).text);
  }
  hub_.components.assigned_in_when.insert(name);
}

void Equations::read(const ClassDefinition& model) {
  read_section(model.equations, Section::equation);
  for (const std::vector<StatementId>& section : model.algorithms) read_algorithm(section);
  const Restored sink(sink_, &initial_equations_);
  const Restored instant(hub_.context.instant, true);
  const Restored boundary(hub_.functions.takes_boundary_values, true);
  read_section(model.initial_equations, Section::initial);
  for (const std::vector<StatementId>& section : model.initial_algorithms) read_algorithm(section);
}

void Equations::read_section(const std::vector<StatementId>& section, Section kind) {
  for (const StatementId id : section) {
    const Statement& statement = hub_.context.ast.statement(id);
    try {
      const bool deferrable =
          kind == Section::equation && statement.kind == StatementKind::equality;
      if (deferrable && skipped.contains(key(statement.where))) continue;
      if (deferrable) {
        read_deferring(statement);
      } else {
        read(statement);
      }
    } catch (const Abandon&) {
      // Reported; the next equation may have something to say as well.
    }
  }
}

void Equations::read_deferring(const Statement& statement) {
  try {
    const Restored defer(hub_.functions.defer_undefined, true);
    read(statement);
  } catch (const UndefinedFunction& undefined) {
    UndefinedEquation equation{
        .where = statement.where, .call = undefined.where, .message = undefined.message};
    if (hub_.context.ast.expr(statement.lhs).kind == ExprKind::reference) {
      equation.determined = hub_.expressions.evaluate(statement.lhs).nodes;
    }
    undefined_.push_back(std::move(equation));
  }
}

void Equations::read(const Statement& statement) {
  const Deeper deeper(hub_.context, statement.where);
  hub_.context.spend(1, statement.where);
  switch (statement.kind) {
    case StatementKind::equality:
      return read_equality(statement);
    case StatementKind::call:
      return read_call(statement);
    case StatementKind::if_:
      return read_if(statement);
    case StatementKind::for_:
      return read_for(statement, 0);
    case StatementKind::when:
      return read_when(statement);
    case StatementKind::assignment:
    case StatementKind::return_:
    case StatementKind::break_:
    case StatementKind::while_:
      hub_.context.fail(ErrorCode::unsupported, statement.where,
                        "Assignments, 'while', 'return' and 'break' belong to algorithms.");
  }
}

/// The text of the equation, shortened: it names the equation in messages.
std::string Equations::name_of(const Statement& statement) const {
  constexpr std::size_t longest = 60;
  std::string name;
  for (const char c : hub_.context.text.substr(statement.begin, statement.end - statement.begin)) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (blank && (name.empty() || name.back() == ' ')) continue;
    if (name.size() >= longest) {
      // Never in the middle of a UTF-8 character.
      while (!name.empty() && (static_cast<unsigned char>(name.back()) & 0xC0U) == 0x80U) {
        name.pop_back();
      }
      if (!name.empty() && static_cast<unsigned char>(name.back()) >= 0x80U) name.pop_back();
      name += "...";
      break;
    }
    name += blank ? ' ' : c;
  }
  return name + loop_suffix_;
}

void Equations::read_equality(const Statement& statement) {
  if (hub_.context.ast.expr(statement.lhs).kind == ExprKind::tuple) return read_tuple(statement);
  const Value lhs = hub_.expressions.evaluate(statement.lhs);
  const Value rhs = hub_.expressions.evaluate(statement.rhs);
  add_equality(lhs, rhs, statement.where, name_of(statement));
}

void Equations::read_tuple(const Statement& statement) {
  const Ast& ast = hub_.context.ast;
  const ExprNode& target = ast.expr(statement.lhs);
  const ExprNode& source = ast.expr(statement.rhs);
  if (source.kind != ExprKind::call) {
    hub_.context.fail(ErrorCode::type_mismatch, source.where,
                      "A list of variables equals a function call only.");
  }
  const std::vector<Value> results = hub_.functions.call_all(source);
  for (std::int32_t i = 0; i < target.n_children; ++i) {
    const ExprId variable = ast.child(target, i);
    if (variable == none) continue;
    if (static_cast<std::size_t>(i) >= results.size()) {
      hub_.context.fail(ErrorCode::type_mismatch, ast.expr(variable).where,
                        fmt::format("The function has {} results only.", results.size()));
    }
    add_equality(hub_.expressions.evaluate(variable), results[static_cast<std::size_t>(i)],
                 statement.where, name_of(statement));
  }
}

void Equations::add_equality(const Value& lhs, const Value& rhs, Position where,
                             const std::string& name) {
  if (lhs.type == Type::scattered && rhs.type == Type::record) {
    return add_equality(hub_.expressions.conform(lhs, rhs, where, "other side"), rhs, where, name);
  }
  if (rhs.type == Type::scattered && lhs.type == Type::record) {
    return add_equality(lhs, hub_.expressions.conform(rhs, lhs, where, "other side"), where, name);
  }
  const bool numbers = lhs.is_number() && rhs.is_number();
  if (lhs.shape != rhs.shape || (!numbers && lhs.type != rhs.type) || lhs.type == Type::scattered ||
      lhs.parts.size() != rhs.parts.size()) {
    const bool is_number_of_boolean =
        lhs.shape == rhs.shape && ((lhs.type == Type::boolean && rhs.is_number()) ||
                                   (rhs.type == Type::boolean && lhs.is_number()));
    hub_.context.fail(
        ErrorCode::type_mismatch, where,
        fmt::format("The sides of this equation do not fit: {} on the left, {} on "
                    "the right.{}",
                    describe(lhs), describe(rhs),
                    is_number_of_boolean ? " Write 'if ... then 1 else 0' to make a number of a "
                                           "Boolean."
                                         : ""));
  }
  for (std::size_t i = 0; i < lhs.parts.size(); ++i) {
    add_equality(lhs.parts[i], rhs.parts[i], where, name);
  }
  const Type type = lhs.type == Type::real || rhs.type == Type::real ? Type::real : lhs.type;
  for (std::size_t i = 0; i < lhs.nodes.size(); ++i) {
    const bool assigns_integer = lhs.type == Type::integer && type == Type::real &&
                                 hub_.context.pool[lhs.nodes[i]].op == Op::discrete;
    if (assigns_integer && (hub_.context.instant || !hub_.structure.is_continuous(rhs.nodes[i]))) {
      hub_.context.fail(ErrorCode::type_mismatch, where,
                        "This equation gives an Integer a Real value: round it with integer().");
    }
    const auto at = static_cast<std::int64_t>(i);
    sink_->push_back(
        {lhs.nodes[i], rhs.nodes[i], type, where, name + subscript_text(lhs.shape, at)});
  }
}

void Equations::add_binding(const BindingEquation& binding) {
  try {
    const Restored defer(hub_.functions.defer_undefined, true);
    add_binding_now(binding);
  } catch (const UndefinedFunction& undefined) {
    undefined_.push_back({.determined = leaves(binding.target),
                          .where = binding.where,
                          .call = undefined.where,
                          .message = undefined.message});
  }
}

void Equations::add_binding_now(const BindingEquation& binding) {
  const Position where = hub_.context.ast.expr(binding.expression).where;
  const Value value =
      hub_.expressions.conform(hub_.expressions.evaluate(binding.expression), binding.target, where,
                               fmt::format("variable '{}'", binding.name));
  add_equality(binding.target, value, binding.where, fmt::format("{} = ...", binding.name));
}

void Equations::add_discrete(NodeId discrete, NodeId value, Position where) {
  assigned_discretes_.insert(hub_.context.pool[discrete].symbol);
  other_uses_.push_back(value);
  hub_.context.builder.discrete_equation({hub_.context.pool, discrete}, {hub_.context.pool, value},
                                         hub_.context.diagnostics.source(where));
}

void Equations::read_for(const Statement& statement, std::size_t iterator) {
  if (iterator == statement.iterators.size()) {
    for (const StatementId id : statement.branches.front().body) {
      read(hub_.context.ast.statement(id));
    }
    return;
  }
  const Iterator& index = statement.iterators[iterator];
  for (Value& value : hub_.expressions.values_of_range(index.range)) {
    const Restored suffix(loop_suffix_);
    if (const auto number = hub_.structure.peek(value.node())) {
      loop_suffix_ += fmt::format("{}{} = {}", loop_suffix_.empty() ? " at " : ", ",
                                  hub_.context.ast.text(index.name), *number);
    }
    const Expressions::LoopIndex bound(hub_.expressions, index.name, std::move(value));
    hub_.context.spend(1, statement.where);
    read_for(statement, iterator + 1);
  }
}

void Equations::read_call(const Statement& statement) {
  const ExprNode& node = hub_.context.ast.expr(statement.lhs);
  const std::string& name = hub_.context.ast.text(node.text);
  if (name == "assert") return add_assertion(node, path_);
  if (name == "reinit" || name == "terminate") {
    hub_.context.fail(ErrorCode::syntax, statement.where,
                      fmt::format("'{}' belongs into a when-clause.", name));
  }
  if (hub_.functions.leave_out_effect(node)) return;
  if (!hub_.functions.call_all(node).empty()) {
    hub_.context.fail(
        ErrorCode::syntax, statement.where,
        fmt::format("Expected '=' after the call of '{}': its result is not used.", name));
  }
}

std::string Equations::message(ExprId argument) {
  const Value value = hub_.expressions.evaluate(argument);
  if (value.type != Type::string || value.strings.empty()) {
    hub_.context.fail(ErrorCode::type_mismatch, hub_.context.ast.expr(argument).where,
                      fmt::format("A message must be a String, not {}.", describe(value)));
  }
  return value.strings.front();
}

/// The arguments of assert(condition, message, level), also given by these names.
Equations::AssertArguments Equations::assert_arguments(const ExprNode& call) {
  const Ast& ast = hub_.context.ast;
  constexpr std::array<std::string_view, 3> names{"condition", "message", "level"};
  AssertArguments arguments{none, none, none};
  for (std::int32_t i = 0; i < call.n_children; ++i) {
    const ExprNode& argument = ast.expr(ast.child(call, i));
    auto place = static_cast<std::size_t>(i);
    if (argument.kind == ExprKind::named) {
      place = static_cast<std::size_t>(
          std::find(names.begin(), names.end(), ast.text(argument.text)) - names.begin());
    }
    if (place >= names.size() || arguments[place] != none) {
      hub_.context.fail(ErrorCode::type_mismatch, argument.where,
                        "'assert' takes a condition, a message and possibly a level.");
    }
    arguments[place] =
        argument.kind == ExprKind::named ? ast.child(argument, 0) : ast.child(call, i);
  }
  if (arguments[0] != none && arguments[1] != none) return arguments;
  hub_.context.fail(ErrorCode::type_mismatch, call.where,
                    "'assert' takes a condition, a message and possibly a level.");
}

void Equations::add_assertion(const ExprNode& call, NodeId path) {
  Pool& pool = hub_.context.pool;
  const auto [condition, text, level_argument] = assert_arguments(call);
  Assertion assertion{.where = hub_.context.diagnostics.source(call.where)};
  assertion.condition = hub_.expressions.condition(condition);
  assertion.message = message(text);
  if (level_argument != none) {
    const Value level = hub_.expressions.evaluate(level_argument);
    const auto number = level.type == Type::enumeration && level.is_scalar()
                            ? hub_.structure.fix(level.node())
                            : std::nullopt;
    if (!number) {
      hub_.context.fail(ErrorCode::type_mismatch, call.where,
                        "The level of 'assert' must be AssertionLevel.warning or error.");
    }
    assertion.warning = *number == 1.0;
  }
  if (path != no_node) {
    assertion.condition =
        pool.binary(Op::logical_or, pool.unary(Op::logical_not, path), assertion.condition);
  }
  const Node constant = pool[assertion.condition];
  if (constant.op == Op::constant && constant.value != 0.0) return;
  if (constant.op == Op::constant && !assertion.warning) {
    hub_.context.fail(ErrorCode::invalid_value, call.where,
                      fmt::format("This assertion can never hold: {}", assertion.message));
  }
  other_uses_.push_back(assertion.condition);
  hub_.context.builder.assertion(std::move(assertion));
}

}  // namespace daedal::modelica
