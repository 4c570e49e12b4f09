// SPDX-License-Identifier: BSD-3-Clause
#include "model/leaves.hpp"

#include <algorithm>

namespace daedal {

LeafWalker::LeafWalker(const Pool& pool)
    : pool_(pool), mark_(static_cast<std::size_t>(pool.size()), 0) {}

inline void LeafWalker::visit(NodeId id) {
  if (id == no_node) return;
  std::int32_t& mark = mark_[static_cast<std::size_t>(id)];
  if (mark == question_) return;
  mark = question_;
  stack_.push_back(id);
}

void LeafWalker::walk(std::span<const NodeId> roots, Relations relations) {
  ++question_;
  mark_.resize(static_cast<std::size_t>(pool_.size()), 0);
  found_.clear();
  holds_ = false;
  for (const NodeId root : roots) visit(root);
  while (!stack_.empty()) {
    const NodeId id = stack_.back();
    stack_.pop_back();
    const Node& node = pool_[id];
    if (is_leaf(node.op)) {
      if (node.op != Op::constant) found_.push_back(id);
      continue;
    }
    const bool is_held = is_relation(node.op) && node.symbol >= 0;
    holds_ = holds_ || is_held;
    if (is_held && relations == Relations::held) continue;
    visit(node.a);
    visit(node.b);
    visit(node.c);
  }
}

std::span<const NodeId> LeafWalker::leaves(std::span<const NodeId> roots) {
  walk(roots);
  std::sort(found_.begin(), found_.end());
  return found_;
}

std::span<const NodeId> LeafWalker::leaves_between_events(NodeId root) {
  walk(std::span(&root, 1), Relations::held);
  std::sort(found_.begin(), found_.end());
  return found_;
}

bool LeafWalker::has_held_relation(std::span<const NodeId> roots) {
  walk(roots);
  return holds_;
}

}  // namespace daedal
