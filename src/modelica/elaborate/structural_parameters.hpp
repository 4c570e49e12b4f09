// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Numbers that the structure of a model depends on: array sizes, subscripts, loop ranges,
/// conditions that choose between equations. A parameter used so is no longer free: changing it
/// would need another translation, so it is made a constant of the model.

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "modelica/elaborate/context.hpp"

namespace daedal::modelica {

class Elaborator;

class Structure {
 public:
  explicit Structure(Elaborator& hub) : hub_(hub) {}

  /// The number of an expression of constants and parameters; nothing if it depends on anything
  /// that may change during a run. The parameters keep their freedom.
  std::optional<double> peek(NodeId node);
  /// The same, and the parameters it depends on become constants.
  std::optional<double> fix(NodeId node);
  /// Does the value change between events: does it depend on time or on continuous unknowns?
  bool is_continuous(NodeId node);

 private:
  struct Frame {
    NodeId node;
    bool arguments_done;
  };
  /// The nodes a node's value depends on: arguments, or a parameter's value.
  std::vector<NodeId> inputs(NodeId node);
  bool finish(NodeId node);

  Elaborator& hub_;
  std::unordered_map<NodeId, double> numbers_;
  std::unordered_set<NodeId> fixed_;
  std::vector<std::int8_t> continuous_;  ///< by node
};

}  // namespace daedal::modelica
