// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/syntax/lexer.hpp"
#include "modelica/syntax/parser.hpp"

namespace daedal::modelica {

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

}  // namespace daedal::modelica
