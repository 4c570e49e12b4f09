// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The pool of hash-consed nodes behind `Expr`.
///
/// A pool may have a parent that is frozen: node ids below `parent->size()` are the parent's, new
/// nodes go to the child. Node order is topological, so that every pass over expressions is a loop
/// over ids and never a recursion.

#include <cstdint>
#include <daedal/expr.hpp>
#include <memory>
#include <vector>

#include "expr/node.hpp"

namespace daedal {

/// Builders simplify on construction. The rules never change the value where every subexpression
/// has a finite value, up to rounding: 0*x is 0 and x-x is 0, but x/x stays (x may be 0) and
/// constants are folded only where the result is finite. Operands of commutative operations are
/// ordered (numbers first, then by id), so that a+b and b+a are one node.
class Pool {
 public:
  /// A pool on top of `parent`, which must be frozen.
  explicit Pool(std::shared_ptr<const Pool> parent = nullptr);

  [[nodiscard]] NodeId size() const;
  [[nodiscard]] const Node& operator[](NodeId id) const {
    if (id >= nodes_.first()) {
      if (id < nodes_.end()) return nodes_[id];
    } else if (id >= parents_.first) {
      return parents_.nodes[id - parents_.first];
    }
    return inherited(id);
  }
  [[nodiscard]] const std::shared_ptr<const Pool>& parent() const { return parent_; }

  /// After this the pool takes no more nodes, and may be shared between threads.
  void freeze() { frozen_ = true; }
  [[nodiscard]] bool is_frozen() const { return frozen_; }
  /// Is `other` this pool or one of its ancestors? Then its ids are valid here as well.
  [[nodiscard]] bool extends(const Pool& other) const;

  // Every builder simplifies, then returns the existing node where there is one. A node that is
  // missing in a frozen pool throws Error{internal}.
  /// A finite number; throws Error{invalid_value} otherwise.
  NodeId constant(double value);
  NodeId time();
  NodeId parameter(SymbolId id);
  NodeId variable(SymbolId id, int order = 0);
  NodeId discrete(SymbolId id);
  NodeId pre(SymbolId id);
  NodeId pre_variable(SymbolId id);
  NodeId final_variable(SymbolId id);
  NodeId sample(SymbolId id);
  NodeId initial();
  NodeId terminal();
  NodeId unary(Op op, NodeId a);
  /// Arithmetic, functions of two arguments, logic; a relation gets an id as `relation` gives it.
  NodeId binary(Op op, NodeId a, NodeId b);
  NodeId power(NodeId a, int n);
  /// A relation with an id of its own (the same relation has the same id).
  NodeId relation(Op op, NodeId a, NodeId b);
  /// A relation that follows its arguments.
  NodeId immediate_relation(Op op, NodeId a, NodeId b);
  NodeId if_else(NodeId condition, NodeId then_value, NodeId else_value);
  /// `a` with every relation in it made immediate.
  NodeId no_event(NodeId a);
  NodeId smooth(int order, NodeId a);

  NodeId add(NodeId a, NodeId b) { return binary(Op::add, a, b); }
  NodeId sub(NodeId a, NodeId b) { return binary(Op::sub, a, b); }
  NodeId mul(NodeId a, NodeId b) { return binary(Op::mul, a, b); }
  NodeId div(NodeId a, NodeId b) { return binary(Op::div, a, b); }
  NodeId neg(NodeId a) { return unary(Op::neg, a); }

  /// Nodes of the relations with an id, by id, the parent's first. Some may be reached by no
  /// equation: no_event(a < b) makes a < b first.
  [[nodiscard]] std::int32_t n_relations() const;
  [[nodiscard]] NodeId relation_node(std::int32_t id) const;

 private:
  /// A node of an ancestor.
  [[nodiscard]] const Node& inherited(NodeId id) const;
  NodeId intern(const Node& node);
  [[nodiscard]] NodeId find(const Node& node, const NodeStore::Key& key) const;

  // Simplification rules, one function per operation.
  NodeId simplified_neg(NodeId a);
  NodeId simplified_function(Op op, NodeId a);
  NodeId simplified_add(NodeId a, NodeId b);
  NodeId simplified_sub(NodeId a, NodeId b);
  NodeId simplified_mul(NodeId a, NodeId b);
  NodeId simplified_div(NodeId a, NodeId b);
  NodeId simplified_pow(NodeId a, NodeId b);
  NodeId simplified_logic(Op op, NodeId a, NodeId b);
  NodeId scaled(double scale, NodeId a);
  NodeId positive_part(NodeId a);
  [[nodiscard]] bool is_constant(NodeId a) const;
  [[nodiscard]] bool is_constant(NodeId a, double value) const;
  [[nodiscard]] NodeId folded_relation(Op op, NodeId a, NodeId b);
  NodeId fold(Op op, NodeId a, NodeId b);
  [[nodiscard]] Node make(Op op, NodeId a, NodeId b) const;
  [[nodiscard]] double factor(const Node& node) const;

  /// The nodes of the parent, which is frozen, by numbers from `first` on.
  struct Parents {
    NodeId first = 0;
    const Node* nodes = nullptr;
  };

  std::shared_ptr<const Pool> parent_;
  Parents parents_;
  NodeStore nodes_;
  std::int32_t relation_offset_ = 0;  ///< id of the first relation of this pool
  std::vector<NodeId> relations_;
  bool frozen_ = false;
};

}  // namespace daedal
