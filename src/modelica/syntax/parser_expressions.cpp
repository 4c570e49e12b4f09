// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "modelica/syntax/lexer.hpp"
#include "modelica/syntax/parser.hpp"

namespace daedal::modelica {

ExprId Parser::add(ExprNode node, const std::vector<std::int32_t>& children) {
  node.first_child = static_cast<std::int32_t>(ast_.children.size());
  node.n_children = static_cast<std::int32_t>(children.size());
  ast_.children.insert(ast_.children.end(), children.begin(), children.end());
  ast_.expressions.push_back(node);
  return static_cast<ExprId>(ast_.expressions.size()) - 1;
}

ExprId Parser::add_with_parts(ExprNode node, const std::vector<RefPart>& parts) {
  node.first_part = static_cast<std::int32_t>(ast_.parts.size());
  node.n_parts = static_cast<std::int32_t>(parts.size());
  ast_.parts.insert(ast_.parts.end(), parts.begin(), parts.end());
  ast_.expressions.push_back(node);
  return static_cast<ExprId>(ast_.expressions.size()) - 1;
}

ExprId Parser::parse_expression() {
  const Nested nested(*this);
  if (at(TokenKind::kw_if)) return parse_conditional();
  const Token begin = peek();
  const ExprId first = parse_simple_expression();
  if (!accept(TokenKind::colon)) return first;
  const ExprId second = parse_simple_expression();
  const ExprNode range{.kind = ExprKind::range, .where = begin.where};
  if (!accept(TokenKind::colon)) return add(range, {first, second});
  const ExprId third = parse_simple_expression();
  return add(range, {first, second, third});
}

ExprId Parser::parse_conditional() {
  const Token begin = peek();
  std::vector<std::int32_t> children;
  // `else if` is the same as `elseif`, and long lists of cases are written both ways.
  bool another = true;
  while (another) {
    next();
    children.push_back(parse_expression());
    expect_then();
    children.push_back(parse_expression());
    const bool else_if = at(TokenKind::kw_else) && peek(1).kind == TokenKind::kw_if;
    if (else_if) next();
    another = else_if || at(TokenKind::kw_elseif);
  }
  expect(TokenKind::kw_else, "and a value: an if-expression needs it");
  children.push_back(parse_expression());
  return add({.kind = ExprKind::conditional, .where = begin.where}, children);
}

ExprId Parser::parse_simple_expression() {
  return parse_logical_or();
}

template <class Operand>
ExprId Parser::parse_chain(Operand operand, std::initializer_list<TokenKind> operators) {
  const Token begin = peek();
  const ExprId first = operand();
  const auto is_operator = [&] {
    return std::find(operators.begin(), operators.end(), peek().kind) != operators.end();
  };
  if (!is_operator()) return first;
  std::vector<std::int32_t> children{first};
  while (is_operator()) {
    children.push_back(static_cast<std::int32_t>(next().kind));
    children.push_back(operand());
  }
  return add({.kind = ExprKind::chain, .where = begin.where}, children);
}

ExprId Parser::parse_logical_or() {
  return parse_chain([this] { return parse_logical_and(); }, {TokenKind::kw_or});
}

ExprId Parser::parse_logical_and() {
  return parse_chain([this] { return parse_logical_not(); }, {TokenKind::kw_and});
}

ExprId Parser::parse_logical_not() {
  const Token begin = peek();
  if (!accept(TokenKind::kw_not)) return parse_relation();
  const Nested nested(*this);
  const ExprId operand = parse_logical_not();
  return add({.kind = ExprKind::unary, .op = begin.kind, .where = begin.where}, {operand});
}

ExprId Parser::parse_relation() {
  const ExprId left = parse_sum();
  const Token sign = peek();
  switch (sign.kind) {
    case TokenKind::less:
    case TokenKind::less_equal:
    case TokenKind::greater:
    case TokenKind::greater_equal:
    case TokenKind::equal:
    case TokenKind::not_equal:
      break;
    default:
      return left;
  }
  next();
  const ExprId right = parse_sum();
  return add({.kind = ExprKind::binary, .op = sign.kind, .where = sign.where}, {left, right});
}

ExprId Parser::parse_sum() {
  return parse_chain(
      [this] { return parse_product(); },
      {TokenKind::plus, TokenKind::minus, TokenKind::dot_plus, TokenKind::dot_minus});
}

ExprId Parser::parse_product() {
  const Token sign = peek();
  // A sign belongs to the whole term: -a*b is -(a*b), -x^2 is -(x^2).
  const bool has_sign = at(TokenKind::plus) || at(TokenKind::minus) || at(TokenKind::dot_plus) ||
                        at(TokenKind::dot_minus);
  if (has_sign) next();
  const ExprId term = parse_chain(
      [this] { return parse_power(); },
      {TokenKind::times, TokenKind::divide, TokenKind::dot_times, TokenKind::dot_divide});
  if (!has_sign) return term;
  return add({.kind = ExprKind::unary, .op = sign.kind, .where = sign.where}, {term});
}

ExprId Parser::parse_power() {
  const ExprId base = parse_signed_primary();
  const Token sign = peek();
  if (!accept(TokenKind::power) && !accept(TokenKind::dot_power)) return base;
  const ExprId exponent = parse_signed_primary();
  if (at(TokenKind::power) || at(TokenKind::dot_power)) {
    diagnostics_.fail(ErrorCode::syntax, peek().where,
                      "Powers do not chain: write (a^b)^c or a^(b^c).");
  }
  return add({.kind = ExprKind::binary, .op = sign.kind, .where = sign.where}, {base, exponent});
}

ExprId Parser::parse_signed_primary() {
  const Token sign = peek();
  if (!at(TokenKind::plus) && !at(TokenKind::minus)) return parse_primary();
  const Nested nested(*this);
  next();
  const ExprId operand = parse_signed_primary();
  return add({.kind = ExprKind::unary, .op = sign.kind, .where = sign.where}, {operand});
}

ExprId Parser::parse_primary() {
  const Token begin = peek();
  switch (begin.kind) {
    case TokenKind::integer:
    case TokenKind::real:
      return parse_number();
    case TokenKind::string:
      next();
      return add({.kind = ExprKind::string,
                  .where = begin.where,
                  .text = ast_.intern(unquote(text_of(begin)))});
    case TokenKind::kw_true:
    case TokenKind::kw_false:
      next();
      return add({.kind = ExprKind::boolean,
                  .where = begin.where,
                  .value = begin.kind == TokenKind::kw_true ? 1.0 : 0.0});
    case TokenKind::kw_initial:
      next();
      if (!at(TokenKind::left_paren)) fail_expected("'(' after 'initial'");
      return parse_call(ast_.intern("initial"), begin.where);
    case TokenKind::identifier:
    case TokenKind::quoted_identifier:
    case TokenKind::dot:
      return parse_name_or_call();
    case TokenKind::left_paren:
      return parse_parenthesised();
    case TokenKind::left_bracket:
      return parse_matrix();
    case TokenKind::left_brace:
      next();
      return parse_arguments(begin, {.kind = ExprKind::array, .where = begin.where},
                             TokenKind::right_brace);
    case TokenKind::kw_end:
      if (subscript_depth_ > 0) {
        next();
        return add({.kind = ExprKind::end_index, .where = begin.where});
      }
      fail_expected("an expression");
    default:
      fail_expected("an expression");
  }
}

ExprId Parser::parse_number() {
  const Token token = next();
  const std::string_view text = text_of(token);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range || !std::isfinite(value)) {
    diagnostics_.fail(
        ErrorCode::invalid_value, token.where,
        fmt::format("The number {} is outside the range of double precision.", text.substr(0, 40)));
  }
  // Beyond 2^53 neighbouring integers share a double: such a literal counts as Real.
  const bool exact = token.kind == TokenKind::integer && value <= 9007199254740992.0;
  return add(
      {.kind = exact ? ExprKind::integer : ExprKind::real, .where = token.where, .value = value});
}

