// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/expressions/expressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "modelica/elaborate/class_table.hpp"
#include "modelica/elaborate/components.hpp"
#include "modelica/elaborate/expressions/functions.hpp"
#include "modelica/elaborate/expressions/operators.hpp"
#include "modelica/elaborate/expressions/references.hpp"
#include "modelica/elaborate/expressions/scope.hpp"
#include "modelica/elaborate/expressions/structural_parameters.hpp"

namespace daedal::modelica {

Value Expressions::evaluate(ExprId id) {
  const ExprNode& node = context_.ast.expr(id);
  const Deeper deeper(context_, node.where);
  context_.spend(1, node.where);
  return evaluate_kind(node);
}

Value Expressions::evaluate_kind(const ExprNode& node) {
  Pool& pool = context_.pool;
  switch (node.kind) {
    case ExprKind::integer:
      return Value::scalar(Type::integer, pool.constant(node.value));
    case ExprKind::real:
      return Value::scalar(Type::real, pool.constant(node.value));
    case ExprKind::boolean:
      return Value::scalar(Type::boolean, pool.constant(node.value));
    case ExprKind::string:
      return {.type = Type::string, .strings = {context_.ast.text(node.text)}};
    case ExprKind::reference:
      return use_.references.evaluate(node);
    case ExprKind::call:
      return use_.functions.call(node);
    case ExprKind::postfix:
      return use_.references.evaluate_postfix(node);
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
      if (!use_.scope.has_end()) {
        context_.fail(ErrorCode::syntax, node.where, "'end' has a meaning in subscripts only.");
      }
      return Value::scalar(Type::integer, pool.constant(static_cast<double>(use_.scope.end())));
    case ExprKind::named:
      context_.fail(ErrorCode::syntax, node.where,
                    fmt::format("The argument '{}' is given by name, but this function has no "
                                "named arguments.",
                                context_.ast.text(node.text)));
    case ExprKind::tuple:
      context_.fail(ErrorCode::type_mismatch, node.where,
                    "A list in parentheses is not a value: write {...} for an array.");
    case ExprKind::function:
      return use_.functions.as_argument(node);
    case ExprKind::unset:
      return {.type = Type::unset};
    case ExprKind::colon:
      context_.fail(ErrorCode::syntax, node.where, "':' has a meaning in subscripts only.");
  }
  context_.fail(ErrorCode::internal, node.where, "An expression of unknown kind.");
}

Value Expressions::evaluate_unary(const ExprNode& node) {
  const Value operand = evaluate(context_.ast.child(node, 0));
  if (node.op == TokenKind::kw_not) return use_.operators.logical_not(operand, node.where);
  if (node.op == TokenKind::minus || node.op == TokenKind::dot_minus) {
    return use_.operators.negate(operand, node.where);
  }
  use_.operators.need_numbers(operand, operand, node.op, node.where);
  return operand;
}

Value Expressions::evaluate_binary(const ExprNode& node) {
  const Value a = evaluate(context_.ast.child(node, 0));
  const Value b = evaluate(context_.ast.child(node, 1));
  if (node.op == TokenKind::power || node.op == TokenKind::dot_power) {
    return use_.operators.apply(node.op, a, b, node.where);
  }
  const auto continuous = [&](const Value& value) {
    return value.nodes.size() == 1 && use_.structure.is_continuous(value.node());
  };
  return use_.operators.relation(node.op, a, b, continuous(a) || continuous(b), node.where);
}

Value Expressions::evaluate_chain(const ExprNode& node) {
  const Ast& ast = context_.ast;
  Value result = evaluate(ast.child(node, 0));
  for (std::int32_t i = 1; i + 1 < node.n_children; i += 2) {
    const auto op = static_cast<TokenKind>(ast.child(node, i));
    const ExprId operand = ast.child(node, i + 1);
    use_.operators.extend(result, op, evaluate(operand), ast.expr(operand).where);
  }
  return result;
}

Value Expressions::evaluate_conditional(const ExprNode& node) {
  const Ast& ast = context_.ast;
  struct Case {
    NodeId condition;
    Value value;
  };
  std::vector<Case> cases;
  const std::int32_t n_cases = node.n_children / 2;
  ExprId otherwise = ast.child(node, node.n_children - 1);
  for (std::int32_t i = 0; i < n_cases; ++i) {
    const NodeId truth = condition(ast.child(node, 2 * i));
    // In `if i < n then u[i + 1] else 0`, with n the size of u, only one branch need exist.
    const std::optional<double> known = use_.structure.settled(truth);
    if (known == 0.0) continue;
    if (known) {
      otherwise = ast.child(node, 2 * i + 1);
      break;
    }
    cases.push_back({truth, evaluate(ast.child(node, 2 * i + 1))});
  }
  Value result = evaluate(otherwise);
  for (std::size_t i = cases.size(); i-- > 0;) {
    if (cases[i].value.shape != result.shape) {
      // Branches of different sizes: only the parameters can decide, and they decide now.
      if (const auto truth = use_.structure.fix(cases[i].condition)) {
        if (*truth != 0.0) result = cases[i].value;
        continue;
      }
    }
    result = use_.operators.select(cases[i].condition, cases[i].value, result, node.where);
  }
  return result;
}

Value Expressions::evaluate_array(const ExprNode& node) {
  const Ast& ast = context_.ast;
  if (node.n_children == 1 && ast.expr(ast.child(node, 0)).kind == ExprKind::comprehension) {
    return evaluate(ast.child(node, 0));
  }
  Values elements;
  for (const ExprId child : ast.children_of(node)) elements.push_back(evaluate(child));
  return use_.operators.stack(std::move(elements), node.where);
}

Value Expressions::as_matrix(const Value& value, Position where) {
  Value matrix = value;
  if (!value.is_number() && value.type != Type::boolean) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("A matrix cannot hold {}.", describe(value)));
  }
  while (matrix.shape.size() < 2) matrix.shape.push_back(1);  // a vector is a column
  if (matrix.shape.size() > 2) {
    context_.fail(ErrorCode::type_mismatch, where,
                  "[...] joins scalars, vectors and matrices only.");
  }
  return matrix;
}

