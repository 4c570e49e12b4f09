// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/expressions/symbolic_execution.hpp"

#include <fmt/format.h>

#include "modelica/elaborate/equations/assertions.hpp"
#include "modelica/elaborate/expressions/expressions.hpp"
#include "modelica/elaborate/expressions/functions.hpp"
#include "modelica/elaborate/expressions/operators.hpp"
#include "modelica/elaborate/expressions/references.hpp"
#include "modelica/elaborate/expressions/scope.hpp"
#include "modelica/elaborate/expressions/structural_parameters.hpp"

namespace daedal::modelica {

namespace {

/// The most rounds of a loop that ends by its condition. Loops in library functions end after some
/// dozens.
constexpr int most_rounds = 100'000;

}  // namespace

/// Under which condition the rest of a list of statements is not reached.
NodeId SymbolicExecution::left_when(const FunctionFrame& frame) const {
  if (frame.returned == no_node) return frame.broken;
  if (frame.broken == no_node) return frame.returned;
  return context_.pool.binary(Op::logical_or, frame.returned, frame.broken);
}

void SymbolicExecution::run(const ClassDefinition& function) {
  const Restored loops(loops_, 0);
  for (const std::vector<StatementId>& section : function.algorithms) run(section);
}

void SymbolicExecution::run(const std::vector<StatementId>& statements) {
  Pool& pool = context_.pool;
  FunctionFrame& frame = *use_.scope.frame();
  for (const StatementId id : statements) {
    const Statement& statement = context_.ast.statement(id);
    const NodeId left = left_when(frame);
    if (left == no_node) {
      run(statement);
      continue;
    }
    if (pool[left].op == Op::constant && pool[left].value != 0.0) return;
    // Where a `return` or `break` was met everything keeps its value.
    const FunctionFrame before = frame;
    const Restored path(path_);
    const NodeId goes_on = pool.unary(Op::logical_not, left);
    path_ = path_ == no_node ? goes_on : pool.binary(Op::logical_and, path_, goes_on);
    run(statement);
    frame = merged(left, before, std::move(frame), statement.where);
  }
}

/// The variables of `one` where the condition holds, else those of `other`.
FunctionFrame SymbolicExecution::merged(NodeId condition, const FunctionFrame& one,
                                        FunctionFrame other, Position where, bool may_miss) {
  Pool& pool = context_.pool;
  for (auto& [name, value] : other.variables)
    value = use_.operators.select(condition, one.variables.at(name), value, where, may_miss);
  for (auto& [leaf, value] : other.assigned) {
    const NodeId chosen = one.assigned.at(leaf);
    if (chosen != value) value = pool.if_else(condition, chosen, value);
  }
  const auto choose = [&](NodeId yes, NodeId no) {
    if (yes == no) return yes;
    const NodeId never = pool.constant(0.0);
    return pool.if_else(condition, yes == no_node ? never : yes, no == no_node ? never : no);
  };
  other.returned = choose(one.returned, other.returned);
  other.broken = choose(one.broken, other.broken);
  return other;
}

void SymbolicExecution::run(const Statement& statement) {
  const Deeper deeper(context_, statement.where);
  context_.spend(1, statement.where);
  switch (statement.kind) {
    case StatementKind::assignment:
      return run_assignment(statement);
    case StatementKind::call:
      return run_call(statement);
    case StatementKind::if_:
      return run_if(statement);
    case StatementKind::for_:
      return run_for(statement);
    case StatementKind::while_:
      return run_while(statement);
    case StatementKind::return_:
    case StatementKind::break_:
      return run_jump(statement);
    case StatementKind::when:
      context_.fail(ErrorCode::syntax, statement.where,
                    "'when' cannot stand in a function, nor inside 'if', 'for' or 'while' of "
                    "an algorithm: put the condition into the 'when'.");
    default:
      context_.fail(ErrorCode::syntax, statement.where,
                    "An algorithm assigns with ':='; '=' belongs to equations.");
  }
}

void SymbolicExecution::run_assignment(const Statement& statement) {
  const Ast& ast = context_.ast;
  const ExprNode& target = ast.expr(statement.lhs);
  if (target.kind != ExprKind::tuple) {
    use_.references.assign(statement.lhs, use_.expressions.evaluate(statement.rhs));
    return;
  }
  use_.functions.for_each_result(
      target, ast.expr(statement.rhs),
      "Several variables at once can be assigned from a function call only.",
      [&](ExprId variable, const Value& result) { use_.references.assign(variable, result); });
}

void SymbolicExecution::run_call(const Statement& statement) {
  const ExprNode& node = context_.ast.expr(statement.lhs);
  const std::string& name = context_.ast.text(node.text);
  if (name == "assert") return use_.assertions.add(node, path_);
  if (name == "Modelica.Utilities.Streams.error" && node.n_children == 1) {
    return use_.assertions.require({.condition = context_.pool.constant(0.0),
                                    .message = use_.assertions.message(context_.ast.child(node, 0)),
                                    .where = context_.diagnostics.source(statement.where)},
                                   path_);
  }
  if (!use_.functions.leave_out_effect(node)) use_.functions.call_all(node);
}

void SymbolicExecution::run_if(const Statement& statement) {
  Pool& pool = context_.pool;
  FunctionFrame& frame = *use_.scope.frame();
  const FunctionFrame before = frame;
  const Restored path(path_);
  struct Case {
    NodeId condition;
    FunctionFrame after;
  };
  std::vector<Case> cases;
  NodeId remaining = path_ == no_node ? pool.constant(1.0) : path_;
  bool decided = false;
  for (const Branch& branch : statement.branches) {
    const NodeId condition = branch.condition == none
                                 ? pool.constant(1.0)
                                 : use_.expressions.condition(branch.condition);
    const Node constant = pool[condition];
    if (constant.op == Op::constant && constant.value == 0.0) continue;
    decided = constant.op == Op::constant;
    path_ = pool.binary(Op::logical_and, remaining, condition);
    remaining = pool.binary(Op::logical_and, remaining, pool.unary(Op::logical_not, condition));
    run(branch.body);
    cases.push_back({condition, std::exchange(frame, before)});
    if (decided) break;
  }
  // Without an else the variables keep their values.
  FunctionFrame result = before;
  if (decided) {
    result = std::move(cases.back().after);
    cases.pop_back();
  }
  for (std::size_t i = cases.size(); i-- > 0;)
    result =
        merged(cases[i].condition, cases[i].after, std::move(result), statement.where, decided);
  frame = std::move(result);
}

void SymbolicExecution::run_jump(const Statement& statement) {
  FunctionFrame& frame = *use_.scope.frame();
  const bool is_return = statement.kind == StatementKind::return_;
  // Tools unroll the loops of the model's algorithms, and what was under a condition there stays.
  const bool is_left_over = !is_return && loops_ == 0 && frame.sees_model && path_ != no_node;
  if (is_left_over) {
    context_.diagnostics.warn(ErrorCode::syntax, statement.where,
                              "'break' outside of a loop does nothing: if a tool has unrolled the "
                              "loop that it left, what "
                              "followed in that loop is now executed.");
    return;
  }
  if (is_return ? frame.sees_model : loops_ == 0) {
    context_.fail(
        ErrorCode::syntax, statement.where,
        is_return ? "'return' belongs to functions." : "'break' belongs to loops of algorithms.");
  }
  (is_return ? frame.returned : frame.broken) = context_.pool.constant(1.0);
}

bool SymbolicExecution::is_left() const {
  const NodeId left = left_when(*use_.scope.frame());
  if (left == no_node) return false;
  const Node node = context_.pool[left];
  return node.op == Op::constant && node.value != 0.0;
}

void SymbolicExecution::run_for(const Statement& statement) {
  const Restored loops(loops_, loops_ + 1);
  const NodeId outer = use_.scope.frame()->broken;
  use_.expressions.unroll(statement, [&] {
    run(statement.branches.front().body);
    return !is_left();
  });
  // A break leaves the whole statement; the loop around it goes on.
  use_.scope.frame()->broken = outer;
}

/// `while c loop B` is `if c then B; while c loop B`. Each round goes on with the values that hold
/// if all rounds before took place, so that a counter stays a number and may end the loop; one that
/// is not known to end goes as far as a search in the largest array could, and the run fails where
/// it would have to go further.
void SymbolicExecution::run_while(const Statement& statement) {
  Pool& pool = context_.pool;
  const Restored loops(loops_, loops_ + 1);
  const Restored path(path_);
  FunctionFrame& frame = *use_.scope.frame();
  const NodeId outer = frame.broken;
  struct Round {
    NodeId condition;
    FunctionFrame before;
  };
  std::vector<Round> open_rounds;
  for (int round = 0;; ++round) {
    if (round == most_rounds) {
      context_.fail(ErrorCode::unsupported, statement.where,
                    fmt::format("This 'while' does not end within {} rounds.", most_rounds));
    }
    NodeId condition = use_.expressions.condition(statement.lhs);
    if (const NodeId left = left_when(frame); left != no_node)
      condition = pool.binary(Op::logical_and, pool.unary(Op::logical_not, left), condition);
    if (const std::optional<double> truth = use_.structure.fix(condition)) {
      if (*truth == 0.0) break;
    } else if (std::ssize(open_rounds) == most_open_rounds(frame)) {
      use_.assertions.require({.condition = pool.unary(Op::logical_not, condition),
                               .message = "A 'while' takes more rounds than were foreseen.",
                               .where = context_.diagnostics.source(statement.where)},
                              path_);
      break;
    } else {
      open_rounds.push_back({condition, frame});
      path_ = path_ == no_node ? condition : pool.binary(Op::logical_and, path_, condition);
    }
    context_.spend(1, statement.where);
    run(statement.branches.front().body);
  }
  for (std::size_t i = open_rounds.size(); i-- > 0;) {
    frame =
        merged(open_rounds[i].condition, frame, std::move(open_rounds[i].before), statement.where);
  }
  frame.broken = outer;
}

/// Rounds of a loop that may end in each of them.
std::int64_t SymbolicExecution::most_open_rounds(const FunctionFrame& frame) {
  std::int64_t most = 64;
  for (const auto& [name, value] : frame.variables)
    for (const std::int64_t length : value.shape) most = std::max(most, length);
  return most;
}

}  // namespace daedal::modelica
