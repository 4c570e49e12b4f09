// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/expressions/references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <daedal/nearest_name.hpp>

#include "modelica/elaborate/class_table.hpp"
#include "modelica/elaborate/components.hpp"
#include "modelica/elaborate/expressions/expressions.hpp"
#include "modelica/elaborate/expressions/operators.hpp"
#include "modelica/elaborate/expressions/scope.hpp"
#include "modelica/elaborate/expressions/structural_parameters.hpp"
#include "modelica/syntax/name_pattern.hpp"

namespace daedal::modelica {

namespace {

const std::array<std::string, 5> state_select_literals = {"never", "avoid", "default", "prefer",
                                                          "always"};
const std::array<std::string, 2> assertion_level_literals = {"warning", "error"};

/// The number of the literal from 1, or 0.
template <std::size_t n>
int literal_number(const std::array<std::string, n>& literals, const std::string& name) {
  for (std::size_t i = 0; i < n; ++i) {
    if (literals[i] == name) return static_cast<int>(i) + 1;
  }
  return 0;
}

}  // namespace

/// A name that only begins declared names: 'a' where 'a.x' is declared, or the vector of 'a[1]',
/// 'a[2]' where 'a[1].x', 'a[2].x' are. No strings: there is nothing of the kind.
Value References::scattered(const std::string& name) {
  Value group{.type = Type::scattered};
  if (use_.components.has_prefix(name + '.')) {
    group.strings.push_back(name);
    return group;
  }
  for (std::int64_t i = 1;; ++i) {
    const std::string element = fmt::format("{}[{}]", name, i);
    if (!use_.components.has_prefix(element + '.')) break;
    group.strings.push_back(element);
    context_.spend(1, {});
  }
  if (!group.strings.empty()) group.shape.push_back(std::ssize(group.strings));
  return group;
}

/// Type.literal of an enumeration.
bool References::evaluate_literal(const ExprNode& node, Value& result) {
  if (node.n_parts < 2) return false;
  const Ast& ast = context_.ast;
  std::string type = context_.ast.joined_name(node);
  const std::string& name = ast.text(ast.part(node, node.n_parts - 1).text);
  type.resize(type.size() - name.size() - 1);
  int number = 0;
  ClassId definition = none;
  if (type == "StateSelect") {
    number = literal_number(state_select_literals, name);
  } else if (type == "AssertionLevel") {
    number = literal_number(assertion_level_literals, name);
  } else {
    definition = use_.classes.find(ClassKind::type, type);
    if (definition == none || !ast.definition(definition).is_enumeration) return false;
    number = use_.classes.literal(definition, name);
  }
  if (number == 0) {
    context_.fail(ErrorCode::unknown_name, node.where,
                  fmt::format("The enumeration '{}' has no literal '{}'.", type, name));
  }
  result = Value::scalar(Type::enumeration, context_.pool.constant(number));
  result.definition = definition;
  return true;
}

void References::fail_unknown_name(const std::string& name, Position where) {
  std::vector<std::string> known;
  if (use_.scope.in_function()) {
    for (const auto& variable : use_.scope.frame()->variables) {
      known.push_back(context_.ast.text(variable.first));
    }
    std::sort(known.begin(), known.end());
  } else {
    known = use_.components.names();
    known.emplace_back("time");
  }
  for (const TextId index : use_.scope.loop_names()) known.push_back(context_.ast.text(index));
  const std::string nearest = nearest_name(name, known);
  context_.fail(ErrorCode::unknown_name, where,
                fmt::format("There is no variable or parameter '{}'.{}", name,
                            nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest)));
}

Value References::evaluate(const ExprNode& node) {
  const Ast& ast = context_.ast;
  const RefPart& first = ast.part(node, 0);
  const std::string& name = ast.text(first.text);
  if (first.is_pattern) return evaluate_pattern(node);
  if (const Value* own = use_.scope.find(first.text)) return walk_parts(*own, node, 0);
  const bool in_function = use_.scope.in_function();
  if (!in_function && name == "time" && !first.quoted && node.n_parts == 1 &&
      first.n_subscripts == 0) {
    return Value::scalar(Type::real, context_.pool.time());
  }
  Value literal;
  if (evaluate_literal(node, literal)) return literal;
  if (in_function && !use_.components.is_global(name)) fail_unknown_name(name, node.where);
  if (const Value* found = use_.components.lookup(name)) return walk_parts(*found, node, 0);
  // A dotted reference to a name that was declared in quotes: a.b for 'a.b'.
  const std::string joined = context_.ast.joined_name(node);
  if (node.n_parts > 1) {
    if (const Value* found = use_.components.lookup(joined)) {
      return walk_parts(*found, node, node.n_parts - 1);
    }
  }
  if (Value group = scattered(joined); !group.strings.empty()) return group;
  fail_unknown_name(joined, node.where);
}

