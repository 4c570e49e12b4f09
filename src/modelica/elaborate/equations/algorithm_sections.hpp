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
    Scope& scope;
    SymbolicExecution& execution;
    Assertions& assertions;
    WhenClauses& when_clauses;
  };
  AlgorithmSections(Context& context, const Uses& use) : context_(context), use_(use) {}

  /// Appends the equations of the variables that the section assigns. Mistakes are reported.
  void read(const std::vector<StatementId>& section, FlatEquations& sink);

 private:
  /// A scalar variable and what a section or a part of it has made of it.
  struct Leaf {
    const std::string& name;  ///< of the component
    const Value& declared;
    std::size_t index;  ///< among the component's scalars
    NodeId variable;
    NodeId before;
    NodeId after;
  };

  void read_now(const std::vector<StatementId>& section, FlatEquations& sink);
  void read_when(const Statement& statement, FunctionFrame& frame);
  std::vector<WhenAction> read_branch(const Branch& branch, FunctionFrame& frame);
  void add_assigned(const FunctionFrame& begin, const FunctionFrame& end, Position where,
                    FlatEquations& sink);
  template <class Use>
  void for_each_leaf(const FunctionFrame& begin, const FunctionFrame& end, Use use);
  [[nodiscard]] bool is_own_call(const Statement& statement) const;
  void claim_targets(const std::vector<StatementId>& section, FunctionFrame& frame);
  void claim_target(ExprId target, FunctionFrame& frame);

  Context& context_;
  Uses use_;
  std::int32_t n_sections_ = 0;
};

}  // namespace daedal::modelica
