// SPDX-License-Identifier: BSD-3-Clause
/// Functions on arrays.

#include <fmt/format.h>

#include "modelica/elaborate/expressions/operators.hpp"
#include "modelica/elaborate/expressions/structural_parameters.hpp"
#include "modelica/library/builtins.hpp"

namespace daedal::modelica {

namespace {

void need_vector(const BuiltinContext& use, const BuiltinCall& call, std::size_t i,
                 std::int64_t length) {
  const Value& argument = call.arguments[i];
  const bool fits = argument.shape.size() == 1 && (length < 0 || argument.shape[0] == length);
  if (fits && argument.is_number()) return;
  use.fail(ErrorCode::type_mismatch, call.where,
           fmt::format("'{}' takes {}, not {}.", call.name,
                       length < 0 ? "vectors" : fmt::format("vectors of length {}", length),
                       describe(argument)));
}

Value sum(const BuiltinContext& use, const BuiltinCall& call) {
  need_numbers(use, call);
  Pool& pool = use.context.pool;
  NodeId total = pool.constant(0.0);
  for (const NodeId node : call.arguments[0].nodes) total = pool.add(total, node);
  return Value::scalar(call.arguments[0].type, total);
}

Value product(const BuiltinContext& use, const BuiltinCall& call) {
  need_numbers(use, call);
  Pool& pool = use.context.pool;
  NodeId total = pool.constant(1.0);
  for (const NodeId node : call.arguments[0].nodes) total = pool.mul(total, node);
  return Value::scalar(call.arguments[0].type, total);
}

Value size(const BuiltinContext& use, const BuiltinCall& call) {
  const Shape& shape = call.arguments[0].shape;
  Pool& pool = use.context.pool;
  if (call.arguments.size() == 1) {
    Value all{.type = Type::integer, .shape = {std::ssize(shape)}};
    for (const std::int64_t length : shape) {
      all.nodes.push_back(pool.constant(static_cast<double>(length)));
    }
    return all;
  }
  const std::int64_t dimension =
      use.structure.integer(call.arguments[1], call.where, "The dimension");
  if (dimension < 1 || dimension > std::ssize(shape)) {
    use.fail(ErrorCode::invalid_value, call.where,
             fmt::format("Dimension {} does not exist: this is {}.", dimension,
                         describe(call.arguments[0])));
  }
  const std::int64_t length = shape[static_cast<std::size_t>(dimension) - 1];
  return Value::scalar(Type::integer, pool.constant(static_cast<double>(length)));
}

Value ndims(const BuiltinContext& use, const BuiltinCall& call) {
  const auto n = static_cast<double>(call.arguments[0].shape.size());
  return Value::scalar(Type::integer, use.context.pool.constant(n));
}

Shape shape_from(const BuiltinContext& use, const BuiltinCall& call, std::size_t first) {
  Shape shape;
  std::int64_t total = 1;
  for (std::size_t i = first; i < call.arguments.size(); ++i) {
    shape.push_back(use.structure.integer(call.arguments[i], call.where, "The size of an array"));
    if (shape.back() < 0) {
      use.fail(ErrorCode::invalid_value, call.where, "The size of an array is negative.");
    }
    // Bounded factor by factor, so that the product cannot overflow.
    const std::int64_t limit = use.context.options.max_elements;
    if (total > 0 && shape.back() > limit / total) {
      use.fail(ErrorCode::too_deep, call.where,
               fmt::format("This array has more than {} elements.", limit));
    }
    total *= shape.back();
  }
  return shape;
}

/// The array with dimensions of length 1 appended until there are n (Modelica 3.6, 10.4.2.1).
Value promote(const BuiltinContext& use, const BuiltinCall& call) {
  Value result = call.arguments[0];
  const std::int64_t n = use.structure.integer(call.arguments[1], call.where, "The dimensions");
  if (n < std::ssize(result.shape) || n > 100 || result.type == Type::record) {
    use.fail(ErrorCode::invalid_value, call.where,
             fmt::format("'promote' to {} dimensions: this is {}.", n, describe(result)));
  }
  result.shape.resize(static_cast<std::size_t>(n), 1);
  return result;
}

Value filled(const BuiltinContext& use, const Value& item, const Shape& shape, Position where) {
  Value result{.type = item.type, .definition = item.definition, .shape = shape};
  result.shape.insert(result.shape.end(), item.shape.begin(), item.shape.end());
  const std::int64_t copies = count(shape);
  use.context.spend(copies * (1 + std::ssize(item.nodes) + std::ssize(item.strings)), where);
  for (std::int64_t i = 0; i < copies; ++i) {
    result.nodes.insert(result.nodes.end(), item.nodes.begin(), item.nodes.end());
    result.strings.insert(result.strings.end(), item.strings.begin(), item.strings.end());
    if (item.type == Type::record && item.is_scalar()) result.parts.push_back(item);
  }
  return result;
}

Value fill(const BuiltinContext& use, const BuiltinCall& call) {
  if (call.arguments[0].type == Type::record && !call.arguments[0].is_scalar()) {
    use.fail(ErrorCode::unsupported, call.where, "'fill' with an array of records.");
  }
  return filled(use, call.arguments[0], shape_from(use, call, 1), call.where);
}

Value zeros(const BuiltinContext& use, const BuiltinCall& call) {
  const Value zero = Value::scalar(Type::integer, use.context.pool.constant(0.0));
  return filled(use, zero, shape_from(use, call, 0), call.where);
}

Value ones(const BuiltinContext& use, const BuiltinCall& call) {
  const Value one = Value::scalar(Type::integer, use.context.pool.constant(1.0));
  return filled(use, one, shape_from(use, call, 0), call.where);
}

Value diagonal(const BuiltinContext& use, const BuiltinCall& call) {
  need_vector(use, call, 0, -1);
  const Value& entries = call.arguments[0];
  const std::size_t n = entries.nodes.size();
  // n is at most max_elements, so that n * n fits 64 bits.
  use.context.spend(static_cast<std::int64_t>(n * n), call.where);
  const NodeId zero = use.context.pool.constant(0.0);
  Value result{.type = entries.type, .shape = {entries.shape[0], entries.shape[0]}};
  result.nodes.assign(n * n, zero);
  for (std::size_t i = 0; i < n; ++i) result.nodes[i * n + i] = entries.nodes[i];
  return result;
}

Value identity(const BuiltinContext& use, const BuiltinCall& call) {
  return diagonal(use, {call.name, {ones(use, call)}, call.where});
}

Value transpose(const BuiltinContext& use, const BuiltinCall& call) {
  const Value& a = call.arguments[0];
  if (a.shape.size() != 2 || std::ssize(a.nodes) != count(a.shape)) {
    use.fail(ErrorCode::type_mismatch, call.where,
             fmt::format("'{}' takes a matrix, not {}.", call.name, describe(a)));
  }
  Value result = a;
  result.shape = {a.shape[1], a.shape[0]};
  const auto rows = static_cast<std::size_t>(a.shape[0]);
  const auto columns = static_cast<std::size_t>(a.shape[1]);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) result.nodes[c * rows + r] = a.nodes[r * columns + c];
  }
  return result;
}

