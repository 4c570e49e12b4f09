// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/expressions/subscripts.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "modelica/elaborate/expressions/expressions.hpp"
#include "modelica/elaborate/expressions/operators.hpp"
#include "modelica/elaborate/expressions/scope.hpp"
#include "modelica/elaborate/expressions/structural_parameters.hpp"

namespace daedal::modelica {

namespace {

std::vector<std::size_t> all_positions(std::int64_t length) {
  std::vector<std::size_t> positions(static_cast<std::size_t>(length));
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  return positions;
}

}  // namespace

std::size_t Subscripts::position(const Value& value, std::int64_t length, Position where) {
  // The literals of an enumeration count from 1, false and true from 0.
  const std::int64_t subscript =
      use_.structure.integer(value, where, "A subscript") + (value.type == Type::boolean ? 1 : 0);
  if (subscript < 1 || subscript > length) {
    context_.fail(ErrorCode::invalid_value, where,
                  fmt::format("The subscript {} is outside 1:{}.", subscript, length));
  }
  return static_cast<std::size_t>(subscript) - 1;
}

Subscripts::Selection Subscripts::selection(ExprId subscript, std::int64_t length) {
  const ExprNode& node = context_.ast.expr(subscript);
  Selection result;
  if (node.kind == ExprKind::colon) {
    result.keeps = true;
    context_.spend(length, node.where);
    result.positions = all_positions(length);
    return result;
  }
  Value value;
  {
    const auto end = use_.scope.bind_end(length);
    value = use_.expressions.evaluate(subscript);
  }
  if (value.is_scalar()) {
    const bool is_index = value.type == Type::integer || value.type == Type::enumeration ||
                          value.type == Type::boolean;
    if (is_index && !use_.structure.peek(value.node())) {
      result.dynamic = value.node();
      result.first = value.type == Type::boolean ? 0 : 1;
    } else {
      result.positions = {position(value, length, node.where)};
    }
    return result;
  }
  if (value.shape.size() != 1) {
    context_.fail(ErrorCode::type_mismatch, node.where,
                  fmt::format("A subscript must be an Integer or a vector of them, not {}.",
                              describe(value)));
  }
  result.keeps = true;
  for (std::size_t i = 0; i < n_elements(value.shape); ++i) {
    result.positions.push_back(position(element(value, i), length, node.where));
  }
  return result;
}

std::vector<Subscripts::Selection> Subscripts::selections(const Shape& shape, const RefPart& part,
                                                          Position where) {
  const std::span<const ExprId> subscripts = context_.ast.subscripts_of(part);
  const std::size_t n = subscripts.size();
  if (n > shape.size()) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("{} subscripts are given, but there {}.", n,
                              shape.empty() ? "is nothing to subscript: this is a scalar"
                                            : fmt::format("are {} dimensions", shape.size())));
  }
  std::vector<Selection> result;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d < n) {
      result.push_back(selection(subscripts[d], shape[d]));
      continue;
    }
    // x[2] of a matrix is its second row.
    result.push_back({.positions = all_positions(shape[d]), .keeps = true});
  }
  return result;
}

/// The places in row-major order that the selections name.
std::vector<std::size_t> Subscripts::offsets(const Shape& shape,
                                             const std::vector<Selection>& selections) const {
  std::vector<std::size_t> places{0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto length = static_cast<std::size_t>(shape[d]);
    std::vector<std::size_t> finer;
    finer.reserve(places.size() * selections[d].positions.size());
    for (const std::size_t place : places) {
      for (const std::size_t i : selections[d].positions) finer.push_back(place * length + i);
    }
    context_.spend(std::ssize(finer), {});
    places = std::move(finer);
  }
  return places;
}

Shape Subscripts::shape_of(const std::vector<Selection>& selections) {
  Shape shape;
  for (const Selection& chosen : selections) {
    if (chosen.keeps) shape.push_back(std::ssize(chosen.positions));
  }
  return shape;
}

Value Subscripts::gather(const Value& array, const std::vector<Selection>& selections) {
  Value result{.type = array.type, .definition = array.definition, .shape = shape_of(selections)};
  const std::vector<std::size_t> places_of_elements = offsets(array.shape, selections);
  if (array.type == Type::record && result.shape.empty())
    return element(array, places_of_elements.front());
  for (const std::size_t at : places_of_elements) {
    if (!array.nodes.empty()) result.nodes.push_back(array.nodes[at]);
    if (!array.strings.empty()) result.strings.push_back(array.strings[at]);
    if (!array.parts.empty()) result.parts.push_back(array.parts[at]);
  }
  return result;
}

