// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "modelica/lexer.hpp"
#include "modelica/parser.hpp"

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

namespace {

bool has_inner_quotes(std::string_view name) {
  return name.substr(1, name.size() - 2).find('\'') != std::string_view::npos;
}

}  // namespace

RefPart Parser::parse_part() {
  RefPart part;
  const Token name = expect_name("a name");
  part.text = name_text(name);
  part.quoted = name.kind == TokenKind::quoted_identifier;
  if (part.quoted && has_inner_quotes(text_of(name))) parse_pattern(part, name);
  if (at(TokenKind::left_bracket)) {
    if (part.is_pattern) fail_expected("an operator after a name with subscripts in its quotes");
    parse_subscripts(part);
  }
  return part;
}

/// A subscript that is no number, inside the quotes of a name: exporting tools write the element
/// number i of 'a.x' as 'a.x[\'i\']', some without the escapes.
void Parser::parse_pattern(RefPart& part, const Token& name) {
  const std::string_view raw = text_of(name).substr(1, text_of(name).size() - 2);
  bool is_escaped = true;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\\')
      ++i;
    else if (raw[i] == '\'')
      is_escaped = false;
  }
  const std::string full = is_escaped ? ast_.text(part.text) : std::string(raw);
  std::string pattern;
  std::vector<std::int32_t> subscripts;
  std::size_t begin = 0;
  const auto take = [&](std::size_t end) {
    const std::string piece = full.substr(begin, end - begin);
    const bool is_expression = piece.find('\'') != std::string::npos;
    if (is_expression) subscripts.push_back(parse_inner(piece, name.where));
    pattern += is_expression ? std::string(1, subscript_mark) : piece;
    begin = end;
  };
  for (std::size_t open = full.find('['); open != std::string::npos; open = full.find('[', begin)) {
    pattern += full.substr(begin, open + 1 - begin);
    begin = open + 1;
    bool in_quotes = false;
    for (std::size_t i = begin; i < full.size(); ++i) {
      if (full[i] == '\\' && !is_escaped) {
        ++i;
        continue;
      }
      if (full[i] == '\'') in_quotes = !in_quotes;
      if (in_quotes || (full[i] != ',' && full[i] != ']')) continue;
      take(i);
      if (full[i] == ']') break;
      pattern += full[begin++];
    }
  }
  if (subscripts.empty()) return;  // a name that merely has a quote in it
  part.is_pattern = true;
  part.text = ast_.intern(pattern + full.substr(begin));
  part.first_subscript = static_cast<std::int32_t>(ast_.children.size());
  part.n_subscripts = static_cast<std::int32_t>(subscripts.size());
  ast_.children.insert(ast_.children.end(), subscripts.begin(), subscripts.end());
}

/// The number of an enumeration's literal that was read before, or 0.
int Parser::literal_number(const ExprNode& reference) const {
  if (reference.kind != ExprKind::reference || reference.n_parts < 2) return 0;
  std::string type;
  for (std::int32_t i = 0; i + 1 < reference.n_parts; ++i)
    type += (i == 0 ? "" : ".") + ast_.text(ast_.part(reference, i).text);
  const TextId literal = ast_.part(reference, reference.n_parts - 1).text;
  for (const ClassDefinition& definition : ast_.classes) {
    if (!definition.is_enumeration || ast_.text(definition.name) != type) continue;
    for (std::size_t i = 0; i < definition.literals.size(); ++i)
      if (definition.literals[i].name == literal) return static_cast<int>(i) + 1;
  }
  return 0;
}

/// The name of a declaration: an element 'a['E'.'second']' of an array over an enumeration is
/// 'a[2]'.
TextId Parser::declared_name(const Token& name) {
  RefPart part;
  part.text = name_text(name);
  if (name.kind != TokenKind::quoted_identifier || !has_inner_quotes(text_of(name)))
    return part.text;
  const TextId plain = part.text;
  parse_pattern(part, name);
  std::string full = ast_.text(part.text);
  for (std::int32_t i = 0; i < part.n_subscripts; ++i) {
    const ExprId id = ast_.children[static_cast<std::size_t>(part.first_subscript + i)];
    const int number = literal_number(ast_.expr(id));
    if (number == 0) return plain;
    full.replace(full.find(subscript_mark), 1, std::to_string(number));
  }
  return ast_.intern(std::move(full));
}

ExprId Parser::parse_inner(std::string_view text, Position where) {
  const Nested nested(*this);
  std::vector<Token> tokens = tokenize(text, diagnostics_);
  for (Token& token : tokens) token.where = where;
  Parser inner(text, std::move(tokens), diagnostics_, max_nesting_);
  inner.nesting_ = nesting_;
  inner.ast_ = std::move(ast_);
  ExprId id = none;
  try {
    id = inner.parse_expression();
    if (!inner.at(TokenKind::end_of_text)) inner.fail_expected("']' after the subscript");
  } catch (const Abandon&) {
    ast_ = std::move(inner.ast_);
    throw;
  }
  ast_ = std::move(inner.ast_);
  return id;
}

void Parser::parse_subscripts(RefPart& part) {
  const Nested nested(*this);
  expect(TokenKind::left_bracket, "before the subscripts");
  std::vector<std::int32_t> subscripts;
  ++subscript_depth_;
  try {
    do {
      subscripts.push_back(parse_subscript());
    } while (accept(TokenKind::comma));
  } catch (const Abandon&) {
    --subscript_depth_;
    throw;
  }
  --subscript_depth_;
  expect(TokenKind::right_bracket, "or ',' after a subscript");
  part.first_subscript = static_cast<std::int32_t>(ast_.children.size());
  part.n_subscripts = static_cast<std::int32_t>(subscripts.size());
  ast_.children.insert(ast_.children.end(), subscripts.begin(), subscripts.end());
}

ExprId Parser::parse_subscript() {
  const Token begin = peek();
  const bool whole = at(TokenKind::colon) &&
                     (peek(1).kind == TokenKind::comma || peek(1).kind == TokenKind::right_bracket);
  if (!whole) return parse_expression();
  next();
  return add({.kind = ExprKind::colon, .where = begin.where});
}

ExprId Parser::parse_name_or_call() {
  const Token begin = peek();
  accept(TokenKind::dot);
  std::vector<RefPart> parts{parse_part()};
  while (at(TokenKind::dot)) {
    next();
    parts.push_back(parse_part());
  }
  if (!at(TokenKind::left_paren)) {
    return add_with_parts({.kind = ExprKind::reference, .where = begin.where}, parts);
  }
  std::string function;
  for (const RefPart& part : parts) {
    if (part.n_subscripts > 0) fail_expected("an operator after the subscripts");
    function += (function.empty() ? "" : ".") + ast_.text(part.text);
  }
  return parse_postfix(parse_call(ast_.intern(std::move(function)), begin.where));
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
