// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/expressions/operators.hpp"

#include <fmt/format.h>

namespace daedal::modelica {

namespace {

Type arithmetic_type(TokenKind op, const Value& a, const Value& b) {
  const bool division = op == TokenKind::divide || op == TokenKind::dot_divide ||
                        op == TokenKind::power || op == TokenKind::dot_power;
  return !division && a.type == Type::integer && b.type == Type::integer ? Type::integer
                                                                         : Type::real;
}

Op relation_op(TokenKind kind) {
  switch (kind) {
    case TokenKind::less:
      return Op::less;
    case TokenKind::less_equal:
      return Op::less_equal;
    case TokenKind::greater:
      return Op::greater;
    case TokenKind::greater_equal:
      return Op::greater_equal;
    case TokenKind::equal:
      return Op::equal;
    default:
      return Op::not_equal;
  }
}

}  // namespace

void Operators::need_numbers(const Value& a, const Value& b, TokenKind op, Position where) const {
  if (a.is_number() && b.is_number()) return;
  const Value& wrong = a.is_number() ? b : a;
  context_.fail(ErrorCode::type_mismatch, where,
                fmt::format("The operator '{}' takes numbers, but one side is {}.", spelling(op),
                            describe(wrong)));
}

Value Operators::negate(const Value& a, Position where) {
  need_numbers(a, a, TokenKind::minus, where);
  Value result = a;
  for (NodeId& node : result.nodes) node = context_.pool.neg(node);
  return result;
}

Value Operators::logical_not(const Value& a, Position where) {
  if (a.type != Type::boolean) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("'not' takes a Boolean, not {}.", describe(a)));
  }
  Value result = a;
  for (NodeId& node : result.nodes) node = context_.pool.unary(Op::logical_not, node);
  return result;
}

Value Operators::apply(TokenKind op, const Value& a, const Value& b, Position where) {
  context_.spend(std::max(std::ssize(a.nodes), std::ssize(b.nodes)), where);
  if (op == TokenKind::kw_and || op == TokenKind::kw_or) return logical(op, a, b, where);
  if (op == TokenKind::plus && a.type == Type::string && b.type == Type::string) {
    return concatenate(a, b);
  }
  need_numbers(a, b, op, where);
  if (op == TokenKind::times && !a.is_scalar() && !b.is_scalar()) return product(a, b, where);
  if (op == TokenKind::power) return power(a, b, where);
  return elementwise(op, a, b, where);
}

void Operators::extend(Value& a, TokenKind op, const Value& b, Position where) {
  const bool are_numbers = a.is_number() && b.is_number() && a.is_scalar() && b.is_scalar();
  if (!are_numbers || op == TokenKind::kw_and || op == TokenKind::kw_or) {
    a = apply(op, a, b, where);
    return;
  }
  context_.spend(1, where);
  a.type = arithmetic_type(op, a, b);
  a.nodes.front() = combine(op, a.node(), b.node());
}

NodeId Operators::combine(TokenKind op, NodeId a, NodeId b) {
  Pool& pool = context_.pool;
  switch (op) {
    case TokenKind::plus:
    case TokenKind::dot_plus:
      return pool.add(a, b);
    case TokenKind::minus:
    case TokenKind::dot_minus:
      return pool.sub(a, b);
    case TokenKind::times:
    case TokenKind::dot_times:
      return pool.mul(a, b);
    case TokenKind::divide:
    case TokenKind::dot_divide:
      return pool.div(a, b);
    case TokenKind::kw_and:
      return pool.binary(Op::logical_and, a, b);
    case TokenKind::kw_or:
      return pool.binary(Op::logical_or, a, b);
    default:
      return pool.binary(Op::pow, a, b);
  }
}

Value Operators::elementwise(TokenKind op, const Value& a, const Value& b, Position where) {
  const bool dotted = op == TokenKind::dot_plus || op == TokenKind::dot_minus ||
                      op == TokenKind::dot_times || op == TokenKind::dot_divide ||
                      op == TokenKind::dot_power;
  // A scalar joins an array for * and array / scalar, and for every dotted operator.
  const bool a_joins = a.is_scalar() && (dotted || op == TokenKind::times);
  const bool b_joins =
      b.is_scalar() && (dotted || op == TokenKind::times || op == TokenKind::divide);
  if (a.shape != b.shape && !a_joins && !b_joins) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("The operator '{}' does not take {} and {}.", spelling(op),
                              describe(a), describe(b)));
  }
  if (op == TokenKind::divide && !b.is_scalar()) {
    context_.fail(ErrorCode::type_mismatch, where,
                  "Division by an array: write './' to divide element by element.");
  }
  const Value& shaped = a.is_scalar() ? b : a;
  Value result{.type = arithmetic_type(op, a, b), .shape = shaped.shape};
  const std::size_t n = shaped.nodes.size();
  result.nodes.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    result.nodes.push_back(
        combine(op, a.nodes[a.is_scalar() ? 0 : i], b.nodes[b.is_scalar() ? 0 : i]));
  }
  return result;
}

