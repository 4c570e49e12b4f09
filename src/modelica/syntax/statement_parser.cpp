// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/syntax/statement_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <daedal/nearest_name.hpp>
#include <iterator>

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

/// What a statement of a lagrangian section begins with.
struct LagrangianWord {
  std::string_view text;
  StatementKind kind;
  bool is_energy = false;
};
constexpr LagrangianWord lagrangian_words[] = {{"coordinates", StatementKind::coordinates},
                                               {"kinetic", StatementKind::kinetic, true},
                                               {"potential", StatementKind::potential, true},
                                               {"force", StatementKind::force},
                                               {"constraint", StatementKind::constraint}};

const LagrangianWord* find_word(std::string_view text) {
  const auto* const found = std::ranges::find(lagrangian_words, text, &LagrangianWord::text);
  return found == std::end(lagrangian_words) ? nullptr : found;
}

}  // namespace

std::vector<StatementId> StatementParser::parse_statements(Section section) {
  std::vector<StatementId> statements;
  while (!ends_statements(tokens_.peek().kind)) {
    const TokenKind after_initial = tokens_.peek(1).kind;
    if (tokens_.at(TokenKind::kw_initial) && after_initial != TokenKind::left_paren) break;
    if (at_lagrangian_section()) break;
    if (section != Section::lagrangian && at_constraint_section()) break;
    const std::size_t before = tokens_.place();
    try {
      const StatementId statement = parse_statement(section);
      tokens_.expect(TokenKind::semicolon,
                     section == Section::equation ? "after the equation" : "after the statement");
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

/// A name like any other, too: the word heads a section when one of the section's own words
/// follows, or something that no declaration of a type `lagrangian` and no equation has there.
bool StatementParser::at_lagrangian_section() const {
  if (!tokens_.at_word("lagrangian")) return false;
  const TokenKind after = tokens_.peek(1).kind;
  if (after != TokenKind::identifier)
    return after == TokenKind::kw_for || after == TokenKind::kw_if;
  return find_word(tokens_.text_of(tokens_.peek(1))) != nullptr ||
         tokens_.peek(2).kind == TokenKind::identifier;
}

StatementId StatementParser::parse_statement(Section section) {
  const TokenStream::Nested nested(tokens_);
  switch (tokens_.peek().kind) {
    case TokenKind::kw_if:
      return parse_branches(StatementKind::if_, section);
    case TokenKind::kw_for:
      return parse_for(section);
    case TokenKind::kw_when:
      return parse_branches(StatementKind::when, section);
    case TokenKind::kw_while:
      return parse_while();
    case TokenKind::kw_return:
    case TokenKind::kw_break:
      return parse_jump(section);
    default:
      return section == Section::lagrangian ? parse_lagrangian_statement()
                                            : parse_simple_statement(section);
  }
}

StatementId StatementParser::add(Statement statement, const Token& begin) {
  const Token& last = tokens_.last_taken();
  statement.begin = begin.offset;
  statement.end = last.offset + last.length;
  return ast_.add(std::move(statement));
}

StatementId StatementParser::parse_simple_statement(Section section) {
  const bool algorithm = section == Section::algorithm;
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

StatementId StatementParser::parse_lagrangian_statement() {
  const Token word = tokens_.peek();
  const LagrangianWord* const found = find_word(tokens_.text_of(word));
  if (found == nullptr) {
    std::vector<std::string> words;
    for (const LagrangianWord& each : lagrangian_words) words.emplace_back(each.text);
    const std::string nearest = nearest_name(tokens_.text_of(word), words);
    tokens_.fail_expected("coordinates, kinetic, potential, force or constraint",
                          nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest));
  }
  tokens_.next();
  const Token begin = tokens_.peek();
  Statement statement;
  statement.kind = found->kind;
  statement.where = word.where;
  if (statement.kind == StatementKind::coordinates) {
    std::vector<std::int32_t> names;
    do {
      names.push_back(expressions_.parse_simple_expression());
    } while (tokens_.accept(TokenKind::comma));
    statement.lhs = ast_.add({.kind = ExprKind::tuple, .where = begin.where}, names);
  } else if (found->is_energy) {
    const auto refuse_sign = [&] {
      if (!tokens_.at(TokenKind::equal_sign)) return;
      tokens_.fail_expected("an energy", " It is an expression, as in 'kinetic m/2*der(x)^2;'.");
    };
    refuse_sign();
    statement.lhs = expressions_.parse_expression();
    refuse_sign();
  } else {
    statement.lhs = expressions_.parse_simple_expression();
    tokens_.expect(TokenKind::equal_sign, statement.kind == StatementKind::force
                                              ? "after the coordinate that the force acts on"
                                              : "after the left side of the constraint");
    statement.rhs = expressions_.parse_expression();
  }
  const StatementId id = add(std::move(statement), begin);
  ast_.statements.back().description = expressions_.parse_description();
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
StatementId StatementParser::parse_branches(StatementKind kind, Section section) {
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
    branch.body = parse_statements(section);
    statement.branches.push_back(std::move(branch));
  } while (tokens_.at(is_if ? TokenKind::kw_elseif : TokenKind::kw_elsewhen));
  if (is_if && tokens_.at(TokenKind::kw_else)) {
    const Position where = tokens_.next().where;
    statement.branches.push_back({none, parse_statements(section), where});
  }
  expect_end_of(is_if ? TokenKind::kw_if : TokenKind::kw_when, begin);
  return add(std::move(statement), begin);
}

StatementId StatementParser::parse_for(Section section) {
  const Token begin = tokens_.next();
  Statement statement;
  statement.kind = StatementKind::for_;
  statement.where = begin.where;
  statement.iterators = expressions_.parse_iterators();
  tokens_.expect(TokenKind::kw_loop, "after the range of the loop");
  statement.branches.push_back({none, parse_statements(section), begin.where});
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
  statement.branches.push_back({none, parse_statements(Section::algorithm), begin.where});
  expect_end_of(TokenKind::kw_while, begin);
  return add(std::move(statement), begin);
}

StatementId StatementParser::parse_jump(Section section) {
  if (section != Section::algorithm) tokens_.fail_expected("an equation");
  const Token begin = tokens_.next();
  Statement statement;
  statement.kind =
      begin.kind == TokenKind::kw_return ? StatementKind::return_ : StatementKind::break_;
  statement.where = begin.where;
  return add(std::move(statement), begin);
}

}  // namespace daedal::modelica
