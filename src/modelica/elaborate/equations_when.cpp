// SPDX-License-Identifier: BSD-3-Clause
/// When-clauses.

#include <fmt/format.h>

#include <algorithm>

#include "modelica/elaborate/elaborator.hpp"

namespace daedal::modelica {

void Equations::read_when(const Statement& statement) {
  WhenClause clause{.where = hub_.context.diagnostics.source(statement.where)};
  for (const Branch& branch : statement.branches) {
    WhenBranch compiled;
    compiled.condition = when_condition(branch.condition);
    other_uses_.push_back(compiled.condition);
    const Restored instant(hub_.context.instant, true);
    for (const StatementId id : branch.body) {
      read_action(hub_.context.ast.statement(id), compiled.actions);
    }
    clause.branches.push_back(std::move(compiled));
  }
  for (const WhenBranch& branch : clause.branches) {
    for (const WhenAction& action : branch.actions) {
      if (action.kind == WhenAction::Kind::assign) assigned_discretes_.insert(action.target);
      if (action.value != no_node) other_uses_.push_back(action.value);
    }
  }
  clauses_.push_back(std::move(clause));
}

/// `when {a, b}` acts when a becomes true and when b does, also while the other stays true: each
/// gets a hidden variable of its own, and the clause waits for an edge of any of them.
NodeId Equations::when_condition(ExprId id) {
  const Value value = hub_.expressions.evaluate(id);
  const Position where = hub_.context.ast.expr(id).where;
  if (value.type != Type::boolean || value.shape.size() > 1 || value.nodes.empty()) {
    hub_.context.fail(
        ErrorCode::type_mismatch, where,
        fmt::format("The condition of 'when' must be a Boolean, not {}.", describe(value)));
  }
  if (value.nodes.size() == 1) return value.nodes.front();
  Pool& pool = hub_.context.pool;
  NodeId any = pool.constant(0.0);
  for (const NodeId condition : value.nodes) {
    NodeId edge = condition;
    // initial() and sample() are true at single instants: they are edges already.
    const Op op = pool[condition].op;
    if (op != Op::initial && op != Op::sample && op != Op::terminal) {
      const NodeId held = hub_.components.add_hidden_discrete("when", Type::boolean, 0.0, where);
      add_discrete(held, condition, where);
      const NodeId before = hub_.context.builder.pre({pool, held}).in(pool);
      edge = pool.binary(Op::logical_and, held, pool.unary(Op::logical_not, before));
    }
    any = pool.binary(Op::logical_or, any, edge);
  }
  return any;
}

void Equations::read_action(const Statement& statement, std::vector<WhenAction>& actions) {
  const Deeper deeper(hub_.context, statement.where);
  hub_.context.spend(1, statement.where);
  switch (statement.kind) {
    case StatementKind::equality: {
      std::vector<FlatEquation> equations;
      const Restored sink(sink_, &equations);
      read_equality(statement);
      return add_actions(equations, actions);
    }
    case StatementKind::call:
      return read_action_call(statement, actions);
    case StatementKind::if_:
      return read_action_if(statement, actions);
    case StatementKind::for_:
      return read_action_for(statement, 0, actions);
    default:
      hub_.context.fail(ErrorCode::unsupported, statement.where,
                        "A when-clause takes equations, 'if', 'for', reinit, assert and terminate "
                        "only.");
  }
}

void Equations::add_actions(const std::vector<FlatEquation>& equations,
                            std::vector<WhenAction>& actions) {
  for (const FlatEquation& equation : equations) {
    const Node target = hub_.context.pool[equation.lhs];
    if (target.op != Op::discrete) {
      hub_.context.fail(ErrorCode::type_mismatch, equation.where,
                        "An equation in a when-clause must have a variable alone on its left side, "
                        "which it gives a new value.");
    }
    actions.push_back({.kind = WhenAction::Kind::assign,
                       .target = target.symbol,
                       .value = equation.rhs,
                       .where = hub_.context.diagnostics.source(equation.where)});
  }
}

void Equations::read_action_call(const Statement& statement, std::vector<WhenAction>& actions) {
  const Ast& ast = hub_.context.ast;
  Pool& pool = hub_.context.pool;
  const ExprNode& call = ast.expr(statement.lhs);
  const std::string& name = ast.text(call.text);
  WhenAction action{.where = hub_.context.diagnostics.source(statement.where)};
  if (name == "reinit" && call.n_children == 2) {
    const Value target = hub_.expressions.evaluate(ast.child(call, 0));
    const Value value = hub_.expressions.conform(hub_.expressions.evaluate(ast.child(call, 1)),
                                                 target, call.where, "variable of 'reinit'");
    for (std::size_t i = 0; i < target.nodes.size(); ++i) {
      const Node leaf = pool[target.nodes[i]];
      if (leaf.op != Op::variable || leaf.order != 0) {
        hub_.context.fail(ErrorCode::type_mismatch, call.where,
                          "'reinit' takes a continuous variable as its first argument.");
      }
      action.kind = WhenAction::Kind::reinit;
      action.target = leaf.symbol;
      action.value = value.nodes[i];
      actions.push_back(action);
    }
    return;
  }
  if (name == "terminate" && call.n_children == 1) {
    action.kind = WhenAction::Kind::terminate;
    action.message = message(ast.child(call, 0));
  } else if (name == "assert") {
    const AssertArguments arguments = assert_arguments(call);
    action.kind = WhenAction::Kind::assertion;
    action.value = hub_.expressions.condition(arguments[0]);
    action.message = message(arguments[1]);
  } else if (hub_.functions.leave_out_effect(call)) {
    return;
  } else {
    hub_.context.fail(
        ErrorCode::unsupported, call.where,
        fmt::format("'{}' with {} arguments in a when-clause.", name, call.n_children));
  }
  actions.push_back(std::move(action));
}

/// An if inside a when: assignments and re-initialisations of all branches, chosen by condition. A
/// variable that a branch leaves alone keeps its value.
void Equations::read_action_if(const Statement& statement, std::vector<WhenAction>& actions) {
  Pool& pool = hub_.context.pool;
  std::vector<WhenAction> merged;
  for (std::size_t b = statement.branches.size(); b-- > 0;) {
    const Branch& branch = statement.branches[b];
    std::vector<WhenAction> own;
    for (const StatementId id : branch.body) read_action(hub_.context.ast.statement(id), own);
    if (branch.condition == none) {
      merged = std::move(own);
      continue;
    }
    const NodeId condition = hub_.expressions.condition(branch.condition);
    const auto keep = [&](const WhenAction& action) {
      if (action.kind == WhenAction::Kind::assign) return pool.pre(action.target);
      return pool.variable(action.target);
    };
    const auto both = [&](NodeId one, NodeId other) {
      return other == no_node ? one : pool.binary(Op::logical_and, one, other);
    };
    const auto partner = [](std::vector<WhenAction>& list, const WhenAction& action) {
      return std::find_if(list.begin(), list.end(), [&](const WhenAction& other) {
        return other.kind == action.kind && other.target == action.target;
      });
    };
    for (WhenAction& action : merged) {
      if (action.kind == WhenAction::Kind::assertion) {
        action.value = pool.binary(Op::logical_or, condition, action.value);
      } else if (action.kind == WhenAction::Kind::terminate) {
        action.value = both(pool.unary(Op::logical_not, condition), action.value);
      } else if (partner(own, action) == own.end()) {
        action.value = pool.if_else(condition, keep(action), action.value);
      }
    }
    for (WhenAction& action : own) {
      if (action.kind == WhenAction::Kind::terminate) {
        action.value = both(condition, action.value);
        merged.push_back(action);
        continue;
      }
      if (action.kind == WhenAction::Kind::assertion) {
        action.value =
            pool.binary(Op::logical_or, pool.unary(Op::logical_not, condition), action.value);
        merged.push_back(action);
        continue;
      }
      const auto other = partner(merged, action);
      const NodeId otherwise = other == merged.end() ? keep(action) : other->value;
      action.value = pool.if_else(condition, action.value, otherwise);
      if (other == merged.end()) {
        merged.push_back(action);
      } else {
        other->value = action.value;
      }
    }
  }
  actions.insert(actions.end(), merged.begin(), merged.end());
}

void Equations::read_action_for(const Statement& statement, std::size_t iterator,
                                std::vector<WhenAction>& actions) {
  if (iterator == statement.iterators.size()) {
    for (const StatementId id : statement.branches.front().body) {
      read_action(hub_.context.ast.statement(id), actions);
    }
    return;
  }
  const Iterator& index = statement.iterators[iterator];
  for (Value& value : hub_.expressions.values_of_range(index.range)) {
    const Expressions::LoopIndex bound(hub_.expressions, index.name, std::move(value));
    hub_.context.spend(1, statement.where);
    read_action_for(statement, iterator + 1, actions);
  }
}

}  // namespace daedal::modelica
