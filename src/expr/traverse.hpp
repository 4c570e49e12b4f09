// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Passes over the part of a pool that some expressions reach: loops over ascending ids, so that
/// depth costs no stack, and the cost follows the expressions, not the pool.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "expr/pool.hpp"

namespace daedal {

/// The arguments of a node, `no_node` where there is none.
inline std::array<NodeId, 3> arguments(const Node& node) {
  return {node.a, node.b, node.c};
}

/// The nodes that `roots` reach, themselves included, by ascending id.
class Reachable {
 public:
  Reachable(const Pool& pool, std::span<const NodeId> roots);

  [[nodiscard]] std::span<const NodeId> ids() const { return ids_; }
  [[nodiscard]] std::size_t size() const { return ids_.size(); }
  [[nodiscard]] bool contains(NodeId id) const {
    if (ids_.empty() || id < ids_.front() || id > ids_.back()) return false;
    return ids_[std::min(position(id), size() - 1)] == id;
  }
  /// Where `id`, one of them, stands among the ids.
  [[nodiscard]] std::size_t position(NodeId id) const {
    if (!places_.empty()) return places_[static_cast<std::size_t>(id - ids_.front())];
    return static_cast<std::size_t>(std::ranges::lower_bound(ids_, id) - ids_.begin());
  }

 private:
  /// Goes on from the ids in `open`, the largest first, by a loop over all below it.
  void sweep(const Pool& pool, std::span<const NodeId> open);

  std::vector<NodeId> ids_;            ///< descending until all are found
  std::vector<std::uint32_t> places_;  ///< per id from the first on, where there are many
};

/// The operation of `node`, which is no leaf, on arguments of `pool`.
NodeId build(Pool& pool, const Node& node);
/// The node `id` with the arguments of `node` instead of its own.
NodeId rebuild(Pool& pool, NodeId id, const Node& node);

/// Replaces every reached node by `replace(id, node)`, where `node` has its arguments already
/// replaced, and returns what became of the roots.
template <class Replace>
std::vector<NodeId> rewrite(Pool& pool, std::span<const NodeId> roots, Replace&& replace) {
  const Reachable part(pool, roots);
  std::vector<NodeId> image(part.size());
  const auto image_of = [&](NodeId id) {
    return id == no_node ? no_node : image[part.position(id)];
  };
  for (std::size_t i = 0; i < part.size(); ++i) {
    Node node = pool[part.ids()[i]];
    node.a = image_of(node.a);
    node.b = image_of(node.b);
    node.c = image_of(node.c);
    image[i] = replace(part.ids()[i], node);
  }
  std::vector<NodeId> result;
  result.reserve(roots.size());
  for (const NodeId root : roots) result.push_back(image_of(root));
  return result;
}

}  // namespace daedal