/// The upper triangle mirrored to the lower one.
Value symmetric(const BuiltinContext& use, const BuiltinCall& call) {
  Value result = transpose(use, call);
  if (result.shape[0] != result.shape[1]) {
    use.fail(ErrorCode::type_mismatch, call.where, "'symmetric' takes a square matrix.");
  }
  const auto n = static_cast<std::size_t>(result.shape[0]);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = r; c < n; ++c)
      result.nodes[r * n + c] = call.arguments[0].nodes[r * n + c];
  }
  return result;
}

Value cross(const BuiltinContext& use, const BuiltinCall& call) {
  need_vector(use, call, 0, 3);
  need_vector(use, call, 1, 3);
  const std::vector<NodeId>& a = call.arguments[0].nodes;
  const std::vector<NodeId>& b = call.arguments[1].nodes;
  Pool& pool = use.context.pool;
  Value result{.type = Type::real, .shape = {3}};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    result.nodes.push_back(pool.sub(pool.mul(a[j], b[k]), pool.mul(a[k], b[j])));
  }
  return result;
}

/// The matrix with skew(a) * b = cross(a, b).
Value skew(const BuiltinContext& use, const BuiltinCall& call) {
  need_vector(use, call, 0, 3);
  Pool& pool = use.context.pool;
  const std::vector<NodeId>& a = call.arguments[0].nodes;
  const NodeId zero = pool.constant(0.0);
  return {.type = call.arguments[0].type,
          .shape = {3, 3},
          .nodes = {zero, pool.neg(a[2]), a[1], a[2], zero, pool.neg(a[0]), pool.neg(a[1]), a[0],
                    zero}};
}

Value outer_product(const BuiltinContext& use, const BuiltinCall& call) {
  need_vector(use, call, 0, -1);
  need_vector(use, call, 1, -1);
  Value column = call.arguments[0];
  Value row = call.arguments[1];
  column.shape.push_back(1);
  row.shape.insert(row.shape.begin(), 1);
  return use.operators.product(column, row, call.where);
}

