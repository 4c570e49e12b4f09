// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "modelica/syntax/lexer.hpp"
#include "modelica/syntax/parser.hpp"

namespace daedal::modelica {

Declaration Parser::parse_prefixes() {
  Declaration declaration;
  while (true) {
    switch (peek().kind) {
      case TokenKind::kw_final:
        declaration.is_final = true;
        break;
      case TokenKind::kw_parameter:
        declaration.variability = Variability::parameter;
        break;
      case TokenKind::kw_constant:
        declaration.variability = Variability::constant;
        break;
      case TokenKind::kw_discrete:
        declaration.variability = Variability::discrete;
        break;
      case TokenKind::kw_input:
        declaration.causality = Causality::input;
        break;
      case TokenKind::kw_output:
        declaration.causality = Causality::output;
        break;
      case TokenKind::kw_flow:
      case TokenKind::kw_stream:
        refuse(peek(), "A connector variable ('flow', 'stream')");
      case TokenKind::kw_inner:
      case TokenKind::kw_outer:
        refuse(peek(), "An 'inner' or 'outer' component");
      case TokenKind::kw_redeclare:
      case TokenKind::kw_replaceable:
        refuse(peek(), "A replaceable component");
      default:
        return declaration;
    }
    next();
  }
}

void Parser::parse_type_name(Declaration& declaration) {
  accept(TokenKind::dot);
  const Token first = expect_name("a declaration, a section or 'end'");
  declaration.type_where = first.where;
  std::string name = ast_.text(name_text(first));
  while (accept(TokenKind::dot)) {
    name += '.' + ast_.text(name_text(expect_name("a name after '.'")));
  }
  declaration.type = ast_.intern(std::move(name));
  if (at(TokenKind::left_bracket)) declaration.dimensions = parse_dimensions();
}

void Parser::parse_declarations(ClassDefinition& definition) {
  Declaration common = parse_prefixes();
  parse_type_name(common);
  do {
    Declaration declaration = common;
    parse_declarator(declaration);
    definition.declarations.push_back(std::move(declaration));
  } while (accept(TokenKind::comma));
  if (at(TokenKind::equal_sign) || at(TokenKind::assign)) {
    fail_expected("';' or ',' after the declaration");
  }
  expect(TokenKind::semicolon, "after the declaration");
}

void Parser::parse_declarator(Declaration& declaration) {
  const Token name =
      expect_name(fmt::format("the name of a variable of type '{}'", ast_.text(declaration.type)));
  declaration.name = declared_name(name);
  declaration.where = name.where;
  if (at(TokenKind::left_bracket)) {
    // `Real[3] x[2]` is a 2 by 3 array: the dimensions beside the name come first.
    std::vector<ExprId> own = parse_dimensions();
    own.insert(own.end(), declaration.dimensions.begin(), declaration.dimensions.end());
    declaration.dimensions = std::move(own);
  }
  if (at(TokenKind::left_paren)) declaration.modifiers = parse_modifiers();
  if (accept(TokenKind::equal_sign) || accept(TokenKind::assign)) {
    declaration.binding = parse_expression();
  }
  if (at(TokenKind::kw_if)) refuse(peek(), "A conditional component");
  if (at(TokenKind::kw_constrainedby)) refuse(peek(), "A replaceable component");
  declaration.description = parse_description();
  if (at(TokenKind::kw_annotation)) parse_annotation(nullptr);
}

std::vector<ExprId> Parser::parse_dimensions() {
  RefPart part;
  parse_subscripts(part);
  const auto first = ast_.children.begin() + part.first_subscript;
  return {first, first + part.n_subscripts};
}

std::vector<Modifier> Parser::parse_modifiers() {
  const Nested nested(*this);
  std::vector<Modifier> modifiers;
  expect(TokenKind::left_paren, "before the modifiers");
  if (accept(TokenKind::right_paren)) return modifiers;
  do {
    modifiers.push_back(parse_modifier());
  } while (accept(TokenKind::comma));
  expect(TokenKind::right_paren, "or ',' after a modifier");
  return modifiers;
}

Modifier Parser::parse_modifier() {
  Modifier modifier;
  while (accept(TokenKind::kw_each) || accept(TokenKind::kw_final)) {
  }
  if (at(TokenKind::kw_redeclare) || at(TokenKind::kw_replaceable)) {
    refuse(peek(), "A redeclaration");
  }
  const Token name = expect_name("the name of an attribute, such as start, fixed or unit");
  modifier.name = name_text(name);
  modifier.where = name.where;
  if (at(TokenKind::left_paren)) modifier.children = parse_modifiers();
  if (accept(TokenKind::equal_sign)) {
    modifier.value = parse_expression();
  } else if (modifier.children.empty()) {
    fail_expected(fmt::format("'=' after the attribute '{}'", ast_.text(modifier.name)));
  }
  parse_description();
  return modifier;
}

TextId Parser::parse_description() {
  if (!at(TokenKind::string)) return none;
  std::string text = unquote(text_of(next()));
  while (at(TokenKind::plus) && peek(1).kind == TokenKind::string) {
    next();
    text += unquote(text_of(next()));
  }
  return ast_.intern(std::move(text));
}

}  // namespace daedal::modelica
