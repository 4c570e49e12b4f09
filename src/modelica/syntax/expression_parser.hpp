// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Expressions, and what is written with them everywhere: names, subscripts, ranges of loops,
/// descriptions. One function a level of precedence, from `or` down to a primary.

#include <initializer_list>
#include <string_view>
#include <vector>

#include "modelica/syntax/ast.hpp"
#include "modelica/syntax/token_stream.hpp"

namespace daedal::modelica {

class ExpressionParser {
 public:
  ExpressionParser(TokenStream& tokens, Ast& ast) : tokens_(tokens), ast_(ast) {}

  ExprId parse_expression();
  /// One without `if` and without a range, as on the left side of an equation.
  ExprId parse_simple_expression();
  /// i in 1:n, j in 1:m
  std::vector<Iterator> parse_iterators();
  /// [n, :] of a declaration.
  std::vector<ExprId> parse_dimensions();
  /// "text" + "more text"; none if there is no text.
  TextId parse_description();

  /// The text of a name, without its quotes.
  TextId name_text(const Token& name);
  /// The same for the name of a declaration: an element 'a['E'.'second']' of an array over an
  /// enumeration is 'a[2]'.
  TextId declared_name(const Token& name);

 private:
  ExprId parse_conditional();
  ExprId parse_logical_or();
  ExprId parse_logical_and();
  ExprId parse_logical_not();
  ExprId parse_relation();
  ExprId parse_sum();
  ExprId parse_product();
  ExprId parse_power();
  ExprId parse_signed_primary();
  ExprId parse_primary();
  ExprId parse_number();
  ExprId parse_name_or_call();
  ExprId parse_call(TextId function, Position where);
  ExprId parse_arguments(const Token& opened, ExprNode node, TokenKind close);
  ExprId parse_argument();
  ExprId parse_function_argument();
  ExprId parse_parenthesised();
  ExprId parse_matrix();
  ExprId parse_postfix(ExprId base);
  RefPart parse_part();
  void parse_pattern(RefPart& part, const Token& name);
  ExprId parse_inner(std::string_view text, Position where);
  void parse_subscripts(RefPart& part);
  ExprId parse_subscript();
  [[nodiscard]] int literal_number(const ExprNode& reference) const;
  template <class Operand>
  ExprId parse_chain(Operand operand, std::initializer_list<TokenKind> operators);

  TokenStream& tokens_;
  Ast& ast_;
  bool in_subscript_ = false;  ///< where `end` is the last index
};

}  // namespace daedal::modelica
