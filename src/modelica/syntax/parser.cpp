// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/syntax/parser.hpp"

#include <fmt/format.h>

#include <utility>

#include "modelica/syntax/expression_parser.hpp"
#include "modelica/syntax/statement_parser.hpp"
#include "modelica/syntax/token_stream.hpp"

namespace daedal::modelica {

namespace {

/// Definitions: models, functions, records, types, packages, and what is declared in them.
class ClassParser {
 public:
  ClassParser(TokenStream& tokens, Ast& ast)
      : tokens_(tokens),
        ast_(ast),
        expressions_(tokens, ast),
        statements_(tokens, ast, expressions_) {}

  void parse_text();

 private:
  ClassId parse_class();
  ClassKind parse_class_kind(std::optional<Position>& partial);
  void parse_class_body(ClassDefinition& definition);
  void parse_class_item(ClassDefinition& definition);
  bool parse_section_header(ClassDefinition& definition);
  void parse_short_class(ClassDefinition& definition);
  void parse_enumeration(ClassDefinition& definition);
  void parse_extends(ClassDefinition& definition);
  void parse_external(ClassDefinition& definition);
  void parse_class_end(const ClassDefinition& definition);
  void parse_annotation(ClassDefinition& owner);

  void parse_declarations(ClassDefinition& definition);
  Declaration parse_prefixes();
  void parse_type_name(Declaration& declaration);
  void parse_declarator(Declaration& declaration);
  std::vector<Modifier> parse_modifiers();
  Modifier parse_modifier();