Value Operators::logical(TokenKind op, const Value& a, const Value& b, Position where) {
  if (a.type != Type::boolean || b.type != Type::boolean) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("'{}' takes Booleans, not {}.", spelling(op),
                              describe(a.type != Type::boolean ? a : b)));
  }
  if (a.shape != b.shape) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("'{}' takes values of one size.", spelling(op)));
  }
  Value result{.type = Type::boolean, .shape = a.shape};
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    result.nodes.push_back(combine(op, a.nodes[i], b.nodes[i]));
  }
  return result;
}

Value Operators::concatenate(const Value& a, const Value& b) {
  Value result{.type = Type::string};
  if (!a.strings.empty() && !b.strings.empty()) result.strings = {a.strings[0] + b.strings[0]};
  return result;
}

Value Operators::dot(const Value& a, const Value& b) {
  NodeId sum = context_.pool.constant(0.0);
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    sum = context_.pool.add(sum, context_.pool.mul(a.nodes[i], b.nodes[i]));
  }
  return Value::scalar(arithmetic_type(TokenKind::times, a, b), sum);
}

Value Operators::product(const Value& a, const Value& b, Position where) {
  const std::size_t a_rank = a.shape.size();
  const std::size_t b_rank = b.shape.size();
  if (a_rank > 2 || b_rank > 2 || a.shape.back() != b.shape.front()) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("The product of {} and {} is not defined: the inner sizes differ.",
                              describe(a), describe(b)));
  }
  if (a_rank == 1 && b_rank == 1) return dot(a, b);
  return matrix_product(a, b);
}

Value Operators::matrix_product(const Value& a, const Value& b) {
  // A vector on the left is a row, one on the right a column.
  const bool has_rows = a.shape.size() == 2;
  const bool has_columns = b.shape.size() == 2;
  const auto inner = static_cast<std::size_t>(a.shape.back());
  const std::size_t rows = has_rows ? static_cast<std::size_t>(a.shape[0]) : 1;
  const std::size_t columns = has_columns ? static_cast<std::size_t>(b.shape[1]) : 1;
  Value result{.type = arithmetic_type(TokenKind::times, a, b)};
  if (has_rows) result.shape.push_back(a.shape[0]);
  if (has_columns) result.shape.push_back(b.shape[1]);
  context_.spend(static_cast<std::int64_t>(rows * columns * inner), {});
  Pool& pool = context_.pool;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      NodeId sum = pool.constant(0.0);
      for (std::size_t k = 0; k < inner; ++k)
        sum = pool.add(sum, pool.mul(a.nodes[r * inner + k], b.nodes[k * columns + c]));
      result.nodes.push_back(sum);
    }
  }
  return result;
}

Value Operators::power(const Value& a, const Value& b, Position where) {
  if (a.is_scalar() && b.is_scalar()) {
    return Value::scalar(Type::real, context_.pool.binary(Op::pow, a.node(), b.node()));
  }
  const Node exponent = b.is_scalar() ? context_.pool[b.node()] : Node{};
  const bool square = a.shape.size() == 2 && a.shape[0] == a.shape[1];
  if (!square || !b.is_scalar() || b.type != Type::integer || exponent.op != Op::constant ||
      exponent.value < 1.0 || exponent.value > 64.0) {
    context_.fail(ErrorCode::type_mismatch, where,
                  "The power of an array needs a square matrix and a positive Integer exponent; "
                  "write '.^' for powers element by element.");
  }
  Value result = a;
  for (int k = 1; k < static_cast<int>(exponent.value); ++k) result = matrix_product(result, a);
  return result;
}

Value Operators::string_relation(TokenKind op, const Value& a, const Value& b, Position where) {
  if (a.strings.size() != 1 || b.strings.size() != 1) {
    context_.fail(ErrorCode::unsupported, where, "Comparing Strings that are not constant.");
  }
  for (const Value* side : {&a, &b}) {
    if (side->strings[0].find(open_text) == std::string::npos) continue;
    context_.fail(ErrorCode::unsupported, where,
                  "Comparing a String that is known only during the run.");
  }
  const int order = a.strings[0].compare(b.strings[0]);
  bool holds = order != 0;
  if (op == TokenKind::equal) holds = order == 0;
  if (op == TokenKind::less) holds = order < 0;
  if (op == TokenKind::less_equal) holds = order <= 0;
  if (op == TokenKind::greater) holds = order > 0;
  if (op == TokenKind::greater_equal) holds = order >= 0;
  return Value::scalar(Type::boolean, context_.pool.constant(holds ? 1.0 : 0.0));
}