ExprId Parser::parse_call(TextId function, Position where) {
  const Token opened = next();
  return parse_arguments(opened, {.kind = ExprKind::call, .where = where, .text = function},
                         TokenKind::right_paren);
}

ExprId Parser::parse_arguments(const Token& opened, ExprNode node, TokenKind close) {
  const Nested nested(*this);
  std::vector<std::int32_t> children;
  if (!at(close)) {
    do {
      children.push_back(parse_argument());
    } while (accept(TokenKind::comma));
  }
  if (accept(TokenKind::kw_for)) {
    if (children.size() != 1) fail_expected(fmt::format("'{}'", spelling(close)));
    const std::vector<Iterator> iterators = parse_iterators();
    std::vector<RefPart> names;
    for (const Iterator& iterator : iterators) {
      names.push_back({.text = iterator.name});
      children.push_back(iterator.range);
    }
    ExprNode comprehension{.kind = ExprKind::comprehension, .where = opened.where};
    comprehension.first_part = static_cast<std::int32_t>(ast_.parts.size());
    comprehension.n_parts = static_cast<std::int32_t>(names.size());
    ast_.parts.insert(ast_.parts.end(), names.begin(), names.end());
    children = {add(comprehension, children)};
  }
  if (!at(close)) {
    fail_expected(fmt::format("',' or '{}' for the '{}' of line {}, column {}", spelling(close),
                              spelling(opened.kind), opened.where.line, opened.where.column));
  }
  next();
  return add(node, children);
}