Value linspace(const BuiltinContext& use, const BuiltinCall& call) {
  const NodeId first = need_scalar(use, call, 0).node();
  const NodeId last = need_scalar(use, call, 1).node();
  const std::int64_t n =
      use.structure.integer(call.arguments[2], call.where, "The number of points");
  if (n < 2 || n > use.context.options.max_elements) {
    use.fail(ErrorCode::invalid_value, call.where, "'linspace' needs at least 2 points.");
  }
  use.context.spend(n, call.where);
  Pool& pool = use.context.pool;
  Value result{.type = Type::real, .shape = {n}};
  for (std::int64_t i = 0; i < n; ++i) {
    const NodeId fraction = pool.constant(static_cast<double>(i) / static_cast<double>(n - 1));
    result.nodes.push_back(pool.add(first, pool.mul(fraction, pool.sub(last, first))));
  }
  return result;
}

Value scalar(const BuiltinContext& use, const BuiltinCall& call) {
  if (count(call.arguments[0].shape) != 1) {
    use.fail(ErrorCode::type_mismatch, call.where,
             fmt::format("'scalar' takes an array of one element, not {}.",
                         describe(call.arguments[0])));
  }
  return element(call.arguments[0], 0);
}

Value vector(const BuiltinContext& use, const BuiltinCall& call) {
  Value result = call.arguments[0];
  std::int64_t longer = 0;
  for (const std::int64_t length : result.shape) longer += length > 1 ? 1 : 0;
  if (longer > 1) {
    use.fail(ErrorCode::type_mismatch, call.where,
             fmt::format("'vector' takes an array with one dimension longer than 1, "
                         "not {}.",
                         describe(result)));
  }
  result.shape = {count(call.arguments[0].shape)};
  return result;
}

Value matrix(const BuiltinContext& use, const BuiltinCall& call) {
  Value result = call.arguments[0];
  while (result.shape.size() < 2) result.shape.push_back(1);
  if (result.shape.size() > 2) {
    use.fail(ErrorCode::type_mismatch, call.where, "'matrix' takes scalars, vectors and matrices.");
  }
  return result;
}

Value array(const BuiltinContext& use, const BuiltinCall& call) {
  const bool gathered = call.arguments.size() == 1 && !call.arguments[0].is_scalar();
  return gathered ? call.arguments[0] : use.operators.stack(call.arguments, call.where);
}

/// cat(1, a, b, ...): along the first dimension; along another by exchanging the dimensions.
Value cat(const BuiltinContext& use, const BuiltinCall& call) {
  const std::int64_t dimension =
      use.structure.integer(call.arguments[0], call.where, "The dimension");
  const std::size_t rank = call.arguments[1].shape.size();
  if (dimension < 1 || dimension > 2 || rank > 2 || rank < static_cast<std::size_t>(dimension)) {
    use.fail(ErrorCode::unsupported, call.where,
             "'cat' joins vectors and matrices along dimension 1 or 2.");
  }
  Value result{.type = call.arguments[1].type};
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    BuiltinCall part{call.name, {call.arguments[i]}, call.where};
    const Value block = dimension == 2 ? transpose(use, part) : call.arguments[i];
    const bool fits =
        block.shape.size() == rank && (i == 1 || rank == 1 || block.shape[1] == result.shape[1]);
    if (!fits || (!block.is_number() && block.type != Type::boolean)) {
      use.fail(ErrorCode::type_mismatch, call.where,
               fmt::format("'cat' cannot join {} here.", describe(call.arguments[i])));
    }
    if (i == 1) result.shape = block.shape;
    if (i > 1) result.shape[0] += block.shape[0];
    if (block.type == Type::real) result.type = Type::real;
    result.nodes.insert(result.nodes.end(), block.nodes.begin(), block.nodes.end());
  }
  if (dimension == 1) return result;
  return transpose(use, {call.name, {result}, call.where});
}

constexpr Builtin array_builtins_table[] = {
    {"sum", 1, 1, sum},
    {"product", 1, 1, product},
    {"size", 1, 2, size},
    {"ndims", 1, 1, ndims},
    {"fill", 2, Builtin::any, fill},
    {"promote", 2, 2, promote},
    {"zeros", 1, Builtin::any, zeros},
    {"ones", 1, Builtin::any, ones},
    {"identity", 1, 1, identity},
    {"diagonal", 1, 1, diagonal},
    {"transpose", 1, 1, transpose},
    {"symmetric", 1, 1, symmetric},
    {"cross", 2, 2, cross},
    {"skew", 1, 1, skew},
    {"outerProduct", 2, 2, outer_product},
    {"linspace", 3, 3, linspace},
    {"scalar", 1, 1, scalar},
    {"vector", 1, 1, vector},
    {"matrix", 1, 1, matrix},
    {"array", 1, Builtin::any, array},
    {"cat", 2, Builtin::any, cat},
};

}  // namespace

std::span<const Builtin> array_builtins() {
  return array_builtins_table;
}

}  // namespace daedal::modelica
