// SPDX-License-Identifier: BSD-3-Clause
/// Algorithm sections of the model: executed symbolically like a function whose results are the
/// variables it assigns. A discrete variable begins with its value before the event, a continuous
/// one with its start value (Modelica 3.6, section 11.1.2): while the section runs, the variable
/// itself stands for it.

#include <fmt/format.h>

#include <utility>

#include "expr/calculus.hpp"
#include "modelica/elaborate/elaborator.hpp"

namespace daedal::modelica {

namespace {

bool is_section_call(const Ast& ast, const Statement& statement) {
  if (statement.kind != StatementKind::call) return false;
  const std::string& name = ast.text(ast.expr(statement.lhs).text);
  return name == "reinit" || name == "terminate" || name == "assert";
}

}  // namespace

void Equations::read_algorithm(const std::vector<StatementId>& section) {
  try {
    read_algorithm_now(section);
  } catch (const Abandon&) {
    // Reported; statements depend on those before, so the rest of the section is not read.
  }
}

void Equations::claim_targets(const std::vector<StatementId>& section, FunctionFrame& frame) {
  for (const StatementId id : section) {
    const Statement& statement = hub_.context.ast.statement(id);
    if (statement.kind == StatementKind::assignment) claim_target(statement.lhs, frame);
    for (const Branch& branch : statement.branches) claim_targets(branch.body, frame);
  }
}

void Equations::claim_target(ExprId target, FunctionFrame& frame) {
  const Ast& ast = hub_.context.ast;
  if (target == none) return;
  const ExprNode& node = ast.expr(target);
  if (node.kind == ExprKind::tuple) {
    for (std::int32_t i = 0; i < node.n_children; ++i) claim_target(ast.child(node, i), frame);
    return;
  }
  if (node.kind != ExprKind::reference) return;
  const TextId name = ast.part(node, 0).text;
  const Value* declared = hub_.components.find(ast.text(name));
  if (declared == nullptr || leaves(*declared).empty()) {
    hub_.context.fail(declared == nullptr ? ErrorCode::unknown_name : ErrorCode::unsupported,
                      node.where,
                      fmt::format("An algorithm of the model assigns '{}', which is no variable of "
                                  "the model that holds numbers.",
                                  ast.text(name)));
  }
  Value begin = *declared;
  Pool& pool = hub_.context.pool;
  for (NodeId* leaf : leaves(begin)) {
    if (pool[*leaf].op == Op::discrete) *leaf = pool.pre(pool[*leaf].symbol);
  }
  frame.variables.emplace(name, std::move(begin));
}

void Equations::read_algorithm_now(const std::vector<StatementId>& section) {
  const Ast& ast = hub_.context.ast;
  FunctionFrame frame{.sees_model = true};
  ++n_algorithms_;
  claim_targets(section, frame);
  const FunctionFrame begin = frame;
  {
    const Expressions::InFunction scope(hub_.expressions, &frame);
    for (const StatementId id : section) {
      const Statement& statement = ast.statement(id);
      if (statement.kind == StatementKind::when) {
        read_algorithm_when(statement, frame);
      } else if (is_section_call(ast, statement)) {
        read_call(statement);
      } else {
        hub_.functions.run(statement);
      }
    }
  }
  const Position where = section.empty() ? Position{} : ast.statement(section.front()).where;
  add_assigned(begin, frame, where);
}

/// The equations of the variables that a section has assigned.
void Equations::add_assigned(const FunctionFrame& begin, const FunctionFrame& end, Position where) {
  Pool& pool = hub_.context.pool;
  struct Assigned {
    NodeId variable;
    NodeId value;
    std::string name;
    Type type;
  };
  std::vector<Assigned> assigned;
  std::vector<NodeId> unassigned;
  std::vector<NodeId> starts;
  // In the order of the declarations, not of the hash table.
  for (const std::string& name : hub_.components.names()) {
    const auto after = end.variables.find(hub_.context.ast.find_text(name));
    if (after == end.variables.end()) continue;
    const Value& declared = *hub_.components.find(name);
    const std::vector<NodeId> variables = leaves(declared);
    const std::vector<NodeId> before = leaves(begin.variables.at(after->first));
    const std::vector<NodeId> values = leaves(std::as_const(after->second));
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (before[i] == variables[i]) {
        const NodeId start = hub_.components.start_of(variables[i]);
        unassigned.push_back(variables[i]);
        starts.push_back(start == no_node ? pool.constant(0.0) : start);
      }
      if (values[i] == before[i] || values[i] == variables[i]) continue;
      const Type type = declared.type == Type::record ? Type::real : declared.type;
      assigned.push_back({variables[i], values[i], name_of_leaf(declared, name, i), type});
    }
  }
  std::vector<NodeId> values;
  for (const Assigned& each : assigned) values.push_back(each.value);
  values = substitute(pool, values, unassigned, starts);
  for (std::size_t k = 0; k < assigned.size(); ++k) {
    sink_->push_back({assigned[k].variable, values[k], assigned[k].type, where,
                      std::move(assigned[k].name) + " := ..."});
  }
}

