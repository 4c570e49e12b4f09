// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The equation and algorithm sections of the model, read into scalar equations, discrete equations
/// and when-clauses. If-equations: a condition of parameters is decided now, because the branches
/// may differ in structure; a condition that changes during the run merges the branches.

#include <string>
#include <vector>

#include "modelica/elaborate/context.hpp"
#include "modelica/elaborate/equations/algorithm_sections.hpp"
#include "modelica/elaborate/equations/equalities.hpp"
#include "modelica/elaborate/equations/lagrangian_section.hpp"
#include "modelica/elaborate/equations/when_clauses.hpp"

namespace daedal::modelica {

/// target = expression, from a declaration.
struct BindingEquation {
  const Value& target;
  ExprId expression = none;
  Position where{};
  std::string name{};
};

class Equations {
 public:
  struct Uses {
    Components& components;
    Scope& scope;
    Structure& structure;
    References& references;
    Expressions& expressions;
    Functions& functions;
    SymbolicExecution& execution;
    Discretes& discretes;
    Delays& delays;
    Roots& roots;
    Assertions& assertions;
  };
  Equations(Context& context, const Uses& use)
      : context_(context),
        use_(use),
        equalities_(context, use.structure, use.expressions, use.functions),
        when_clauses_(context, {.expressions = use.expressions,
                                .functions = use.functions,
                                .discretes = use.discretes,
                                .assertions = use.assertions,
                                .equalities = equalities_}),
        algorithms_(context, {.components = use.components,
                              .discretes = use.discretes,
                              .scope = use.scope,
                              .references = use.references,
                              .execution = use.execution,
                              .assertions = use.assertions,
                              .when_clauses = when_clauses_}),
        lagrangian_(context, use.components, use.expressions, equalities_) {}

  /// Reads the sections of the model. Mistakes are reported, and the next equation is read.
  void read(const ClassDefinition& model);
  void add_binding(const BindingEquation& binding);
  /// Hands everything to the builder.
  void finish();

  [[nodiscard]] const FlatEquations& equations() const { return equations_; }
  [[nodiscard]] const FlatEquations& initial_equations() const { return initial_equations_; }

 private:
  void read_section(const std::vector<StatementId>& section);
  void read_initial_section(const std::vector<StatementId>& section);
  void read_algorithm(const std::vector<StatementId>& section);
  void read_lagrangian(const std::vector<StatementId>& section);
  void define_parameters(std::size_t first);
  void name_initial_derivatives();
  void resolve_initial_pre();
  void start_impure_random();
  void read(const Statement& statement);
  template <class Read>
  void read_unit(Position unit, const Read& read_now);
  std::vector<NodeId> left_side(const Statement& statement);
  void read_call(const Statement& statement);
  void read_for(const Statement& statement);
  void read_all(const std::vector<StatementId>& statements);
  void add_binding_now(const BindingEquation& binding);

  void read_if(const Statement& statement);
  void read_merged(const Statement& statement, std::size_t first, NodeId first_condition);
  FlatEquations read_branch(const Branch& branch, NodeId path);
  FlatEquations merge(NodeId condition, FlatEquations yes, FlatEquations no, Position where);

  Context& context_;
  Uses use_;
  Equalities equalities_;
  WhenClauses when_clauses_;
  AlgorithmSections algorithms_;
  LagrangianSection lagrangian_;
  FlatEquations equations_;
  FlatEquations initial_equations_;
  FlatEquations* sink_ = &equations_;
  NodeId path_ = no_node;    ///< the conditions of the if-equations around
  std::string loop_suffix_;  ///< " at i = 1": follows the names of equations in loops
};

}  // namespace daedal::modelica
