// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The statements of algorithms, executed symbolically: assignments build expressions, an `if` that
/// depends on variables becomes an if-expression, loops are unrolled. What comes out are
/// expressions of the arguments; nothing remains of the algorithm.

#include <vector>

#include "modelica/elaborate/context.hpp"

namespace daedal::modelica {

class SymbolicExecution {
 public:
  struct Uses {
    Scope& scope;
    Structure& structure;
    Operators& operators;
    References& references;
    Expressions& expressions;
    Functions& functions;
    Assertions& assertions;
  };
  SymbolicExecution(Context& context, const Uses& use) : context_(context), use_(use) {}

  /// Executes the algorithms of a function on the variables of the current frame.
  void run(const ClassDefinition& function);
  /// Executes one statement on the variables of the current frame.
  void run(const Statement& statement);
  /// The condition under which the present statement is reached; no_node: in any case.
  [[nodiscard]] NodeId path() const { return path_; }

 private:
  void run(const std::vector<StatementId>& statements);
  void run_assignment(const Statement& statement);
  void run_call(const Statement& statement);
  void run_if(const Statement& statement);
  void run_for(const Statement& statement);
  void run_while(const Statement& statement);
  void run_jump(const Statement& statement);
  [[nodiscard]] static std::int64_t most_open_rounds(const FunctionFrame& frame);
  [[nodiscard]] NodeId left_when(const FunctionFrame& frame) const;
  [[nodiscard]] bool is_left() const;
  FunctionFrame merged(NodeId condition, const FunctionFrame& one, FunctionFrame other,
                       Position where, bool may_miss = false);

  Context& context_;
  Uses use_;
  int loops_ = 0;          ///< that are being executed
  NodeId path_ = no_node;  ///< the condition under which a statement is reached
};

}  // namespace daedal::modelica
