// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// assert(condition, message, level), in equations, algorithms and when-clauses.

#include <string>

#include "modelica/elaborate/context.hpp"

namespace daedal::modelica {

class Assertions {
 public:
  Assertions(Context& context, Structure& structure, Expressions& expressions)
      : context_(context), structure_(structure), expressions_(expressions) {}

  struct Arguments {
    ExprId condition = none;
    ExprId message = none;
    ExprId level = none;
  };
  /// The arguments of a call of assert, also given by these names.
  [[nodiscard]] Arguments arguments(const ExprNode& call) const;
  /// The text of a message.
  std::string message(ExprId argument);

  /// Adds a call of assert to the model, under a condition if `path` is one.
  void add(const ExprNode& call, NodeId path);
  /// Adds an assertion, under a condition if `path` is one.
  void require(Assertion assertion, NodeId path);
  /// The same for a call outside of when-clauses. Fails for calls that belong into one; false: it
  /// is the call of something else.
  bool read_call(const ExprNode& call, NodeId path);

 private:
  NodeId tolerant(NodeId condition);

  Context& context_;
  Structure& structure_;
  Expressions& expressions_;
};

}  // namespace daedal::modelica
