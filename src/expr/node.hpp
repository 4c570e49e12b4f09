// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The nodes of expressions: operations on nodes with smaller numbers, and the store that holds
/// each node once.

#include <cstdint>
#include <daedal/elementary.hpp>
#include <daedal/expr.hpp>
#include <vector>

namespace daedal {

/// The number of a variable, parameter or discrete variable in its model.
using SymbolId = std::int32_t;

enum class Op : std::uint8_t {
  // leaves
  constant,  ///< value
  time,
  parameter,     ///< symbol
  variable,      ///< symbol, order: the order-th time derivative of a continuous unknown
  discrete,      ///< symbol: a discrete variable
  pre,           ///< symbol: the left limit of a discrete variable at an event
  pre_variable,  ///< symbol: the left limit of a continuous variable at an event
  /// symbol: a continuous variable at the end of the interval, in conditions of boundary value
  /// problems; `variable` is its value at the beginning there
  final_variable,
  sample,    ///< symbol: true at the instants of a sampler
  initial,   ///< true during initialisation only
  terminal,  ///< true at the end of a run only
  // arithmetic
  neg,
  add,
  sub,
  mul,
  div,
  pow,      ///< a ^ b
  pow_int,  ///< a ^ order, an exact integer power
  atan2,
  min,
  max,
  external,  ///< the function number b, a constant, of a
#define DAEDAL_NAME(name, ...) name,
  DAEDAL_ELEMENTARY_FUNCTIONS(DAEDAL_NAME)
#undef DAEDAL_NAME
  // relations: value 1 or 0; `symbol` is the relation's id, or -1 when it follows its arguments
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  // logic on 0 and 1
  logical_and,
  logical_or,
  logical_not,
  if_else,  ///< a ? b : c
  smooth,   ///< a, promised to be `order` times differentiable
};

struct Node {
  Op op = Op::constant;
  std::int32_t symbol = -1;  ///< of leaves; relation id of relations
  std::int32_t order = 0;    ///< derivative order, integer exponent, smoothness
  NodeId a = no_node;
  NodeId b = no_node;
  NodeId c = no_node;
  double value = 0.0;  ///< of constants

  bool operator==(const Node&) const = default;
};

[[nodiscard]] constexpr bool is_leaf(Op op) {
  return op <= Op::terminal;
}
[[nodiscard]] constexpr bool is_relation(Op op) {
  return op >= Op::less && op <= Op::not_equal;
}
/// A relation with an id, which holds its value between events.
[[nodiscard]] constexpr bool is_held(const Node& node) {
  return is_relation(node.op) && node.symbol >= 0;
}
/// Relations and logic, whose value is 1 or 0.
[[nodiscard]] bool is_logical(Op op);

/// The properties of an elementary function for simplification and differentiation.
namespace traits {
inline constexpr unsigned none = 0;
inline constexpr unsigned odd = 1;
inline constexpr unsigned even = 2;
inline constexpr unsigned nonnegative = 4;
inline constexpr unsigned flat = 8;  ///< constant between jumps
}  // namespace traits
/// A union of traits; none of operations that are no elementary functions.
[[nodiscard]] unsigned traits_of(Op op);

/// Nodes numbered from `first` on, each once: a hash table finds the number of a node.
///
/// Passes over a model meet nodes whose arguments have neighbouring numbers one after the other. So
/// a node is first looked for in the line of the table that its last argument leads to, and only
/// where that line is full in the lines that its hash leads to: neighbours share cache lines, and a
/// node that many others have as their last argument crowds no more than its own line.
class NodeStore {
 public:
  /// Where a node is looked for.
  struct Key {
    std::uint32_t place = 0;  ///< leads to a line
    std::uint32_t hash = 0;
  };

  explicit NodeStore(NodeId first = 0) : first_(first) {}

  [[nodiscard]] NodeId first() const { return first_; }
  /// One more than the last number.
  [[nodiscard]] NodeId end() const { return first_ + static_cast<NodeId>(nodes_.size()); }
  [[nodiscard]] const Node& operator[](NodeId id) const { return nodes_[id - first_]; }
  /// The nodes from `first` on; valid until one is added.
  [[nodiscard]] const Node* data() const { return nodes_.data(); }
  /// no_node if it is not here.
  [[nodiscard]] NodeId find(const Node& node, const Key& key) const;
  /// Adds a node that is not here.
  NodeId add(const Node& node, const Key& key);

  [[nodiscard]] static Key key_of(const Node& node);

 private:
  struct Slot {
    NodeId id = no_node;
    std::uint32_t hash = 0;  ///< tells most other nodes apart without a look at them
  };

  /// The first of the slots where a node may be for which `visit` holds.
  template <class Visit>
  auto probe(const Key& key, Visit&& visit) const;
  void grow_index();
  void enter(NodeId id, const Key& key);

  NodeId first_ = 0;
  std::vector<Node> nodes_;
  std::vector<Slot> index_;  ///< open addressing, a power of two slots, at most two thirds full
};

}  // namespace daedal
