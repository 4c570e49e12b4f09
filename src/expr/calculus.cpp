// SPDX-License-Identifier: BSD-3-Clause
#include "expr/calculus.hpp"

#include <algorithm>
#include <daedal/error.hpp>

#include "expr/chain_rule.hpp"
#include "expr/leaf_map.hpp"
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
  if (!std::ranges::all_of(from, [&](NodeId id) { return is_leaf(pool[id].op); })) {
    throw Error(ErrorCode::internal, "substitute() replaces leaves only.");
  }
  const LeafMap replaced(from, to);
  return rewrite(pool, roots, [&](NodeId id, const Node& node) {
    return is_leaf(node.op) ? replaced(id) : rebuild(pool, id, node);
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
