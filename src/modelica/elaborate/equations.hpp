// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Equations of the text become scalar equations, discrete equations and when-clauses of the model.

#include <array>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "modelica/elaborate/context.hpp"

namespace daedal::modelica {

class Elaborator;
struct FunctionFrame;

/// One scalar equation, before it is decided what it determines.
struct FlatEquation {
  NodeId lhs = no_node;
  NodeId rhs = no_node;
  Type type = Type::real;
  Position where{};
  std::string name{};
};

/// target = expression, from a declaration.
struct BindingEquation {
  const Value& target;
  ExprId expression = none;
  Position where{};
  std::string name{};
};

/// An equation that calls a function which the text does not define.
struct UndefinedEquation {
  std::vector<NodeId> determined{};  ///< the variables alone on its left side
  Position where{};                  ///< of the equation
  Position call{};
  std::string message{};
};

class Equations {
 public:
  explicit Equations(Elaborator& hub) : hub_(hub) {}

  /// Notes which variables when-clauses assign, before any of them is made.
  void collect_assigned(const ClassDefinition& model);
  /// Reads the sections of the model. Mistakes are reported, and the next equation is read.
  void read(const ClassDefinition& model);
  /// Hands everything to the builder.
  void finish();

  void add_binding(const BindingEquation& binding);
  void add_discrete(NodeId discrete, NodeId value, Position where);
  /// The call assert(condition, message, level), under a condition if `path` is one.
  void add_assertion(const ExprNode& call, NodeId path);

  [[nodiscard]] const std::vector<UndefinedEquation>& undefined() const { return undefined_; }
  [[nodiscard]] const std::vector<FlatEquation>& equations() const { return equations_; }
  /// Every expression that is no equation but may need a variable.
  [[nodiscard]] const std::vector<NodeId>& other_uses() const { return other_uses_; }

  /// The same with the sides of all equations, initial ones among them.
  [[nodiscard]] std::vector<NodeId> all_uses() const;

  /// Equations left out because nothing needs what they determine, by position.
  std::unordered_set<std::int64_t> skipped;
  static std::int64_t key(Position where) {
    return (static_cast<std::int64_t>(where.line) << 32) | where.column;
  }

 private:
  enum class Section { equation, initial };

  // equations.cpp
  void read_section(const std::vector<StatementId>& section, Section kind);
  void read(const Statement& statement);
  void read_deferring(const Statement& statement);
  void read_equality(const Statement& statement);
  void read_tuple(const Statement& statement);
  void read_call(const Statement& statement);
  void read_for(const Statement& statement, std::size_t iterator);
  void add_equality(const Value& lhs, const Value& rhs, Position where, const std::string& name);
  void add_binding_now(const BindingEquation& binding);
  std::string name_of(const Statement& statement) const;
  void collect_assigned(const std::vector<StatementId>& statements, bool in_when);
  void collect_target(ExprId target);

  // if-equations (equations_if.cpp)
  void read_if(const Statement& statement);
  void read_merged(const Statement& statement, std::size_t first, NodeId first_condition);
  void read_all(const std::vector<StatementId>& statements);
  std::vector<FlatEquation> read_branch(const Branch& branch, NodeId path);
  std::vector<FlatEquation> merge(NodeId condition, std::vector<FlatEquation> yes,
                                  std::vector<FlatEquation> no, Position where);

  // when-clauses (equations_when.cpp)
  void read_when(const Statement& statement);
  NodeId when_condition(ExprId condition);
  void read_action(const Statement& statement, std::vector<WhenAction>& actions);
  void read_action_call(const Statement& statement, std::vector<WhenAction>& actions);
  void read_action_if(const Statement& statement, std::vector<WhenAction>& actions);
  void read_action_for(const Statement& statement, std::size_t iterator,
                       std::vector<WhenAction>& actions);
  void add_actions(const std::vector<FlatEquation>& equations, std::vector<WhenAction>& actions);
  std::string message(ExprId argument);
  using AssertArguments = std::array<ExprId, 3>;  ///< condition, message, level
  AssertArguments assert_arguments(const ExprNode& call);

  // algorithms (equations_algorithm.cpp)
  void read_algorithm(const std::vector<StatementId>& section);
  void read_algorithm_now(const std::vector<StatementId>& section);
  void read_algorithm_when(const Statement& statement, FunctionFrame& frame);
  std::vector<WhenAction> read_algorithm_branch(const Branch& branch, FunctionFrame& frame);
  void add_assigned(const FunctionFrame& begin, const FunctionFrame& end, Position where);
  static std::string name_of_leaf(const Value& declared, const std::string& name, std::size_t i);
  void claim_targets(const std::vector<StatementId>& section, FunctionFrame& frame);
  void claim_target(ExprId target, FunctionFrame& frame);

  // finish (equations_finish.cpp)
  void start_discretes();
  bool set_pre(const FlatEquation& equation);
  bool start_discrete(const FlatEquation& equation);
  [[nodiscard]] NodeId followed(NodeId node) const;
  void finish_discrete(const std::vector<FlatEquation>& equations);
  void check_discretes() const;
  [[nodiscard]] bool determines_discrete(const FlatEquation& equation) const;
  [[nodiscard]] std::vector<std::int32_t> candidates(const FlatEquation& equation) const;
  void emit_discrete(const FlatEquation& equation, std::int32_t discrete);

  Elaborator& hub_;
  std::vector<FlatEquation> equations_;
  std::vector<FlatEquation> initial_equations_;
  std::vector<FlatEquation>* sink_ = &equations_;
  std::vector<WhenClause> clauses_;
  std::unordered_set<std::int32_t> assigned_discretes_;  ///< by when-clauses and hidden equations
  std::unordered_set<std::int32_t> assigned_in_when_;    ///< by when-clauses alone
  std::unordered_map<std::int32_t, NodeId> discrete_values_;  ///< what equations give them
  std::unordered_map<std::int32_t, NodeId> pre_starts_;       ///< given by initial equations
  std::int32_t n_algorithms_ = 0;
  std::vector<UndefinedEquation> undefined_;
  std::vector<NodeId> other_uses_;
  NodeId path_ = no_node;
  std::string loop_suffix_;
};

}  // namespace daedal::modelica
