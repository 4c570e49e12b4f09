// SPDX-License-Identifier: BSD-3-Clause
#include "expr/traverse.hpp"

#include <bit>

namespace daedal {

namespace {

/// A mark for every id costs about as much as the heap for one id in so many.
constexpr std::size_t ids_per_heap_entry = 16;

/// Places are looked up in a table from this many ids on, of which at least one in so many is
/// there: below, a search among a few costs less than to make the table.
constexpr std::size_t least_table = 64;
constexpr std::size_t ids_per_place = 8;

}  // namespace

Reachable::Reachable(const Pool& pool, std::span<const NodeId> roots) {
  // Ids are topological: taking the largest id first meets every node after all its users, and
  // the copies of an id one after the other, so that no set of visited nodes is needed.
  std::vector<NodeId> heap;
  heap.reserve(roots.size() + least_table);
  heap.assign(roots.begin(), roots.end());
  ids_.reserve(least_table);  // most parts are small
  std::ranges::make_heap(heap);
  while (!heap.empty()) {
    if (ids_per_heap_entry * heap.size() > static_cast<std::size_t>(heap.front())) {
      sweep(pool, heap);
      break;
    }
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
  if (ids_.size() < least_table) return;
  const auto span = static_cast<std::size_t>(ids_.back() - ids_.front()) + 1;
  if (span > ids_per_place * ids_.size()) return;
  places_.resize(span);
  for (std::size_t i = 0; i < ids_.size(); ++i)
    places_[static_cast<std::size_t>(ids_[i] - ids_.front())] = static_cast<std::uint32_t>(i);
}

void Reachable::sweep(const Pool& pool, std::span<const NodeId> open) {
  // By words, most of which are 0.
  constexpr std::size_t bits = 64;
  std::vector<std::uint64_t> reached(static_cast<std::size_t>(open.front()) / bits + 1, 0);
  const auto mark = [&](NodeId id) {
    const auto i = static_cast<std::size_t>(id);
    reached[i / bits] |= std::uint64_t{1} << i % bits;
  };
  // The last id taken may be waiting once more: it is no part of the rest.
  const NodeId taken = ids_.empty() ? no_node : ids_.back();
  for (const NodeId id : open) {
    if (id != taken) mark(id);
  }
  for (std::size_t word = reached.size(); word-- > 0;) {
    while (reached[word] != 0) {
      const auto bit = bits - 1 - static_cast<std::size_t>(std::countl_zero(reached[word]));
      reached[word] ^= std::uint64_t{1} << bit;
      const auto id = static_cast<NodeId>(bits * word + bit);
      ids_.push_back(id);
      for (const NodeId argument : arguments(pool[id])) {
        if (argument != no_node) mark(argument);
      }
    }
  }
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
