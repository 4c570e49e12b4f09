// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/syntax/expression_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "modelica/restored.hpp"
#include "modelica/syntax/lexer.hpp"
#include "modelica/syntax/name_pattern.hpp"

namespace daedal::modelica {

ExprId ExpressionParser::parse_expression() {
  const TokenStream::Nested nested(tokens_);
  if (tokens_.at(TokenKind::kw_if)) return parse_conditional();
  const Token begin = tokens_.peek();
  const ExprId first = parse_simple_expression();
  if (!tokens_.accept(TokenKind::colon)) return first;
  const ExprId second = parse_simple_expression();
  const ExprNode range{.kind = ExprKind::range, .where = begin.where};
  if (!tokens_.accept(TokenKind::colon)) return ast_.add(range, {first, second});
  const ExprId third = parse_simple_expression();
  return ast_.add(range, {first, second, third});
}

ExprId ExpressionParser::parse_conditional() {
  const Token begin = tokens_.peek();
  std::vector<std::int32_t> children;
  // `else if` is the same as `elseif`, and long lists of cases are written both ways.
  bool another = true;
  while (another) {
    tokens_.next();
    children.push_back(parse_expression());
    tokens_.expect_then();
    children.push_back(parse_expression());
    const bool else_if = tokens_.at(TokenKind::kw_else) && tokens_.peek(1).kind == TokenKind::kw_if;
    if (else_if) tokens_.next();
    another = else_if || tokens_.at(TokenKind::kw_elseif);
  }
  tokens_.expect(TokenKind::kw_else, "and a value: an if-expression needs it");
  children.push_back(parse_expression());
  return ast_.add({.kind = ExprKind::conditional, .where = begin.where}, children);
}

ExprId ExpressionParser::parse_simple_expression() {
  return parse_logical_or();
}

template <class Operand>
ExprId ExpressionParser::parse_chain(Operand operand, std::initializer_list<TokenKind> operators) {
  const Token begin = tokens_.peek();
  const ExprId first = operand();
  const auto is_operator = [&] {
    return std::find(operators.begin(), operators.end(), tokens_.peek().kind) != operators.end();
  };
  if (!is_operator()) return first;
  std::vector<std::int32_t> children{first};
  while (is_operator()) {
    children.push_back(static_cast<std::int32_t>(tokens_.next().kind));
    children.push_back(operand());
  }
  return ast_.add({.kind = ExprKind::chain, .where = begin.where}, children);
}

ExprId ExpressionParser::parse_logical_or() {
  return parse_chain([this] { return parse_logical_and(); }, {TokenKind::kw_or});
}

ExprId ExpressionParser::parse_logical_and() {
  return parse_chain([this] { return parse_logical_not(); }, {TokenKind::kw_and});
}

ExprId ExpressionParser::parse_logical_not() {
  const Token begin = tokens_.peek();
  if (!tokens_.accept(TokenKind::kw_not)) return parse_relation();
  const TokenStream::Nested nested(tokens_);
  const ExprId operand = parse_logical_not();
  return ast_.add({.kind = ExprKind::unary, .op = begin.kind, .where = begin.where}, {operand});
}

ExprId ExpressionParser::parse_relation() {
  const ExprId left = parse_sum();
  const Token sign = tokens_.peek();
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
  tokens_.next();
  const ExprId right = parse_sum();
  return ast_.add({.kind = ExprKind::binary, .op = sign.kind, .where = sign.where}, {left, right});
}

ExprId ExpressionParser::parse_sum() {
  return parse_chain(
      [this] { return parse_product(); },
      {TokenKind::plus, TokenKind::minus, TokenKind::dot_plus, TokenKind::dot_minus});
}

ExprId ExpressionParser::parse_product() {
  const Token sign = tokens_.peek();
  // A sign belongs to the whole term: -a*b is -(a*b), -x^2 is -(x^2).
  const bool has_sign = tokens_.at(TokenKind::plus) || tokens_.at(TokenKind::minus) ||
                        tokens_.at(TokenKind::dot_plus) || tokens_.at(TokenKind::dot_minus);
  if (has_sign) tokens_.next();
  const ExprId term = parse_chain(
      [this] { return parse_power(); },
      {TokenKind::times, TokenKind::divide, TokenKind::dot_times, TokenKind::dot_divide});
  if (!has_sign) return term;
  return ast_.add({.kind = ExprKind::unary, .op = sign.kind, .where = sign.where}, {term});
}

ExprId ExpressionParser::parse_power() {
  const ExprId base = parse_signed_primary();
  const Token sign = tokens_.peek();
  if (!tokens_.accept(TokenKind::power) && !tokens_.accept(TokenKind::dot_power)) return base;
  const ExprId exponent = parse_signed_primary();
  if (tokens_.at(TokenKind::power) || tokens_.at(TokenKind::dot_power)) {
    tokens_.diagnostics().fail(ErrorCode::syntax, tokens_.peek().where,
                               "Powers do not chain: write (a^b)^c or a^(b^c).");
  }
  return ast_.add({.kind = ExprKind::binary, .op = sign.kind, .where = sign.where},
                  {base, exponent});
}

ExprId ExpressionParser::parse_signed_primary() {
  const Token sign = tokens_.peek();
  if (!tokens_.at(TokenKind::plus) && !tokens_.at(TokenKind::minus)) return parse_primary();
  const TokenStream::Nested nested(tokens_);
  tokens_.next();
  const ExprId operand = parse_signed_primary();
  return ast_.add({.kind = ExprKind::unary, .op = sign.kind, .where = sign.where}, {operand});
}

ExprId ExpressionParser::parse_primary() {
  const Token begin = tokens_.peek();
  switch (begin.kind) {
    case TokenKind::integer:
    case TokenKind::real:
      return parse_number();
    case TokenKind::string:
      tokens_.next();
      return ast_.add({.kind = ExprKind::string,
                       .where = begin.where,
                       .text = ast_.intern(unquote(tokens_.text_of(begin)))});
    case TokenKind::kw_true:
    case TokenKind::kw_false:
      tokens_.next();
      return ast_.add({.kind = ExprKind::boolean,
                       .where = begin.where,
                       .value = begin.kind == TokenKind::kw_true ? 1.0 : 0.0});
    case TokenKind::unset:
      tokens_.next();
      return ast_.add({.kind = ExprKind::unset, .where = begin.where});
    case TokenKind::kw_function:
      return parse_function_argument();
    case TokenKind::kw_initial:
      tokens_.next();
      if (!tokens_.at(TokenKind::left_paren)) tokens_.fail_expected("'(' after 'initial'");
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
      tokens_.next();
      return parse_arguments(begin, {.kind = ExprKind::array, .where = begin.where},
                             TokenKind::right_brace);
    case TokenKind::kw_end:
      if (in_subscript_) {
        tokens_.next();
        return ast_.add({.kind = ExprKind::end_index, .where = begin.where});
      }
      tokens_.fail_expected("an expression");
    default:
      tokens_.fail_expected("an expression");
  }
}

ExprId ExpressionParser::parse_number() {
  const Token token = tokens_.next();
  const std::string_view text = tokens_.text_of(token);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range || !std::isfinite(value)) {
    tokens_.diagnostics().fail(
        ErrorCode::invalid_value, token.where,
        fmt::format("The number {} is outside the range of double precision.", text.substr(0, 40)));
  }
  // Beyond 2^53 neighbouring integers share a double: such a literal counts as Real.
  const bool exact = token.kind == TokenKind::integer && value <= 9007199254740992.0;
  return ast_.add(
      {.kind = exact ? ExprKind::integer : ExprKind::real, .where = token.where, .value = value});
}

