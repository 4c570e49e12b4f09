// SPDX-License-Identifier: BSD-3-Clause
#include "expr/node.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace daedal {

namespace {

/// Slots of a line: those of one cache line.
constexpr std::size_t line_size = 8;
constexpr std::size_t fewest_slots = 256;
/// Steps between lines come from the upper bits of a hash, the first of them from the lower ones.
constexpr unsigned steps_shift = 16;
/// Nodes that lead to one line: an argument is the last one of about one node.
constexpr unsigned places_of_line = 1;  // as a power of two

/// A step of a multiplicative hash (Knuth, The Art of Computer Programming 3, 6.4), whose upper
/// half depends on all bits.
std::uint64_t mix(std::uint64_t h, std::uint64_t value) {
  return (h ^ (h >> 32U) ^ value) * 0x9e3779b97f4a7c15ULL;
}

std::uint64_t packed(std::int32_t high, std::int32_t low) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32U) |
         static_cast<std::uint32_t>(low);
}

/// The id of a held relation is not part of the key: it follows from the rest.
bool is_same(const Node& x, const Node& y) {
  if (!is_held(x) || !is_held(y)) return x == y;
  return x.op == y.op && x.a == y.a && x.b == y.b;
}

}  // namespace

bool is_logical(Op op) {
  return is_relation(op) || op == Op::logical_and || op == Op::logical_or || op == Op::logical_not;
}

unsigned traits_of(Op op) {
  using namespace traits;
  switch (op) {
#define DAEDAL_ROW(name, arity, value, taylor, slope, lanes, traits, result) \
  case Op::name:                                                             \
    return traits;
    DAEDAL_ELEMENTARY_FUNCTIONS(DAEDAL_ROW)
#undef DAEDAL_ROW
    default:
      return none;
  }
}

NodeStore::Key NodeStore::key_of(const Node& node) {
  const std::int32_t symbol = is_held(node) ? 0 : node.symbol;
  std::uint64_t h = mix(static_cast<std::uint64_t>(node.op) + 1U, packed(symbol, node.order));
  h = mix(h, packed(node.a, node.b));
  h = mix(h, packed(node.c, 0));
  if (node.op == Op::constant) h = mix(h, std::bit_cast<std::uint64_t>(node.value));
  const auto hash = static_cast<std::uint32_t>(h >> 32U);
  const NodeId last = std::max({node.a, node.b, node.c});
  if (last != no_node) return {static_cast<std::uint32_t>(last), hash};
  return {node.symbol >= 0 ? static_cast<std::uint32_t>(node.symbol) : hash, hash};
}

template <class Visit>
auto NodeStore::probe(const Key& key, Visit&& visit) const {
  // A full line leads to lines that depend on the hash alone: beside it they may be full as well,
  // where most nodes have arguments with neighbouring numbers.
  const std::size_t mask = index_.size() / line_size - 1;
  const std::size_t step = (key.hash >> steps_shift) | 1U;
  std::size_t line = (key.place >> places_of_line) & mask;
  for (std::size_t next = key.hash;; next += step) {
    for (std::size_t slot = line * line_size; slot < (line + 1) * line_size; ++slot) {
      if (visit(slot)) return slot;
    }
    line = next & mask;
  }
}

NodeId NodeStore::find(const Node& node, const Key& key) const {
  if (index_.empty()) return no_node;
  const std::size_t last = probe(key, [&](std::size_t slot) {
    const Slot& here = index_[slot];
    return here.id == no_node || (here.hash == key.hash && is_same((*this)[here.id], node));
  });
  return index_[last].id;
}

NodeId NodeStore::add(const Node& node, const Key& key) {
  grow_index();
  const NodeId id = end();
  nodes_.push_back(node);
  enter(id, key);
  return id;
}

void NodeStore::grow_index() {
  if (3 * (nodes_.size() + 1) <= 2 * index_.size()) return;
  index_.assign(index_.empty() ? fewest_slots : 2 * index_.size(), {});
  nodes_.reserve(2 * index_.size() / 3);  // until the index grows again
  for (NodeId id = first_; id < end(); ++id) enter(id, key_of((*this)[id]));
}

void NodeStore::enter(NodeId id, const Key& key) {
  const std::size_t free = probe(key, [&](std::size_t slot) { return index_[slot].id == no_node; });
  index_[free] = {id, key.hash};
}

}  // namespace daedal
