// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/expressions/structural_parameters.hpp"

#include <fmt/format.h>

#include <cmath>

#include "expr/constant_folding.hpp"
#include "expr/traverse.hpp"

namespace daedal::modelica {

std::vector<NodeId> Structure::inputs(NodeId id) {
  const Node node = context_.pool[id];
  if (node.op == Op::parameter) {
    const NodeId value = parameter_value_(id);
    return value == no_node ? std::vector<NodeId>{} : std::vector<NodeId>{value};
  }
  std::vector<NodeId> ids;
  for (const NodeId argument : arguments(node)) {
    if (argument != no_node) ids.push_back(argument);
  }
  return ids;
}

/// Computes the number of a node from those of its inputs; false if it has none.
bool Structure::finish(NodeId id) {
  const Node node = context_.pool[id];
  const auto number = [&](NodeId argument) { return numbers_.at(argument); };
  double value = 0.0;
  if (node.op == Op::constant) {
    value = node.value;
  } else if (node.op == Op::parameter) {
    const NodeId definition = parameter_value_(id);
    if (definition == no_node) return false;
    value = number(definition);
  } else if (is_leaf(node.op)) {
    return false;
  } else if (node.op == Op::if_else) {
    value = number(node.a) != 0.0 ? number(node.b) : number(node.c);
  } else if (node.op == Op::pow_int) {
    value = integer_power(number(node.a), node.order);
  } else if (node.op == Op::smooth) {
    value = number(node.a);
  } else {
    value = node.b == no_node ? apply(node.op, number(node.a))
                              : apply(node.op, number(node.a), number(node.b));
  }
  numbers_[id] = value;
  return true;
}

std::optional<double> Structure::peek(NodeId root) {
  std::vector<Frame> stack{{root, false}};
  std::unordered_set<NodeId> on_path;
  while (!stack.empty()) {
    const Frame frame = stack.back();
    stack.pop_back();
    if (numbers_.contains(frame.node)) continue;
    if (frame.arguments_done) {
      on_path.erase(frame.node);
      if (!finish(frame.node)) return std::nullopt;
      continue;
    }
    // A parameter that depends on itself has no number; the model's own check names the circle.
    if (!on_path.insert(frame.node).second) return std::nullopt;
    stack.push_back({frame.node, true});
    for (const NodeId input : inputs(frame.node)) {
      if (!numbers_.contains(input)) stack.push_back({input, false});
    }
  }
  const double value = numbers_.at(root);
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> Structure::fix(NodeId root) {
  const std::optional<double> value = peek(root);
  if (!value) return value;
  std::vector<NodeId> stack{root};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    if (!fixed_.insert(id).second) continue;
    if (context_.pool[id].op == Op::parameter) {
      context_.builder.make_constant({context_.pool, id});
    }
    for (const NodeId input : inputs(id)) stack.push_back(input);
  }
  return value;
}

std::optional<double> Structure::settled(NodeId root) {
  if (is_continuous(root)) return std::nullopt;
  std::vector<NodeId> stack{root};
  std::unordered_set<NodeId> seen;
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    if (fixed_.contains(id) || !seen.insert(id).second) continue;
    const Op op = context_.pool[id].op;
    if (op != Op::constant && is_leaf(op)) return std::nullopt;
    for (const NodeId input : inputs(id)) stack.push_back(input);
  }
  return peek(root);
}

std::int64_t Structure::integer(const Value& value, Position where, std::string_view what) {
  const bool countable =
      value.type == Type::integer || value.type == Type::enumeration || value.type == Type::boolean;
  if (!countable || !value.is_scalar()) {
    context_.fail(ErrorCode::type_mismatch, where,
                  fmt::format("{} must be an Integer, not {}.", what, describe(value)));
  }
  const std::optional<double> number = fix(value.node());
  if (!number) {
    context_.fail(ErrorCode::invalid_value, where,
                  fmt::format("{} must follow from constants and parameters with values.", what));
  }
  constexpr double largest = 1e15;  // exact in double, and products with a few units fit 64 bits
  if (std::abs(*number) > largest || *number != std::round(*number)) {
    context_.fail(ErrorCode::invalid_value, where,
                  fmt::format("{} is {}, no Integer in range.", what, *number));
  }
  return static_cast<std::int64_t>(*number);
}

bool Structure::is_continuous(NodeId node) {
  const Pool& pool = context_.pool;
  // Arguments have smaller ids, so one pass over the new nodes answers for all of them.
  for (auto id = static_cast<NodeId>(continuous_.size()); id <= node; ++id) {
    const Node entry = pool[id];
    bool changes = entry.op == Op::time || entry.op == Op::variable;
    // A held relation changes at events only.
    if (!is_relation(entry.op) || entry.symbol < 0) {
      for (const NodeId argument : arguments(entry)) {
        changes = changes ||
                  (argument != no_node && continuous_[static_cast<std::size_t>(argument)] != 0);
      }
    }
    continuous_.push_back(changes ? 1 : 0);
  }
  return continuous_[static_cast<std::size_t>(node)] != 0;
}

}  // namespace daedal::modelica
