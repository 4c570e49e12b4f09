// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Finds the functions to watch (watched_functions.hpp) from the structure of a model's
/// expressions.

#include <daedal/model.hpp>
#include <span>
#include <utility>
#include <vector>

#include "expr/pool.hpp"
#include "solve/watch/watched_functions.hpp"

namespace daedal::solve_detail {

/// A function with nodes in place of bounds.
struct FoundFunction {
  Watched::Kind kind;
  NodeId node, a, b;  ///< no_node where there is no second argument
  /// A choice that leads to the function.
  struct Choice {
    NodeId condition;
    bool is_then = false;
  };
  std::vector<Choice> choices = {};
  NodeId user = no_node;  ///< the steep function through which alone it matters, if there is one
  bool is_product = false;
  std::size_t limit = 0;                                ///< as in Watched
  bool is_implicit = false, may_leap = false;           ///< as in Watched
  std::vector<std::pair<NodeId, double>> factors = {};  ///< of a product, with their powers
};

/// What is watched beyond the equations of a model: expressions in its pool.
struct WatchedValues {
  std::span<const NodeId> outputs;
  std::span<const ValueLimit> limits;
};

/// The functions below the equations of a model, the conditions of its events and `values`.
/// Expressions in which variables are replaced by what the equations assign to them are made in
/// `pool`, a child of the model's.
[[nodiscard]] std::vector<FoundFunction> find_functions(const Model& model,
                                                        const WatchedValues& values, Pool& pool);

/// Whether a leaf may vary between events.
[[nodiscard]] bool varies(const Node& node);
/// Whether the node is an elementary function of one argument other than a power.
[[nodiscard]] bool is_elementary(Op op);

}  // namespace daedal::solve_detail
