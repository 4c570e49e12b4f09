// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/syntax/statement_parser.hpp"

#include <fmt/format.h>

namespace daedal::modelica {

namespace {

/// Words before which a list of equations or statements ends.
bool ends_statements(TokenKind kind) {
  switch (kind) {
    case TokenKind::kw_end:
    case TokenKind::kw_else:
    case TokenKind::kw_elseif:
    case TokenKind::kw_elsewhen:
    case TokenKind::kw_equation:
    case TokenKind::kw_algorithm:
    case TokenKind::kw_public:
    case TokenKind::kw_protected:
    case TokenKind::kw_annotation:
    case TokenKind::kw_external:
    case TokenKind::end_of_text:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::vector<StatementId> StatementParser::parse_statements(bool algorithm) {
  std::vector<StatementId> statements;
  while (!ends_statements(tokens_.peek().kind)) {
    const TokenKind after_initial = tokens_.peek(1).kind;
    if (tokens_.at(TokenKind::kw_initial) && after_initial != TokenKind::left_paren) break;
    if (at_constraint_section()) break;
    const std::size_t before = tokens_.place();
    try {
      const StatementId statement = parse_statement(algorithm);
      tokens_.expect(TokenKind::semicolon,
                     algorithm ? "after the statement" : "after the equation");
      statements.push_back(statement);
    } catch (const Abandon&) {
      tokens_.resynchronise();
      if (tokens_.place() == before) tokens_.next();
    }
  }
  return statements;
}

/// `constraint` is a section of Optimica and otherwise a name like any other: the word heads a
/// section when the next one begins an equation.
bool StatementParser::at_constraint_section() const {
  if (!tokens_.at_word("constraint")) return false;
  switch (tokens_.peek(1).kind) {
    case TokenKind::identifier:
    case TokenKind::quoted_identifier:
    case TokenKind::integer:
    case TokenKind::real:
    case TokenKind::kw_for:
    case TokenKind::kw_if:
      return true;
    default:
      return false;
  }
}

StatementId StatementParser::parse_statement(bool algorithm) {
  const TokenStream::Nested nested(tokens_);
  switch (tokens_.peek().kind) {
    case TokenKind::kw_if:
      return parse_branches(StatementKind::if_, algorithm);
    case TokenKind::kw_for:
      return parse_for(algorithm);
    case TokenKind::kw_when:
      return parse_branches(StatementKind::when, algorithm);
    case TokenKind::kw_while:
      return parse_while();
    case TokenKind::kw_return:
    case TokenKind::kw_break:
      return parse_jump(algorithm);
    default:
      return parse_simple_statement(algorithm);
  }
}

StatementId StatementParser::add(Statement statement, const Token& begin) {
  const Token& last = tokens_.last_taken();
  statement.begin = begin.offset;
  statement.end = last.offset + last.length;
  return ast_.add(std::move(statement));
}

StatementId StatementParser::parse_simple_statement(bool algorithm) {
  const Token begin = tokens_.peek();
  if (tokens_.at_word("connect") && tokens_.peek(1).kind == TokenKind::left_paren)
    tokens_.refuse(begin, "'connect'");
  Statement statement;
  statement.where = begin.where;
  statement.lhs = expressions_.parse_simple_expression();
  const TokenKind sign = algorithm ? TokenKind::assign : TokenKind::equal_sign;
  if (tokens_.accept(sign)) {
    statement.kind = algorithm ? StatementKind::assignment : StatementKind::equality;
    statement.rhs = expressions_.parse_expression();
  } else if (tokens_.at(TokenKind::assign) || tokens_.at(TokenKind::equal_sign)) {
    tokens_.fail_expected(algorithm ? "':=' (an algorithm assigns)"
                                    : "'=' (':=' belongs to algorithms)");
  } else if (ast_.expr(statement.lhs).kind == ExprKind::call) {
    statement.kind = StatementKind::call;
  } else {
    tokens_.fail_expected(algorithm ? "':=' after the variable"
                                    : "'=' after the left side of an equation");
  }
  const StatementId id = add(std::move(statement), begin);
  ast_.statements.back().description = expressions_.parse_description();
  if (tokens_.at(TokenKind::kw_annotation)) tokens_.skip_annotation();
  return id;
}

void StatementParser::expect_end_of(TokenKind keyword, const Token& opened) {
  if (!tokens_.at(TokenKind::kw_end) || tokens_.peek(1).kind != keyword) {
    if (tokens_.at(TokenKind::kw_end)) tokens_.next();
    tokens_.fail_expected(fmt::format("'end {}' for the '{}' of line {}", spelling(keyword),
                                      spelling(keyword), opened.where.line));
  }
  tokens_.next();
  tokens_.next();
}

/// if ... elseif ... else ... end if, and when ... elsewhen ... end when.
StatementId StatementParser::parse_branches(StatementKind kind, bool algorithm) {
  const bool is_if = kind == StatementKind::if_;
  const Token begin = tokens_.peek();
  Statement statement;
  statement.kind = kind;
  statement.where = begin.where;
  do {
    tokens_.next();
    Branch branch;
    branch.where = tokens_.peek().where;
    branch.condition = expressions_.parse_expression();
    tokens_.expect_then();
    branch.body = parse_statements(algorithm);
    statement.branches.push_back(std::move(branch));
  } while (tokens_.at(is_if ? TokenKind::kw_elseif : TokenKind::kw_elsewhen));
  if (is_if && tokens_.at(TokenKind::kw_else)) {
    const Position where = tokens_.next().where;
    statement.branches.push_back({none, parse_statements(algorithm), where});
  }
  expect_end_of(is_if ? TokenKind::kw_if : TokenKind::kw_when, begin);
  return add(std::move(statement), begin);
}

StatementId StatementParser::parse_for(bool algorithm) {
  const Token begin = tokens_.next();
  Statement statement;
  statement.kind = StatementKind::for_;
  statement.where = begin.where;
  statement.iterators = expressions_.parse_iterators();
  tokens_.expect(TokenKind::kw_loop, "after the range of the loop");
  statement.branches.push_back({none, parse_statements(algorithm), begin.where});
  expect_end_of(TokenKind::kw_for, begin);
  return add(std::move(statement), begin);
}

StatementId StatementParser::parse_while() {
  const Token begin = tokens_.next();
  Statement statement;
  statement.kind = StatementKind::while_;
  statement.where = begin.where;
  statement.lhs = expressions_.parse_expression();
  tokens_.expect(TokenKind::kw_loop, "after the condition");
  statement.branches.push_back({none, parse_statements(true), begin.where});
  expect_end_of(TokenKind::kw_while, begin);
  return add(std::move(statement), begin);
}

StatementId StatementParser::parse_jump(bool algorithm) {
  if (!algorithm) tokens_.fail_expected("an equation");
  const Token begin = tokens_.next();
  Statement statement;
  statement.kind =
      begin.kind == TokenKind::kw_return ? StatementKind::return_ : StatementKind::break_;
  statement.where = begin.where;
  return add(std::move(statement), begin);
}

}  // namespace daedal::modelica