/// [a, b; c, d]: blocks side by side, then rows of blocks on top of each other.
Value Expressions::evaluate_matrix(const ExprNode& node) {
  const Ast& ast = context_.ast;
  Value result{.type = Type::integer, .shape = {0, 0}};
  for (std::int32_t r = 0; r < node.n_children; ++r) {
    const ExprNode& row = ast.expr(ast.child(node, r));
    std::vector<Value> blocks;
    std::int64_t width = 0;
    for (const ExprId item : ast.children_of(row)) {
      blocks.push_back(as_matrix(evaluate(item), ast.expr(item).where));
      width += blocks.back().shape[1];
      if (blocks.back().shape[0] != blocks.front().shape[0]) {
        context_.fail(ErrorCode::type_mismatch, ast.expr(item).where,
                      "The blocks of one row of a matrix differ in height.");
      }
      if (blocks.back().type != Type::integer) result.type = blocks.back().type;
    }
    if (r > 0 && width != result.shape[1]) {
      context_.fail(ErrorCode::type_mismatch, row.where,
                    fmt::format("This row of the matrix has {} columns, those before have {}.",
                                width, result.shape[1]));
    }
    result.shape[1] = width;
    const std::int64_t height = blocks.front().shape[0];
    result.shape[0] += height;
    for (std::int64_t i = 0; i < height; ++i) {
      for (const Value& block : blocks) {
        const auto first = block.nodes.begin() + i * block.shape[1];
        result.nodes.insert(result.nodes.end(), first, first + block.shape[1]);
      }
    }
    context_.spend(height * width, row.where);
  }
  return result;
}