ExprId Parser::parse_argument() {
  if (at_name() && peek(1).kind == TokenKind::equal_sign) {
    const Token name = next();
    next();
    const ExprId value = parse_expression();
    return add({.kind = ExprKind::named, .where = name.where, .text = name_text(name)}, {value});
  }
  return parse_expression();
}

ExprId Parser::parse_parenthesised() {
  const Nested nested(*this);
  const Token opened = next();
  std::vector<std::int32_t> children;
  bool empty_place = false;
  do {
    const bool empty = at(TokenKind::comma) || at(TokenKind::right_paren);
    empty_place = empty_place || empty;
    children.push_back(empty ? none : parse_expression());
  } while (accept(TokenKind::comma));
  if (!at(TokenKind::right_paren)) {
    fail_expected(fmt::format("')' for the '(' of line {}, column {}", opened.where.line,
                              opened.where.column));
  }
  if (children.size() == 1 && empty_place) fail_expected("an expression");
  next();
  if (children.size() == 1) return parse_postfix(children[0]);
  return add({.kind = ExprKind::tuple, .where = opened.where}, children);
}

ExprId Parser::parse_matrix() {
  const Nested nested(*this);
  const Token opened = next();
  std::vector<std::int32_t> rows;
  do {
    std::vector<std::int32_t> row;
    const Position where = peek().where;
    do {
      row.push_back(parse_expression());
    } while (accept(TokenKind::comma));
    rows.push_back(add({.kind = ExprKind::array, .where = where}, row));
  } while (accept(TokenKind::semicolon));
  expect(TokenKind::right_bracket, "or ',' or ';' inside the matrix");
  return add({.kind = ExprKind::matrix, .where = opened.where}, rows);
}

ExprId Parser::parse_postfix(ExprId base) {
  if (!at(TokenKind::left_bracket) && !at(TokenKind::dot)) return base;
  const Token begin = peek();
  std::vector<RefPart> parts;
  if (at(TokenKind::left_bracket)) {
    RefPart part;
    parse_subscripts(part);
    parts.push_back(part);
  }
  while (accept(TokenKind::dot)) parts.push_back(parse_part());
  ExprNode node{.kind = ExprKind::postfix, .where = begin.where};
  node.first_part = static_cast<std::int32_t>(ast_.parts.size());
  node.n_parts = static_cast<std::int32_t>(parts.size());
  ast_.parts.insert(ast_.parts.end(), parts.begin(), parts.end());
  return add(node, {base});
}

}  // namespace daedal::modelica
