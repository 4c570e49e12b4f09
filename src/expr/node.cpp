// SPDX-License-Identifier: BSD-3-Clause
#include "expr/node.hpp"

#include <bit>

namespace daedal {

namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t value) {
  // The finaliser of splitmix64 (Steele, Lea & Flood 2014): every input bit reaches every slot.
  h += value + 0x9e3779b97f4a7c15ULL;
  h = (h ^ (h >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  h = (h ^ (h >> 27U)) * 0x94d049bb133111ebULL;
  return h ^ (h >> 31U);
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

bool is_leaf(Op op) {
  return op <= Op::terminal;
}

bool is_relation(Op op) {
  return op >= Op::less && op <= Op::not_equal;
}

bool is_held(const Node& node) {
  return is_relation(node.op) && node.symbol >= 0;
}

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

std::uint64_t NodeStore::hash_of(const Node& node) {
  const std::int32_t symbol = is_held(node) ? 0 : node.symbol;
  std::uint64_t h = mix(static_cast<std::uint64_t>(node.op), packed(symbol, node.order));
  h = mix(h, packed(node.a, node.b));
  h = mix(h, packed(node.c, 0));
  return node.op == Op::constant ? mix(h, std::bit_cast<std::uint64_t>(node.value)) : h;
}

NodeId NodeStore::find(const Node& node, std::uint64_t hash) const {
  if (index_.empty()) return no_node;
  const std::size_t mask = index_.size() - 1;
  for (std::size_t slot = hash & mask; index_[slot] != no_node; slot = (slot + 1) & mask) {
    if (is_same((*this)[index_[slot]], node)) return index_[slot];
  }
  return no_node;
}

NodeId NodeStore::add(const Node& node, std::uint64_t hash) {
  grow_index();
  const NodeId id = end();
  nodes_.push_back(node);
  enter(id, hash);
  return id;
}

void NodeStore::grow_index() {
  if (2 * (nodes_.size() + 1) <= index_.size()) return;
  index_.assign(index_.empty() ? 64 : 2 * index_.size(), no_node);
  for (NodeId id = first_; id < end(); ++id) enter(id, hash_of((*this)[id]));
}

void NodeStore::enter(NodeId id, std::uint64_t hash) {
  const std::size_t mask = index_.size() - 1;
  std::size_t slot = hash & mask;
  while (index_[slot] != no_node) slot = (slot + 1) & mask;
  index_[slot] = id;
}

}  // namespace daedal