Value Expressions::evaluate_range(const ExprNode& node) {
  const Ast& ast = context_.ast;
  std::vector<double> numbers;
  bool is_real = false;
  ClassId enumeration = none;
  for (const ExprId part : ast.children_of(node)) {
    const Value value = evaluate(part);
    if (value.type == Type::enumeration) enumeration = value.definition;
    const bool usable = value.is_scalar() && value.type != Type::string && !value.nodes.empty();
    const std::optional<double> number = usable ? use_.structure.fix(value.node()) : std::nullopt;
    if (!number) {
      context_.fail(ErrorCode::invalid_value, ast.expr(part).where,
                    "The limits of a range must be numbers that follow from constants and "
                    "parameters with values.");
    }
    is_real = is_real || value.type == Type::real;
    numbers.push_back(*number);
  }
  const double step = numbers.size() == 3 ? numbers[1] : 1.0;
  if (step == 0.0) {
    context_.fail(ErrorCode::invalid_value, node.where, "The step of a range is zero.");
  }
  // The last value counts although rounding may have pushed it past the limit by an ulp or two.
  const double length = std::floor((numbers.back() - numbers.front()) / step + 1e-10) + 1.0;
  const double n = std::max(length, 0.0);
  if (n > static_cast<double>(context_.options.max_elements)) {
    context_.fail(ErrorCode::invalid_value, node.where,
                  fmt::format("This range has {} values, more than the limit of {}.", n,
                              context_.options.max_elements));
  }
  Value result{.type = enumeration != none ? Type::enumeration
                       : is_real           ? Type::real
                                           : Type::integer,
               .definition = enumeration,
               .shape = {static_cast<std::int64_t>(n)}};
  context_.spend(result.shape[0], node.where);
  for (std::int64_t i = 0; i < result.shape[0]; ++i) {
    result.nodes.push_back(context_.pool.constant(numbers.front() + static_cast<double>(i) * step));
  }
  return result;
}

std::vector<Value> Expressions::values_of_range(ExprId id) {
  Value range;
  if (!use_.references.evaluate_index_type(id, range)) range = evaluate(id);
  if (range.shape.size() != 1) {
    context_.fail(
        ErrorCode::type_mismatch, context_.ast.expr(id).where,
        fmt::format("A loop runs over a range or a vector, not over {}.", describe(range)));
  }
  std::vector<Value> values;
  for (std::size_t i = 0; i < n_elements(range.shape); ++i) values.push_back(element(range, i));
  return values;
}

bool Expressions::unroll(const Statement& loop, const std::function<bool()>& body,
                         std::size_t iterator) {
  if (iterator == loop.iterators.size()) return body();
  const Iterator& index = loop.iterators[iterator];
  for (Value& value : values_of_range(index.range)) {
    const auto bound = use_.scope.bind(index.name, std::move(value));
    context_.spend(1, loop.where);
    if (!unroll(loop, body, iterator + 1)) return false;
  }
  return true;
}

/// {f(i, j) for i in A, j in B} is {{f(i, j) for i in A} for j in B}: the last index is outermost.
Value Expressions::evaluate_comprehension(const ExprNode& node) {
  std::vector<Values> ranges;  // outermost first
  Shape shape;
  std::int64_t total = 1;
  for (std::int32_t k = node.n_parts; k-- > 0;) {
    ranges.push_back(values_of_range(context_.ast.child(node, k + 1)));
    shape.push_back(std::ssize(ranges.back()));
    total *= shape.back();
    context_.spend(total, node.where);
  }
  Values elements;
  comprehend(node, ranges, elements);
  Value result = use_.operators.stack(std::move(elements), node.where);
  shape.insert(shape.end(), result.shape.begin() + 1, result.shape.end());
  result.shape = shape;
  return result;
}

/// Appends the elements for all values of the indices that have no value yet.
void Expressions::comprehend(const ExprNode& node, std::span<const Values> ranges,
                             Values& elements) {
  if (ranges.empty()) {
    elements.push_back(evaluate(context_.ast.child(node, 0)));
    return;
  }
  const TextId index = context_.ast.parts_of(node)[ranges.size() - 1].text;
  for (const Value& value : ranges.front()) {
    const auto bound = use_.scope.bind(index, value);
    comprehend(node, ranges.subspan(1), elements);
  }
}

