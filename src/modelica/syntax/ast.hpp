// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The syntax tree of a model text. Nodes lie in arenas and refer to each other by number, so that
/// the tree is destroyed without recursion. Chains (a + b + c + ..., elseif, a.b.c) are one node
/// with many children: a sum of 100,000 terms is as shallow as one of two.

#include <cstdint>
#include <daedal/model.hpp>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "modelica/syntax/token.hpp"

namespace daedal::modelica {

using ExprId = std::int32_t;
using StatementId = std::int32_t;
using ClassId = std::int32_t;
using TextId = std::int32_t;
inline constexpr std::int32_t none = -1;

enum class ExprKind : std::uint8_t {
  integer,        ///< value
  real,           ///< value
  boolean,        ///< value
  string,         ///< text
  reference,      ///< parts
  call,           ///< text: the function's name; children: arguments
  named,          ///< text = child: an argument given by name
  postfix,        ///< child, then parts: (f(x))[1], f(x).y
  unary,          ///< op child
  binary,         ///< child op child: relations and powers, which do not chain
  chain,          ///< children, alternating with the operators between them
  conditional,    ///< children: condition, value, condition, value, ..., value
  array,          ///< {children}
  matrix,         ///< [rows]: children are `array` nodes, one a row
  range,          ///< children: first, last or first, step, last
  comprehension,  ///< children: body, ranges; parts: the iterators' names
  tuple,          ///< (children), none for an empty place
  function,       ///< text: a function as an argument; children: arguments that it is given
  unset,          ///< a field that has no value
  colon,          ///< a whole dimension
  end_index,      ///< `end` in a subscript
};

/// One name of a dotted reference with its subscripts. An empty text: subscripts only.
struct RefPart {
  TextId text = none;
  bool quoted = false;
  /// 'x[\'i\'].y': the name has a mark at the place of every subscript (see NamePattern).
  bool is_pattern = false;
  std::int32_t first_subscript = 0;  ///< in Ast::children
  std::int32_t n_subscripts = 0;
};

struct ExprNode {
  ExprKind kind = ExprKind::integer;
  TokenKind op = TokenKind::end_of_text;
  Position where;
  TextId text = none;
  std::int32_t first_child = 0;
  std::int32_t n_children = 0;
  std::int32_t first_part = 0;
  std::int32_t n_parts = 0;
  double value = 0.0;
};

struct Iterator {
  TextId name = none;
  Position where;
  ExprId range = none;
};

enum class StatementKind : std::uint8_t {
  equality,
  assignment,
  call,
  if_,
  for_,
  when,
  while_,
  return_,
  break_,
  coordinates,  ///< of a lagrangian section, as the following ones; lhs: a tuple
  kinetic,      ///< lhs
  potential,    ///< lhs
  force,        ///< lhs: a coordinate; rhs
  constraint,   ///< lhs = rhs
};

struct Branch {
  ExprId condition = none;  ///< none: else
  std::vector<StatementId> body;
  Position where;
};

/// An equation or a statement of an algorithm.
struct Statement {
  StatementKind kind = StatementKind::equality;
  Position where;
  ExprId lhs = none;  ///< of equality and assignment; the call of a call
  ExprId rhs = none;
  std::vector<Branch> branches;
  std::vector<Iterator> iterators;
  std::uint32_t begin = 0;  ///< the statement's place in the text, for its name in messages
  std::uint32_t end = 0;
  TextId description = none;  ///< of an equation: its name in messages
};

struct Modifier {
  TextId name = none;
  Position where;
  ExprId value = none;
  std::vector<Modifier> children;
};

enum class Variability : std::uint8_t { continuous, discrete, parameter, constant };

struct Declaration {
  TextId name = none;
  Position where;
  Variability variability = Variability::continuous;
  Causality causality = Causality::local;
  bool is_final = false;
  TextId type = none;
  Position type_where;
  std::vector<ExprId> dimensions;
  std::vector<Modifier> modifiers;
  ExprId binding = none;
  TextId description = none;
};

enum class ClassKind : std::uint8_t {
  package,
  model,
  function,
  record,
  type,
  external_object,  ///< class ... extends ExternalObject: memory of a library in another language
};

struct EnumerationLiteral {
  TextId name = none;
  Position where;
};

struct ClassDefinition {
  ClassKind kind = ClassKind::model;
  TextId name = none;
  Position where;
  TextId description = none;
  std::vector<Declaration> declarations;
  std::vector<StatementId> equations;
  std::vector<StatementId> initial_equations;
  std::vector<StatementId> lagrangian;
  std::vector<std::vector<StatementId>> algorithms;
  std::vector<std::vector<StatementId>> initial_algorithms;
  std::vector<ClassId> classes;
  std::vector<EnumerationLiteral> literals;  ///< of an enumeration
  bool is_enumeration = false;
  std::optional<Declaration> alias;  ///< of `type T = Real(...)` and `function f = g`
  std::optional<Position> partial;   ///< where it says that it is: others would complete it
  bool is_external = false;
  TextId external_name = none;  ///< the name of the function in the other language
  std::vector<Modifier> experiment;
  std::vector<Modifier> own_settings;  ///< annotation(daedal(...))
};

class Ast {
 public:
  std::vector<ExprNode> expressions;
  std::vector<std::int32_t> children;  ///< expression ids, and operators inside chains
  std::vector<RefPart> parts;
  std::vector<Statement> statements;
  std::vector<ClassDefinition> classes;
  std::vector<ClassId> top_level;
  std::vector<ClassId> prelude;  ///< definitions that stand in where the text has none

