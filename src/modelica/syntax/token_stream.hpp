// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The tokens of a text and the place where the parser reads: looking ahead, taking what is there,
/// insisting on what must be there, and going on behind a mistake.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "modelica/diagnostics.hpp"
#include "modelica/syntax/token.hpp"

namespace daedal::modelica {

class TokenStream {
 public:
  TokenStream(std::string_view text, Diagnostics& diagnostics, int max_nesting);
  /// A text found inside a token of `outer`: everything in it stands at the place of that token.
  TokenStream(std::string_view text, Position where, const TokenStream& outer);

  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const;
  [[nodiscard]] bool at(TokenKind kind) const { return peek().kind == kind; }
  [[nodiscard]] bool at_name() const;
  [[nodiscard]] bool at_word(std::string_view word) const;
  [[nodiscard]] std::string_view text_of(const Token& token) const;
  /// How many tokens were taken.
  [[nodiscard]] std::size_t place() const { return at_; }
  /// The token taken last, or the first one if none was.
  [[nodiscard]] const Token& last_taken() const { return tokens_[at_ > 0 ? at_ - 1 : 0]; }

  Token next();
  bool accept(TokenKind kind);
  Token expect(TokenKind kind, std::string_view after);
  Token expect_name(std::string_view what);
  /// The `then` of a condition.
  void expect_then();
  /// Passes over annotation(...). `take_item` may read an item of the outermost list itself; false:
  /// it has not.
  void skip_annotation(const std::function<bool()>& take_item = {});

  [[noreturn]] void fail_expected(std::string_view expected, std::string_view hint = {});
  [[noreturn]] void refuse(const Token& token, std::string_view construct);
  /// Goes to where the next equation, declaration or section begins.
  void resynchronise();

  [[nodiscard]] Diagnostics& diagnostics() const { return diagnostics_; }

  /// Counts nesting while it lives.
  class Nested {
   public:
    explicit Nested(TokenStream& tokens);
    ~Nested() { --tokens_.nesting_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    TokenStream& tokens_;
  };

 private:
  [[nodiscard]] Position gap() const;

  std::string_view text_;
  std::vector<Token> tokens_;
  Diagnostics& diagnostics_;
  int max_nesting_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace daedal::modelica
