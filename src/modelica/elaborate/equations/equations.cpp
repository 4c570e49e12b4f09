// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/equations/equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "expr/calculus.hpp"
#include "modelica/elaborate/components.hpp"
#include "modelica/elaborate/equations/assertions.hpp"
#include "modelica/elaborate/equations/delays.hpp"
#include "modelica/elaborate/equations/discretes.hpp"
#include "modelica/elaborate/equations/roots.hpp"
#include "modelica/elaborate/expressions/expressions.hpp"
#include "modelica/elaborate/expressions/functions.hpp"
#include "modelica/elaborate/expressions/scope.hpp"
#include "modelica/elaborate/expressions/structural_parameters.hpp"

namespace daedal::modelica {

void Equations::read(const ClassDefinition& model) {
  read_section(model.equations);
  for (const auto& section : model.algorithms) read_algorithm(section);
  read_lagrangian(model.lagrangian);
  const Restored sink(sink_, &initial_equations_);
  const Restored instant(context_.instant, true);
  const Restored boundary(context_.takes_boundary_values, true);
  read_initial_section(model.initial_equations);
  for (const auto& section : model.initial_algorithms) {
    const std::size_t first = initial_equations_.size();
    read_algorithm(section);
    define_parameters(first);
  }
  use_.roots.move_to(equations_);
  use_.delays.move_to(equations_);
}

void Equations::read_algorithm(const std::vector<StatementId>& section) {
  if (section.empty()) return;
  read_unit(context_.ast.statement(section.front()).where,
            [&] { algorithms_.read(section, *sink_); });
}

/// Nothing of a mechanism can be left out: a function that is not defined is an error here.
void Equations::read_lagrangian(const std::vector<StatementId>& section) {
  for (const StatementId id : section) {
    try {
      read(context_.ast.statement(id));
    } catch (const Abandon&) {
      // Reported; the next one may have something to say as well.
    }
  }
  lagrangian_.derive(equations_);
}

/// Reads something that is left out as a whole if it calls an undefined function.
template <class Read>
void Equations::read_unit(Position unit, const Read& read_now) {
  if (context_.pruning.units.contains(equation_key(unit))) return;
  const Restored current(context_.unit, unit);
  const Restored defer(context_.defer_undefined, true);
  const std::size_t first = sink_->size();
  try {
    read_now();
  } catch (const Abandon&) {
    // Reported; the next one may have something to say as well.
  } catch (const UndefinedFunction& undefined) {
    sink_->resize(first);
    context_.undefined.push_back(
        {.unit = unit, .call = undefined.where, .message = undefined.message});
  }
  for (std::size_t i = first; i < sink_->size(); ++i) (*sink_)[i].unit = unit;
}

/// Takes those initial equations from `first` on out that define a parameter.
void Equations::define_parameters(std::size_t first) {
  const auto defines = [&](const FlatEquation& equation) {
    return use_.components.define_free(equation.lhs, equation.rhs) ||
           use_.components.define_free(equation.rhs, equation.lhs);
  };
  const auto begin = initial_equations_.begin() + static_cast<std::ptrdiff_t>(first);
  initial_equations_.erase(std::remove_if(begin, initial_equations_.end(), defines),
                           initial_equations_.end());
}

void Equations::read_section(const std::vector<StatementId>& section) {
  for (const StatementId id : section) {
    const Statement& statement = context_.ast.statement(id);
    read_unit(statement.where, [&] { read(statement); });
  }
}

void Equations::read_initial_section(const std::vector<StatementId>& section) {
  for (const StatementId id : section) {
    const Statement& statement = context_.ast.statement(id);
    const std::size_t first = initial_equations_.size();
    const std::size_t n_undefined = context_.undefined.size();
    read_unit(statement.where, [&] { read(statement); });
    if (context_.undefined.size() > n_undefined)
      context_.undefined.back().determined = left_side(statement);
    define_parameters(first);
  }
}

/// The variables that an equation names on its left.
std::vector<NodeId> Equations::left_side(const Statement& statement) {
  if (statement.kind != StatementKind::equality) return {};
  try {
    return use_.expressions.evaluate(statement.lhs).nodes;
  } catch (const UndefinedFunction& undefined) {
    context_.diagnostics.report(ErrorCode::unknown_name, undefined.where, undefined.message);
    return {};
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
    case StatementKind::coordinates:
    case StatementKind::kinetic:
    case StatementKind::potential:
    case StatementKind::force:
    case StatementKind::constraint:
      if (path_ != no_node) {
        context_.fail(ErrorCode::unsupported, statement.where,
                      "The condition around this statement changes during the run: put it into "
                      "the expression, 'if ... then ... else ...'.");
      }
      return lagrangian_.read(statement, loop_suffix_);
  }
}

void Equations::add_binding(const BindingEquation& binding) {
  read_unit(binding.where, [&] { add_binding_now(binding); });
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

/// An initial equation may contain a derivative that no equation has. It gets a name and an
/// equation of its own, der_x = der(x), so that every method computes it.
void Equations::name_initial_derivatives() {
  Pool& pool = context_.pool;
  const auto derivatives = [&](const FlatEquations& equations) {
    std::vector<NodeId> sides;
    for (const FlatEquation& equation : equations) {
      sides.push_back(equation.lhs);
      sides.push_back(equation.rhs);
    }
    std::set<NodeId> found;
    for (const NodeId leaf : dependencies(pool, sides))
      if (pool[leaf].op == Op::variable && pool[leaf].order > 0) found.insert(leaf);
    return found;
  };
  const std::set<NodeId> known = derivatives(equations_);
  std::vector<NodeId> leaves;
  std::vector<NodeId> names;
  for (const NodeId leaf : derivatives(initial_equations_)) {
    if (known.contains(leaf)) continue;
    const std::string& of = use_.components.variable_name(pool[leaf].symbol);
    std::string name = of;
    for (int order = 0; order < pool[leaf].order; ++order) name = fmt::format("der({})", name);
    leaves.push_back(leaf);
    names.push_back(use_.components.add_variable(name));
    equations_.push_back({.lhs = names.back(), .rhs = leaf, .name = name + " = ..."});
  }
  if (leaves.empty()) return;
  for (FlatEquation& equation : initial_equations_) {
    const NodeId sides[] = {equation.lhs, equation.rhs};
    const std::vector<NodeId> named = substitute(pool, sides, leaves, names);
    equation.lhs = named[0];
    equation.rhs = named[1];
  }
}

/// pre(b) = value in an initial section where the value depends on variables: what b was before the
/// start is known only with them. So it is read as that value as long as the start is searched for.
void Equations::resolve_initial_pre() {
  Pool& pool = context_.pool;
  std::vector<NodeId> leaves;
  std::vector<NodeId> values;
  const auto is_of_variables = [&](NodeId value) {
    return !use_.structure.is_continuous(value) &&
           std::ranges::any_of(dependencies(pool, std::span(&value, 1)), [&](NodeId leaf) {
             return pool[leaf].op == Op::variable || pool[leaf].op == Op::discrete;
           });
  };
  std::erase_if(initial_equations_, [&](const FlatEquation& equation) {
    if (pool[equation.lhs].op != Op::pre || !is_of_variables(equation.rhs)) return false;
    leaves.push_back(equation.lhs);
    values.push_back(pool.if_else(pool.initial(), equation.rhs, equation.lhs));
    return true;
  });
  if (leaves.empty()) return;
  const auto resolve = [&](NodeId& node) {
    if (node != no_node) node = substitute(pool, std::span(&node, 1), leaves, values).front();
  };
  for (FlatEquation& equation : equations_) {
    resolve(equation.lhs);
    resolve(equation.rhs);
  }
  for (WhenClause& clause : when_clauses_.clauses()) {
    for (WhenBranch& branch : clause.branches) {
      resolve(branch.condition);
      for (WhenAction& action : branch.actions) resolve(action.value);
    }
  }
}

/// Its state before the first number is what the function that initialises it has left.
void Equations::start_impure_random() {
  const ImpureRandom& impure = context_.impure;
  if (impure.held.empty()) return;
  if (!impure.now.empty() || impure.start.size() != impure.held.size()) {
    context_.diagnostics.report(
        ErrorCode::unsupported, impure.where,
        impure.now.empty() ? "The impure generator of random numbers is not initialised."
                           : "Numbers of the impure generator are drawn in when-clauses only.");
    return;
  }
  for (std::size_t i = 0; i < impure.held.size(); ++i) {
    initial_equations_.push_back({.lhs = context_.pool.pre(context_.pool[impure.held[i]].symbol),
                                  .rhs = impure.start[i],
                                  .type = Type::integer,
                                  .where = impure.where});
  }
}

void Equations::finish() {
  Pool& pool = context_.pool;
  ModelBuilder& builder = context_.builder;
  start_impure_random();
  name_initial_derivatives();
  resolve_initial_pre();
  use_.delays.finish(equations_);
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