NodeId Expressions::condition(ExprId id) {
  const Value value = evaluate(id);
  if (value.type != Type::boolean || !value.is_scalar()) {
    context_.fail(ErrorCode::type_mismatch, context_.ast.expr(id).where,
                  fmt::format("A condition must be a Boolean, not {}.", describe(value)));
  }
  return value.node();
}

NodeId Expressions::number(ExprId id, std::string_view what) {
  const Value value = evaluate(id);
  if (!value.is_number() || !value.is_scalar()) {
    context_.fail(ErrorCode::type_mismatch, context_.ast.expr(id).where,
                  fmt::format("{} must be a number, not {}.", what, describe(value)));
  }
  return value.node();
}

std::int64_t Expressions::size_of_dimension(ExprId id) {
  const Position where = context_.ast.expr(id).where;
  if (Value elements; use_.references.evaluate_index_type(id, elements))
    return elements.shape.front();
  const std::int64_t size = use_.structure.integer(evaluate(id), where, "The size of an array");
  if (size < 0) {
    context_.fail(ErrorCode::invalid_value, where,
                  fmt::format("The size of an array is negative: {}.", size));
  }
  return size;
}

/// A record of another definition with the same fields, such as a complex voltage where a complex
/// number is asked for; as it is if the fields differ.
Value Expressions::as_record(Value value, ClassId definition) const {
  const auto& wanted = context_.ast.definition(definition).declarations;
  const auto& given = context_.ast.definition(value.definition).declarations;
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

Value Expressions::gather_record(const std::string& prefix, ClassId definition, Position where) {
  const Deeper deeper(context_, where);
  Value record{.type = Type::record, .definition = definition};
  for (const Declaration& field : context_.ast.definition(definition).declarations) {
    const std::string name = prefix + '.' + context_.ast.text(field.name);
    if (const Value* value = use_.components.lookup(name)) {
      record.parts.push_back(*value);
      continue;
    }
    const ResolvedType type = use_.classes.resolve(field.type, field.type_where);
    if (type.type != Type::record) {
      context_.fail(
          ErrorCode::unknown_name, where,
          fmt::format("'{}' is needed as a record '{}', but no variable '{}' is "
                      "declared.",
                      prefix, context_.ast.text(context_.ast.definition(definition).name), name));
    }
    record.parts.push_back(gather_record(name, type.definition, where));
  }
  return record;
}

Value Expressions::gather(const Value& group, const Value& target, Position where) {
  if (target.type != Type::record) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("'{}' begins the names of variables: it stands for a record, not for "
                              "{}.",
                              group.strings.front(), describe(target)));
  }
  Value whole{.type = Type::record, .definition = target.definition, .shape = group.shape};
  for (const std::string& prefix : group.strings)
    whole.parts.push_back(gather_record(prefix, target.definition, where));
  return whole.is_scalar() ? std::move(whole.parts.front()) : whole;
}

Value Expressions::conform(Value value, const Value& target, Position where,
                           const std::string& what) {
  if (value.type == Type::unset && target.type != Type::record) {
    value = {.type = target.type, .definition = target.definition, .shape = target.shape};
    if (target.type == Type::string) {
      value.strings.resize(n_elements(target.shape));
    } else {
      value.nodes.assign(n_elements(target.shape), no_node);
    }
    return value;
  }
  if (value.type == Type::scattered && target.type == Type::record)
    value = use_.scope.seen(gather(value, target, where));
  if (value.type == Type::record && target.type == Type::record &&
      value.definition != target.definition) {
    value = as_record(std::move(value), target.definition);
  }
  const bool widened = value.type == Type::integer && target.type == Type::real;
  const bool same_type = value.type == target.type &&
                         (value.type != Type::record || value.definition == target.definition);
  if (!widened && !same_type) {
    context_.fail(
        ErrorCode::type_mismatch, where,
        fmt::format("The {} is {}, but this is {}.", what, describe(target), describe(value)));
  }
  if (value.shape != target.shape) {
    context_.fail(
        ErrorCode::type_mismatch, where,
        fmt::format("The {} is {}, but this is {}.", what, describe(target), describe(value)));
  }
  value.type = target.type;
  value.definition = target.definition;
  return value;
}

}  // namespace daedal::modelica