/// "x[2]" for an element of an array; a record's field goes by the record's name.
std::string Equations::name_of_leaf(const Value& declared, const std::string& name, std::size_t i) {
  if (declared.type == Type::record) return name;
  return name + subscript_text(declared.shape, static_cast<std::int64_t>(i));
}

void Equations::read_algorithm_when(const Statement& statement, FunctionFrame& frame) {
  WhenClause clause{.where = hub_.context.diagnostics.source(statement.where),
                    .algorithm = n_algorithms_};
  const FunctionFrame before = frame;
  for (const Branch& branch : statement.branches) {
    WhenBranch compiled;
    compiled.condition = when_condition(branch.condition);
    other_uses_.push_back(compiled.condition);
    compiled.actions = read_algorithm_branch(branch, frame);
    frame = before;
    clause.branches.push_back(std::move(compiled));
  }
  for (const WhenBranch& branch : clause.branches) {
    for (const WhenAction& action : branch.actions) {
      if (action.value != no_node) other_uses_.push_back(action.value);
      if (action.kind != WhenAction::Kind::assign) continue;
      assigned_discretes_.insert(action.target);
      // From here on the variable is what the clause made of it.
      const NodeId held = hub_.context.pool.discrete(action.target);
      const NodeId old = hub_.context.pool.pre(action.target);
      for (auto& entry : frame.variables) {
        for (NodeId* id : leaves(entry.second)) *id = *id == old ? held : *id;
      }
    }
  }
  clauses_.push_back(std::move(clause));
}

std::vector<WhenAction> Equations::read_algorithm_branch(const Branch& branch,
                                                         FunctionFrame& frame) {
  const Ast& ast = hub_.context.ast;
  Pool& pool = hub_.context.pool;
  const FunctionFrame before = frame;
  const Restored instant(hub_.context.instant, true);
  std::vector<WhenAction> actions;
  for (const StatementId id : branch.body) {
    const Statement& statement = ast.statement(id);
    if (is_section_call(ast, statement)) {
      read_action_call(statement, actions);
    } else {
      hub_.functions.run(statement);
    }
  }
  for (const std::string& name : hub_.components.names()) {
    const auto after = frame.variables.find(ast.find_text(name));
    if (after == frame.variables.end()) continue;
    const Value& declared = *hub_.components.find(name);
    const std::vector<NodeId> variables = leaves(declared);
    const std::vector<NodeId> earlier = leaves(std::as_const(before.variables.at(after->first)));
    const std::vector<NodeId> values = leaves(std::as_const(after->second));
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (values[i] == earlier[i]) continue;
      const SymbolId target = pool[variables[i]].symbol;
      // Another when-clause of the section may have assigned it before: the last one counts.
      if (earlier[i] != pool.pre(target) && earlier[i] != pool.discrete(target)) {
        hub_.context.fail(
            ErrorCode::unsupported, branch.where,
            fmt::format("'{}' is assigned inside and outside of a when-clause.", name));
      }
      actions.push_back({.kind = WhenAction::Kind::assign,
                         .target = target,
                         .value = values[i],
                         .where = hub_.context.diagnostics.source(branch.where)});
    }
  }
  return actions;
}

}  // namespace daedal::modelica
