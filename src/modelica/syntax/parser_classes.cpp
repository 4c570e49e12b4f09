// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "modelica/syntax/parser.hpp"

namespace daedal::modelica {

ClassKind Parser::parse_class_kind() {
  accept(TokenKind::kw_encapsulated);
  if (at(TokenKind::kw_partial)) refuse(peek(), "A partial class");
  while (at(TokenKind::kw_pure) || at(TokenKind::kw_impure)) next();
  const Token operator_prefix = peek();
  if (accept(TokenKind::kw_operator) && !at(TokenKind::kw_record) && !at(TokenKind::kw_function)) {
    refuse(operator_prefix, "An operator class");
  }
  if (accept(TokenKind::kw_package)) return ClassKind::package;
  if (accept(TokenKind::kw_model) || accept(TokenKind::kw_block) || accept(TokenKind::kw_class)) {
    return ClassKind::model;
  }
  if (accept(TokenKind::kw_function)) return ClassKind::function;
  if (accept(TokenKind::kw_record)) return ClassKind::record;
  if (accept(TokenKind::kw_type)) return ClassKind::type;
  if (at(TokenKind::kw_connector) || at(TokenKind::kw_expandable)) refuse(peek(), "A connector");
  fail_expected("'model', 'package', 'function', 'record' or 'type'");
}

ClassId Parser::parse_class() {
  const Nested nested(*this);
  ClassDefinition definition;
  definition.kind = parse_class_kind();
  if (at(TokenKind::kw_extends)) refuse(peek(), "Inheritance ('extends')");
  const Token name = expect_name("the name of the definition");
  definition.name = name_text(name);
  definition.where = name.where;
  if (accept(TokenKind::equal_sign)) {
    parse_short_class(definition);
  } else {
    definition.description = parse_description();
    parse_class_body(definition);
    parse_class_end(definition);
  }
  ast_.classes.push_back(std::move(definition));
  return static_cast<ClassId>(ast_.classes.size()) - 1;
}

void Parser::parse_short_class(ClassDefinition& definition) {
  if (accept(TokenKind::kw_enumeration)) {
    parse_enumeration(definition);
  } else {
    Declaration alias = parse_prefixes();
    parse_type_name(alias);
    if (at(TokenKind::left_paren)) alias.modifiers = parse_modifiers();
    definition.alias = std::move(alias);
  }
  definition.description = parse_description();
  if (at(TokenKind::kw_annotation)) parse_annotation(nullptr);
}

void Parser::parse_enumeration(ClassDefinition& definition) {
  definition.is_enumeration = true;
  expect(TokenKind::left_paren, "after 'enumeration'");
  do {
    const Token literal = expect_name("the name of an enumeration literal");
    definition.literals.push_back({name_text(literal), literal.where});
    parse_description();
    if (at(TokenKind::kw_annotation)) parse_annotation(nullptr);
  } while (accept(TokenKind::comma));
  expect(TokenKind::right_paren, "after the literals of the enumeration");
}

void Parser::parse_class_body(ClassDefinition& definition) {
  while (!at(TokenKind::kw_end)) {
    if (at(TokenKind::end_of_text)) {
      fail_expected(fmt::format("'end {};'", ast_.text(definition.name)));
    }
    const std::size_t before = at_;
    try {
      parse_class_item(definition);
    } catch (const Abandon&) {
      resynchronise();
      // A mistake at a token that resynchronising stops at must not stop the parser for ever.
      if (at_ == before) next();
    }
  }
}

void Parser::parse_class_item(ClassDefinition& definition) {
  if (parse_section_header(definition)) return;
  switch (peek().kind) {
    case TokenKind::kw_public:
    case TokenKind::kw_protected:
      next();
      return;
    case TokenKind::kw_annotation:
      parse_annotation(&definition);
      expect(TokenKind::semicolon, "after the annotation");
      return;
    case TokenKind::kw_extends:
      parse_extends(definition);
      return;
    case TokenKind::kw_import:
      refuse(peek(), "'import'");
    case TokenKind::kw_external:
      parse_external(definition);
      return;
    case TokenKind::kw_encapsulated:
    case TokenKind::kw_partial:
    case TokenKind::kw_package:
    case TokenKind::kw_model:
    case TokenKind::kw_block:
    case TokenKind::kw_class:
    case TokenKind::kw_function:
    case TokenKind::kw_record:
    case TokenKind::kw_type:
    case TokenKind::kw_connector:
    case TokenKind::kw_expandable:
    case TokenKind::kw_operator:
    case TokenKind::kw_pure:
    case TokenKind::kw_impure: {
      const ClassId nested = parse_class();
      expect(TokenKind::semicolon, "after the end of the definition");
      definition.classes.push_back(nested);
      return;
    }
    default:
      parse_declarations(definition);
  }
}

/// `constraint` is a section of Optimica and otherwise a name like any other: the word heads a
/// section when the next one begins an equation.
bool Parser::at_constraint_section() const {
  if (!at_word("constraint")) return false;
  switch (peek(1).kind) {
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

bool Parser::parse_section_header(ClassDefinition& definition) {
  if (at_constraint_section()) {
    next();
    const std::vector<StatementId> conditions = parse_statements(false);
    definition.initial_equations.insert(definition.initial_equations.end(), conditions.begin(),
                                        conditions.end());
    return true;
  }
  const bool initial = at(TokenKind::kw_initial);
  const TokenKind keyword = peek(initial ? 1 : 0).kind;
  if (keyword != TokenKind::kw_equation && keyword != TokenKind::kw_algorithm) {
    if (!initial) return false;
    next();
    fail_expected("'equation' or 'algorithm' after 'initial'");
  }
  if (initial) next();
  next();
  if (keyword == TokenKind::kw_equation) {
    std::vector<StatementId>& section =
        initial ? definition.initial_equations : definition.equations;
    const std::vector<StatementId> equations = parse_statements(false);
    section.insert(section.end(), equations.begin(), equations.end());
  } else {
    auto& sections = initial ? definition.initial_algorithms : definition.algorithms;
    sections.push_back(parse_statements(true));
  }
  return true;
}

void Parser::parse_extends(ClassDefinition& definition) {
  const Token begin = next();
  if (!at_word("ExternalObject")) refuse(begin, "Inheritance ('extends')");
  next();
  definition.kind = ClassKind::external_object;
  expect(TokenKind::semicolon, "after 'extends ExternalObject'");
}

void Parser::parse_external(ClassDefinition& definition) {
  definition.is_external = true;
  while (!at(TokenKind::semicolon) && !at(TokenKind::end_of_text)) {
    const bool is_call = at_name() && peek(1).kind == TokenKind::left_paren;
    if (is_call && definition.external_name == none) definition.external_name = name_text(peek());
    next();
  }
  expect(TokenKind::semicolon, "after the external function");
}

void Parser::parse_class_end(const ClassDefinition& definition) {
  expect(TokenKind::kw_end, "at the end of the definition");
  const std::string& name = ast_.text(definition.name);
  const Token closing = expect_name(fmt::format("'{}' after 'end'", name));
  if (name_text(closing) == definition.name) return;
  diagnostics_.report(
      ErrorCode::syntax, closing.where,
      fmt::format("This ends '{}', but the definition that began on line {} is "
                  "'{}': expected 'end {};'.",
                  ast_.text(name_text(closing)), definition.where.line, name, name));
}

void Parser::parse_annotation(ClassDefinition* owner) {
  next();
  const Token opened = expect(TokenKind::left_paren, "after 'annotation'");
  int depth = 1;
  while (depth > 0) {
    if (at(TokenKind::end_of_text)) {
      diagnostics_.fail(ErrorCode::syntax, opened.where,
                        "The parenthesis of this annotation is never closed.");
    }
    if (owner != nullptr && depth == 1 && at_word("experiment") &&
        peek(1).kind == TokenKind::left_paren) {
      next();
      owner->experiment = parse_modifiers();
      continue;
    }
    if (at(TokenKind::left_paren)) ++depth;
    if (at(TokenKind::right_paren)) --depth;
    next();
  }
}

}  // namespace daedal::modelica
