// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/syntax/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "modelica/syntax/lexer.hpp"

namespace daedal::modelica {

TextId Ast::intern(std::string text) {
  const auto [entry, is_new] = ids_.emplace(std::move(text), static_cast<TextId>(texts_.size()));
  if (is_new) texts_.push_back(&entry->first);
  return entry->second;
}

TextId Ast::find_text(const std::string& text) const {
  const auto found = ids_.find(text);
  return found == ids_.end() ? none : found->second;
}

Parser::Nested::Nested(Parser& parser) : parser_(parser) {
  if (++parser_.nesting_ <= parser_.max_nesting_) return;
  // The destructor does not run for an object whose constructor throws.
  --parser_.nesting_;
  parser_.diagnostics_.fail(
      ErrorCode::too_deep, parser_.peek().where,
      fmt::format("Brackets and structures are nested more than {} deep here.",
                  parser_.max_nesting_));
}

const Token& Parser::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

bool Parser::at_name() const {
  return at(TokenKind::identifier) || at(TokenKind::quoted_identifier);
}

std::string_view Parser::text_of(const Token& token) const {
  return text_.substr(token.offset, token.length);
}

bool Parser::at_word(std::string_view word) const {
  return at(TokenKind::identifier) && text_of(peek()) == word;
}

Token Parser::next() {
  const Token token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Parser::accept(TokenKind kind) {
  if (!at(kind)) return false;
  next();
  return true;
}

Token Parser::expect(TokenKind kind, std::string_view after) {
  if (!at(kind)) fail_expected(fmt::format("'{}' {}", spelling(kind), after));
  return next();
}

void Parser::expect_then() {
  if (at(TokenKind::equal_sign))
    fail_expected("'then' after the condition", " To compare, write '=='.");
  expect(TokenKind::kw_then, "after the condition");
}

Token Parser::expect_name(std::string_view what) {
  if (!at_name()) fail_expected(what);
  return next();
}

TextId Parser::name_text(const Token& name) {
  const std::string_view text = text_of(name);
  return ast_.intern(name.kind == TokenKind::quoted_identifier ? unquote(text) : std::string(text));
}

/// Where a token is missing: behind the one before it, if what was found begins another line.
Position Parser::gap() const {
  if (at_ == 0) return peek().where;
  const Token& before = tokens_[at_ - 1];
  const bool is_plain = before.kind != TokenKind::string && before.length > 0;
  if (!is_plain || before.where.line == peek().where.line) return peek().where;
  return {before.where.line, before.where.column + static_cast<std::int32_t>(before.length)};
}

void Parser::fail_expected(std::string_view expected, std::string_view hint) {
  constexpr std::size_t longest = 40;  // enough to recognise the token
  std::string found(text_of(peek()).substr(0, longest));
  found =
      at(TokenKind::end_of_text) ? std::string(spelling(peek().kind)) : fmt::format("'{}'", found);
  const bool is_gap = expected.starts_with("';'");
  diagnostics_.fail(ErrorCode::syntax, is_gap ? gap() : peek().where,
                    fmt::format("Expected {}, but found {}.{}", expected, found, hint));
}

void Parser::refuse(const Token& token, std::string_view construct) {
  diagnostics_.fail(ErrorCode::unsupported, token.where,
                    fmt::format("{} is not supported: a model text must be flat.", construct));
}

void Parser::resynchronise() {
  while (!at(TokenKind::end_of_text)) {
    switch (peek().kind) {
      case TokenKind::semicolon:
        next();
        return;
      case TokenKind::kw_equation:
      case TokenKind::kw_algorithm:
      case TokenKind::kw_public:
      case TokenKind::kw_protected:
        return;
      case TokenKind::kw_end:
        // `end` in a subscript goes on; `end name`, `end if` closes something.
        if (peek(1).kind == TokenKind::identifier || peek(1).kind == TokenKind::kw_if ||
            peek(1).kind == TokenKind::quoted_identifier || peek(1).kind == TokenKind::kw_for ||
            peek(1).kind == TokenKind::kw_when || peek(1).kind == TokenKind::kw_while) {
          return;
        }
        next();
        break;
      default:
        next();
    }
  }
}

Ast Parser::with_prelude(Ast ast, std::string_view prelude) {
  Diagnostics diagnostics("prelude", 1, nullptr);
  Parser parser(prelude, tokenize(prelude, diagnostics), diagnostics, 100);
  std::vector<ClassId> own = std::move(ast.top_level);
  ast.top_level.clear();
  parser.ast_ = std::move(ast);
  Ast both = parser.run();
  diagnostics.throw_if_any();
  both.prelude = std::exchange(both.top_level, std::move(own));
  return both;
}

Ast Parser::run() {
  if (at(TokenKind::end_of_text)) {
    diagnostics_.report(ErrorCode::syntax, peek().where,
                        "The text is empty: expected 'model' and a name.");
    return std::move(ast_);
  }
  while (!at(TokenKind::end_of_text)) {
    try {
      if (accept(TokenKind::kw_within)) {
        while (!at(TokenKind::semicolon) && !at(TokenKind::end_of_text)) next();
        expect(TokenKind::semicolon, "after the 'within' clause");
        continue;
      }
      const ClassId definition = parse_class();
      expect(TokenKind::semicolon, "after the end of the definition");
      ast_.top_level.push_back(definition);
    } catch (const Abandon&) {
      // Without its frame the rest of the text cannot be read sensibly.
      break;
    }
  }
  return std::move(ast_);
}

}  // namespace daedal::modelica