/// 'a.x[\'i\'].y' by the values of its subscripts.
Value References::evaluate_pattern(const ExprNode& node) {
  const Ast& ast = context_.ast;
  const RefPart& part = ast.part(node, 0);
  std::vector<Value> subscripts;
  for (const ExprId id : ast.subscripts_of(part)) {
    Value subscript = use_.expressions.evaluate(id);
    if (!subscript.is_scalar() || subscript.nodes.empty() || subscript.type == Type::real) {
      context_.fail(ErrorCode::type_mismatch, node.where,
                    fmt::format("A subscript must be an Integer, not {}.", describe(subscript)));
    }
    subscripts.push_back(std::move(subscript));
  }
  std::optional<Value> found = matching(ast.text(part.text), subscripts, node.where);
  if (!found) {
    std::string shown = ast.text(part.text);
    std::replace(shown.begin(), shown.end(), subscript_mark, '?');
    context_.fail(ErrorCode::unknown_name, node.where,
                  fmt::format("No variable or parameter has a name of the form '{}' with these "
                              "subscripts.",
                              shown));
  }
  ExprNode rest = node;
  if (rest.n_parts == 1) return *found;
  ++rest.first_part;
  --rest.n_parts;
  const RefPart& next = ast.part(rest, 0);
  return walk_parts(field(*found, next, node.where), rest, 0);
}

/// The value of the name with the marks replaced by the subscripts, the first mark first. One that
/// is known only during the run chooses among all names that exist.
std::optional<Value> References::matching(const std::string& pattern,
                                          std::span<const Value> subscripts, Position where) {
  const Deeper deeper(context_, where);
  context_.spend(1, where);
  if (subscripts.empty()) {
    const Value* found = use_.components.lookup(pattern);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }
  const std::size_t mark = pattern.find(subscript_mark);
  const auto with = [&](std::int64_t number) {
    std::string name = pattern;
    name.replace(mark, 1, std::to_string(number));
    return matching(name, subscripts.subspan(1), where);
  };
  const Value& subscript = subscripts.front();
  const std::int64_t base = subscript.type == Type::boolean ? 1 : 0;
  if (use_.structure.peek(subscript.node()))
    return with(use_.structure.integer(subscript, where, "A subscript") + base);
  std::vector<Value> candidates;
  for (std::int64_t i = 1;; ++i) {
    std::optional<Value> candidate = with(i);
    if (!candidate) break;
    candidates.push_back(std::move(*candidate));
  }
  if (candidates.empty()) return std::nullopt;
  if (use_.structure.is_continuous(subscript.node())) {
    context_.fail(ErrorCode::unsupported, where, "A subscript that changes between events.");
  }
  Pool& pool = context_.pool;
  Value result = std::move(candidates.back());
  for (std::size_t i = candidates.size() - 1; i-- > 0;) {
    const auto number = static_cast<double>(static_cast<std::int64_t>(i) + 1 - base);
    const NodeId is_it =
        pool.immediate_relation(Op::equal, subscript.node(), pool.constant(number));
    result = use_.operators.select(is_it, candidates[i], result, where);
  }
  return result;
}

Value References::evaluate_postfix(const ExprNode& node) {
  const Ast& ast = context_.ast;
  const Value base = use_.expressions.evaluate(ast.child(node, 0));
  const RefPart& first = ast.part(node, 0);
  if (first.text == none) return walk_parts(base, node, 0);
  Value inner = field(base, first, node.where);
  return walk_parts(inner, node, 0);
}

/// Applies the subscripts of part `first`, then the fields and subscripts of the parts behind.
Value References::walk_parts(const Value& base, const ExprNode& node, std::int32_t first) {
  const Ast& ast = context_.ast;
  const auto with_subscripts = [&](const Value& value, const RefPart& part) {
    return part.n_subscripts == 0 ? value : subscripts_.select(value, part, node.where);
  };
  Value current = with_subscripts(base, ast.part(node, first));
  for (std::int32_t i = first + 1; i < node.n_parts; ++i) {
    const RefPart& part = ast.part(node, i);
    current = with_subscripts(field(current, part, node.where), part);
  }
  for (const NodeId id : current.nodes) {
    if (id != no_node) continue;
    context_.fail(ErrorCode::invalid_value, node.where,
                  fmt::format("'{}' is read before it is assigned in every case.",
                              context_.ast.joined_name(node)));
  }
  return current;
}

