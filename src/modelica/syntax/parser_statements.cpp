// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "modelica/syntax/parser.hpp"

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

std::vector<StatementId> Parser::parse_statements(bool algorithm) {
  std::vector<StatementId> statements;
  while (!ends_statements(peek().kind)) {
    const TokenKind after_initial = peek(1).kind;
    if (at(TokenKind::kw_initial) && after_initial != TokenKind::left_paren) break;
    if (at_constraint_section()) break;
    const std::size_t before = at_;
    try {
      const StatementId statement = parse_statement(algorithm);
      expect(TokenKind::semicolon, algorithm ? "after the statement" : "after the equation");
      statements.push_back(statement);
    } catch (const Abandon&) {
      resynchronise();
      if (at_ == before) next();
    }
  }
  return statements;
}

StatementId Parser::parse_statement(bool algorithm) {
  const Nested nested(*this);
  switch (peek().kind) {
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

StatementId Parser::add(Statement statement, const Token& begin) {
  const Token& last = tokens_[at_ > 0 ? at_ - 1 : 0];
  statement.begin = begin.offset;
  statement.end = last.offset + last.length;
  ast_.statements.push_back(std::move(statement));
  return static_cast<StatementId>(ast_.statements.size()) - 1;
}

StatementId Parser::parse_simple_statement(bool algorithm) {
  const Token begin = peek();
  if (at_word("connect") && peek(1).kind == TokenKind::left_paren) refuse(begin, "'connect'");
  Statement statement;
  statement.where = begin.where;
  statement.lhs = parse_simple_expression();
  const TokenKind sign = algorithm ? TokenKind::assign : TokenKind::equal_sign;
  if (accept(sign)) {
    statement.kind = algorithm ? StatementKind::assignment : StatementKind::equality;
    statement.rhs = parse_expression();
  } else if (at(TokenKind::assign) || at(TokenKind::equal_sign)) {
    fail_expected(algorithm ? "':=' (an algorithm assigns)" : "'=' (':=' belongs to algorithms)");
  } else if (ast_.expr(statement.lhs).kind == ExprKind::call) {
    statement.kind = StatementKind::call;
  } else {
    fail_expected(algorithm ? "':=' after the variable" : "'=' after the left side of an equation");
  }
  const StatementId id = add(std::move(statement), begin);
  parse_description();
  if (at(TokenKind::kw_annotation)) parse_annotation(nullptr);
  return id;
}

void Parser::expect_end_of(TokenKind keyword, const Token& opened) {
  if (!at(TokenKind::kw_end) || peek(1).kind != keyword) {
    if (at(TokenKind::kw_end)) next();
    fail_expected(fmt::format("'end {}' for the '{}' of line {}", spelling(keyword),
                              spelling(keyword), opened.where.line));
  }
  next();
  next();
}

/// if ... elseif ... else ... end if, and when ... elsewhen ... end when.
StatementId Parser::parse_branches(StatementKind kind, bool algorithm) {
  const bool is_if = kind == StatementKind::if_;
  const Token begin = peek();
  Statement statement;
  statement.kind = kind;
  statement.where = begin.where;
  do {
    next();
    Branch branch;
    branch.where = peek().where;
    branch.condition = parse_expression();
    expect_then();
    branch.body = parse_statements(algorithm);
    statement.branches.push_back(std::move(branch));
  } while (at(is_if ? TokenKind::kw_elseif : TokenKind::kw_elsewhen));
  if (is_if && at(TokenKind::kw_else)) {
    const Position where = next().where;
    statement.branches.push_back({none, parse_statements(algorithm), where});
  }
  expect_end_of(is_if ? TokenKind::kw_if : TokenKind::kw_when, begin);
  return add(std::move(statement), begin);
}

StatementId Parser::parse_for(bool algorithm) {
  const Token begin = next();
  Statement statement;
  statement.kind = StatementKind::for_;
  statement.where = begin.where;
  statement.iterators = parse_iterators();
  expect(TokenKind::kw_loop, "after the range of the loop");
  statement.branches.push_back({none, parse_statements(algorithm), begin.where});
  expect_end_of(TokenKind::kw_for, begin);
  return add(std::move(statement), begin);
}

StatementId Parser::parse_while() {
  const Token begin = next();
  Statement statement;
  statement.kind = StatementKind::while_;
  statement.where = begin.where;
  statement.lhs = parse_expression();
  expect(TokenKind::kw_loop, "after the condition");
  statement.branches.push_back({none, parse_statements(true), begin.where});
  expect_end_of(TokenKind::kw_while, begin);
  return add(std::move(statement), begin);
}

StatementId Parser::parse_jump(bool algorithm) {
  if (!algorithm) fail_expected("an equation");
  const Token begin = next();
  Statement statement;
  statement.kind =
      begin.kind == TokenKind::kw_return ? StatementKind::return_ : StatementKind::break_;
  statement.where = begin.where;
  return add(std::move(statement), begin);
}

std::vector<Iterator> Parser::parse_iterators() {
  std::vector<Iterator> iterators;
  do {
    const Token name = expect_name("the name of the loop's index");
    Iterator iterator;
    iterator.name = name_text(name);
    iterator.where = name.where;
    expect(TokenKind::kw_in, "and a range after the loop's index");
    iterator.range = parse_expression();
    iterators.push_back(iterator);
  } while (accept(TokenKind::comma));
  return iterators;
}

}  // namespace daedal::modelica
