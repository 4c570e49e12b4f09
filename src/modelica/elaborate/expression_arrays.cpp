// SPDX-License-Identifier: BSD-3-Clause
/// Array constructors, matrices, ranges and comprehensions.

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "modelica/elaborate/elaborator.hpp"

namespace daedal::modelica {

Value Expressions::stack(std::vector<Value> elements, Position where) {
  if (elements.empty()) return {.shape = {0}};
  Value result{.type = elements.front().type, .definition = elements.front().definition};
  result.shape = elements.front().shape;
  result.shape.insert(result.shape.begin(), static_cast<std::int64_t>(elements.size()));
  for (Value& item : elements) {
    const bool numbers = item.is_number() && result.is_number();
    if ((!numbers && item.type != result.type) || item.type == Type::scattered) {
      hub_.context.fail(ErrorCode::type_mismatch, where,
                        fmt::format("The elements of an array must have one type, but one is {} "
                                    "and another {}.",
                                    describe(elements.front()), describe(item)));
    }
    if (item.shape.size() + 1 != result.shape.size() ||
        !std::equal(item.shape.begin(), item.shape.end(), result.shape.begin() + 1)) {
      hub_.context.fail(ErrorCode::type_mismatch, where,
                        fmt::format("The elements of an array must have one size, but one is {} "
                                    "and another {}.",
                                    describe(elements.front()), describe(item)));
    }
    if (item.type == Type::real) result.type = Type::real;
    hub_.context.spend(static_cast<std::int64_t>(item.nodes.size()), where);
    result.nodes.insert(result.nodes.end(), item.nodes.begin(), item.nodes.end());
    result.strings.insert(result.strings.end(), item.strings.begin(), item.strings.end());
    if (item.type == Type::record) {
      if (item.is_scalar()) {
        result.parts.push_back(std::move(item));
      } else {
        result.parts.insert(result.parts.end(), item.parts.begin(), item.parts.end());
      }
    }
  }
  return result;
}

Value Expressions::evaluate_array(const ExprNode& node) {
  const Ast& ast = hub_.context.ast;
  if (node.n_children == 1 && ast.expr(ast.child(node, 0)).kind == ExprKind::comprehension) {
    return evaluate(ast.child(node, 0));
  }
  std::vector<Value> elements;
  for (std::int32_t i = 0; i < node.n_children; ++i) {
    elements.push_back(evaluate(ast.child(node, i)));
  }
  return stack(std::move(elements), node.where);
}

Value Expressions::as_matrix(const Value& value, Position where) {
  Value matrix = value;
  if (!value.is_number() && value.type != Type::boolean) {
    hub_.context.fail(ErrorCode::type_mismatch, where,
                      fmt::format("A matrix cannot hold {}.", describe(value)));
  }
  while (matrix.shape.size() < 2) matrix.shape.push_back(1);  // a vector is a column
  if (matrix.shape.size() > 2) {
    hub_.context.fail(ErrorCode::type_mismatch, where,
                      "[...] joins scalars, vectors and matrices only.");
  }
  return matrix;
}

/// [a, b; c, d]: blocks side by side, then rows of blocks on top of each other.
Value Expressions::evaluate_matrix(const ExprNode& node) {
  const Ast& ast = hub_.context.ast;
  Value result{.type = Type::integer, .shape = {0, 0}};
  for (std::int32_t r = 0; r < node.n_children; ++r) {
    const ExprNode& row = ast.expr(ast.child(node, r));
    std::vector<Value> blocks;
    std::int64_t width = 0;
    for (std::int32_t c = 0; c < row.n_children; ++c) {
      const ExprId item = ast.child(row, c);
      blocks.push_back(as_matrix(evaluate(item), ast.expr(item).where));
      width += blocks.back().shape[1];
      if (blocks.back().shape[0] != blocks.front().shape[0]) {
        hub_.context.fail(ErrorCode::type_mismatch, ast.expr(item).where,
                          "The blocks of one row of a matrix differ in height.");
      }
      if (blocks.back().type != Type::integer) result.type = blocks.back().type;
    }
    if (r > 0 && width != result.shape[1]) {
      hub_.context.fail(ErrorCode::type_mismatch, row.where,
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
    hub_.context.spend(height * width, row.where);
  }
  return result;
}

Value Expressions::evaluate_range(const ExprNode& node) {
  const Ast& ast = hub_.context.ast;
  std::vector<double> numbers;
  bool is_real = false;
  for (std::int32_t i = 0; i < node.n_children; ++i) {
    const ExprId part = ast.child(node, i);
    const Value value = evaluate(part);
    const bool usable = value.is_scalar() && value.type != Type::string && !value.nodes.empty();
    const std::optional<double> number = usable ? hub_.structure.fix(value.node()) : std::nullopt;
    if (!number) {
      hub_.context.fail(ErrorCode::invalid_value, ast.expr(part).where,
                        "The limits of a range must be numbers that follow from constants and "
                        "parameters with values.");
    }
    is_real = is_real || value.type == Type::real;
    numbers.push_back(*number);
  }
  const double step = numbers.size() == 3 ? numbers[1] : 1.0;
  if (step == 0.0) {
    hub_.context.fail(ErrorCode::invalid_value, node.where, "The step of a range is zero.");
  }
  // The last value counts although rounding may have pushed it past the limit by an ulp or two.
  const double length = std::floor((numbers.back() - numbers.front()) / step + 1e-10) + 1.0;
  const double n = std::max(length, 0.0);
  if (n > static_cast<double>(hub_.context.options.max_elements)) {
    hub_.context.fail(ErrorCode::invalid_value, node.where,
                      fmt::format("This range has {} values, more than the limit of {}.", n,
                                  hub_.context.options.max_elements));
  }
  Value result{.type = is_real ? Type::real : Type::integer,
               .shape = {static_cast<std::int64_t>(n)}};
  hub_.context.spend(result.shape[0], node.where);
  for (std::int64_t i = 0; i < result.shape[0]; ++i) {
    result.nodes.push_back(
        hub_.context.pool.constant(numbers.front() + static_cast<double>(i) * step));
  }
  return result;
}

bool Expressions::evaluate_index_type(ExprId id, Value& elements) {
  const ExprNode& node = hub_.context.ast.expr(id);
  if (node.kind != ExprKind::reference) return false;
  const std::string name = joined_name(node);
  if (find_name(name) != nullptr) return false;
  std::int64_t first = 0;
  std::int64_t last = 1;
  elements = {.type = Type::boolean};
  if (name != "Boolean") {
    const ClassId definition = hub_.classes.find(ClassKind::type, name);
    if (definition == none || !hub_.context.ast.definition(definition).is_enumeration) return false;
    elements = {.type = Type::enumeration, .definition = definition};
    first = 1;
    last = static_cast<std::int64_t>(hub_.context.ast.definition(definition).literals.size());
  }
  elements.shape = {last - first + 1};
  for (std::int64_t i = first; i <= last; ++i)
    elements.nodes.push_back(hub_.context.pool.constant(static_cast<double>(i)));
  return true;
}

std::vector<Value> Expressions::values_of_range(ExprId id) {
  Value range;
  if (!evaluate_index_type(id, range)) range = evaluate(id);
  if (range.shape.size() != 1) {
    hub_.context.fail(
        ErrorCode::type_mismatch, hub_.context.ast.expr(id).where,
        fmt::format("A loop runs over a range or a vector, not over {}.", describe(range)));
  }
  std::vector<Value> values;
  for (std::int64_t i = 0; i < range.shape[0]; ++i) values.push_back(element(range, i));
  return values;
}

/// {f(i, j) for i in A, j in B} is {{f(i, j) for i in A} for j in B}: the last index is outermost.
Value Expressions::evaluate_comprehension(const ExprNode& node) {
  const Ast& ast = hub_.context.ast;
  const std::int32_t n = node.n_parts;
  std::vector<std::vector<Value>> ranges;
  Shape shape;
  std::int64_t total = 1;
  for (std::int32_t k = n; k-- > 0;) {
    ranges.push_back(values_of_range(ast.child(node, k + 1)));
    shape.push_back(static_cast<std::int64_t>(ranges.back().size()));
    total *= shape.back();
    hub_.context.spend(total, node.where);
  }
  std::vector<Value> elements;
  for (std::int64_t flat = 0; flat < total; ++flat) {
    std::vector<std::unique_ptr<LoopIndex>> indices;
    std::int64_t rest = flat;
    for (std::size_t d = shape.size(); d-- > 0;) {
      const auto at = static_cast<std::size_t>(rest % shape[d]);
      rest /= shape[d];
      // ranges[d] belongs to iterator n - 1 - d.
      const auto part = static_cast<std::int32_t>(shape.size() - 1 - d);
      indices.push_back(
          std::make_unique<LoopIndex>(*this, ast.part(node, part).text, ranges[d][at]));
    }
    elements.push_back(evaluate(ast.child(node, 0)));
    while (!indices.empty()) indices.pop_back();
  }
  Value flat = stack(std::move(elements), node.where);
  shape.insert(shape.end(), flat.shape.begin() + 1, flat.shape.end());
  flat.shape = shape;
  return flat;
}

}  // namespace daedal::modelica