  TextId intern(std::string_view text);

  ExprId add(ExprNode node, std::span<const std::int32_t> children_of_node = {},
             std::span<const RefPart> parts_of_node = {});
  ExprId add(ExprNode node, std::initializer_list<std::int32_t> children_of_node) {
    return add(node, std::span(children_of_node));
  }
  StatementId add(Statement statement);
  ClassId add(ClassDefinition definition);
  void set_subscripts(RefPart& part, const std::vector<ExprId>& subscripts);

  [[nodiscard]] const std::string& text(TextId id) const { return *at(texts_, id); }
  [[nodiscard]] const ExprNode& expr(ExprId id) const { return at(expressions, id); }
  [[nodiscard]] const Statement& statement(StatementId id) const { return at(statements, id); }
  [[nodiscard]] const ClassDefinition& definition(ClassId id) const { return at(classes, id); }
  [[nodiscard]] std::int32_t child(const ExprNode& node, std::int32_t i) const {
    return at(children, node.first_child + i);
  }
  [[nodiscard]] const RefPart& part(const ExprNode& node, std::int32_t i) const {
    return at(parts, node.first_part + i);
  }
  [[nodiscard]] std::span<const std::int32_t> children_of(const ExprNode& node) const {
    return slice(children, node.first_child, node.n_children);
  }
  [[nodiscard]] std::span<const RefPart> parts_of(const ExprNode& node) const {
    return slice(parts, node.first_part, node.n_parts);
  }
  [[nodiscard]] std::span<const ExprId> subscripts_of(const RefPart& part) const {
    return slice(children, part.first_subscript, part.n_subscripts);
  }
  /// The names of a reference with dots between them, without subscripts.
  [[nodiscard]] std::string joined_name(const ExprNode& reference) const;

 private:
  template <class T>
  static const T& at(const std::vector<T>& items, std::int32_t i) {
    return items[static_cast<std::size_t>(i)];
  }
  template <class T>
  static std::span<const T> slice(const std::vector<T>& items, std::int32_t first, std::int32_t n) {
    return std::span(items).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(n));
  }

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::unordered_map<std::string, TextId, Hash, std::equal_to<>> ids_;
  std::vector<const std::string*> texts_;  ///< keys of ids_, whose addresses are stable
};

}  // namespace daedal::modelica
