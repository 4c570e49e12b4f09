// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/equations/assertions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "modelica/elaborate/expressions/expressions.hpp"
#include "modelica/elaborate/expressions/structural_parameters.hpp"

namespace daedal::modelica {

std::string Assertions::message(ExprId argument) {
  const Value value = expressions_.evaluate(argument);
  if (value.type != Type::string || value.strings.empty()) {
    context_.fail(ErrorCode::type_mismatch, context_.ast.expr(argument).where,
                  fmt::format("A message must be a String, not {}.", describe(value)));
  }
  std::string text;
  for (const char c : value.strings.front()) text += c == open_text ? "..." : std::string(1, c);
  return text;
}

Assertions::Arguments Assertions::arguments(const ExprNode& call) const {
  const Ast& ast = context_.ast;
  constexpr std::array<std::string_view, 3> names{"condition", "message", "level"};
  Arguments result;
  const std::array<ExprId*, 3> places{&result.condition, &result.message, &result.level};
  std::size_t next = 0;
  for (const ExprId id : ast.children_of(call)) {
    const ExprNode& argument = ast.expr(id);
    std::size_t place = next++;
    if (argument.kind == ExprKind::named) {
      place = static_cast<std::size_t>(std::ranges::find(names, ast.text(argument.text)) -
                                       names.begin());
    }
    if (place >= names.size() || *places[place] != none) {
      context_.fail(ErrorCode::type_mismatch, argument.where,
                    "'assert' takes a condition, a message and possibly a level.");
    }
    *places[place] = argument.kind == ExprKind::named ? ast.child(argument, 0) : id;
  }
  if (result.condition != none && result.message != none) return result;
  context_.fail(ErrorCode::type_mismatch, call.where,
                "'assert' takes a condition, a message and possibly a level.");
}

void Assertions::add(const ExprNode& call, NodeId path) {
  const Arguments given = arguments(call);
  Assertion assertion{.where = context_.diagnostics.source(call.where)};
  assertion.condition = tolerant(expressions_.condition(given.condition));
  assertion.message = message(given.message);
  if (given.level != none) {
    const Value level = expressions_.evaluate(given.level);
    const auto number = level.type == Type::enumeration && level.is_scalar()
                            ? structure_.fix(level.node())
                            : std::nullopt;
    if (!number) {
      context_.fail(ErrorCode::type_mismatch, call.where,
                    "The level of 'assert' must be AssertionLevel.warning or error.");
    }
    assertion.warning = *number == 1.0;
  }
  require(std::move(assertion), path);
}

/// A quantity that only touches its bound passes it by the error of the run: an inequality holds
/// within 1e-6, the relative accuracy of a run that is not asked for another.
NodeId Assertions::tolerant(NodeId condition) {
  Pool& pool = context_.pool;
  const Node node = pool[condition];
  if (node.op == Op::logical_and || node.op == Op::logical_or)
    return pool.binary(node.op, tolerant(node.a), tolerant(node.b));
  const bool is_below = node.op == Op::less || node.op == Op::less_equal;
  if (!is_below && node.op != Op::greater && node.op != Op::greater_equal) return condition;
  const NodeId size =
      pool.binary(Op::max, pool.unary(Op::abs, node.a), pool.unary(Op::abs, node.b));
  const NodeId slack = pool.mul(pool.constant(is_below ? 1e-6 : -1e-6), size);
  const NodeId bound = pool.add(node.b, slack);
  return node.symbol < 0 ? pool.immediate_relation(node.op, node.a, bound)
                         : pool.relation(node.op, node.a, bound);
}

void Assertions::require(Assertion assertion, NodeId path) {
  Pool& pool = context_.pool;
  if (path != no_node) {
    assertion.condition =
        pool.binary(Op::logical_or, pool.unary(Op::logical_not, path), assertion.condition);
  }
  const Node constant = pool[assertion.condition];
  if (constant.op == Op::constant && constant.value != 0.0) return;
  if (constant.op == Op::constant && !assertion.warning) {
    context_.fail(ErrorCode::invalid_value, {assertion.where.line, assertion.where.column},
                  fmt::format("This assertion can never hold: {}", assertion.message));
  }
  context_.uses.push_back({.node = assertion.condition, .unit = context_.unit});
  context_.builder.assertion(std::move(assertion));
}

bool Assertions::read_call(const ExprNode& call, NodeId path) {
  const std::string& name = context_.ast.text(call.text);
  if (name == "reinit" || name == "terminate") {
    context_.fail(ErrorCode::syntax, call.where,
                  fmt::format("'{}' belongs into a when-clause.", name));
  }
  if (name != "assert") return false;
  add(call, path);
  return true;
}

}  // namespace daedal::modelica