ExprId ExpressionParser::parse_call(TextId function, Position where) {
  const Token opened = tokens_.next();
  return parse_arguments(opened, {.kind = ExprKind::call, .where = where, .text = function},
                         TokenKind::right_paren);
}

/// function f(a = 1), an argument that is a function.
ExprId ExpressionParser::parse_function_argument() {
  const Position where = tokens_.next().where;
  std::string name = ast_.text(parse_part().text);
  while (tokens_.accept(TokenKind::dot)) name += "." + ast_.text(parse_part().text);
  if (!tokens_.at(TokenKind::left_paren)) tokens_.fail_expected("'(' after the function's name");
  const Token opened = tokens_.next();
  return parse_arguments(opened,
                         {.kind = ExprKind::function, .where = where, .text = ast_.intern(name)},
                         TokenKind::right_paren);
}

ExprId ExpressionParser::parse_arguments(const Token& opened, ExprNode node, TokenKind close) {
  const TokenStream::Nested nested(tokens_);
  std::vector<std::int32_t> children;
  if (!tokens_.at(close)) {
    do {
      children.push_back(parse_argument());
    } while (tokens_.accept(TokenKind::comma));
  }
  if (tokens_.accept(TokenKind::kw_for)) {
    if (children.size() != 1) tokens_.fail_expected(fmt::format("'{}'", spelling(close)));
    const std::vector<Iterator> iterators = parse_iterators();
    std::vector<RefPart> names;
    for (const Iterator& iterator : iterators) {
      names.push_back({.text = iterator.name});
      children.push_back(iterator.range);
    }
    children = {
        ast_.add({.kind = ExprKind::comprehension, .where = opened.where}, children, names)};
  }
  if (!tokens_.at(close)) {
    tokens_.fail_expected(fmt::format("',' or '{}' for the '{}' of line {}, column {}",
                                      spelling(close), spelling(opened.kind), opened.where.line,
                                      opened.where.column));
  }
  tokens_.next();
  return ast_.add(node, children);
}

