// SPDX-License-Identifier: BSD-3-Clause
#include "expr/traverse.hpp"

#include <bit>

namespace daedal {

namespace {

/// A mark for every id costs about as much as the heap for one id in so many.
constexpr std::size_t ids_per_heap_entry = 16;
constexpr NodeId few_ids = 2048;  ///< for all of which there are marks in no time

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
  std::ranges::make_heap(heap);
  while (!heap.empty()) {
    if (heap.front() < few_ids ||
        ids_per_heap_entry * heap.size() > static_cast<std::size_t>(heap.front())) {
      sweep(pool, heap);
      break;  // with a heap that is not empty
    }
    std::ranges::pop_heap(heap);
    const NodeId id = heap.back();
    heap.pop_back();
    if (!ids_.empty() && ids_.back() == id) continue;
    if (ids_.empty()) ids_.reserve(least_table);  // most parts are small
    ids_.push_back(id);
    for (const NodeId argument : arguments(pool[id])) {
      if (argument == no_node) continue;
      heap.push_back(argument);
      std::ranges::push_heap(heap);
    }
  }
  if (heap.empty()) std::ranges::reverse(ids_);
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
  const NodeId last = ids_.empty() ? open.front() : ids_.front();
  std::vector<std::uint64_t> reached(static_cast<std::size_t>(last) / bits + 1, 0);
  const auto mark = [&](NodeId id) {
    const auto i = static_cast<std::size_t>(id);
    reached[i / bits] |= std::uint64_t{1} << i % bits;
  };
  for (const NodeId id : open) mark(id);
  std::size_t n = ids_.size();
  for (std::size_t word = static_cast<std::size_t>(open.front()) / bits + 1; word-- > 0;) {
    // Arguments in the same word are below what uses them.
    for (std::uint64_t left = reached[word]; left != 0; ++n) {
      const auto bit = bits - 1 - static_cast<std::size_t>(std::countl_zero(left));
      for (const NodeId argument : arguments(pool[static_cast<NodeId>(bits * word + bit)])) {
        if (argument != no_node) mark(argument);
      }
      left = reached[word] & ((std::uint64_t{1} << bit) - 1);
    }
  }
  // The last id taken may have waited once more.
  for (const NodeId id : ids_) mark(id);
  ids_.clear();
  ids_.reserve(n);
  for (std::size_t word = 0; word < reached.size(); ++word) {
    for (std::uint64_t left = reached[word]; left != 0; left &= left - 1)
      ids_.push_back(
          static_cast<NodeId>(bits * word + static_cast<std::size_t>(std::countr_zero(left))));
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
