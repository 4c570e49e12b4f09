// SPDX-License-Identifier: BSD-3-Clause
#include "expr/pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <daedal/error.hpp>
#include <limits>
#include <utility>

#include "expr/traverse.hpp"

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

/// Of a relation with an id, the id is not part of the key: it follows from the rest.
bool is_held(const Node& node) {
  return is_relation(node.op) && node.symbol >= 0;
}

std::uint64_t hash_of(const Node& node) {
  const std::int32_t symbol = is_held(node) ? 0 : node.symbol;
  std::uint64_t h = mix(static_cast<std::uint64_t>(node.op), packed(symbol, node.order));
  h = mix(h, packed(node.a, node.b));
  h = mix(h, packed(node.c, 0));
  return node.op == Op::constant ? mix(h, std::bit_cast<std::uint64_t>(node.value)) : h;
}

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

bool is_logical(Op op) {
  return is_relation(op) || op == Op::logical_and || op == Op::logical_or || op == Op::logical_not;
}

Pool::Pool(std::shared_ptr<const Pool> parent) : parent_(std::move(parent)) {
  if (parent_ == nullptr) return;
  if (!parent_->is_frozen()) {
    throw Error(ErrorCode::internal, "A pool of expressions can only extend a frozen pool.");
  }
  offset_ = parent_->size();
  relation_offset_ = parent_->n_relations();
}

NodeId Pool::size() const {
  return offset_ + static_cast<NodeId>(nodes_.size());
}

const Node& Pool::operator[](NodeId id) const {
  if (id < 0 || id >= size()) {
    throw Error(ErrorCode::internal,
                fmt::format("Node {} does not exist in a pool of {} nodes.", id, size()));
  }
  const Pool* pool = this;
  while (id < pool->offset_) pool = pool->parent_.get();
  return pool->nodes_[static_cast<std::size_t>(id - pool->offset_)];
}

bool Pool::extends(const Pool& other) const {
  const Pool* pool = this;
  while (pool != nullptr && pool != &other) pool = pool->parent_.get();
  return pool != nullptr;
}

NodeId Pool::find_here(const Node& node, std::uint64_t hash) const {
  if (index_.empty()) return no_node;
  const std::size_t mask = index_.size() - 1;
  for (std::size_t slot = hash & mask; index_[slot] != no_node; slot = (slot + 1) & mask) {
    if (is_same(nodes_[static_cast<std::size_t>(index_[slot] - offset_)], node)) {
      return index_[slot];
    }
  }
  return no_node;
}

NodeId Pool::find(const Node& node) const {
  const std::uint64_t hash = hash_of(node);
  // Arguments come before their users: a pool without the last of them has not the node either.
  const NodeId last = std::max({node.a, node.b, node.c});
  for (const Pool* pool = this; pool != nullptr && last < pool->size();
       pool = pool->parent_.get()) {
    const NodeId id = pool->find_here(node, hash);
    if (id != no_node) return id;
  }
  return no_node;
}

void Pool::grow_index() {
  if (2 * (nodes_.size() + 1) <= index_.size()) return;
  index_.assign(index_.empty() ? 64 : 2 * index_.size(), no_node);
  const std::size_t mask = index_.size() - 1;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    std::size_t slot = hash_of(nodes_[i]) & mask;
    while (index_[slot] != no_node) slot = (slot + 1) & mask;
    index_[slot] = offset_ + static_cast<NodeId>(i);
  }
}

NodeId Pool::intern(const Node& node) {
  const NodeId found = find(node);
  if (found != no_node) return found;
  if (frozen_) {
    throw Error(ErrorCode::internal,
                "A frozen pool takes no more expressions: build them in a pool that extends it.");
  }
  if (size() == std::numeric_limits<NodeId>::max()) {
    throw Error(ErrorCode::internal, "The pool of expressions is full.");
  }
  grow_index();
  const NodeId id = size();
  nodes_.push_back(node);
  if (is_held(node)) relations_.push_back(id);
  const std::size_t mask = index_.size() - 1;
  std::size_t slot = hash_of(node) & mask;
  while (index_[slot] != no_node) slot = (slot + 1) & mask;
  index_[slot] = id;
  return id;
}

NodeId Pool::constant(double value) {
  if (!std::isfinite(value)) {
    throw Error(ErrorCode::invalid_value,
                fmt::format("A constant of an expression must be a finite number, not {}.", value));
  }
  // Adding 0 turns -0 into 0: zero is one node.
  return intern({.op = Op::constant, .value = value + 0.0});
}

NodeId Pool::time() {
  return intern({.op = Op::time});
}

NodeId Pool::parameter(SymbolId id) {
  return intern({.op = Op::parameter, .symbol = id});
}

NodeId Pool::variable(SymbolId id, int order) {
  if (order < 0) {
    throw Error(ErrorCode::internal,
                fmt::format("A variable has no derivative of order {}.", order));
  }
  return intern({.op = Op::variable, .symbol = id, .order = order});
}

NodeId Pool::discrete(SymbolId id) {
  return intern({.op = Op::discrete, .symbol = id});
}

NodeId Pool::pre(SymbolId id) {
  return intern({.op = Op::pre, .symbol = id});
}

NodeId Pool::pre_variable(SymbolId id) {
  return intern({.op = Op::pre_variable, .symbol = id});
}

NodeId Pool::final_variable(SymbolId id) {
  return intern({.op = Op::final_variable, .symbol = id});
}

NodeId Pool::sample(SymbolId id) {
  return intern({.op = Op::sample, .symbol = id});
}

NodeId Pool::initial() {
  return intern({.op = Op::initial});
}

NodeId Pool::terminal() {
  return intern({.op = Op::terminal});
}

NodeId Pool::no_event(NodeId a) {
  return rewrite(*this, std::span(&a, 1),
                 [this](NodeId id, const Node& node) {
                   return is_held(node) ? immediate_relation(node.op, node.a, node.b)
                                        : rebuild(*this, id, node);
                 })
      .front();
}

std::int32_t Pool::n_relations() const {
  return relation_offset_ + static_cast<std::int32_t>(relations_.size());
}

NodeId Pool::relation_node(std::int32_t id) const {
  if (id < 0 || id >= n_relations()) {
    throw Error(ErrorCode::internal, fmt::format("There is no relation with the id {}.", id));
  }
  const Pool* pool = this;
  while (id < pool->relation_offset_) pool = pool->parent_.get();
  return pool->relations_[static_cast<std::size_t>(id - pool->relation_offset_)];
}

}  // namespace daedal
