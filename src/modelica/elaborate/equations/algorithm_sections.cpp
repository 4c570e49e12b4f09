// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/equations/algorithm_sections.hpp"

#include <fmt/format.h>

#include <utility>

#include "expr/calculus.hpp"
#include "modelica/elaborate/components.hpp"
#include "modelica/elaborate/equations/assertions.hpp"
#include "modelica/elaborate/equations/when_clauses.hpp"
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

void AlgorithmSections::claim_targets(const std::vector<StatementId>& section,
                                      FunctionFrame& frame) {
  for (const StatementId id : section) {
    const Statement& statement = context_.ast.statement(id);
    if (statement.kind == StatementKind::assignment) claim_target(statement.lhs, frame);
    for (const Branch& branch : statement.branches) claim_targets(branch.body, frame);
  }
}

void AlgorithmSections::claim_target(ExprId target, FunctionFrame& frame) {
  const Ast& ast = context_.ast;
  if (target == none) return;
  const ExprNode& node = ast.expr(target);
  if (node.kind == ExprKind::tuple) {
    for (const ExprId each : ast.children_of(node)) claim_target(each, frame);
    return;
  }
  if (node.kind != ExprKind::reference) return;
  const TextId name = ast.part(node, 0).text;
  const Value* declared = use_.components.find(ast.text(name));
  if (declared == nullptr || leaves(*declared).empty()) {
    context_.fail(declared == nullptr ? ErrorCode::unknown_name : ErrorCode::unsupported,
                  node.where,
                  fmt::format("An algorithm of the model assigns '{}', which is no variable of "
                              "the model that holds numbers.",
                              ast.text(name)));
  }
  Value begin = *declared;
  Pool& pool = context_.pool;
  for (NodeId* leaf : leaves(begin)) {
    if (pool[*leaf].op == Op::discrete) *leaf = pool.pre(pool[*leaf].symbol);
  }
  frame.variables.emplace(name, std::move(begin));
}

void AlgorithmSections::read_now(const std::vector<StatementId>& section, FlatEquations& sink) {
  const Ast& ast = context_.ast;
  FunctionFrame frame{.sees_model = true};
  ++n_sections_;
  claim_targets(section, frame);
  const FunctionFrame begin = frame;
  {
    const Scope::InFunction inside(use_.scope, &frame);
    for (const StatementId id : section) {
      const Statement& statement = ast.statement(id);
      if (statement.kind == StatementKind::when) {
        read_when(statement, frame);
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

/// Hands every scalar that `end` holds to `use`, with its values in both frames, in the order of
/// the declarations and not of the hash table.
template <class Use>
void AlgorithmSections::for_each_leaf(const FunctionFrame& begin, const FunctionFrame& end,
                                      Use use) {
  for (const std::string& name : use_.components.names()) {
    const auto after = end.variables.find(context_.ast.find_text(name));
    if (after == end.variables.end()) continue;
    const Value& declared = *use_.components.find(name);
    const std::vector<NodeId> variables = leaves(declared);
    const std::vector<NodeId> before = leaves(begin.variables.at(after->first));
    const std::vector<NodeId> values = leaves(after->second);
    for (std::size_t i = 0; i < variables.size(); ++i)
      use(Leaf{name, declared, i, variables[i], before[i], values[i]});
  }
}

/// The equations of the variables that a section has assigned.
void AlgorithmSections::add_assigned(const FunctionFrame& begin, const FunctionFrame& end,
                                     Position where, FlatEquations& sink) {
  Pool& pool = context_.pool;
  FlatEquations assigned;
  std::vector<NodeId> values;
  std::vector<NodeId> unassigned;
  std::vector<NodeId> starts;
  for_each_leaf(begin, end, [&](const Leaf& leaf) {
    if (leaf.before == leaf.variable) {
      const NodeId start = use_.components.start_of(leaf.variable);
      unassigned.push_back(leaf.variable);
      starts.push_back(start == no_node ? pool.constant(0.0) : start);
    }
    if (leaf.after == leaf.before || leaf.after == leaf.variable) return;
    // A record's field goes by the record's name.
    const bool is_record = leaf.declared.type == Type::record;
    values.push_back(leaf.after);
    assigned.push_back({.lhs = leaf.variable,
                        .type = is_record ? Type::real : leaf.declared.type,
                        .where = where,
                        .name = leaf.name +
                                (is_record ? "" : subscript_text(leaf.declared.shape, leaf.index)) +
                                " := ..."});
  });
  values = substitute(pool, values, unassigned, starts);
  for (std::size_t k = 0; k < assigned.size(); ++k) assigned[k].rhs = values[k];
  sink.insert(sink.end(), assigned.begin(), assigned.end());
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
      for (auto& entry : frame.variables) {
        for (NodeId* id : leaves(entry.second)) *id = *id == old ? held : *id;
      }
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
  for_each_leaf(before, frame, [&](const Leaf& leaf) {
    if (leaf.after == leaf.before) return;
    const SymbolId target = pool[leaf.variable].symbol;
    // Another when-clause of the section may have assigned it before: the last one counts.
    if (leaf.before != pool.pre(target) && leaf.before != pool.discrete(target)) {
      context_.fail(
          ErrorCode::unsupported, branch.where,
          fmt::format("'{}' is assigned inside and outside of a when-clause.", leaf.name));
    }
    actions.push_back({.kind = WhenAction::Kind::assign,
                       .target = target,
                       .value = leaf.after,
                       .where = context_.diagnostics.source(branch.where)});
  });
  return actions;
}

}  // namespace daedal::modelica
