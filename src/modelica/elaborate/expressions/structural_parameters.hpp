// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Numbers that the structure of a model depends on: array sizes, subscripts, loop ranges,
/// conditions that choose between equations. A parameter used so is no longer free: changing it
/// would need another translation, so it is made a constant of the model.

#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "modelica/elaborate/context.hpp"

namespace daedal::modelica {

class Structure {
 public:
  /// The expression that gives a parameter its value, or no_node.
  using ParameterValue = std::function<NodeId(NodeId parameter)>;

  Structure(Context& context, ParameterValue parameter_value)
      : context_(context), parameter_value_(std::move(parameter_value)) {}

  /// The number of an expression of constants and parameters; nothing if it depends on anything
  /// that may change during a run. The parameters keep their freedom.
  std::optional<double> peek(NodeId node);
  /// The same, and the parameters it depends on become constants.
  std::optional<double> fix(NodeId node);
  /// The same where all its parameters are constants already, so that nothing more is decided.
  std::optional<double> settled(NodeId node);
  /// An Integer, enumeration or Boolean known before the run, its parameters fixed. Fails naming
  /// `what` otherwise.
  std::int64_t integer(const Value& value, Position where, std::string_view what);
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

  Context& context_;
  ParameterValue parameter_value_;
  std::unordered_map<NodeId, double> numbers_;
  std::unordered_set<NodeId> fixed_;
  std::vector<std::int8_t> continuous_;  ///< by node
};

}  // namespace daedal::modelica