ExprId ExpressionParser::parse_argument() {
  if (tokens_.at_name() && tokens_.peek(1).kind == TokenKind::equal_sign) {
    const Token name = tokens_.next();
    tokens_.next();
    const ExprId value = parse_expression();
    return ast_.add({.kind = ExprKind::named, .where = name.where, .text = name_text(name)},
                    {value});
  }
  return parse_expression();
}

ExprId ExpressionParser::parse_parenthesised() {
  const TokenStream::Nested nested(tokens_);
  const Token opened = tokens_.next();
  std::vector<std::int32_t> children;
  bool empty_place = false;
  do {
    const bool empty = tokens_.at(TokenKind::comma) || tokens_.at(TokenKind::right_paren);
    empty_place = empty_place || empty;
    children.push_back(empty ? none : parse_expression());
  } while (tokens_.accept(TokenKind::comma));
  if (!tokens_.at(TokenKind::right_paren)) {
    tokens_.fail_expected(fmt::format("')' for the '(' of line {}, column {}", opened.where.line,
                                      opened.where.column));
  }
  if (children.size() == 1 && empty_place) tokens_.fail_expected("an expression");
  tokens_.next();
  if (children.size() == 1) return parse_postfix(children[0]);
  return ast_.add({.kind = ExprKind::tuple, .where = opened.where}, children);
}

ExprId ExpressionParser::parse_matrix() {
  const TokenStream::Nested nested(tokens_);
  const Token opened = tokens_.next();
  std::vector<std::int32_t> rows;
  do {
    std::vector<std::int32_t> row;
    const Position where = tokens_.peek().where;
    do {
      row.push_back(parse_expression());
    } while (tokens_.accept(TokenKind::comma));
    rows.push_back(ast_.add({.kind = ExprKind::array, .where = where}, row));
  } while (tokens_.accept(TokenKind::semicolon));
  tokens_.expect(TokenKind::right_bracket, "or ',' or ';' inside the matrix");
  return ast_.add({.kind = ExprKind::matrix, .where = opened.where}, rows);
}

ExprId ExpressionParser::parse_postfix(ExprId base) {
  if (!tokens_.at(TokenKind::left_bracket) && !tokens_.at(TokenKind::dot)) return base;
  const Token begin = tokens_.peek();
  std::vector<RefPart> parts;
  if (tokens_.at(TokenKind::left_bracket)) {
    RefPart part;
    parse_subscripts(part);
    parts.push_back(part);
  }
  while (tokens_.accept(TokenKind::dot)) parts.push_back(parse_part());
  return ast_.add({.kind = ExprKind::postfix, .where = begin.where}, std::span(&base, 1), parts);
}

RefPart ExpressionParser::parse_part() {
  RefPart part;
  const Token name = tokens_.expect_name("a name");
  part.text = name_text(name);
  part.quoted = name.kind == TokenKind::quoted_identifier;
  parse_pattern(part, name);
  if (tokens_.at(TokenKind::left_bracket)) {
    if (part.is_pattern)
      tokens_.fail_expected("an operator after a name with subscripts in its quotes");
    parse_subscripts(part);
  }
  return part;
}

/// Subscripts inside the quotes of a name; nothing happens to a name without them.
void ExpressionParser::parse_pattern(RefPart& part, const Token& name) {
  if (name.kind != TokenKind::quoted_identifier) return;
  std::optional<NamePattern> pattern = split_pattern(tokens_.text_of(name));
  if (!pattern) return;
  std::vector<ExprId> subscripts;
  for (const std::string& text : pattern->subscripts)
    subscripts.push_back(parse_inner(text, name.where));
  part.is_pattern = true;
  part.text = ast_.intern(pattern->name);
  ast_.set_subscripts(part, subscripts);
}

