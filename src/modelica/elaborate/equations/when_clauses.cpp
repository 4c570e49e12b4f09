// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/equations/when_clauses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "modelica/elaborate/equations/assertions.hpp"
#include "modelica/elaborate/equations/discretes.hpp"
#include "modelica/elaborate/equations/equalities.hpp"
#include "modelica/elaborate/expressions/expressions.hpp"
#include "modelica/elaborate/expressions/functions.hpp"

namespace daedal::modelica {

namespace {

using Names = AssignedNames;

void collect_target(const Ast& ast, ExprId target, Names& names) {
  if (target == none) return;
  const ExprNode& node = ast.expr(target);
  if (node.kind == ExprKind::tuple) {
    for (const ExprId each : ast.children_of(node)) collect_target(ast, each, names);
  } else if (node.kind == ExprKind::reference) {
    names.insert(ast.joined_name(node));
  }
}

void collect_assigned(const Ast& ast, const std::vector<StatementId>& statements, bool in_when,
                      Names& names) {
  for (const StatementId id : statements) {
    const Statement& statement = ast.statement(id);
    const bool inside = in_when || statement.kind == StatementKind::when;
    const bool assigns =
        statement.kind == StatementKind::equality || statement.kind == StatementKind::assignment;
    if (inside && assigns) collect_target(ast, statement.lhs, names);
    for (const Branch& branch : statement.branches)
      collect_assigned(ast, branch.body, inside, names);
  }
}

}  // namespace

AssignedNames names_assigned_in_when(const Ast& ast, const ClassDefinition& model) {
  Names names;
  collect_assigned(ast, model.equations, false, names);
  for (const std::vector<StatementId>& section : model.algorithms)
    collect_assigned(ast, section, false, names);
  return names;
}

void WhenClauses::read(const Statement& statement) {
  WhenClause clause{.where = context_.diagnostics.source(statement.where)};
  for (const Branch& branch : statement.branches) {
    WhenBranch compiled;
    compiled.condition = condition(branch.condition);
    const Restored instant(context_.instant, true);
    read_actions(branch.body, compiled.actions);
    keep_impure_state(compiled.actions);
    clause.branches.push_back(std::move(compiled));
  }
  add(std::move(clause));
}

void WhenClauses::keep_impure_state(std::vector<WhenAction>& actions) {
  ImpureRandom& impure = context_.impure;
  if (impure.now.empty()) return;
  if (std::exchange(impure.is_kept, true)) {
    context_.fail(ErrorCode::unsupported, impure.where,
                  "Numbers of the impure generator are drawn in more than one branch of "
                  "when-clauses: in which order, the model does not say.");
  }
  for (std::size_t i = 0; i < impure.held.size(); ++i) {
    actions.push_back({.kind = WhenAction::Kind::assign,
                       .target = context_.pool[impure.held[i]].symbol,
                       .value = impure.now[i],
                       .where = context_.diagnostics.source(impure.where)});
  }
  impure.now.clear();
}

void WhenClauses::add(WhenClause clause) {
  for (const WhenBranch& branch : clause.branches) {
    context_.uses.push_back({.node = branch.condition, .unit = context_.unit});
    for (const WhenAction& action : branch.actions) {
      Use use{.node = action.value, .unit = context_.unit};
      if (action.kind == WhenAction::Kind::assign) {
        use_.discretes.mark_assigned(action.target);
        use.assigned = context_.pool.discrete(action.target);
      } else if (action.kind == WhenAction::Kind::reinit) {
        use.assigned = context_.pool.variable(action.target);
      }
      context_.uses.push_back(use);
    }
  }
  clauses_.push_back(std::move(clause));
}

/// `when {a, b}` acts when a becomes true and when b does, also while the other stays true: each
/// gets a hidden variable of its own, and the clause waits for an edge of any of them.
NodeId WhenClauses::condition(ExprId id) {
  const Value value = use_.expressions.evaluate(id);
  const Position where = context_.ast.expr(id).where;
  if (value.type != Type::boolean || value.shape.size() > 1 || value.nodes.empty()) {
    context_.fail(
        ErrorCode::type_mismatch, where,
        fmt::format("The condition of 'when' must be a Boolean, not {}.", describe(value)));
  }
  if (value.nodes.size() == 1) return value.nodes.front();
  Pool& pool = context_.pool;
  NodeId any = pool.constant(0.0);
  for (const NodeId each : value.nodes) {
    NodeId edge = each;
    // initial() and sample() are true at single instants: they are edges already.
    const Op op = pool[each].op;
    if (op != Op::initial && op != Op::sample && op != Op::terminal) {
      const NodeId held = use_.discretes.add_hidden("when", ValueType::boolean, 0.0, where);
      use_.discretes.define(held, each, where);
      const NodeId before = context_.builder.pre({pool, held}).in(pool);
      edge = pool.binary(Op::logical_and, held, pool.unary(Op::logical_not, before));
    }
    any = pool.binary(Op::logical_or, any, edge);
  }
  return any;
}

void WhenClauses::read_actions(const std::vector<StatementId>& statements,
                               std::vector<WhenAction>& actions) {
  for (const StatementId id : statements) read_action(context_.ast.statement(id), actions);
}

void WhenClauses::read_action(const Statement& statement, std::vector<WhenAction>& actions) {
  const Deeper deeper(context_, statement.where);
  context_.spend(1, statement.where);
  switch (statement.kind) {
    case StatementKind::equality:
      return read_equality(statement, actions);
    case StatementKind::call:
      return read_call(statement, actions);
    case StatementKind::if_:
      return read_if(statement, actions);
    case StatementKind::for_:
      use_.expressions.unroll(statement, [&] {
        read_actions(statement.branches.front().body, actions);
        return true;
      });
      return;
    default:
      context_.fail(ErrorCode::unsupported, statement.where,
                    "A when-clause takes equations, 'if', 'for', reinit, assert and terminate "
                    "only.");
  }
}

void WhenClauses::read_equality(const Statement& statement, std::vector<WhenAction>& actions) {
  FlatEquations equations;
  use_.equalities.read(statement, {}, equations);
  for (const FlatEquation& equation : equations) {
    const Node target = context_.pool[equation.lhs];
    if (target.op != Op::discrete) {
      context_.fail(ErrorCode::type_mismatch, equation.where,
                    "An equation in a when-clause must have a variable alone on its left side, "
                    "which it gives a new value.");
    }
    actions.push_back({.kind = WhenAction::Kind::assign,
                       .target = target.symbol,
                       .value = equation.rhs,
                       .where = context_.diagnostics.source(equation.where)});
  }
}

void WhenClauses::read_call(const Statement& statement, std::vector<WhenAction>& actions) {
  const Ast& ast = context_.ast;
  const ExprNode& call = ast.expr(statement.lhs);
  const std::string& name = ast.text(call.text);
  WhenAction action{.where = context_.diagnostics.source(statement.where)};
  if (name == "reinit" && call.n_children == 2)
    return read_reinit(call, std::move(action), actions);
  if (name == "terminate" && call.n_children == 1) {
    action.kind = WhenAction::Kind::terminate;
    action.message = use_.assertions.message(ast.child(call, 0));
  } else if (name == "assert") {
    const Assertions::Arguments arguments = use_.assertions.arguments(call);
    action.kind = WhenAction::Kind::assertion;
    action.value = use_.expressions.condition(arguments.condition);
    action.message = use_.assertions.message(arguments.message);
  } else if (use_.functions.leave_out_effect(call)) {
    return;
  } else {
    context_.fail(ErrorCode::unsupported, call.where,
                  fmt::format("'{}' with {} arguments in a when-clause.", name, call.n_children));
  }
  actions.push_back(std::move(action));
}

void WhenClauses::read_reinit(const ExprNode& call, WhenAction action,
                              std::vector<WhenAction>& actions) {
  const Ast& ast = context_.ast;
  const Value target = use_.expressions.evaluate(ast.child(call, 0));
  const Value value = use_.expressions.conform(use_.expressions.evaluate(ast.child(call, 1)),
                                               target, call.where, "variable of 'reinit'");
  action.kind = WhenAction::Kind::reinit;
  for (std::size_t i = 0; i < target.nodes.size(); ++i) {
    const Node leaf = context_.pool[target.nodes[i]];
    if (leaf.op != Op::variable || leaf.order != 0) {
      context_.fail(ErrorCode::type_mismatch, call.where,
                    "'reinit' takes a continuous variable as its first argument.");
    }
    action.target = leaf.symbol;
    action.value = value.nodes[i];
    actions.push_back(action);
  }
}

/// An if inside a when: assignments and re-initialisations of all branches, chosen by condition. A
/// variable that a branch leaves alone keeps its value.
void WhenClauses::read_if(const Statement& statement, std::vector<WhenAction>& actions) {
  Pool& pool = context_.pool;
  std::vector<WhenAction> merged;
  for (std::size_t b = statement.branches.size(); b-- > 0;) {
    const Branch& branch = statement.branches[b];
    std::vector<WhenAction> own;
    const std::vector<NodeId> drawn = context_.impure.now;
    read_actions(branch.body, own);
    if (context_.impure.now != drawn) {
      context_.fail(ErrorCode::unsupported, context_.impure.where,
                    "A number of the impure generator that is drawn under a condition.");
    }
    if (branch.condition == none) {
      merged = std::move(own);
      continue;
    }
    const NodeId truth = use_.expressions.condition(branch.condition);
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
        action.value = pool.binary(Op::logical_or, truth, action.value);
      } else if (action.kind == WhenAction::Kind::terminate) {
        action.value = both(pool.unary(Op::logical_not, truth), action.value);
      } else if (partner(own, action) == own.end()) {
        action.value = pool.if_else(truth, keep(action), action.value);
      }
    }
    for (WhenAction& action : own) {
      if (action.kind == WhenAction::Kind::terminate) {
        action.value = both(truth, action.value);
        merged.push_back(action);
        continue;
      }
      if (action.kind == WhenAction::Kind::assertion) {
        action.value =
            pool.binary(Op::logical_or, pool.unary(Op::logical_not, truth), action.value);
        merged.push_back(action);
        continue;
      }
      const auto other = partner(merged, action);
      const NodeId otherwise = other == merged.end() ? keep(action) : other->value;
      action.value = pool.if_else(truth, action.value, otherwise);
      if (other == merged.end()) {
        merged.push_back(action);
      } else {
        other->value = action.value;
      }
    }
  }
  actions.insert(actions.end(), merged.begin(), merged.end());
}

}  // namespace daedal::modelica
