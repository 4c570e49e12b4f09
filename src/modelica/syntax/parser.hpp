// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Recursive descent from tokens to the syntax tree. Written by hand, because at every point it
/// knows what it was about to read and can say so. After a mistake it goes on behind the next `;`.

#include <string>
#include <string_view>
#include <vector>

#include "modelica/diagnostics.hpp"
#include "modelica/syntax/ast.hpp"
#include "modelica/syntax/token.hpp"

namespace daedal::modelica {

class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens, Diagnostics& diagnostics,
         int max_nesting)
      : text_(text),
        tokens_(std::move(tokens)),
        diagnostics_(diagnostics),
        max_nesting_(max_nesting) {}

  /// Reads the whole text. Mistakes are in the diagnostics.
  Ast run();
  /// Reads definitions that stand in where the text has none, and adds them to its tree.
  static Ast with_prelude(Ast ast, std::string_view prelude);

 private:
  /// Counts nesting while it lives.
  class Nested {
   public:
    explicit Nested(Parser& parser);
    ~Nested() { --parser_.nesting_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    Parser& parser_;
  };

  // tokens (parser.cpp)
  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const;
  [[nodiscard]] bool at(TokenKind kind) const { return peek().kind == kind; }
  [[nodiscard]] bool at_name() const;
  [[nodiscard]] std::string_view text_of(const Token& token) const;
  [[nodiscard]] bool at_word(std::string_view word) const;
  Token next();
  bool accept(TokenKind kind);
  Token expect(TokenKind kind, std::string_view after);
  Token expect_name(std::string_view what);
  TextId name_text(const Token& name);
  [[noreturn]] void fail_expected(std::string_view expected, std::string_view hint = {});
  [[nodiscard]] Position gap() const;
  void expect_then();
  [[noreturn]] void refuse(const Token& token, std::string_view construct);
  void resynchronise();

  // classes (parser_classes.cpp)
  ClassId parse_class();
  ClassKind parse_class_kind();
  void parse_class_body(ClassDefinition& definition);
  void parse_class_item(ClassDefinition& definition);
  [[nodiscard]] bool at_constraint_section() const;
  bool parse_section_header(ClassDefinition& definition);
  void parse_short_class(ClassDefinition& definition);
  void parse_enumeration(ClassDefinition& definition);
  void parse_extends(ClassDefinition& definition);
  void parse_external(ClassDefinition& definition);
  void parse_class_end(const ClassDefinition& definition);
  void parse_annotation(ClassDefinition* owner);

  // declarations (parser_declarations.cpp)
  void parse_declarations(ClassDefinition& definition);
  Declaration parse_prefixes();
  void parse_type_name(Declaration& declaration);
  void parse_declarator(Declaration& declaration);
  std::vector<Modifier> parse_modifiers();
  Modifier parse_modifier();
  TextId parse_description();
  std::vector<ExprId> parse_dimensions();

  // equations and statements (parser_statements.cpp)
  std::vector<StatementId> parse_statements(bool algorithm);
  StatementId parse_statement(bool algorithm);
  StatementId parse_branches(StatementKind kind, bool algorithm);
  StatementId parse_for(bool algorithm);
  StatementId parse_while();
  StatementId parse_jump(bool algorithm);
  StatementId parse_simple_statement(bool algorithm);
  std::vector<Iterator> parse_iterators();
  void expect_end_of(TokenKind keyword, const Token& opened);
  StatementId add(Statement statement, const Token& begin);

  // expressions (parser_expressions.cpp)
  ExprId parse_expression();
  ExprId parse_conditional();
  ExprId parse_simple_expression();
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
  ExprId parse_parenthesised();
  ExprId parse_matrix();
  ExprId parse_postfix(ExprId base);
  RefPart parse_part();
  void parse_pattern(RefPart& part, const Token& name);
  TextId declared_name(const Token& name);
  [[nodiscard]] int literal_number(const ExprNode& reference) const;
  ExprId parse_inner(std::string_view text, Position where);
  void parse_subscripts(RefPart& part);
  ExprId parse_subscript();
  template <class Operand>
  ExprId parse_chain(Operand operand, std::initializer_list<TokenKind> operators);
  ExprId add(ExprNode node, const std::vector<std::int32_t>& children = {});
  ExprId add_with_parts(ExprNode node, const std::vector<RefPart>& parts);

  std::string_view text_;
  std::vector<Token> tokens_;
  Diagnostics& diagnostics_;
  int max_nesting_;
  Ast ast_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  int subscript_depth_ = 0;
};

}  // namespace daedal::modelica
