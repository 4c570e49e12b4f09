// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/syntax/token_stream.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "modelica/syntax/lexer.hpp"

namespace daedal::modelica {

TokenStream::TokenStream(std::string_view text, Diagnostics& diagnostics, int max_nesting)
    : text_(text),
      tokens_(tokenize(text, diagnostics)),
      diagnostics_(diagnostics),
      max_nesting_(max_nesting) {}

TokenStream::TokenStream(std::string_view text, Position where, const TokenStream& outer)
    : TokenStream(text, outer.diagnostics_, outer.max_nesting_) {
  for (Token& token : tokens_) token.where = where;
  nesting_ = outer.nesting_;
}

TokenStream::Nested::Nested(TokenStream& tokens) : tokens_(tokens) {
  if (++tokens_.nesting_ <= tokens_.max_nesting_) return;
  // The destructor does not run for an object whose constructor throws.
  --tokens_.nesting_;
  tokens_.diagnostics_.fail(
      ErrorCode::too_deep, tokens_.peek().where,
      fmt::format("Brackets and structures are nested more than {} deep here.",
                  tokens_.max_nesting_));
}

const Token& TokenStream::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

bool TokenStream::at_name() const {
  return at(TokenKind::identifier) || at(TokenKind::quoted_identifier);
}

std::string_view TokenStream::text_of(const Token& token) const {
  return text_.substr(token.offset, token.length);
}

bool TokenStream::at_word(std::string_view word) const {
  return at(TokenKind::identifier) && text_of(peek()) == word;
}

Token TokenStream::next() {
  const Token token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool TokenStream::accept(TokenKind kind) {
  if (!at(kind)) return false;
  next();
  return true;
}

Token TokenStream::expect(TokenKind kind, std::string_view after) {
  if (!at(kind)) fail_expected(fmt::format("'{}' {}", spelling(kind), after));
  return next();
}

void TokenStream::expect_then() {
  if (at(TokenKind::equal_sign))
    fail_expected("'then' after the condition", " To compare, write '=='.");
  expect(TokenKind::kw_then, "after the condition");
}

Token TokenStream::expect_name(std::string_view what) {
  if (!at_name()) fail_expected(what);
  return next();
}

/// Where a token is missing: behind the one before it, if what was found begins another line.
Position TokenStream::gap() const {
  if (at_ == 0) return peek().where;
  const Token& before = tokens_[at_ - 1];
  const bool is_plain = before.kind != TokenKind::string && before.length > 0;
  if (!is_plain || before.where.line == peek().where.line) return peek().where;
  return {before.where.line, before.where.column + static_cast<std::int32_t>(before.length)};
}

void TokenStream::fail_expected(std::string_view expected, std::string_view hint) {
  constexpr std::size_t longest = 40;  // enough to recognise the token
  std::string found(text_of(peek()).substr(0, longest));
  found =
      at(TokenKind::end_of_text) ? std::string(spelling(peek().kind)) : fmt::format("'{}'", found);
  const bool is_gap = expected.starts_with("';'");
  diagnostics_.fail(ErrorCode::syntax, is_gap ? gap() : peek().where,
                    fmt::format("Expected {}, but found {}.{}", expected, found, hint));
}

void TokenStream::refuse(const Token& token, std::string_view construct) {
  diagnostics_.fail(ErrorCode::unsupported, token.where,
                    fmt::format("{} is not supported: a model text must be flat.", construct));
}

void TokenStream::resynchronise() {
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

void TokenStream::skip_annotation(const std::function<bool()>& take_item) {
  next();
  const Token opened = expect(TokenKind::left_paren, "after 'annotation'");
  int depth = 1;
  while (depth > 0) {
    if (at(TokenKind::end_of_text)) {
      diagnostics_.fail(ErrorCode::syntax, opened.where,
                        "The parenthesis of this annotation is never closed.");
    }
    if (depth == 1 && take_item && take_item()) continue;
    if (at(TokenKind::left_paren)) ++depth;
    if (at(TokenKind::right_paren)) --depth;
    next();
  }
}

}  // namespace daedal::modelica
