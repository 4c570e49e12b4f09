// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// u with f(u) = 0 between two bounds, where a text has it found by a function. The search is left
/// to the solver: u becomes an unknown of the model and f(u) = 0 its equation, so that it has
/// derivatives and the accuracy of everything else.

#include "modelica/elaborate/context.hpp"
#include "modelica/elaborate/equations/equalities.hpp"

namespace daedal::modelica {

class Roots {
 public:
  Roots(Context& context, Components& components) : context_(context), components_(components) {}

  /// A new unknown, which no text declares.
  NodeId add(NodeId low, NodeId high, Position where);
  /// What gives it its value, where the condition `path` holds; no_node: always.
  void determine(NodeId unknown, NodeId residual, NodeId path);
  /// Hands the equations over that came up since the last time.
  void move_to(FlatEquations& equations);

 private:
  struct Root {
    NodeId unknown = no_node;
    NodeId guess = no_node;
    Position where{};
  };
  [[nodiscard]] bool is_known_before_run(NodeId node) const;

  Context& context_;
  Components& components_;
  std::vector<Root> roots_;
  FlatEquations equations_;
};

}  // namespace daedal::modelica