/// In functions and noEvent() values may jump between events, elsewhere they may not.
void Subscripts::check_dynamic(NodeId subscript, std::int64_t length, Position where) {
  if (length > 0 && (context_.immediate || !use_.structure.is_continuous(subscript))) return;
  context_.fail(ErrorCode::unsupported, where,
                "A subscript that changes between events, or of an empty array.");
}

/// x[i] with i known only during the run: if i == 1 then x[1] elseif i == 2 ... else x[n].
Value Subscripts::select_dynamic(const Value& array, std::vector<Selection> selections,
                                 std::size_t d, Position where) {
  const Deeper deeper(context_, where);
  while (d < selections.size() && selections[d].dynamic == no_node) ++d;
  if (d == selections.size()) return gather(array, selections);
  const NodeId chosen = selections[d].dynamic;
  check_dynamic(chosen, array.shape[d], where);
  const int first = selections[d].first;
  selections[d].dynamic = no_node;
  Value result;
  const auto length = static_cast<std::size_t>(array.shape[d]);
  for (std::size_t i = length; i-- > 0;) {
    selections[d].positions = {i};
    const Value candidate = select_dynamic(array, selections, d + 1, where);
    if (i == length - 1) {
      result = candidate;
      continue;
    }
    const NodeId number = context_.pool.constant(static_cast<double>(i) + first);
    const NodeId is_it = context_.pool.immediate_relation(Op::equal, chosen, number);
    result = use_.operators.select(is_it, candidate, result, where);
  }
  return result;
}

Value Subscripts::select(const Value& array, const RefPart& part, Position where) {
  return select_dynamic(array, selections(array.shape, part, where), 0, where);
}

std::vector<std::size_t> Subscripts::places(const Shape& shape, const RefPart& part,
                                            Position where) {
  const std::vector<Selection> chosen = selections(shape, part, where);
  for (const Selection& selection : chosen) {
    if (selection.dynamic == no_node) continue;
    context_.fail(ErrorCode::unsupported, where,
                  "Assigning to a field of an element chosen during the run.");
  }
  return offsets(shape, chosen);
}

void Subscripts::assign(Value& array, const RefPart& part, Position where, const Value& value) {
  const std::vector<Selection> chosen = selections(array.shape, part, where);
  const Value model{.type = array.type, .definition = array.definition, .shape = shape_of(chosen)};
  const Value conforming = use_.expressions.conform(value, model, where, "left side");
  assign_chosen({array, conforming, where}, chosen, 0, no_node);
}

/// x[i] := v with i known only during the run: x[k] := if i == k then v else x[k] for every k.
void Subscripts::assign_chosen(const Assignment& assignment, std::vector<Selection> selections,
                               std::size_t d, NodeId condition) {
  const auto& [array, value, where] = assignment;
  const Deeper deeper(context_, where);
  Pool& pool = context_.pool;
  while (d < selections.size() && selections[d].dynamic == no_node) ++d;
  if (d < selections.size()) {
    const NodeId chosen = std::exchange(selections[d].dynamic, no_node);
    check_dynamic(chosen, array.shape[d], where);
    for (std::int64_t i = 0; i < array.shape[d]; ++i) {
      selections[d].positions = {static_cast<std::size_t>(i)};
      const NodeId number = pool.constant(static_cast<double>(i + selections[d].first));
      const NodeId is_it = pool.immediate_relation(Op::equal, chosen, number);
      assign_chosen(assignment, selections, d + 1,
                    condition == no_node ? is_it : pool.binary(Op::logical_and, condition, is_it));
    }
    return;
  }
  const std::vector<std::size_t> places_of_elements = offsets(array.shape, selections);
  for (std::size_t k = 0; k < places_of_elements.size(); ++k) {
    const std::size_t at = places_of_elements[k];
    Value item = value.is_scalar() ? value : element(value, k);
    if (condition != no_node)
      item = use_.operators.select(condition, item, element(array, at), where);
    if (array.type == Type::record) {
      array.parts[at] = std::move(item);
    } else if (array.type == Type::string) {
      array.strings[at] = item.strings.front();
    } else {
      array.nodes[at] = item.node();
    }
  }
}

}  // namespace daedal::modelica
