// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/equations/algorithm_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "expr/calculus.hpp"
#include "modelica/elaborate/components.hpp"
#include "modelica/elaborate/equations/assertions.hpp"
#include "modelica/elaborate/equations/discretes.hpp"
#include "modelica/elaborate/equations/when_clauses.hpp"
#include "modelica/elaborate/expressions/references.hpp"
#include "modelica/elaborate/expressions/scope.hpp"
#include "modelica/elaborate/expressions/symbolic_execution.hpp"

namespace daedal::modelica {

void AlgorithmSections::read(const std::vector<StatementId>& section, FlatEquations& sink) {
  try {
    read_now(section, sink);
  } catch (const Abandon&) {
    // Reported; statements depend on those before, so the rest of the section is not read.
  }
}

/// A call that is no statement of a function: of a when-clause, or for the model as a whole.
bool AlgorithmSections::is_own_call(const Statement& statement) const {
  if (statement.kind != StatementKind::call) return false;
  const std::string& name = context_.ast.text(context_.ast.expr(statement.lhs).text);
  return name == "reinit" || name == "terminate" || name == "assert";
}

void AlgorithmSections::claim_targets(const std::vector<StatementId>& section) {
  for (const StatementId id : section) {
    const Statement& statement = context_.ast.statement(id);
    const bool is_left_out =
        statement.kind == StatementKind::when &&
        context_.pruning.units.contains(equation_key(statement.branches.front().where));
    if (is_left_out) continue;
    if (statement.kind == StatementKind::assignment) claim_target(statement.lhs);
    for (const Branch& branch : statement.branches) claim_targets(branch.body);
  }
}

void AlgorithmSections::claim_target(ExprId target) {
  const Ast& ast = context_.ast;
  if (target == none) return;
  const ExprNode& node = ast.expr(target);
  if (node.kind == ExprKind::tuple) {
    for (const ExprId each : ast.children_of(node)) claim_target(each);
    return;
  }
  if (node.kind != ExprKind::reference) return;
  for (const Value& declared : use_.references.assigned_by(node)) {
    if (leaves(declared).empty()) {
      context_.fail(
          ErrorCode::unsupported, node.where,
          fmt::format("An algorithm of the model assigns '{}', which is not a variable of "
                      "the model that holds numbers.",
                      ast.joined_name(node)));
    }
    claim(declared);
  }
}

void AlgorithmSections::claim(const Value& declared) {
  for (const Value& part : declared.parts) claim(part);
  for (const NodeId leaf : declared.nodes) claimed_.push_back({leaf, declared.type});
}

/// The values with which a section begins.
FunctionFrame AlgorithmSections::begin_section(const std::vector<StatementId>& section) {
  Pool& pool = context_.pool;
  FunctionFrame frame{.sees_model = true};
  claimed_.clear();
  claim_targets(section);
  // In the order of the declarations, each once.
  std::ranges::sort(claimed_, {}, &Claimed::leaf);
  const auto repeated = std::ranges::unique(claimed_, {}, &Claimed::leaf);
  claimed_.erase(repeated.begin(), repeated.end());
  for (const Claimed& claimed : claimed_) {
    const Node leaf = pool[claimed.leaf];
    frame.assigned[claimed.leaf] = leaf.op == Op::discrete ? pool.pre(leaf.symbol) : claimed.leaf;
  }
  return frame;
}

void AlgorithmSections::read_now(const std::vector<StatementId>& section, FlatEquations& sink) {
  const Ast& ast = context_.ast;
  ++n_sections_;
  FunctionFrame frame = begin_section(section);
  const FunctionFrame begin = frame;
  {
    const Scope::InFunction inside(use_.scope, &frame);
    for (const StatementId id : section) {
      const Statement& statement = ast.statement(id);
      if (statement.kind == StatementKind::when) {
        read_when_unit(statement, frame);
      } else if (is_own_call(statement)) {
        use_.assertions.read_call(ast.expr(statement.lhs), no_node);
      } else {
        use_.execution.run(statement);
      }
    }
  }
  const Position where = section.empty() ? Position{} : ast.statement(section.front()).where;
  add_assigned(begin, frame, where, sink);
}

/// The equations of the variables that a section has assigned.
void AlgorithmSections::add_assigned(const FunctionFrame& begin, const FunctionFrame& end,
                                     Position where, FlatEquations& sink) {
  Pool& pool = context_.pool;
  FlatEquations assigned;
  std::vector<NodeId> values;
  std::vector<NodeId> unassigned;
  std::vector<NodeId> starts;
  for (const auto& [variable, type] : claimed_) {
    const NodeId before = begin.assigned.at(variable);
    const NodeId after = end.assigned.at(variable);
    if (before == variable) {
      const NodeId start = use_.components.start_of(variable);
      unassigned.push_back(variable);
      starts.push_back(start == no_node ? pool.constant(0.0) : start);
    }
    if (after == before || after == variable) continue;
    values.push_back(after);
    assigned.push_back(
        {.lhs = variable, .type = type, .where = where, .name = name_of(variable) + " := ..."});
  }
  values = substitute(pool, values, unassigned, starts);
  for (std::size_t k = 0; k < assigned.size(); ++k) assigned[k].rhs = values[k];
  sink.insert(sink.end(), assigned.begin(), assigned.end());
}

/// A clause that calls an undefined function is left out alone: whatever reads what it would assign
/// goes with it. Its place is that of its condition, because the section has that of its beginning.
void AlgorithmSections::read_when_unit(const Statement& statement, FunctionFrame& frame) {
  const Position unit = statement.branches.front().where;
  if (context_.pruning.units.contains(equation_key(unit))) return;
  const Restored current(context_.unit, unit);
  const FunctionFrame before = frame;
  try {
    read_when(statement, frame);
  } catch (const UndefinedFunction& undefined) {
    frame = before;
    context_.undefined.push_back(
        {.unit = unit, .call = undefined.where, .message = undefined.message});
  }
}

void AlgorithmSections::read_when(const Statement& statement, FunctionFrame& frame) {
  Pool& pool = context_.pool;
  WhenClause clause{.where = context_.diagnostics.source(statement.where),
                    .algorithm = n_sections_};
  const FunctionFrame before = frame;
  for (const Branch& branch : statement.branches) {
    WhenBranch compiled;
    compiled.condition = use_.when_clauses.condition(branch.condition);
    compiled.actions = read_branch(branch, frame);
    frame = before;
    clause.branches.push_back(std::move(compiled));
  }
  for (const WhenBranch& branch : clause.branches) {
    for (const WhenAction& action : branch.actions) {
      if (action.kind != WhenAction::Kind::assign) continue;
      // From here on the variable is what the clause made of it.
      const NodeId held = pool.discrete(action.target);
      const NodeId old = pool.pre(action.target);
      for (auto& entry : frame.assigned)
        if (entry.second == old) entry.second = held;
    }
  }
  use_.when_clauses.add(std::move(clause));
}

std::vector<WhenAction> AlgorithmSections::read_branch(const Branch& branch, FunctionFrame& frame) {
  Pool& pool = context_.pool;
  const FunctionFrame before = frame;
  const Restored instant(context_.instant, true);
  std::vector<WhenAction> actions;
  for (const StatementId id : branch.body) {
    const Statement& statement = context_.ast.statement(id);
    if (is_own_call(statement)) {
      use_.when_clauses.read_call(statement, actions);
    } else {
      use_.execution.run(statement);
    }
  }
  for (const Claimed& claimed : claimed_) {
    const NodeId old = before.assigned.at(claimed.leaf);
    const NodeId value = frame.assigned.at(claimed.leaf);
    if (value == old) continue;
    const SymbolId target = pool[claimed.leaf].symbol;
    // Another when-clause of the section may have assigned it before: the last one counts.
    if (old != pool.pre(target) && old != pool.discrete(target)) {
      context_.fail(ErrorCode::unsupported, branch.where,
                    fmt::format("'{}' is assigned inside and outside of a when-clause.",
                                name_of(claimed.leaf)));
    }
    actions.push_back({.kind = WhenAction::Kind::assign,
                       .target = target,
                       .value = value,
                       .where = context_.diagnostics.source(branch.where)});
  }
  use_.when_clauses.keep_impure_state(actions);
  return actions;
}

std::string AlgorithmSections::name_of(NodeId leaf) const {
  const Node node = context_.pool[leaf];
  if (node.op == Op::discrete) return use_.discretes.name_of(node.symbol);
  return node.op == Op::variable ? use_.components.variable_name(node.symbol) : "parameter";
}

}  // namespace daedal::modelica
