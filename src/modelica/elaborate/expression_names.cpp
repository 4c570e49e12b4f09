// SPDX-License-Identifier: BSD-3-Clause
/// Names, fields and subscripts.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <core/nearest_name.hpp>

#include "modelica/elaborate/elaborator.hpp"
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

const Value* Expressions::find_name(const std::string& name) {
  const Value* found = hub_.components.find(name);
  return found != nullptr ? found : hub_.components.gather(name);
}

std::string Expressions::joined_name(const ExprNode& node) const {
  std::string name;
  for (std::int32_t i = 0; i < node.n_parts; ++i) {
    const RefPart& part = hub_.context.ast.part(node, i);
    if (part.text != none) name += (name.empty() ? "" : ".") + hub_.context.ast.text(part.text);
  }
  return name;
}

/// A name that only begins declared names: 'a' where 'a.x' is declared, or the vector of 'a[1]',
/// 'a[2]' where 'a[1].x', 'a[2].x' are. No strings: there is nothing of the kind.
Value Expressions::scattered(const std::string& name) {
  Value group{.type = Type::scattered};
  if (hub_.components.has_prefix(name + '.')) {
    group.strings.push_back(name);
    return group;
  }
  for (std::int64_t i = 1;; ++i) {
    const std::string element = fmt::format("{}[{}]", name, i);
    if (!hub_.components.has_prefix(element + '.')) break;
    group.strings.push_back(element);
    hub_.context.spend(1, {});
  }
  if (!group.strings.empty())
    group.shape.push_back(static_cast<std::int64_t>(group.strings.size()));
  return group;
}

/// Type.literal of an enumeration.
bool Expressions::evaluate_literal(const ExprNode& node, Value& result) {
  if (node.n_parts < 2) return false;
  const Ast& ast = hub_.context.ast;
  std::string type = joined_name(node);
  const std::string& name = ast.text(ast.part(node, node.n_parts - 1).text);
  type.resize(type.size() - name.size() - 1);
  int number = 0;
  ClassId definition = none;
  if (type == "StateSelect") {
    number = literal_number(state_select_literals, name);
  } else if (type == "AssertionLevel") {
    number = literal_number(assertion_level_literals, name);
  } else {
    definition = hub_.classes.find(ClassKind::type, type);
    if (definition == none || !ast.definition(definition).is_enumeration) return false;
    number = hub_.classes.literal(definition, name);
  }
  if (number == 0) {
    hub_.context.fail(ErrorCode::unknown_name, node.where,
                      fmt::format("The enumeration '{}' has no literal '{}'.", type, name));
  }
  result = Value::scalar(Type::enumeration, hub_.context.pool.constant(number));
  result.definition = definition;
  return true;
}

void Expressions::fail_unknown_name(const std::string& name, Position where) {
  std::vector<std::string> known;
  if (frame_ != nullptr && !frame_->sees_model) {
    for (const auto& variable : frame_->variables) {
      known.push_back(hub_.context.ast.text(variable.first));
    }
    std::sort(known.begin(), known.end());
  } else {
    known = hub_.components.names();
    known.emplace_back("time");
  }
  for (std::size_t i = loops_base_; i < loops_.size(); ++i) {
    known.push_back(hub_.context.ast.text(loops_[i].first));
  }
  const std::string nearest = nearest_name(name, known);
  hub_.context.fail(
      ErrorCode::unknown_name, where,
      fmt::format("There is no variable or parameter '{}'.{}", name,
                  nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest)));
}

Value Expressions::evaluate_reference(const ExprNode& node) {
  const Ast& ast = hub_.context.ast;
  const RefPart& first = ast.part(node, 0);
  const std::string& name = ast.text(first.text);
  if (first.is_pattern) return evaluate_pattern(node);
  for (std::size_t i = loops_.size(); i-- > loops_base_;) {
    if (loops_[i].first == first.text) return walk_parts(loops_[i].second, node, 0);
  }
  const bool in_function = frame_ != nullptr && !frame_->sees_model;
  if (frame_ != nullptr) {
    const auto local = frame_->variables.find(first.text);
    if (local != frame_->variables.end()) return walk_parts(local->second, node, 0);
  }
  if (!in_function && name == "time" && !first.quoted && node.n_parts == 1 &&
      first.n_subscripts == 0) {
    return Value::scalar(Type::real, hub_.context.pool.time());
  }
  Value literal;
  if (evaluate_literal(node, literal)) return literal;
  if (in_function && !hub_.components.is_global(name)) fail_unknown_name(name, node.where);
  if (const Value* found = find_name(name)) return walk_parts(*found, node, 0);
  // A dotted reference to a name that was declared in quotes: a.b for 'a.b'.
  const std::string joined = joined_name(node);
  if (node.n_parts > 1) {
    if (const Value* found = find_name(joined)) {
      return walk_parts(*found, node, node.n_parts - 1);
    }
  }
  if (Value group = scattered(joined); !group.strings.empty()) return group;
  fail_unknown_name(joined, node.where);
}

