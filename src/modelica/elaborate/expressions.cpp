// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/expressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "modelica/elaborate/elaborator.hpp"

namespace daedal::modelica {

Expressions::LoopIndex::LoopIndex(Expressions& owner, TextId name, Value value) : owner_(owner) {
  owner_.loops_.emplace_back(name, std::move(value));
}

Expressions::InFunction::InFunction(Expressions& owner, FunctionFrame* frame)
    : owner_(owner),
      outer_frame_(std::exchange(owner.frame_, frame)),
      outer_base_(std::exchange(owner.loops_base_, owner.loops_.size())),
      outer_ends_(std::exchange(owner.ends_, {})) {}

Expressions::InFunction::~InFunction() {
  owner_.frame_ = outer_frame_;
  owner_.loops_base_ = outer_base_;
  owner_.ends_ = std::move(outer_ends_);
}

Expressions::TopLevel::TopLevel(Expressions& owner)
    : scope_(owner, nullptr),
      immediate_(owner.hub_.context.immediate, false),
      instant_(owner.hub_.context.instant, false) {}

Value Expressions::evaluate(ExprId id) {
  const ExprNode& node = hub_.context.ast.expr(id);
  const Deeper deeper(hub_.context, node.where);
  hub_.context.spend(1, node.where);
  return evaluate_kind(node);
}

Value Expressions::evaluate_kind(const ExprNode& node) {
  Pool& pool = hub_.context.pool;
  switch (node.kind) {
    case ExprKind::integer:
      return Value::scalar(Type::integer, pool.constant(node.value));
    case ExprKind::real:
      return Value::scalar(Type::real, pool.constant(node.value));
    case ExprKind::boolean:
      return Value::scalar(Type::boolean, pool.constant(node.value));
    case ExprKind::string:
      return {.type = Type::string, .strings = {hub_.context.ast.text(node.text)}};
    case ExprKind::reference:
      return evaluate_reference(node);
    case ExprKind::call:
      return hub_.functions.call(node);
    case ExprKind::postfix:
      return evaluate_postfix(node);
    case ExprKind::unary:
      return evaluate_unary(node);
    case ExprKind::binary:
      return evaluate_binary(node);
    case ExprKind::chain:
      return evaluate_chain(node);
    case ExprKind::conditional:
      return evaluate_conditional(node);
    case ExprKind::array:
      return evaluate_array(node);
    case ExprKind::matrix:
      return evaluate_matrix(node);
    case ExprKind::range:
      return evaluate_range(node);
    case ExprKind::comprehension:
      return evaluate_comprehension(node);
    case ExprKind::end_index:
      if (ends_.empty()) {
        hub_.context.fail(ErrorCode::syntax, node.where, "'end' has a meaning in subscripts only.");
      }
      return Value::scalar(Type::integer, pool.constant(static_cast<double>(ends_.back())));
    case ExprKind::named:
      hub_.context.fail(ErrorCode::syntax, node.where,
                        fmt::format("The argument '{}' is given by name, but this function has no "
                                    "named arguments.",
                                    hub_.context.ast.text(node.text)));
    case ExprKind::tuple:
      hub_.context.fail(ErrorCode::type_mismatch, node.where,
                        "A list in parentheses is no value: write {...} for an array.");
    case ExprKind::colon:
      hub_.context.fail(ErrorCode::syntax, node.where, "':' has a meaning in subscripts only.");
  }
  hub_.context.fail(ErrorCode::internal, node.where, "An expression of unknown kind.");
}

Value Expressions::evaluate_unary(const ExprNode& node) {
  const Value operand = evaluate(hub_.context.ast.child(node, 0));
  if (node.op == TokenKind::kw_not) return hub_.operators.logical_not(operand, node.where);
  if (node.op == TokenKind::minus || node.op == TokenKind::dot_minus) {
    return hub_.operators.negate(operand, node.where);
  }
  hub_.operators.need_numbers(operand, operand, node.op, node.where);
  return operand;
}

Value Expressions::evaluate_binary(const ExprNode& node) {
  const Value a = evaluate(hub_.context.ast.child(node, 0));
  const Value b = evaluate(hub_.context.ast.child(node, 1));
  if (node.op == TokenKind::power || node.op == TokenKind::dot_power) {
    return hub_.operators.apply(node.op, a, b, node.where);
  }
  const auto continuous = [&](const Value& value) {
    return value.nodes.size() == 1 && hub_.structure.is_continuous(value.node());
  };
  return hub_.operators.relation(node.op, a, b, continuous(a) || continuous(b), node.where);
}

Value Expressions::evaluate_chain(const ExprNode& node) {
  const Ast& ast = hub_.context.ast;
  Value result = evaluate(ast.child(node, 0));
  for (std::int32_t i = 1; i + 1 < node.n_children; i += 2) {
    const auto op = static_cast<TokenKind>(ast.child(node, i));
    const ExprId operand = ast.child(node, i + 1);
    result = hub_.operators.apply(op, result, evaluate(operand), ast.expr(operand).where);
  }
  return result;
}

Value Expressions::evaluate_conditional(const ExprNode& node) {
  const Ast& ast = hub_.context.ast;
  struct Case {
    NodeId condition;
    Value value;
  };
  std::vector<Case> cases;
  const std::int32_t n_cases = node.n_children / 2;
  ExprId otherwise = ast.child(node, node.n_children - 1);
  for (std::int32_t i = 0; i < n_cases; ++i) {
    const NodeId truth = condition(ast.child(node, 2 * i));
    const Node constant = hub_.context.pool[truth];
    if (constant.op == Op::constant && constant.value == 0.0) continue;
    if (constant.op == Op::constant) {
      otherwise = ast.child(node, 2 * i + 1);
      break;
    }
    cases.push_back({truth, evaluate(ast.child(node, 2 * i + 1))});
  }
  Value result = evaluate(otherwise);
  for (std::size_t i = cases.size(); i-- > 0;) {
    if (cases[i].value.shape != result.shape) {
      // Branches of different sizes: only the parameters can decide, and they decide now.
      if (const auto truth = hub_.structure.fix(cases[i].condition)) {
        if (*truth != 0.0) result = cases[i].value;
        continue;
      }
    }
    result = hub_.operators.select(cases[i].condition, cases[i].value, result, node.where);
  }
  return result;
}

NodeId Expressions::condition(ExprId id) {
  const Value value = evaluate(id);
  if (value.type != Type::boolean || !value.is_scalar()) {
    hub_.context.fail(ErrorCode::type_mismatch, hub_.context.ast.expr(id).where,
                      fmt::format("A condition must be a Boolean, not {}.", describe(value)));
  }
  return value.node();
}

NodeId Expressions::number(ExprId id, std::string_view what) {
  const Value value = evaluate(id);
  if (!value.is_number() || !value.is_scalar()) {
    hub_.context.fail(ErrorCode::type_mismatch, hub_.context.ast.expr(id).where,
                      fmt::format("{} must be a number, not {}.", what, describe(value)));
  }
  return value.node();
}

std::int64_t Expressions::structural_integer(const Value& value, Position where,
                                             std::string_view what) {
  const bool countable =
      value.type == Type::integer || value.type == Type::enumeration || value.type == Type::boolean;
  if (!countable || !value.is_scalar()) {
    hub_.context.fail(ErrorCode::type_mismatch, where,
                      fmt::format("{} must be an Integer, not {}.", what, describe(value)));
  }
  const std::optional<double> number = hub_.structure.fix(value.node());
  if (!number) {
    hub_.context.fail(
        ErrorCode::invalid_value, where,
        fmt::format("{} must follow from constants and parameters with values.", what));
  }
  constexpr double largest = 1e15;  // exact in double, and products with a few units fit 64 bits
  if (std::abs(*number) > largest || *number != std::round(*number)) {
    hub_.context.fail(ErrorCode::invalid_value, where,
                      fmt::format("{} is {}, no Integer in range.", what, *number));
  }
  return static_cast<std::int64_t>(*number);
}

std::int64_t Expressions::size_of_dimension(ExprId id) {
  const Position where = hub_.context.ast.expr(id).where;
  if (Value elements; evaluate_index_type(id, elements)) return elements.shape.front();
  const std::int64_t size = structural_integer(evaluate(id), where, "The size of an array");
  if (size < 0) {
    hub_.context.fail(ErrorCode::invalid_value, where,
                      fmt::format("The size of an array is negative: {}.", size));
  }
  return size;
}

/// A record of another definition with the same fields, such as a complex voltage where a complex
/// number is asked for; as it is if the fields differ.
Value Expressions::as_record(Value value, ClassId definition) const {
  const auto& wanted = hub_.context.ast.definition(definition).declarations;
  const auto& given = hub_.context.ast.definition(value.definition).declarations;
  if (wanted.size() != given.size()) return value;
  std::vector<std::size_t> order;
  for (const Declaration& field : wanted) {
    const auto same = std::find_if(given.begin(), given.end(), [&](const Declaration& other) {
      return other.name == field.name && other.type == field.type;
    });
    if (same == given.end()) return value;
    order.push_back(static_cast<std::size_t>(same - given.begin()));
  }
  const auto reorder = [&](Value& record) {
    std::vector<Value> parts;
    for (const std::size_t i : order) parts.push_back(record.parts[i]);
    record.parts = std::move(parts);
    record.definition = definition;
  };
  if (value.is_scalar()) {
    reorder(value);
  } else {
    for (Value& item : value.parts) reorder(item);
    value.definition = definition;
  }
  return value;
}

Value Expressions::conform(Value value, const Value& target, Position where,
                           const std::string& what) {
  if (value.type == Type::scattered && target.type == Type::record) {
    Value whole{.type = Type::record, .definition = target.definition, .shape = value.shape};
    for (const std::string& prefix : value.strings)
      whole.parts.push_back(hub_.components.gather_record(prefix, target.definition, where));
    value = whole.is_scalar() ? std::move(whole.parts.front()) : std::move(whole);
  }
  if (value.type == Type::record && target.type == Type::record &&
      value.definition != target.definition) {
    value = as_record(std::move(value), target.definition);
  }
  const bool widened = value.type == Type::integer && target.type == Type::real;
  const bool same_type = value.type == target.type &&
                         (value.type != Type::record || value.definition == target.definition);
  if (!widened && !same_type) {
    hub_.context.fail(
        ErrorCode::type_mismatch, where,
        fmt::format("The {} is {}, but this is {}.", what, describe(target), describe(value)));
  }
  if (value.shape != target.shape) {
    hub_.context.fail(
        ErrorCode::type_mismatch, where,
        fmt::format("The {} is {}, but this is {}.", what, describe(target), describe(value)));
  }
  value.type = target.type;
  value.definition = target.definition;
  return value;
}

}  // namespace daedal::modelica
