// SPDX-License-Identifier: BSD-3-Clause
#include "expr/calculus.hpp"

#include <daedal/error.hpp>
#include <unordered_map>

#include "expr/chain_rule.hpp"
#include "expr/traverse.hpp"

namespace daedal {

namespace {

NodeId leaf_time_derivative(Pool& pool, const Node& leaf) {
  if (leaf.op == Op::time) return pool.constant(1.0);
  if (leaf.op == Op::variable) return pool.variable(leaf.symbol, leaf.order + 1);
  return no_node;
}

}  // namespace

std::vector<NodeId> total_time_derivative(Pool& pool, std::span<const NodeId> roots) {
  const Reachable part(pool, roots);
  std::vector<NodeId> tangents(part.size(), no_node);
  const auto tangent_of = [&](NodeId id) {
    return id == no_node ? no_node : tangents[part.position(id)];
  };
  for (std::size_t i = 0; i < part.size(); ++i) {
    const NodeId id = part.ids()[i];
    const Node node = pool[id];
    tangents[i] =
        is_leaf(node.op)
            ? leaf_time_derivative(pool, node)
            : tangent(pool, id, {tangent_of(node.a), tangent_of(node.b), tangent_of(node.c)});
  }
  std::vector<NodeId> result;
  result.reserve(roots.size());
  for (const NodeId root : roots) {
    const NodeId derivative = tangent_of(root);
    result.push_back(derivative == no_node ? pool.constant(0.0) : derivative);
  }
  return result;
}

std::vector<NodeId> substitute(Pool& pool, std::span<const NodeId> roots,
                               std::span<const NodeId> from, std::span<const NodeId> to) {
  if (from.size() != to.size()) {
    throw Error(ErrorCode::internal, "substitute() needs one new node for every leaf.");
  }
  std::unordered_map<NodeId, NodeId> replacement;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!is_leaf(pool[from[i]].op)) {
      throw Error(ErrorCode::internal, "substitute() replaces leaves only.");
    }
    replacement.insert_or_assign(from[i], to[i]);
  }
  return rewrite(pool, roots, [&](NodeId id, const Node& node) {
    const auto found = replacement.find(id);
    return found != replacement.end() ? found->second : rebuild(pool, id, node);
  });
}

std::vector<NodeId> dependencies(const Pool& pool, std::span<const NodeId> roots) {
  const Reachable part(pool, roots);
  std::vector<NodeId> leaves;
  for (const NodeId id : part.ids()) {
    const Op op = pool[id].op;
    if (is_leaf(op) && op != Op::constant) leaves.push_back(id);
  }
  return leaves;
}

}  // namespace daedal