/// 'a.x[\'i\'].y' by the values of its subscripts.
Value Expressions::evaluate_pattern(const ExprNode& node) {
  const Ast& ast = hub_.context.ast;
  const RefPart& part = ast.part(node, 0);
  std::vector<Value> subscripts;
  for (std::int32_t i = 0; i < part.n_subscripts; ++i) {
    const ExprId id = ast.children[static_cast<std::size_t>(part.first_subscript + i)];
    Value subscript = evaluate(id);
    if (!subscript.is_scalar() || subscript.nodes.empty() || subscript.type == Type::real) {
      hub_.context.fail(
          ErrorCode::type_mismatch, node.where,
          fmt::format("A subscript must be an Integer, not {}.", describe(subscript)));
    }
    subscripts.push_back(std::move(subscript));
  }
  std::optional<Value> found = matching(ast.text(part.text), subscripts, node.where);
  if (!found) {
    std::string shown = ast.text(part.text);
    std::replace(shown.begin(), shown.end(), subscript_mark, '?');
    hub_.context.fail(ErrorCode::unknown_name, node.where,
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
std::optional<Value> Expressions::matching(const std::string& pattern,
                                           std::span<const Value> subscripts, Position where) {
  const Deeper deeper(hub_.context, where);
  hub_.context.spend(1, where);
  if (subscripts.empty()) {
    const Value* found = find_name(pattern);
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
  if (hub_.structure.peek(subscript.node()))
    return with(structural_integer(subscript, where, "A subscript") + base);
  std::vector<Value> candidates;
  for (std::int64_t i = 1;; ++i) {
    std::optional<Value> candidate = with(i);
    if (!candidate) break;
    candidates.push_back(std::move(*candidate));
  }
  if (candidates.empty()) return std::nullopt;
  if (hub_.structure.is_continuous(subscript.node())) {
    hub_.context.fail(ErrorCode::unsupported, where, "A subscript that changes between events.");
  }
  Pool& pool = hub_.context.pool;
  Value result = std::move(candidates.back());
  for (std::size_t i = candidates.size() - 1; i-- > 0;) {
    const auto number = static_cast<double>(static_cast<std::int64_t>(i) + 1 - base);
    const NodeId is_it =
        pool.immediate_relation(Op::equal, subscript.node(), pool.constant(number));
    result = hub_.operators.select(is_it, candidates[i], result, where);
  }
  return result;
}

Value Expressions::evaluate_postfix(const ExprNode& node) {
  const Ast& ast = hub_.context.ast;
  const Value base = evaluate(ast.child(node, 0));
  const RefPart& first = ast.part(node, 0);
  if (first.text == none) return walk_parts(base, node, 0);
  Value inner = field(base, first, node.where);
  return walk_parts(inner, node, 0);
}

/// Applies the subscripts of part `first`, then the fields and subscripts of the parts behind.
Value Expressions::walk_parts(const Value& base, const ExprNode& node, std::int32_t first) {
  const Ast& ast = hub_.context.ast;
  const auto with_subscripts = [&](const Value& value, const RefPart& part) {
    return part.n_subscripts == 0 ? value : subscripted(value, part, node.where);
  };
  Value current = with_subscripts(base, ast.part(node, first));
  for (std::int32_t i = first + 1; i < node.n_parts; ++i) {
    const RefPart& part = ast.part(node, i);
    current = with_subscripts(field(current, part, node.where), part);
  }
  for (const NodeId id : current.nodes) {
    if (id != no_node) continue;
    hub_.context.fail(
        ErrorCode::invalid_value, node.where,
        fmt::format("'{}' is read before it is assigned in every case.", joined_name(node)));
  }
  return current;
}

Value Expressions::field(const Value& record, const RefPart& part, Position where) {
  const Ast& ast = hub_.context.ast;
  const std::string& name = ast.text(part.text);
  if (record.type == Type::scattered) {
    if (!record.is_scalar()) {
      std::vector<Value> column;
      for (const std::string& prefix : record.strings)
        column.push_back(field({.type = Type::scattered, .strings = {prefix}}, part, where));
      return stack(std::move(column), where);
    }
    const std::string full = record.strings.front() + '.' + name;
    if (const Value* found = find_name(full)) return *found;
    if (Value group = scattered(full); !group.strings.empty()) return group;
    fail_unknown_name(full, where);
  }
  if (record.type != Type::record) {
    hub_.context.fail(
        ErrorCode::type_mismatch, where,
        fmt::format("'.{}' asks for a field, but this is {}.", name, describe(record)));
  }
  const auto& fields = ast.definition(record.definition).declarations;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (fields[f].name != part.text) continue;
    if (record.is_scalar()) return record.parts[f];
    std::vector<Value> column;
    for (const Value& item : record.parts) column.push_back(item.parts[f]);
    Value result = stack(std::move(column), where);
    result.shape.erase(result.shape.begin());
    result.shape.insert(result.shape.begin(), record.shape.begin(), record.shape.end());
    return result;
  }
  hub_.context.fail(ErrorCode::unknown_name, where,
                    fmt::format("The record '{}' has no field '{}'.",
                                ast.text(ast.definition(record.definition).name), name));
}

}  // namespace daedal::modelica
