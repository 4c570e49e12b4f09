// SPDX-License-Identifier: BSD-3-Clause
/// Subscripts: single elements, slices, and elements chosen during the run.

#include <fmt/format.h>

#include "modelica/elaborate/elaborator.hpp"

namespace daedal::modelica {

std::int64_t Expressions::position(const Value& value, std::int64_t length, Position where) {
  // The literals of an enumeration count from 1, false and true from 0.
  const std::int64_t subscript =
      structural_integer(value, where, "A subscript") + (value.type == Type::boolean ? 1 : 0);
  if (subscript < 1 || subscript > length) {
    hub_.context.fail(ErrorCode::invalid_value, where,
                      fmt::format("The subscript {} is outside 1:{}.", subscript, length));
  }
  return subscript - 1;
}

Expressions::Selection Expressions::selection(ExprId subscript, std::int64_t length) {
  const ExprNode& node = hub_.context.ast.expr(subscript);
  Selection result;
  if (node.kind == ExprKind::colon) {
    result.keeps = true;
    hub_.context.spend(length, node.where);
    for (std::int64_t i = 0; i < length; ++i) result.positions.push_back(i);
    return result;
  }
  ends_.push_back(length);
  Value value;
  try {
    value = evaluate(subscript);
  } catch (...) {
    ends_.pop_back();
    throw;
  }
  ends_.pop_back();
  if (value.is_scalar()) {
    const bool is_index = value.type == Type::integer || value.type == Type::enumeration ||
                          value.type == Type::boolean;
    if (is_index && !hub_.structure.peek(value.node())) {
      result.dynamic = value.node();
      result.first = value.type == Type::boolean ? 0 : 1;
    } else {
      result.positions = {position(value, length, node.where)};
    }
    return result;
  }
  if (value.shape.size() != 1) {
    hub_.context.fail(ErrorCode::type_mismatch, node.where,
                      fmt::format("A subscript must be an Integer or a vector of them, not {}.",
                                  describe(value)));
  }
  result.keeps = true;
  for (std::int64_t i = 0; i < value.shape[0]; ++i) {
    result.positions.push_back(position(element(value, i), length, node.where));
  }
  return result;
}

std::vector<Expressions::Selection> Expressions::selections(const Shape& shape, const RefPart& part,
                                                            Position where) {
  const auto n = static_cast<std::size_t>(part.n_subscripts);
  if (n > shape.size()) {
    hub_.context.fail(ErrorCode::type_mismatch, where,
                      fmt::format("{} subscripts are given, but there {}.", n,
                                  shape.empty() ? "is nothing to subscript: this is a scalar"
                                                : fmt::format("are {} dimensions", shape.size())));
  }
  std::vector<Selection> result;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d < n) {
      const ExprId subscript =
          hub_.context.ast.children[static_cast<std::size_t>(part.first_subscript) + d];
      result.push_back(selection(subscript, shape[d]));
      continue;
    }
    Selection whole{.keeps = true};  // x[2] of a matrix is its second row
    for (std::int64_t i = 0; i < shape[d]; ++i) whole.positions.push_back(i);
    result.push_back(std::move(whole));
  }
  return result;
}

/// The places in row-major order that the selections name.
std::vector<std::int64_t> Expressions::offsets(const Shape& shape,
                                               const std::vector<Selection>& selections) const {
  std::vector<std::int64_t> places{0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::vector<std::int64_t> finer;
    finer.reserve(places.size() * selections[d].positions.size());
    for (const std::int64_t place : places) {
      for (const std::int64_t i : selections[d].positions) finer.push_back(place * shape[d] + i);
    }
    hub_.context.spend(static_cast<std::int64_t>(finer.size()), {});
    places = std::move(finer);
  }
  return places;
}

Value Expressions::gather_selected(const Value& array, const std::vector<Selection>& selections) {
  Value result{.type = array.type, .definition = array.definition};
  for (const Selection& chosen : selections) {
    if (chosen.keeps) result.shape.push_back(static_cast<std::int64_t>(chosen.positions.size()));
  }
  const std::vector<std::int64_t> places = offsets(array.shape, selections);
  if (array.type == Type::record && result.shape.empty()) return element(array, places.front());
  for (const std::int64_t place : places) {
    const auto at = static_cast<std::size_t>(place);
    if (!array.nodes.empty()) result.nodes.push_back(array.nodes[at]);
    if (!array.strings.empty()) result.strings.push_back(array.strings[at]);
    if (!array.parts.empty()) result.parts.push_back(array.parts[at]);
  }
  return result;
}

