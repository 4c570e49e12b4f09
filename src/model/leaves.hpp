// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Which leaves each of many expressions depends on. `dependencies` of the expression layer answers
/// for one list of roots; a model asks for every equation separately, so that the marks are kept
/// between questions and each costs only the nodes it visits.

#include <span>
#include <vector>

#include "expr/pool.hpp"

namespace daedal {

class LeafWalker {
 public:
  explicit LeafWalker(const Pool& pool);
  /// The leaves below the roots except constants, each once, ascending. Valid until the next call.
  std::span<const NodeId> leaves(std::span<const NodeId> roots);
  std::span<const NodeId> leaves(NodeId root) { return leaves(std::span(&root, 1)); }
  /// Leaves that matter between events, without what a relation with an id compares.
  std::span<const NodeId> leaves_between_events(NodeId root);
  /// Whether the roots depend on a relation that holds its value between events.
  bool has_held_relation(std::span<const NodeId> roots);

 private:
  void visit(NodeId id);
  enum class Relations { open, held };
  void walk(std::span<const NodeId> roots, Relations relations = Relations::open);

  const Pool& pool_;
  std::vector<std::int32_t> mark_;
  std::int32_t question_ = 0;
  std::vector<NodeId> stack_;
  std::vector<NodeId> found_;
  bool holds_ = false;
};

}  // namespace daedal
