// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/expressions/references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <daedal/nearest_name.hpp>
#include <utility>

#include "modelica/elaborate/class_table.hpp"
#include "modelica/elaborate/components.hpp"
#include "modelica/elaborate/expressions/expressions.hpp"
#include "modelica/elaborate/expressions/operators.hpp"
#include "modelica/elaborate/expressions/scope.hpp"
#include "modelica/elaborate/expressions/structural_parameters.hpp"
#include "modelica/library/constants.hpp"
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

/// The name with its first mark replaced by a number.
std::string with_subscript(std::string pattern, std::int64_t number) {
  return pattern.replace(pattern.find(subscript_mark), 1, std::to_string(number));
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

/// A constant of the Modelica Standard Library that the text does not declare.
bool References::evaluate_constant(const ExprNode& node, Value& result) {
  const Ast& ast = context_.ast;
  if (!ast.text(ast.part(node, 0).text).starts_with("Modelica")) return false;
  const std::string name = ast.joined_name(node);
  const std::optional<double> number = library_constant(name);
  if (!number || use_.components.find(name) != nullptr) return false;
  const Type type = name.ends_with(".Integer_inf") ? Type::integer : Type::real;
  result = Value::scalar(type, context_.pool.constant(*number));
  return true;
}

void References::fail_unknown_name(const std::string& name, Position where) {
  if (context_.defer_undefined && context_.pruning.variables.contains(name)) {
    throw UndefinedFunction{where, fmt::format("The variable '{}' is left out.", name)};
  }
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
  if (evaluate_literal(node, literal) || evaluate_constant(node, literal)) return literal;
  if (in_function && !use_.components.is_global(name)) fail_unknown_name(name, node.where);
  if (const Value* found = use_.components.lookup(name)) return walk_seen(*found, node, 0);
  // A dotted reference to a name that was declared in quotes: a.b for 'a.b'.
  const std::string joined = context_.ast.joined_name(node);
  if (node.n_parts > 1) {
    if (const Value* found = use_.components.lookup(joined)) {
      return walk_seen(*found, node, node.n_parts - 1);
    }
  }
  if (Value group = scattered(joined); !group.strings.empty()) return group;
  fail_unknown_name(joined, node.where);
}

Value References::walk_seen(const Value& declared, const ExprNode& node, std::int32_t first) {
  if (!use_.scope.has_assigned()) return walk_parts(declared, node, first);
  return walk_parts(use_.scope.seen(declared), node, first);
}

/// The subscripts inside the quotes of a name.
std::vector<Value> References::pattern_subscripts(const ExprNode& node) {
  std::vector<Value> subscripts;
  for (const ExprId id : context_.ast.subscripts_of(context_.ast.part(node, 0))) {
    Value subscript = use_.expressions.evaluate(id);
    if (!subscript.is_scalar() || subscript.nodes.empty() || subscript.type == Type::real) {
      context_.fail(ErrorCode::type_mismatch, node.where,
                    fmt::format("A subscript must be an Integer, not {}.", describe(subscript)));
    }
    subscripts.push_back(std::move(subscript));
  }
  return subscripts;
}

void References::fail_unknown_pattern(const ExprNode& node) {
  std::string shown = context_.ast.text(context_.ast.part(node, 0).text);
  std::replace(shown.begin(), shown.end(), subscript_mark, '?');
  context_.fail(ErrorCode::unknown_name, node.where,
                fmt::format("No variable or parameter has a name of the form '{}' with these "
                            "subscripts.",
                            shown));
}

/// 'a.x[\'i\'].y' by the values of its subscripts.
Value References::evaluate_pattern(const ExprNode& node) {
  const Ast& ast = context_.ast;
  const std::vector<Value> subscripts = pattern_subscripts(node);
  std::vector<Candidate> found =
      candidates(ast.text(ast.part(node, 0).text), subscripts, node.where);
  if (found.empty()) fail_unknown_pattern(node);
  ExprNode rest = node;
  ++rest.first_part;
  --rest.n_parts;
  const auto value_of = [&](const Candidate& candidate) {
    const Value value = use_.scope.seen(candidate.value);
    if (node.n_parts == 1) return value;
    return walk_parts(field(value, ast.part(rest, 0), node.where), rest, 0);
  };
  Value result = value_of(found.back());
  for (std::size_t i = found.size() - 1; i-- > 0;)
    result = use_.operators.select(found[i].condition, value_of(found[i]), result, node.where);
  return result;
}

/// What the name may mean with the marks replaced by the subscripts, the first mark first. One that
/// is known only during the run chooses among all names that exist.
std::vector<References::Candidate> References::candidates(const std::string& pattern,
                                                          std::span<const Value> subscripts,
                                                          Position where) {
  const Deeper deeper(context_, where);
  context_.spend(1, where);
  if (subscripts.empty()) {
    if (const Value* found = use_.components.lookup(pattern)) return {{no_node, *found}};
    Value group = scattered(pattern);
    if (group.strings.empty()) return {};
    return {{no_node, std::move(group)}};
  }
  const Value& subscript = subscripts.front();
  const auto with = [&](std::int64_t number) {
    return candidates(with_subscript(pattern, number), subscripts.subspan(1), where);
  };
  const std::int64_t base = subscript.type == Type::boolean ? 1 : 0;
  if (use_.structure.peek(subscript.node()))
    return with(use_.structure.integer(subscript, where, "A subscript") + base);
  Pool& pool = context_.pool;
  std::vector<Candidate> all;
  for (std::int64_t i = 1;; ++i) {
    std::vector<Candidate> inner = with(i);
    if (inner.empty()) break;
    const NodeId number = pool.constant(static_cast<double>(i - base));
    const NodeId is_it = pool.immediate_relation(Op::equal, subscript.node(), number);
    for (Candidate& each : inner) {
      each.condition =
          each.condition == no_node ? is_it : pool.binary(Op::logical_and, is_it, each.condition);
      all.push_back(std::move(each));
    }
  }
  if (!context_.immediate && !all.empty() && use_.structure.is_continuous(subscript.node())) {
    context_.fail(ErrorCode::unsupported, where, "A subscript that changes between events.");
  }
  return all;
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

/// A field of a name that only begins declared names.
Value References::field_of_group(const Value& group, const RefPart& part, Position where) {
  if (!group.is_scalar()) {
    std::vector<Value> column;
    for (const std::string& prefix : group.strings)
      column.push_back(field_of_group({.type = Type::scattered, .strings = {prefix}}, part, where));
    return use_.operators.stack(std::move(column), where);
  }
  const std::string full = group.strings.front() + '.' + context_.ast.text(part.text);
  if (const Value* found = use_.components.lookup(full)) return *found;
  if (Value inner = scattered(full); !inner.strings.empty()) return inner;
  fail_unknown_name(full, where);
}

Value References::field(const Value& record, const RefPart& part, Position where) {
  const Ast& ast = context_.ast;
  const std::string& name = ast.text(part.text);
  if (record.type == Type::scattered) return use_.scope.seen(field_of_group(record, part, where));
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

/// The variables of the model that a reference on the left of `:=` may mean, and the part of the
/// reference whose subscripts apply to them.
std::vector<References::Candidate> References::model_targets(const ExprNode& node,
                                                             std::int32_t& part) {
  const Ast& ast = context_.ast;
  const std::string& name = ast.text(ast.part(node, 0).text);
  part = 0;
  if (ast.part(node, 0).is_pattern) {
    std::vector<Candidate> found = candidates(name, pattern_subscripts(node), node.where);
    if (found.empty()) fail_unknown_pattern(node);
    return found;
  }
  if (const Value* found = use_.components.lookup(name)) return {{no_node, *found}};
  part = node.n_parts - 1;
  const std::string joined = ast.joined_name(node);
  if (const Value* found = use_.components.lookup(joined)) return {{no_node, *found}};
  Value group = scattered(joined);
  if (group.strings.empty()) fail_unknown_name(joined, node.where);
  return {{no_node, std::move(group)}};
}

std::vector<Value> References::assigned_by(const ExprNode& node) {
  const Ast& ast = context_.ast;
  const std::string& name = ast.text(ast.part(node, 0).text);
  std::vector<Value> found;
  if (ast.part(node, 0).is_pattern) {
    collect_matching(name, found);
    if (found.empty()) fail_unknown_pattern(node);
  } else {
    std::int32_t part = 0;
    for (Candidate& target : model_targets(node, part)) found.push_back(std::move(target.value));
  }
  std::vector<Value> whole;
  for (Value& value : found) {
    if (value.type != Type::scattered) {
      whole.push_back(std::move(value));
      continue;
    }
    for (const std::string& prefix : value.strings)
      for (const Value* each : use_.components.all_with_prefix(prefix + '.'))
        whole.push_back(*each);
  }
  return whole;
}

/// Everything that a name with marks may mean.
void References::collect_matching(const std::string& pattern, std::vector<Value>& found) {
  context_.spend(1, {});
  if (pattern.find(subscript_mark) == std::string::npos) {
    for (Candidate& each : candidates(pattern, {}, {})) found.push_back(std::move(each.value));
    return;
  }
  for (std::int64_t i = 1;; ++i) {
    const std::size_t before = found.size();
    collect_matching(with_subscript(pattern, i), found);
    if (found.size() == before) return;
  }
}

void References::assign(ExprId target, const Value& value) {
  const Ast& ast = context_.ast;
  const ExprNode& node = ast.expr(target);
  if (node.kind != ExprKind::reference) {
    context_.fail(ErrorCode::syntax, node.where, "Only a variable can be assigned.");
  }
  FunctionFrame& frame = *use_.scope.frame();
  const auto local = frame.variables.find(ast.part(node, 0).text);
  if (local != frame.variables.end()) {
    const bool is_whole = node.n_parts == 1 && ast.part(node, 0).n_subscripts == 0;
    if (is_whole && frame.open.contains(local->first) &&
        value.shape.size() == local->second.shape.size())
      local->second.shape = value.shape;
    return assign_parts(local->second, node, 0, value);
  }
  if (!frame.sees_model) fail_unknown_name(ast.joined_name(node), node.where);
  std::int32_t part = 0;
  for (const Candidate& candidate : model_targets(node, part))
    assign_in_model(candidate, node, part, value);
}

void References::assign_in_model(const Candidate& candidate, const ExprNode& node,
                                 std::int32_t part, const Value& value) {
  Value variable = candidate.value;
  while (variable.type == Type::scattered && part + 1 < node.n_parts)
    variable = field_of_group(variable, context_.ast.part(node, ++part), node.where);
  if (variable.type == Type::scattered)
    variable = use_.expressions.gather(variable, value, node.where);
  const Value before = use_.scope.seen(variable);
  Value after = before;
  assign_parts(after, node, part, value);
  if (candidate.condition != no_node)
    after = use_.operators.select(candidate.condition, after, before, node.where);
  const std::vector<NodeId> places = leaves(std::as_const(variable));
  const std::vector<NodeId> values = leaves(std::as_const(after));
  for (std::size_t i = 0; i < places.size(); ++i)
    use_.scope.frame()->assigned[places[i]] = values[i];
}

/// Assigns to `place` what the parts of the reference from the subscripts of part `first` on name.
void References::assign_parts(Value& variable, const ExprNode& node, std::int32_t first,
                              const Value& value) {
  const Ast& ast = context_.ast;
  Value* place = &variable;
  for (std::int32_t i = first; i < node.n_parts; ++i) {
    const RefPart& part = ast.part(node, i);
    if (i > first) place = &field_to_assign(*place, part, node.where);
    if (part.n_subscripts == 0 || part.is_pattern) continue;
    const bool is_last = i + 1 == node.n_parts;
    if (is_last) return subscripts_.assign(*place, part, node.where, value);
    const std::vector<std::size_t> places = subscripts_.places(place->shape, part, node.where);
    if (place->type != Type::record || places.size() != 1) {
      context_.fail(ErrorCode::unsupported, node.where,
                    "A field is assigned in one record at a time.");
    }
    place = &place->parts[places.front()];
  }
  *place = use_.expressions.conform(value, *place, node.where,
                                    fmt::format("variable '{}'", ast.joined_name(node)));
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
