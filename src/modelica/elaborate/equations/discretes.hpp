// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The discrete variables of the model, and what determines each: an equation between Reals is for
/// the solver, an equation between Booleans or Integers is an assignment of one discrete variable.

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "modelica/elaborate/context.hpp"
#include "modelica/elaborate/equations/equalities.hpp"

namespace daedal::modelica {

class Discretes {
 public:
  Discretes(Context& context, Structure& structure) : context_(context), structure_(structure) {}

  NodeId declare(const std::string& name, const VariableOptions& options, Position where);
  /// A new variable that no text declares, for parts of the language that need memory.
  NodeId add_hidden(std::string_view purpose, ValueType type, double start, Position where);
  /// discrete := value, for a variable that no equation of the text determines.
  void define(NodeId discrete, NodeId value, Position where);
  [[nodiscard]] const std::string& name_of(SymbolId discrete) const {
    return declarations_[static_cast<std::size_t>(discrete)].name;
  }
  /// How many there are.
  [[nodiscard]] std::size_t count() const { return declarations_.size(); }
  /// A when-clause assigns it.
  void mark_assigned(SymbolId discrete);

  /// Is the equation one of discrete variables? Between Reals that is so only if a variable that is
  /// declared discrete stands alone on the left side.
  [[nodiscard]] bool determines(const FlatEquation& equation) const;
  /// The discrete variables that such an equation could be solved for.
  [[nodiscard]] std::vector<SymbolId> candidates(const FlatEquation& equation) const;
  /// Finds out which variable each of these equations determines.
  void solve(const FlatEquations& equations);
  /// Reports variables that nothing determines.
  void check(const FlatEquations& equations) const;

  /// Takes those initial equations out that give `pre` values.
  void take_starts(FlatEquations& initial_equations);
  /// An initial equation for a discrete variable: n = value, if a when-clause determines n later,
  /// acts once at the start; pre(n) = value is n's start value. False for any other initial
  /// equation.
  bool start(const FlatEquation& equation, std::vector<WhenClause>& clauses);

 private:
  struct Declaration {
    std::string name{};  ///< empty for those that no text declares
    Position where{};
    bool is_input = false;  ///< what determines it may come from outside
  };

  void emit(const FlatEquation& equation, SymbolId discrete);
  [[nodiscard]] NodeId with_events(NodeId value);
  bool set_pre(const FlatEquation& equation);
  [[nodiscard]] NodeId followed(NodeId node) const;

  Context& context_;
  Structure& structure_;
  std::vector<Declaration> declarations_;            ///< by symbol
  std::unordered_set<SymbolId> assigned_;            ///< by when-clauses, define() and solve()
  std::unordered_set<SymbolId> assigned_in_when_;    ///< by when-clauses alone
  std::unordered_map<SymbolId, NodeId> values_;      ///< what equations give them
  std::unordered_map<SymbolId, NodeId> pre_starts_;  ///< given by initial equations
  int n_hidden_ = 0;
};

}  // namespace daedal::modelica
