// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/enclosure.hpp"

#include <algorithm>

#include "expr/traverse.hpp"

namespace daedal::kernel {

void Enclosure::collect(const Pool& pool, std::span<const NodeId> roots) {
  const Reachable part(pool, roots);
  ids_.assign(part.ids().begin(), part.ids().end());
  const auto place_of = [&](NodeId id) {
    return id == no_node ? no_node : static_cast<NodeId>(part.position(id));
  };
  nodes_.reserve(ids_.size());
  for (const NodeId id : ids_) {
    Node node = pool[id];
    const bool is_input = is_held(node) || (is_leaf(node.op) && node.op != Op::constant);
    node.a = place_of(node.a);
    node.b = place_of(node.b);
    node.c = place_of(node.c);
    nodes_.push_back({node, is_input});
  }
  moves_.assign(nodes_.size(), false);
}

void Enclosure::divide() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (is_input(i)) continue;
    for (const NodeId argument : arguments(nodes_[i].node)) {
      if (argument != no_node && moves_[to_size(argument)]) moves_[i] = true;
    }
    if (!moves_[i]) held_.push_back(i);
  }
}

std::vector<std::size_t> Enclosure::needed_by(std::span<const std::size_t> places) const {
  std::vector<bool> is_needed(nodes_.size(), false);
  for (const std::size_t place : places) is_needed[place] = true;
  std::vector<std::size_t> result;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    if (!is_needed[i] || is_input(i) || !moves_[i]) continue;
    result.push_back(i);
    for (const NodeId argument : arguments(nodes_[i].node)) {
      if (argument != no_node) is_needed[to_size(argument)] = true;
    }
  }
  std::ranges::reverse(result);
  return result;
}

std::size_t Enclosure::place(NodeId id) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(ids_, id) - ids_.begin());
}

void Enclosure::evaluate(std::span<const std::size_t> places, std::span<Interval> bounds) const {
  for (const std::size_t place : places) {
    const Node& node = nodes_[place].node;
    if (node.op == Op::constant) {
      bounds[place] = Interval::point(node.value);
      continue;
    }
    // An argument that the operation has not may be any.
    const auto bounds_of = [&](NodeId argument) -> const Interval& {
      return bounds[argument == no_node ? 0 : to_size(argument)];
    };
    bounds[place] = enclose(node, bounds_of(node.a), bounds_of(node.b), bounds_of(node.c));
  }
}

}  // namespace daedal::kernel
