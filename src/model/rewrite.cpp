// SPDX-License-Identifier: BSD-3-Clause
#include "model/rewrite.hpp"

#include <algorithm>
#include <utility>

#include "expr/leaf_map.hpp"
#include "expr/traverse.hpp"

namespace daedal {

Rewriter::Rewriter(const Pool& source, Pool& target)
    : source_(source),
      target_(target),
      shares_nodes_(target.extends(source)),
      result_(static_cast<std::size_t>(source.size()), no_node),
      on_path_(static_cast<std::size_t>(source.size()), false) {}

void Rewriter::bind(NodeId leaf, NodeId target_node) {
  result_[leaf] = target_node;
}

void Rewriter::define(NodeId leaf, NodeId definition) {
  definition_[leaf] = definition;
}

NodeId Rewriter::done(NodeId id) const {
  return id == no_node ? no_node : result_[id];
}

/// False when the node is being worked on already: a circle of definitions.
bool Rewriter::push(NodeId id) {
  if (id == no_node || done(id) != no_node) return true;
  if (on_path_[id]) return false;
  stack_.push_back({id, false});
  return true;
}

void Rewriter::record_cycle(NodeId leaf) {
  cycle_.clear();
  bool inside = false;
  for (const Frame& frame : stack_) {
    if (!frame.arguments_done) continue;
    inside = inside || frame.node == leaf;
    if (inside && definition_.contains(frame.node)) cycle_.push_back(frame.node);
  }
  for (const Frame& frame : stack_) on_path_[frame.node] = false;
  stack_.clear();
}

NodeId Rewriter::rewrite(NodeId root) {
  push(root);
  while (!stack_.empty()) {
    Frame& frame = stack_.back();
    const NodeId id = frame.node;
    if (done(id) != no_node) {
      stack_.pop_back();
      continue;
    }
    const Node& node = source_[id];
    const auto definition = definition_.empty() ? definition_.end() : definition_.find(id);
    const bool is_defined = definition != definition_.end();
    if (!frame.arguments_done) {
      frame.arguments_done = true;
      on_path_[id] = true;
      // The frame reference is dead from here on: push may move the stack.
      const NodeId wanted[3] = {is_defined ? definition->second : node.a,
                                is_defined ? no_node : node.b, is_defined ? no_node : node.c};
      for (const NodeId argument : wanted) {
        if (push(argument)) continue;
        record_cycle(argument);
        return no_node;
      }
      continue;
    }
    result_[id] = is_defined ? done(definition->second) : build_node(id);
    on_path_[id] = false;
    stack_.pop_back();
  }
  return done(root);
}

NodeId Rewriter::build_leaf(const Node& node) {
  switch (node.op) {
    case Op::time:
      return target_.time();
    case Op::parameter:
      return target_.parameter(node.symbol);
    case Op::variable:
      return target_.variable(node.symbol, node.order);
    case Op::discrete:
      return target_.discrete(node.symbol);
    case Op::pre:
      return target_.pre(node.symbol);
    case Op::pre_variable:
      return target_.pre_variable(node.symbol);
    case Op::final_variable:
      return target_.final_variable(node.symbol);
    case Op::sample:
      return target_.sample(node.symbol);
    case Op::initial:
      return target_.initial();
    case Op::terminal:
      return target_.terminal();
    default:
      return target_.constant(node.value);
  }
}

NodeId Rewriter::build_node(NodeId id) {
  Node node = source_[id];
  const bool is_same =
      shares_nodes_ && std::ranges::all_of(arguments(node), [&](NodeId a) { return done(a) == a; });
  if (is_same) return id;
  if (is_leaf(node.op)) return build_leaf(node);
  node.a = done(node.a);
  node.b = done(node.b);
  node.c = done(node.c);
  return build(target_, node);
}

std::vector<NodeId> substitute_held(Pool& pool, std::span<const NodeId> roots,
                                    std::span<const NodeId> from, std::span<const NodeId> to) {
  const LeafMap replaced(from, to);
  return rewrite(pool, roots, [&](NodeId id, const Node& node) {
    if (is_held(node)) return id;
    return is_leaf(node.op) ? replaced(id) : rebuild(pool, id, node);
  });
}

}  // namespace daedal
