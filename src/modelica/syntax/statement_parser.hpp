// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Lists of equations and of the statements of algorithms, which differ in `=` and `:=` only.

#include <vector>

#include "modelica/syntax/ast.hpp"
#include "modelica/syntax/expression_parser.hpp"
#include "modelica/syntax/token_stream.hpp"

namespace daedal::modelica {

class StatementParser {
 public:
  StatementParser(TokenStream& tokens, Ast& ast, ExpressionParser& expressions)
      : tokens_(tokens), ast_(ast), expressions_(expressions) {}

  /// Reads up to the end of the section or of the structure around. After a mistake it goes on
  /// behind the next `;`.
  std::vector<StatementId> parse_statements(bool algorithm);
  /// Does a `constraint` section begin here?
  [[nodiscard]] bool at_constraint_section() const;

 private:
  StatementId parse_statement(bool algorithm);
  StatementId parse_branches(StatementKind kind, bool algorithm);
  StatementId parse_for(bool algorithm);
  StatementId parse_while();
  StatementId parse_jump(bool algorithm);
  StatementId parse_simple_statement(bool algorithm);
  void expect_end_of(TokenKind keyword, const Token& opened);
  StatementId add(Statement statement, const Token& begin);

  TokenStream& tokens_;
  Ast& ast_;
  ExpressionParser& expressions_;
};

}  // namespace daedal::modelica
