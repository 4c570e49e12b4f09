// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// When-clauses: what happens at the instant at which a condition becomes true.

#include <vector>

#include "modelica/elaborate/context.hpp"
#include "modelica/syntax/name_pattern.hpp"

namespace daedal::modelica {

/// The names of the variables that when-clauses assign: they are discrete whatever their type.
AssignedNames names_assigned_in_when(const Ast& ast, const ClassDefinition& model);

class WhenClauses {
 public:
  struct Uses {
    Expressions& expressions;
    Functions& functions;
    Discretes& discretes;
    Assertions& assertions;
    Equalities& equalities;
  };
  WhenClauses(Context& context, const Uses& use) : context_(context), use_(use) {}

  /// A when-clause of an equation section.
  void read(const Statement& statement);
  /// A clause whose actions were read elsewhere: notes what it needs and assigns.
  void add(WhenClause clause);

  /// Appends what the numbers drawn in a branch leave of the hidden state of their generator.
  void keep_impure_state(std::vector<WhenAction>& actions);

  /// When the clause acts.
  NodeId condition(ExprId id);
  /// Appends what a call inside a when-clause does: reinit, terminate, assert.
  void read_call(const Statement& statement, std::vector<WhenAction>& actions);

  /// The clauses read so far.
  [[nodiscard]] std::vector<WhenClause>& clauses() { return clauses_; }

 private:
  void read_actions(const std::vector<StatementId>& statements, std::vector<WhenAction>& actions);
  void read_action(const Statement& statement, std::vector<WhenAction>& actions);
  void read_equality(const Statement& statement, std::vector<WhenAction>& actions);
  void read_reinit(const ExprNode& call, WhenAction action, std::vector<WhenAction>& actions);
  void read_if(const Statement& statement, std::vector<WhenAction>& actions);

  Context& context_;
  Uses use_;
  std::vector<WhenClause> clauses_;
};

}  // namespace daedal::modelica
