// SPDX-License-Identifier: BSD-3-Clause
#include "expr/traverse.hpp"

namespace daedal {

Reachable::Reachable(const Pool& pool, std::span<const NodeId> roots) {
  // Ids are topological: taking the largest id first meets every node after all its users, and
  // the copies of an id one after the other, so that no set of visited nodes is needed.
  std::vector<NodeId> heap(roots.begin(), roots.end());
  std::ranges::make_heap(heap);
  while (!heap.empty()) {
    std::ranges::pop_heap(heap);
    const NodeId id = heap.back();
    heap.pop_back();
    if (!ids_.empty() && ids_.back() == id) continue;
    ids_.push_back(id);
    for (const NodeId argument : arguments(pool[id])) {
      if (argument == no_node) continue;
      heap.push_back(argument);
      std::ranges::push_heap(heap);
    }
  }
  std::ranges::reverse(ids_);
}

NodeId build(Pool& pool, const Node& node) {
  switch (node.op) {
    case Op::pow_int:
      return pool.power(node.a, node.order);
    case Op::if_else:
      return pool.if_else(node.a, node.b, node.c);
    case Op::smooth:
      return pool.smooth(node.order, node.a);
    default:
      break;
  }
  if (is_relation(node.op)) {
    return node.symbol >= 0 ? pool.relation(node.op, node.a, node.b)
                            : pool.immediate_relation(node.op, node.a, node.b);
  }
  return node.b == no_node ? pool.unary(node.op, node.a) : pool.binary(node.op, node.a, node.b);
}

NodeId rebuild(Pool& pool, NodeId id, const Node& node) {
  return arguments(pool[id]) == arguments(node) ? id : build(pool, node);
}

}  // namespace daedal
