// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Expressions of one pool written anew in another, leaves replaced on the way.
///
/// A leaf may be bound to a node of the target pool, or defined by an expression of the source pool
/// that is itself rewritten (definitions may use other defined leaves, in any order). Every source
/// node is rewritten once, without recursion; the target pool simplifies as it builds, so that an
/// expression of constants comes out as a constant.

#include <span>
#include <unordered_map>
#include <vector>

#include "expr/pool.hpp"

namespace daedal {

class Rewriter {
 public:
  /// Takes the nodes that `source` has now; `target` may be `source` itself or a child of it.
  Rewriter(const Pool& source, Pool& target);

  /// The leaf becomes a node of the target pool.
  void bind(NodeId leaf, NodeId target_node);
  /// The leaf becomes what `definition`, a node of the source pool, becomes.
  void define(NodeId leaf, NodeId definition);

  /// The target node of a source node; unbound leaves stay what they are. Returns no_node when
  /// definitions refer to each other in a circle: `cycle` tells which. no_node stays no_node.
  NodeId rewrite(NodeId root);
  /// The defined leaves of the circle that the last rewrite met, in order.
  [[nodiscard]] const std::vector<NodeId>& cycle() const { return cycle_; }

 private:
  struct Frame {
    NodeId node;
    bool arguments_done;
  };
  bool push(NodeId id);
  [[nodiscard]] NodeId done(NodeId id) const;
  NodeId build_node(NodeId id);
  NodeId build_leaf(const Node& node);
  void record_cycle(NodeId leaf);

  const Pool& source_;
  Pool& target_;
  bool shares_nodes_;  ///< nodes of the source are nodes of the target
  std::vector<NodeId> result_;
  std::vector<bool> on_path_;
  std::unordered_map<NodeId, NodeId> definition_;
  std::vector<Frame> stack_;
  std::vector<NodeId> cycle_;
};

/// As `substitute`, in a finished model. A relation holds its value between events and is read by
/// its id, whatever it compares: replacing what it compares would make another relation of it, with
/// an id that no event knows. So relations with an id stay as they are.
std::vector<NodeId> substitute_held(Pool& pool, std::span<const NodeId> roots,
                                    std::span<const NodeId> from, std::span<const NodeId> to);

}  // namespace daedal