/// The number of an enumeration's literal that was read before, or 0.
int ExpressionParser::literal_number(const ExprNode& reference) const {
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

TextId ExpressionParser::declared_name(const Token& name) {
  RefPart part{.text = name_text(name)};
  const TextId plain = part.text;
  parse_pattern(part, name);
  if (!part.is_pattern) return plain;
  std::string full = ast_.text(part.text);
  for (const ExprId subscript : ast_.subscripts_of(part)) {
    const int number = literal_number(ast_.expr(subscript));
    if (number == 0) return plain;
    full.replace(full.find(subscript_mark), 1, std::to_string(number));
  }
  return ast_.intern(full);
}

ExprId ExpressionParser::parse_inner(std::string_view text, Position where) {
  const TokenStream::Nested nested(tokens_);
  TokenStream inner(text, where, tokens_);
  const ExprId id = ExpressionParser(inner, ast_).parse_expression();
  if (!inner.at(TokenKind::end_of_text)) inner.fail_expected("']' after the subscript");
  return id;
}

void ExpressionParser::parse_subscripts(RefPart& part) {
  const TokenStream::Nested nested(tokens_);
  tokens_.expect(TokenKind::left_bracket, "before the subscripts");
  std::vector<std::int32_t> subscripts;
  {
    const Restored inside(in_subscript_, true);
    do {
      subscripts.push_back(parse_subscript());
    } while (tokens_.accept(TokenKind::comma));
  }
  tokens_.expect(TokenKind::right_bracket, "or ',' after a subscript");
  ast_.set_subscripts(part, subscripts);
}

ExprId ExpressionParser::parse_subscript() {
  const Token begin = tokens_.peek();
  const bool whole =
      tokens_.at(TokenKind::colon) && (tokens_.peek(1).kind == TokenKind::comma ||
                                       tokens_.peek(1).kind == TokenKind::right_bracket);
  if (!whole) return parse_expression();
  tokens_.next();
  return ast_.add({.kind = ExprKind::colon, .where = begin.where});
}

ExprId ExpressionParser::parse_name_or_call() {
  const Token begin = tokens_.peek();
  tokens_.accept(TokenKind::dot);
  const RefPart first = parse_part();
  std::vector<RefPart> all;  // where there are several
  while (tokens_.at(TokenKind::dot)) {
    tokens_.next();
    if (all.empty()) all.push_back(first);
    all.push_back(parse_part());
  }
  std::span<const RefPart> parts(&first, 1);
  if (!all.empty()) parts = all;
  if (!tokens_.at(TokenKind::left_paren)) {
    return ast_.add({.kind = ExprKind::reference, .where = begin.where},
                    std::span<const std::int32_t>{}, parts);
  }
  std::string function;
  for (const RefPart& part : parts) {
    if (part.n_subscripts > 0) tokens_.fail_expected("an operator after the subscripts");
    if (parts.size() > 1) function += (function.empty() ? "" : ".") + ast_.text(part.text);
  }
  const TextId name = parts.size() > 1 ? ast_.intern(function) : first.text;
  return parse_postfix(parse_call(name, begin.where));
}

std::vector<Iterator> ExpressionParser::parse_iterators() {
  std::vector<Iterator> iterators;
  do {
    const Token name = tokens_.expect_name("the name of the loop's index");
    Iterator iterator;
    iterator.name = name_text(name);
    iterator.where = name.where;
    tokens_.expect(TokenKind::kw_in, "and a range after the loop's index");
    iterator.range = parse_expression();
    iterators.push_back(iterator);
  } while (tokens_.accept(TokenKind::comma));
  return iterators;
}

std::vector<ExprId> ExpressionParser::parse_dimensions() {
  RefPart part;
  parse_subscripts(part);
  const std::span<const ExprId> dimensions = ast_.subscripts_of(part);
  return {dimensions.begin(), dimensions.end()};
}

TextId ExpressionParser::name_text(const Token& name) {
  const std::string_view text = tokens_.text_of(name);
  return name.kind == TokenKind::quoted_identifier ? ast_.intern(unquote(text)) : ast_.intern(text);
}

TextId ExpressionParser::parse_description() {
  if (!tokens_.at(TokenKind::string)) return none;
  std::string text = unquote(tokens_.text_of(tokens_.next()));
  while (tokens_.at(TokenKind::plus) && tokens_.peek(1).kind == TokenKind::string) {
    tokens_.next();
    text += unquote(tokens_.text_of(tokens_.next()));
  }
  return ast_.intern(text);
}

}  // namespace daedal::modelica
