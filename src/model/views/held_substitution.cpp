// SPDX-License-Identifier: BSD-3-Clause
#include "model/views/held_substitution.hpp"

#include "model/rewrite.hpp"

namespace daedal {

std::vector<NodeId> substitute_held(Pool& pool, std::span<const NodeId> roots,
                                    std::span<const NodeId> from, std::span<const NodeId> to) {
  Rewriter rewriter(pool, pool);
  for (std::int32_t id = 0; id < pool.n_relations(); ++id) {
    rewriter.bind(pool.relation_node(id), pool.relation_node(id));
  }
  for (std::size_t i = 0; i < from.size(); ++i) rewriter.bind(from[i], to[i]);
  std::vector<NodeId> result;
  for (const NodeId root : roots) result.push_back(rewriter.rewrite(root));
  return result;
}

}  // namespace daedal
