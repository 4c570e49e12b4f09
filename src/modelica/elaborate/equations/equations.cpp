// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/equations/equations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "modelica/elaborate/equations/assertions.hpp"
#include "modelica/elaborate/equations/discretes.hpp"
#include "modelica/elaborate/expressions/expressions.hpp"
#include "modelica/elaborate/expressions/functions.hpp"
#include "modelica/elaborate/expressions/scope.hpp"
#include "modelica/elaborate/expressions/structural_parameters.hpp"

namespace daedal::modelica {

void Equations::read(const ClassDefinition& model) {
  read_section(model.equations);
  for (const auto& section : model.algorithms) algorithms_.read(section, equations_);
  const Restored sink(sink_, &initial_equations_);
  const Restored instant(context_.instant, true);
  const Restored boundary(context_.takes_boundary_values, true);
  read_initial_section(model.initial_equations);
  for (const auto& section : model.initial_algorithms) {
    algorithms_.read(section, initial_equations_);
  }
}

void Equations::read_section(const std::vector<StatementId>& section) {
  for (const StatementId id : section) {
    const Statement& statement = context_.ast.statement(id);
    const bool is_deferrable = statement.kind == StatementKind::equality;
    if (is_deferrable && context_.pruning.equations.contains(equation_key(statement.where)))
      continue;
    try {
      if (is_deferrable) {
        read_deferring(statement);
      } else {
        read(statement);
      }
    } catch (const Abandon&) {
      // Reported; the next equation may have something to say as well.
    }
  }
}

void Equations::read_initial_section(const std::vector<StatementId>& section) {
  for (const StatementId id : section) {
    try {
      read(context_.ast.statement(id));
    } catch (const Abandon&) {
      // As above.
    }
  }
}

void Equations::read_deferring(const Statement& statement) {
  try {
    const Restored defer(context_.defer_undefined, true);
    read(statement);
  } catch (const UndefinedFunction& undefined) {
    UndefinedEquation equation{
        .where = statement.where, .call = undefined.where, .message = undefined.message};
    if (context_.ast.expr(statement.lhs).kind == ExprKind::reference) {
      equation.determined = use_.expressions.evaluate(statement.lhs).nodes;
    }
    undefined_.push_back(std::move(equation));
  }
}

void Equations::read(const Statement& statement) {
  const Deeper deeper(context_, statement.where);
  context_.spend(1, statement.where);
  switch (statement.kind) {
    case StatementKind::equality:
      return equalities_.read(statement, loop_suffix_, *sink_);
    case StatementKind::call:
      return read_call(statement);
    case StatementKind::if_:
      return read_if(statement);
    case StatementKind::for_:
      return read_for(statement);
    case StatementKind::when:
      return when_clauses_.read(statement);
    case StatementKind::assignment:
    case StatementKind::return_:
    case StatementKind::break_:
    case StatementKind::while_:
      context_.fail(ErrorCode::unsupported, statement.where,
                    "Assignments, 'while', 'return' and 'break' belong to algorithms.");
  }
}

void Equations::add_binding(const BindingEquation& binding) {
  try {
    const Restored defer(context_.defer_undefined, true);
    add_binding_now(binding);
  } catch (const UndefinedFunction& undefined) {
    undefined_.push_back({.determined = leaves(binding.target),
                          .where = binding.where,
                          .call = undefined.where,
                          .message = undefined.message});
  }
}

void Equations::add_binding_now(const BindingEquation& binding) {
  const Position where = context_.ast.expr(binding.expression).where;
  const Value value =
      use_.expressions.conform(use_.expressions.evaluate(binding.expression), binding.target, where,
                               fmt::format("variable '{}'", binding.name));
  equalities_.add(binding.target, value, binding.where, fmt::format("{} = ...", binding.name),
                  *sink_);
}

void Equations::read_for(const Statement& statement) {
  use_.expressions.unroll(statement, [&] {
    const Restored suffix(loop_suffix_);
    for (const Iterator& index : statement.iterators) {
      if (const auto number = use_.structure.peek(use_.scope.find(index.name)->node())) {
        loop_suffix_ += fmt::format("{}{} = {}", loop_suffix_.empty() ? " at " : ", ",
                                    context_.ast.text(index.name), *number);
      }
    }
    read_all(statement.branches.front().body);
    return true;
  });
}

void Equations::read_call(const Statement& statement) {
  const ExprNode& node = context_.ast.expr(statement.lhs);
  if (use_.assertions.read_call(node, path_)) return;
  if (use_.functions.leave_out_effect(node)) return;
  if (!use_.functions.call_all(node).empty()) {
    context_.fail(ErrorCode::syntax, statement.where,
                  fmt::format("Expected '=' after the call of '{}': its result is not used.",
                              context_.ast.text(node.text)));
  }
}

void Equations::read_if(const Statement& statement) {
  for (std::size_t b = 0; b < statement.branches.size(); ++b) {
    const Branch& branch = statement.branches[b];
    if (branch.condition == none) return read_all(branch.body);
    const NodeId condition = use_.expressions.condition(branch.condition);
    const std::optional<double> truth = use_.structure.fix(condition);
    if (!truth) return read_merged(statement, b, condition);
    if (*truth != 0.0) return read_all(branch.body);
  }
}

void Equations::read_all(const std::vector<StatementId>& statements) {
  for (const StatementId id : statements) read(context_.ast.statement(id));
}

/// Merges the branches from `first` on; the parameters have ruled out those before.
void Equations::read_merged(const Statement& statement, std::size_t first, NodeId first_condition) {
  Pool& pool = context_.pool;
  struct Case {
    NodeId condition;
    FlatEquations equations;
  };
  std::vector<Case> cases;
  FlatEquations result;
  NodeId remaining = path_ == no_node ? pool.constant(1.0) : path_;
  for (std::size_t b = first; b < statement.branches.size(); ++b) {
    const Branch& branch = statement.branches[b];
    if (branch.condition == none) {
      result = read_branch(branch, remaining);
      continue;
    }
    const NodeId condition =
        b == first ? first_condition : use_.expressions.condition(branch.condition);
    const std::optional<double> truth = b == first ? std::nullopt : use_.structure.fix(condition);
    if (truth && *truth == 0.0) continue;
    if (truth) {  // `elseif true` is an else
      result = read_branch(branch, remaining);
      break;
    }
    cases.push_back(
        {condition, read_branch(branch, pool.binary(Op::logical_and, remaining, condition))});
    remaining = pool.binary(Op::logical_and, remaining, pool.unary(Op::logical_not, condition));
  }
  for (std::size_t i = cases.size(); i-- > 0;) {
    result = merge(cases[i].condition, std::move(cases[i].equations), std::move(result),
                   statement.where);
  }
  sink_->insert(sink_->end(), result.begin(), result.end());
}

FlatEquations Equations::read_branch(const Branch& branch, NodeId path) {
  FlatEquations equations;
  const Restored sink(sink_, &equations);
  const Restored outer_path(path_, path);
  for (const StatementId id : branch.body) {
    const Statement& statement = context_.ast.statement(id);
    if (statement.kind == StatementKind::when) {
      context_.fail(ErrorCode::unsupported, statement.where,
                    "A when-clause inside an if-equation whose condition changes during the "
                    "run.");
    }
    read(statement);
  }
  return equations;
}

FlatEquations Equations::merge(NodeId condition, FlatEquations yes, FlatEquations no,
                               Position where) {
  if (yes.size() != no.size()) {
    context_.fail(
        ErrorCode::unbalanced, where,
        fmt::format("The branches of this if-equation have {} and {} equations; they must have the "
                    "same number, because the condition changes during the run.",
                    yes.size(), no.size()));
  }
  Pool& pool = context_.pool;
  FlatEquations merged;
  for (std::size_t i = 0; i < yes.size(); ++i) {
    // Equations for the same left side belong together, whatever their order.
    const auto partner = std::find_if(no.begin() + static_cast<std::ptrdiff_t>(i), no.end(),
                                      [&](const auto& other) { return other.lhs == yes[i].lhs; });
    if (partner != no.end()) std::iter_swap(no.begin() + static_cast<std::ptrdiff_t>(i), partner);
    FlatEquation both = yes[i];
    const bool same_side = yes[i].lhs == no[i].lhs;
    if (!same_side && (yes[i].type != Type::real || no[i].type != Type::real)) {
      context_.fail(ErrorCode::unsupported, no[i].where,
                    "The branches of an if-equation must determine the same Boolean and "
                    "Integer variables, each alone on its left side.");
    }
    if (same_side) {
      both.rhs = pool.if_else(condition, yes[i].rhs, no[i].rhs);
    } else {
      both.lhs = pool.constant(0.0);
      both.rhs =
          pool.if_else(condition, pool.sub(yes[i].lhs, yes[i].rhs), pool.sub(no[i].lhs, no[i].rhs));
    }
    merged.push_back(std::move(both));
  }
  return merged;
}

std::vector<NodeId> Equations::all_uses() const {
  std::vector<NodeId> uses = context_.other_uses;
  for (const FlatEquations* list : {&equations_, &initial_equations_}) {
    for (const FlatEquation& equation : *list) {
      uses.push_back(equation.lhs);
      uses.push_back(equation.rhs);
    }
  }
  return uses;
}

void Equations::finish() {
  Pool& pool = context_.pool;
  ModelBuilder& builder = context_.builder;
  FlatEquations discrete;
  for (const FlatEquation& equation : equations_) {
    if (use_.discretes.determines(equation)) {
      discrete.push_back(equation);
      continue;
    }
    builder.equation({{pool, equation.lhs}, {pool, equation.rhs}}, equation.name,
                     context_.diagnostics.source(equation.where));
  }
  use_.discretes.solve(discrete);
  if (context_.diagnostics.count() == 0) use_.discretes.check(equations_);
  use_.discretes.take_starts(initial_equations_);
  for (const FlatEquation& equation : initial_equations_) {
    if (use_.discretes.start(equation, when_clauses_.clauses())) continue;
    const Equality sides{{pool, equation.lhs}, {pool, equation.rhs}};
    const SourcePosition where = context_.diagnostics.source(equation.where);
    if (context_.has_boundary_values) {
      builder.boundary_equation(sides, equation.name, where);
    } else {
      builder.initial_equation(sides, equation.name, where);
    }
  }
  for (WhenClause& clause : when_clauses_.clauses()) builder.when(std::move(clause));
}

}  // namespace daedal::modelica
