// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Lists of equations and of the statements of algorithms, which differ in `=` and `:=` only, and
/// the statements of lagrangian sections, which begin with a word of their own.

#include <vector>

#include "modelica/syntax/ast.hpp"
#include "modelica/syntax/expression_parser.hpp"
#include "modelica/syntax/token_stream.hpp"

namespace daedal::modelica {

enum class Section { equation, algorithm, lagrangian };

class StatementParser {
 public:
  StatementParser(TokenStream& tokens, Ast& ast, ExpressionParser& expressions)
      : tokens_(tokens), ast_(ast), expressions_(expressions) {}

  /// Reads up to the end of the section or of the enclosing structure. After an error it continues
  /// behind the next `;`.
  std::vector<StatementId> parse_statements(Section section);
  /// Does a `constraint` section begin here?
  [[nodiscard]] bool at_constraint_section() const;
  /// Does a `lagrangian` section begin here?
  [[nodiscard]] bool at_lagrangian_section() const;

 private:
  StatementId parse_statement(Section section);
  StatementId parse_branches(StatementKind kind, Section section);
  StatementId parse_for(Section section);
  StatementId parse_while();
  StatementId parse_jump(Section section);
  StatementId parse_simple_statement(Section section);
  StatementId parse_lagrangian_statement();
  void expect_end_of(TokenKind keyword, const Token& opened);
  StatementId add(Statement statement, const Token& begin);

  TokenStream& tokens_;
  Ast& ast_;
  ExpressionParser& expressions_;
};

}  // namespace daedal::modelica