Value References::field(const Value& record, const RefPart& part, Position where) {
  const Ast& ast = context_.ast;
  const std::string& name = ast.text(part.text);
  if (record.type == Type::scattered) {
    if (!record.is_scalar()) {
      std::vector<Value> column;
      for (const std::string& prefix : record.strings)
        column.push_back(field({.type = Type::scattered, .strings = {prefix}}, part, where));
      return use_.operators.stack(std::move(column), where);
    }
    const std::string full = record.strings.front() + '.' + name;
    if (const Value* found = use_.components.lookup(full)) return *found;
    if (Value group = scattered(full); !group.strings.empty()) return group;
    fail_unknown_name(full, where);
  }
  if (record.type != Type::record) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("'.{}' asks for a field, but this is {}.", name, describe(record)));
  }
  const auto& fields = ast.definition(record.definition).declarations;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (fields[f].name != part.text) continue;
    if (record.is_scalar()) return record.parts[f];
    std::vector<Value> column;
    for (const Value& item : record.parts) column.push_back(item.parts[f]);
    Value result = use_.operators.stack(std::move(column), where);
    result.shape.erase(result.shape.begin());
    result.shape.insert(result.shape.begin(), record.shape.begin(), record.shape.end());
    return result;
  }
  context_.fail(ErrorCode::unknown_name, where,
                fmt::format("The record '{}' has no field '{}'.",
                            ast.text(ast.definition(record.definition).name), name));
}

bool References::evaluate_index_type(ExprId id, Value& elements) {
  const ExprNode& node = context_.ast.expr(id);
  if (node.kind != ExprKind::reference) return false;
  const std::string name = context_.ast.joined_name(node);
  if (use_.components.lookup(name) != nullptr) return false;
  std::int64_t first = 0;
  std::int64_t last = 1;
  elements = {.type = Type::boolean};
  if (name != "Boolean") {
    const ClassId definition = use_.classes.find(ClassKind::type, name);
    if (definition == none || !context_.ast.definition(definition).is_enumeration) return false;
    elements = {.type = Type::enumeration, .definition = definition};
    first = 1;
    last = std::ssize(context_.ast.definition(definition).literals);
  }
  elements.shape = {last - first + 1};
  for (std::int64_t i = first; i <= last; ++i)
    elements.nodes.push_back(context_.pool.constant(static_cast<double>(i)));
  return true;
}

void References::assign(ExprId target, const Value& value) {
  const Ast& ast = context_.ast;
  const ExprNode& node = ast.expr(target);
  if (node.kind != ExprKind::reference) {
    context_.fail(ErrorCode::syntax, node.where, "Only a variable can be assigned.");
  }
  const std::string& name = ast.text(ast.part(node, 0).text);
  if (ast.part(node, 0).is_pattern) {
    context_.fail(ErrorCode::unsupported, node.where,
                  "An algorithm assigns elements as x[i], not by a name with the subscript in "
                  "its quotes.");
  }
  auto& variables = use_.scope.frame()->variables;
  const auto local = variables.find(ast.part(node, 0).text);
  if (local == variables.end()) fail_unknown_name(name, node.where);
  Value* place = &local->second;
  for (std::int32_t i = 0; i < node.n_parts; ++i) {
    const RefPart& part = ast.part(node, i);
    if (i > 0) place = &field_to_assign(*place, part, node.where);
    if (part.n_subscripts == 0) continue;
    const bool is_last = i + 1 == node.n_parts;
    if (is_last) return subscripts_.assign(*place, part, node.where, value);
    const std::vector<std::size_t> places = subscripts_.places(place->shape, part, node.where);
    if (place->type != Type::record || places.size() != 1) {
      context_.fail(ErrorCode::unsupported, node.where,
                    "A field is assigned in one record at a time.");
    }
    place = &place->parts[places.front()];
  }
  *place = use_.expressions.conform(value, *place, node.where, fmt::format("variable '{}'", name));
}

Value& References::field_to_assign(Value& record, const RefPart& part, Position where) {
  if (record.type != Type::record || !record.is_scalar()) field(record, part, where);
  const auto& fields = context_.ast.definition(record.definition).declarations;
  std::size_t f = 0;
  while (f < fields.size() && fields[f].name != part.text) ++f;
  if (f == fields.size()) field(record, part, where);  // fails with the message
  return record.parts[f];
}

}  // namespace daedal::modelica
