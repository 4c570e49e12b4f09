// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Algorithm sections of the model: executed symbolically like a function whose results are the
/// variables it assigns. A discrete variable begins with its value before the event, a continuous
/// one with its start value (Modelica 3.6, section 11.1.2): while the section runs, the variable
/// itself stands for it.

#include <string>
#include <vector>

#include "modelica/elaborate/context.hpp"
#include "modelica/elaborate/equations/equalities.hpp"

namespace daedal::modelica {

class AlgorithmSections {
 public:
  struct Uses {
    Components& components;
    Discretes& discretes;
    Scope& scope;
    References& references;
    SymbolicExecution& execution;
    Assertions& assertions;
    WhenClauses& when_clauses;
  };
  AlgorithmSections(Context& context, const Uses& use) : context_(context), use_(use) {}

  /// Appends the equations of the variables that the section assigns. Mistakes are reported.
  void read(const std::vector<StatementId>& section, FlatEquations& sink);

 private:
  /// A scalar of the model that the section at hand may assign.
  struct Claimed {
    NodeId leaf;
    Type type;
  };

  void read_now(const std::vector<StatementId>& section, FlatEquations& sink);
  void read_when_unit(const Statement& statement, FunctionFrame& frame);
  void read_when(const Statement& statement, FunctionFrame& frame);
  std::vector<WhenAction> read_branch(const Branch& branch, FunctionFrame& frame);
  void add_assigned(const FunctionFrame& begin, const FunctionFrame& end, Position where,
                    FlatEquations& sink);
  [[nodiscard]] bool is_own_call(const Statement& statement) const;
  FunctionFrame begin_section(const std::vector<StatementId>& section);
  void claim_targets(const std::vector<StatementId>& section);
  void claim_target(ExprId target);
  void claim(const Value& declared);
  [[nodiscard]] std::string name_of(NodeId leaf) const;

  Context& context_;
  Uses use_;
  std::vector<Claimed> claimed_;
  std::int32_t n_sections_ = 0;
};

}  // namespace daedal::modelica