/// x[i] with i known only during the run: if i == 1 then x[1] elseif i == 2 ... else x[n].
Value Expressions::select_dynamic(const Value& array, std::vector<Selection> selections,
                                  std::size_t d, Position where) {
  const Deeper deeper(hub_.context, where);
  while (d < selections.size() && selections[d].dynamic == no_node) ++d;
  if (d == selections.size()) return gather_selected(array, selections);
  const NodeId chosen = selections[d].dynamic;
  if (hub_.structure.is_continuous(chosen) || array.shape[d] == 0) {
    hub_.context.fail(ErrorCode::unsupported, where,
                      "A subscript that changes between events, or of an empty array.");
  }
  const std::int64_t first = selections[d].first;
  selections[d].dynamic = no_node;
  Value result;
  for (std::int64_t i = array.shape[d]; i-- > 0;) {
    selections[d].positions = {i};
    const Value candidate = select_dynamic(array, selections, d + 1, where);
    if (i == array.shape[d] - 1) {
      result = candidate;
      continue;
    }
    const NodeId number = hub_.context.pool.constant(static_cast<double>(i + first));
    const NodeId is_it = hub_.context.pool.immediate_relation(Op::equal, chosen, number);
    result = hub_.operators.select(is_it, candidate, result, where);
  }
  return result;
}

Value Expressions::subscripted(const Value& array, const RefPart& part, Position where) {
  return select_dynamic(array, selections(array.shape, part, where), 0, where);
}

void Expressions::assign(ExprId target, const Value& value) {
  const Ast& ast = hub_.context.ast;
  const ExprNode& node = ast.expr(target);
  if (node.kind != ExprKind::reference) {
    hub_.context.fail(ErrorCode::syntax, node.where, "Only a variable can be assigned.");
  }
  const std::string& name = ast.text(ast.part(node, 0).text);
  if (ast.part(node, 0).is_pattern) {
    hub_.context.fail(ErrorCode::unsupported, node.where,
                      "An algorithm assigns elements as x[i], not by a name with the subscript in "
                      "its quotes.");
  }
  const auto local = frame_->variables.find(ast.part(node, 0).text);
  if (local == frame_->variables.end()) fail_unknown_name(name, node.where);
  Value* place = &local->second;
  for (std::int32_t i = 0; i < node.n_parts; ++i) {
    const RefPart& part = ast.part(node, i);
    if (i > 0) place = &field_to_assign(*place, part, node.where);
    if (part.n_subscripts == 0) continue;
    const bool is_last = i + 1 == node.n_parts;
    if (is_last) return assign_elements(*place, part, node.where, value);
    const std::vector<std::int64_t> places = places_to_assign(place->shape, part, node.where).first;
    if (place->type != Type::record || places.size() != 1) {
      hub_.context.fail(ErrorCode::unsupported, node.where,
                        "A field is assigned in one record at a time.");
    }
    place = &place->parts[static_cast<std::size_t>(places.front())];
  }
  *place = conform(value, *place, node.where, fmt::format("variable '{}'", name));
}

Value& Expressions::field_to_assign(Value& record, const RefPart& part, Position where) {
  if (record.type != Type::record || !record.is_scalar()) field(record, part, where);
  const auto& fields = hub_.context.ast.definition(record.definition).declarations;
  std::size_t f = 0;
  while (f < fields.size() && fields[f].name != part.text) ++f;
  if (f == fields.size()) field(record, part, where);  // fails with the message
  return record.parts[f];
}

/// The places that subscripts on the left of `:=` name, and the shape that they form.
std::pair<std::vector<std::int64_t>, Shape> Expressions::places_to_assign(const Shape& shape,
                                                                          const RefPart& part,
                                                                          Position where) {
  const std::vector<Selection> chosen = selections(shape, part, where);
  Shape selected;
  for (const Selection& selection : chosen) {
    if (selection.dynamic != no_node) {
      hub_.context.fail(ErrorCode::unsupported, where,
                        "Assigning to an element chosen during the run.");
    }
    if (selection.keeps) selected.push_back(static_cast<std::int64_t>(selection.positions.size()));
  }
  return {offsets(shape, chosen), selected};
}

void Expressions::assign_elements(Value& array, const RefPart& part, Position where,
                                  const Value& value) {
  const auto [places, shape] = places_to_assign(array.shape, part, where);
  const Value model{.type = array.type, .definition = array.definition, .shape = shape};
  const Value conforming = conform(value, model, where, "left side");
  for (std::size_t k = 0; k < places.size(); ++k) {
    const auto at = static_cast<std::size_t>(places[k]);
    if (array.type == Type::record) {
      array.parts[at] = shape.empty() ? conforming : conforming.parts[k];
    } else if (array.type == Type::string) {
      array.strings[at] = conforming.strings[k];
    } else {
      array.nodes[at] = conforming.nodes[k];
    }
  }
}

}  // namespace daedal::modelica