Value Operators::relation(TokenKind op, const Value& a, const Value& b, bool continuous,
                          Position where) {
  if (!a.is_scalar() || !b.is_scalar()) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("The relation '{}' takes scalars, but one side is {}.", spelling(op),
                              describe(a.is_scalar() ? b : a)));
  }
  if (a.type == Type::string && b.type == Type::string) return string_relation(op, a, b, where);
  const bool numbers = a.is_number() && b.is_number();
  const bool same = a.type == b.type && (a.type == Type::boolean || a.type == Type::enumeration);
  if (!numbers && !same) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("The relation '{}' does not compare {} with {}.", spelling(op),
                              describe(a), describe(b)));
  }
  const bool equality = op == TokenKind::equal || op == TokenKind::not_equal;
  // What a function finds for values that change all the time, the region of a state say, jumps.
  const bool jumps = equality && a.type == b.type && a.type != Type::real;
  if (equality && continuous && !jumps && !context_.immediate) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("'{}' between Real values that change all the time is true by chance "
                              "only: compare with '<=' or '>='.",
                              spelling(op)));
  }
  const bool held = continuous && !jumps && !context_.immediate;
  const Op kind = relation_op(op);
  const NodeId node = held ? context_.pool.relation(kind, a.node(), b.node())
                           : context_.pool.immediate_relation(kind, a.node(), b.node());
  return Value::scalar(Type::boolean, node);
}

Value Operators::select(NodeId condition, const Value& a, const Value& b, Position where,
                        bool may_miss) {
  const bool numbers = a.is_number() && b.is_number();
  const bool records = a.type == Type::record && a.parts.size() == b.parts.size();
  const bool same_type = a.type == b.type && (a.definition == b.definition || records);
  if ((!numbers && !same_type) || a.shape != b.shape || a.type == Type::scattered) {
    context_.fail(
        ErrorCode::type_mismatch, where,
        fmt::format("The branches differ: one is {}, the other {}.", describe(a), describe(b)));
  }
  Value result = a;
  if (b.type == Type::real) result.type = Type::real;
  if (a.type == Type::string) {
    for (std::size_t i = 0; i < a.strings.size(); ++i)
      if (a.strings[i] != b.strings[i]) result.strings[i] = open_text;
    return result;
  }
  Pool& pool = context_.pool;
  // What one branch alone assigns has no value after the other: one that is never finite.
  const auto value_or_none = [&](NodeId node) {
    if (node != no_node) return node;
    const NodeId square = pool.mul(pool.time(), pool.time());
    return pool.unary(Op::sqrt, pool.sub(pool.constant(-1.0), square));
  };
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    const bool unassigned = may_miss ? a.nodes[i] == no_node && b.nodes[i] == no_node
                                     : a.nodes[i] == no_node || b.nodes[i] == no_node;
    result.nodes[i] =
        unassigned ? no_node
                   : pool.if_else(condition, value_or_none(a.nodes[i]), value_or_none(b.nodes[i]));
  }
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    result.parts[i] = select(condition, a.parts[i], b.parts[i], where, may_miss);
  }
  return result;
}

Value Operators::stack(std::vector<Value> elements, Position where) {
  if (elements.empty()) return {.shape = {0}};
  Value result{.type = elements.front().type, .definition = elements.front().definition};
  result.shape = elements.front().shape;
  result.shape.insert(result.shape.begin(), std::ssize(elements));
  for (Value& item : elements) {
    const bool numbers = item.is_number() && result.is_number();
    if ((!numbers && item.type != result.type) || item.type == Type::scattered) {
      context_.fail(ErrorCode::type_mismatch, where,
                    fmt::format("The elements of an array must have one type, but one is {} "
                                "and another {}.",
                                describe(elements.front()), describe(item)));
    }
    if (item.shape.size() + 1 != result.shape.size() ||
        !std::equal(item.shape.begin(), item.shape.end(), result.shape.begin() + 1)) {
      context_.fail(ErrorCode::type_mismatch, where,
                    fmt::format("The elements of an array must have one size, but one is {} "
                                "and another {}.",
                                describe(elements.front()), describe(item)));
    }
    if (item.type == Type::real) result.type = Type::real;
    context_.spend(std::ssize(item.nodes), where);
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

}  // namespace daedal::modelica