  TokenStream& tokens_;
  Ast& ast_;
  ExpressionParser expressions_;
  StatementParser statements_;
};

void ClassParser::parse_text() {
  if (tokens_.at(TokenKind::end_of_text)) {
    tokens_.diagnostics().report(ErrorCode::syntax, tokens_.peek().where,
                                 "The text is empty: expected 'model' and a name.");
  }
  while (!tokens_.at(TokenKind::end_of_text)) {
    try {
      if (tokens_.accept(TokenKind::kw_within)) {
        while (!tokens_.at(TokenKind::semicolon) && !tokens_.at(TokenKind::end_of_text))
          tokens_.next();
        tokens_.expect(TokenKind::semicolon, "after the 'within' clause");
        continue;
      }
      const ClassId definition = parse_class();
      tokens_.expect(TokenKind::semicolon, "after the end of the definition");
      ast_.top_level.push_back(definition);
    } catch (const Abandon&) {
      // Without its frame the rest of the text cannot be read sensibly.
      break;
    }
  }
}

Declaration ClassParser::parse_prefixes() {
  Declaration declaration;
  while (true) {
    switch (tokens_.peek().kind) {
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
        tokens_.refuse(tokens_.peek(), "A connector variable ('flow', 'stream')");
      case TokenKind::kw_inner:
      case TokenKind::kw_outer:
        tokens_.refuse(tokens_.peek(), "An 'inner' or 'outer' component");
      case TokenKind::kw_redeclare:
      case TokenKind::kw_replaceable:
        tokens_.refuse(tokens_.peek(), "A replaceable component");
      default:
        return declaration;
    }
    tokens_.next();
  }
}

void ClassParser::parse_type_name(Declaration& declaration) {
  tokens_.accept(TokenKind::dot);
  const Token first = tokens_.expect_name("a declaration, a section or 'end'");
  declaration.type_where = first.where;
  std::string name = ast_.text(expressions_.name_text(first));
  while (tokens_.accept(TokenKind::dot)) {
    name += '.' + ast_.text(expressions_.name_text(tokens_.expect_name("a name after '.'")));
  }
  declaration.type = ast_.intern(name);
  if (tokens_.at(TokenKind::left_bracket)) declaration.dimensions = expressions_.parse_dimensions();
}

void ClassParser::parse_declarations(ClassDefinition& definition) {
  Declaration common = parse_prefixes();
  parse_type_name(common);
  do {
    Declaration declaration = common;
    parse_declarator(declaration);
    definition.declarations.push_back(std::move(declaration));
  } while (tokens_.accept(TokenKind::comma));
  if (tokens_.at(TokenKind::equal_sign) || tokens_.at(TokenKind::assign)) {
    tokens_.fail_expected("';' or ',' after the declaration");
  }
  tokens_.expect(TokenKind::semicolon, "after the declaration");
}

void ClassParser::parse_declarator(Declaration& declaration) {
  const Token name = tokens_.expect_name(
      fmt::format("the name of a variable of type '{}'", ast_.text(declaration.type)));
  declaration.name = expressions_.declared_name(name);
  declaration.where = name.where;
  if (tokens_.at(TokenKind::left_bracket)) {
    // `Real[3] x[2]` is a 2 by 3 array: the dimensions beside the name come first.
    std::vector<ExprId> own = expressions_.parse_dimensions();
    own.insert(own.end(), declaration.dimensions.begin(), declaration.dimensions.end());
    declaration.dimensions = std::move(own);
  }
  if (tokens_.at(TokenKind::left_paren)) declaration.modifiers = parse_modifiers();
  if (tokens_.accept(TokenKind::equal_sign) || tokens_.accept(TokenKind::assign)) {
    declaration.binding = expressions_.parse_expression();
  }
  if (tokens_.at(TokenKind::kw_if)) tokens_.refuse(tokens_.peek(), "A conditional component");
  if (tokens_.at(TokenKind::kw_constrainedby))
    tokens_.refuse(tokens_.peek(), "A replaceable component");
  declaration.description = expressions_.parse_description();
  if (tokens_.at(TokenKind::kw_annotation)) tokens_.skip_annotation();
}

std::vector<Modifier> ClassParser::parse_modifiers() {
  const TokenStream::Nested nested(tokens_);
  std::vector<Modifier> modifiers;
  tokens_.expect(TokenKind::left_paren, "before the modifiers");
  if (tokens_.accept(TokenKind::right_paren)) return modifiers;
  do {
    modifiers.push_back(parse_modifier());
  } while (tokens_.accept(TokenKind::comma));
  tokens_.expect(TokenKind::right_paren, "or ',' after a modifier");
  return modifiers;
}

Modifier ClassParser::parse_modifier() {
  Modifier modifier;
  while (tokens_.accept(TokenKind::kw_each) || tokens_.accept(TokenKind::kw_final)) {
  }
  if (tokens_.at(TokenKind::kw_redeclare) || tokens_.at(TokenKind::kw_replaceable)) {
    tokens_.refuse(tokens_.peek(), "A redeclaration");
  }
  const Token name = tokens_.expect_name("the name of an attribute, such as start, fixed or unit");
  modifier.name = expressions_.name_text(name);
  modifier.where = name.where;
  if (tokens_.at(TokenKind::left_paren)) modifier.children = parse_modifiers();
  if (tokens_.accept(TokenKind::equal_sign)) {
    modifier.value = expressions_.parse_expression();
  } else if (modifier.children.empty()) {
    tokens_.fail_expected(fmt::format("'=' after the attribute '{}'", ast_.text(modifier.name)));
  }
  expressions_.parse_description();
  return modifier;
}

ClassKind ClassParser::parse_class_kind(std::optional<Position>& partial) {
  tokens_.accept(TokenKind::kw_encapsulated);
  const Token prefix = tokens_.peek();
  if (tokens_.accept(TokenKind::kw_partial)) partial = prefix.where;
  while (tokens_.at(TokenKind::kw_pure) || tokens_.at(TokenKind::kw_impure)) tokens_.next();
  const Token operator_prefix = tokens_.peek();
  if (tokens_.accept(TokenKind::kw_operator) && !tokens_.at(TokenKind::kw_record) &&
      !tokens_.at(TokenKind::kw_function)) {
    tokens_.refuse(operator_prefix, "An operator class");
  }
  if (tokens_.accept(TokenKind::kw_package)) return ClassKind::package;
  if (tokens_.accept(TokenKind::kw_model) || tokens_.accept(TokenKind::kw_block) ||
      tokens_.accept(TokenKind::kw_class)) {
    return ClassKind::model;
  }
  if (tokens_.accept(TokenKind::kw_function)) return ClassKind::function;
  if (tokens_.accept(TokenKind::kw_record)) return ClassKind::record;
  if (tokens_.accept(TokenKind::kw_type)) return ClassKind::type;
  if (tokens_.at(TokenKind::kw_connector) || tokens_.at(TokenKind::kw_expandable))
    tokens_.refuse(tokens_.peek(), "A connector");
  tokens_.fail_expected("'model', 'package', 'function', 'record' or 'type'");
}

ClassId ClassParser::parse_class() {
  const TokenStream::Nested nested(tokens_);
  ClassDefinition definition;
  definition.kind = parse_class_kind(definition.partial);
  if (tokens_.at(TokenKind::kw_extends)) tokens_.refuse(tokens_.peek(), "Inheritance ('extends')");
  const Token name = tokens_.expect_name("the name of the definition");
  definition.name = expressions_.name_text(name);
  definition.where = name.where;
  if (tokens_.accept(TokenKind::equal_sign)) {
    parse_short_class(definition);
  } else {
    definition.description = expressions_.parse_description();
    parse_class_body(definition);
    parse_class_end(definition);
  }
  return ast_.add(std::move(definition));
}

void ClassParser::parse_short_class(ClassDefinition& definition) {
  if (tokens_.accept(TokenKind::kw_enumeration)) {
    parse_enumeration(definition);
  } else {
    Declaration alias = parse_prefixes();
    parse_type_name(alias);
    if (tokens_.at(TokenKind::left_paren)) alias.modifiers = parse_modifiers();
    definition.alias = std::move(alias);
  }
  definition.description = expressions_.parse_description();
  if (tokens_.at(TokenKind::kw_annotation)) tokens_.skip_annotation();
}

void ClassParser::parse_enumeration(ClassDefinition& definition) {
  definition.is_enumeration = true;
  tokens_.expect(TokenKind::left_paren, "after 'enumeration'");
  do {
    const Token literal = tokens_.expect_name("the name of an enumeration literal");
    definition.literals.push_back({expressions_.name_text(literal), literal.where});
    expressions_.parse_description();
    if (tokens_.at(TokenKind::kw_annotation)) tokens_.skip_annotation();
  } while (tokens_.accept(TokenKind::comma));
  tokens_.expect(TokenKind::right_paren, "after the literals of the enumeration");
}

void ClassParser::parse_class_body(ClassDefinition& definition) {
  while (!tokens_.at(TokenKind::kw_end)) {
    if (tokens_.at(TokenKind::end_of_text)) {
      tokens_.fail_expected(fmt::format("'end {};'", ast_.text(definition.name)));
    }
    const std::size_t before = tokens_.place();
    try {
      parse_class_item(definition);
    } catch (const Abandon&) {
      tokens_.resynchronise();
      // A mistake at a token that resynchronising stops at must not stop the parser for ever.
      if (tokens_.place() == before) tokens_.next();
    }
  }
}

void ClassParser::parse_class_item(ClassDefinition& definition) {
  if (parse_section_header(definition)) return;
  switch (tokens_.peek().kind) {
    case TokenKind::kw_public:
    case TokenKind::kw_protected:
      tokens_.next();
      return;
    case TokenKind::kw_annotation:
      parse_annotation(definition);
      tokens_.expect(TokenKind::semicolon, "after the annotation");
      return;
    case TokenKind::kw_extends:
      parse_extends(definition);
      return;
    case TokenKind::kw_import:
      tokens_.refuse(tokens_.peek(), "'import'");
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
      tokens_.expect(TokenKind::semicolon, "after the end of the definition");
      definition.classes.push_back(nested);
      return;
    }
    default:
      parse_declarations(definition);
  }
}

bool ClassParser::parse_section_header(ClassDefinition& definition) {
  const bool is_lagrangian = statements_.at_lagrangian_section();
  if (is_lagrangian || statements_.at_constraint_section()) {
    tokens_.next();
    std::vector<StatementId>& section =
        is_lagrangian ? definition.lagrangian : definition.initial_equations;
    const std::vector<StatementId> statements =
        statements_.parse_statements(is_lagrangian ? Section::lagrangian : Section::equation);
    section.insert(section.end(), statements.begin(), statements.end());
    return true;
  }
  const bool initial = tokens_.at(TokenKind::kw_initial);
  const TokenKind keyword = tokens_.peek(initial ? 1 : 0).kind;
  if (keyword != TokenKind::kw_equation && keyword != TokenKind::kw_algorithm) {
    if (!initial) return false;
    tokens_.next();
    tokens_.fail_expected("'equation' or 'algorithm' after 'initial'");
  }
  if (initial) tokens_.next();
  tokens_.next();
  if (keyword == TokenKind::kw_equation) {
    std::vector<StatementId>& section =
        initial ? definition.initial_equations : definition.equations;
    const std::vector<StatementId> equations = statements_.parse_statements(Section::equation);
    section.insert(section.end(), equations.begin(), equations.end());
  } else {
    auto& sections = initial ? definition.initial_algorithms : definition.algorithms;
    sections.push_back(statements_.parse_statements(Section::algorithm));
  }
  return true;
}

void ClassParser::parse_extends(ClassDefinition& definition) {
  const Token begin = tokens_.next();
  if (!tokens_.at_word("ExternalObject")) tokens_.refuse(begin, "Inheritance ('extends')");
  tokens_.next();
  definition.kind = ClassKind::external_object;
  tokens_.expect(TokenKind::semicolon, "after 'extends ExternalObject'");
}

void ClassParser::parse_external(ClassDefinition& definition) {
  definition.is_external = true;
  while (!tokens_.at(TokenKind::semicolon) && !tokens_.at(TokenKind::end_of_text)) {
    const bool is_call = tokens_.at_name() && tokens_.peek(1).kind == TokenKind::left_paren;
    if (is_call && definition.external_name == none)
      definition.external_name = expressions_.name_text(tokens_.peek());
    tokens_.next();
  }
  tokens_.expect(TokenKind::semicolon, "after the external function");
}

void ClassParser::parse_class_end(const ClassDefinition& definition) {
  tokens_.expect(TokenKind::kw_end, "at the end of the definition");
  const std::string& name = ast_.text(definition.name);
  const Token closing = tokens_.expect_name(fmt::format("'{}' after 'end'", name));
  if (expressions_.name_text(closing) == definition.name) return;
  tokens_.diagnostics().report(
      ErrorCode::syntax, closing.where,
      fmt::format("This ends '{}', but the definition that began on line {} is "
                  "'{}': expected 'end {};'.",
                  ast_.text(expressions_.name_text(closing)), definition.where.line, name, name));
}

void ClassParser::parse_annotation(ClassDefinition& owner) {
  tokens_.skip_annotation([&] {
    const bool is_experiment = tokens_.at_word("experiment");
    // In the language, settings of one tool begin with underscores. They may be left out here.
    const bool is_own = tokens_.at_word("daedal") || tokens_.at_word("__daedal");
    if ((!is_experiment && !is_own) || tokens_.peek(1).kind != TokenKind::left_paren) return false;
    tokens_.next();
    (is_experiment ? owner.experiment : owner.own_settings) = parse_modifiers();
    return true;
  });
}

}  // namespace

Ast parse(std::string_view text, Diagnostics& diagnostics, int max_nesting) {
  Ast ast;
  TokenStream tokens(text, diagnostics, max_nesting);
  ClassParser(tokens, ast).parse_text();
  return ast;
}

Ast with_prelude(Ast ast, std::string_view prelude) {
  constexpr int max_nesting = 100;  // the prelude is ours, and shallow
  Diagnostics diagnostics("prelude", 1, nullptr);
  std::vector<ClassId> own = std::exchange(ast.top_level, {});
  TokenStream tokens(prelude, diagnostics, max_nesting);
  ClassParser(tokens, ast).parse_text();
  diagnostics.throw_if_any();
  ast.prelude = std::exchange(ast.top_level, std::move(own));
  return ast;
}

}  // namespace daedal::modelica
