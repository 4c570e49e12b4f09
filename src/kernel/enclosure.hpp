// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Expressions evaluated with intervals: bounds of every node below some roots, for leaves that
/// vary over a stretch of time. Nodes that only leaves held between events reach are computed once.

#include <span>
#include <vector>

#include "core/types.hpp"
#include "expr/pool.hpp"
#include "kernel/interval.hpp"

namespace daedal::kernel {

class Enclosure {
 public:
  Enclosure() = default;
  /// `is_moving` tells of a leaf whether it varies between events. Relations that hold their value
  /// count as leaves.
  template <class IsMoving>
  Enclosure(const Pool& pool, std::span<const NodeId> roots, const IsMoving& is_moving) {
    collect(pool, roots);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (is_input(i)) moves_[i] = is_moving(nodes_[i].node);
    }
    divide();
  }

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  /// Where the bounds of a node below the roots stand.
  [[nodiscard]] std::size_t place(NodeId id) const;
  [[nodiscard]] NodeId id(std::size_t place) const { return ids_[place]; }
  /// The node at a place; its arguments are places.
  [[nodiscard]] const Node& operator[](std::size_t place) const { return nodes_[place].node; }
  /// What the caller gives a value: leaves other than numbers, and relations that are held.
  [[nodiscard]] bool is_input(std::size_t place) const { return nodes_[place].is_input; }
  [[nodiscard]] bool is_moving(std::size_t place) const { return moves_[place]; }

  /// Bounds of the nodes that are held, from those of their leaves.
  void evaluate_held(std::span<Interval> bounds) const { evaluate(held_, bounds); }
  /// The nodes that vary and that those at `places` need, themselves included, in the order of
  /// their evaluation.
  [[nodiscard]] std::vector<std::size_t> needed_by(std::span<const std::size_t> places) const;
  void evaluate(std::span<const std::size_t> places, std::span<Interval> bounds) const;

 private:
  struct Entry {
    Node node;
    bool is_input = false;
  };
  void collect(const Pool& pool, std::span<const NodeId> roots);
  void divide();

  std::vector<NodeId> ids_;  ///< ascending
  std::vector<Entry> nodes_;
  std::vector<bool> moves_;
  std::vector<std::size_t> held_;
};

}  // namespace daedal::kernel
