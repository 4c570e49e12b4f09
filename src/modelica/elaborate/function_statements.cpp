// SPDX-License-Identifier: BSD-3-Clause
/// The statements of a function's algorithm.

#include <fmt/format.h>

#include "modelica/elaborate/elaborator.hpp"

namespace daedal::modelica {

namespace {

/// Of a loop that ends by its condition. Loops of a library's functions end after some dozens.
constexpr int most_rounds = 100'000;

}  // namespace

/// Under which condition the rest of a list of statements is not reached.
NodeId Functions::left_when(const FunctionFrame& frame) const {
  if (frame.returned == no_node) return frame.broken;
  if (frame.broken == no_node) return frame.returned;
  return hub_.context.pool.binary(Op::logical_or, frame.returned, frame.broken);
}

void Functions::run(const std::vector<StatementId>& statements) {
  Pool& pool = hub_.context.pool;
  FunctionFrame& frame = *hub_.expressions.frame();
  for (const StatementId id : statements) {
    const Statement& statement = hub_.context.ast.statement(id);
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
FunctionFrame Functions::merged(NodeId condition, const FunctionFrame& one, FunctionFrame other,
                                Position where) {
  Pool& pool = hub_.context.pool;
  for (auto& [name, value] : other.variables)
    value = hub_.operators.select(condition, one.variables.at(name), value, where);
  const auto choose = [&](NodeId yes, NodeId no) {
    if (yes == no) return yes;
    const NodeId never = pool.constant(0.0);
    return pool.if_else(condition, yes == no_node ? never : yes, no == no_node ? never : no);
  };
  other.returned = choose(one.returned, other.returned);
  other.broken = choose(one.broken, other.broken);
  return other;
}

void Functions::run(const Statement& statement) {
  const Deeper deeper(hub_.context, statement.where);
  hub_.context.spend(1, statement.where);
  switch (statement.kind) {
    case StatementKind::assignment:
      return run_assignment(statement);
    case StatementKind::call:
      return run_call(statement);
    case StatementKind::if_:
      return run_if(statement);
    case StatementKind::for_:
      return run_for(statement, 0);
    case StatementKind::while_:
      return run_while(statement);
    case StatementKind::return_:
    case StatementKind::break_:
      return run_jump(statement);
    case StatementKind::when:
      hub_.context.fail(ErrorCode::syntax, statement.where,
                        "'when' cannot stand in a function, nor inside 'if', 'for' or 'while' of "
                        "an algorithm: put the condition into the 'when'.");
    case StatementKind::equality:
      hub_.context.fail(ErrorCode::syntax, statement.where,
                        "An algorithm assigns with ':='; '=' belongs to equations.");
  }
}

void Functions::run_assignment(const Statement& statement) {
  const Ast& ast = hub_.context.ast;
  const ExprNode& target = ast.expr(statement.lhs);
  if (target.kind != ExprKind::tuple) {
    hub_.expressions.assign(statement.lhs, hub_.expressions.evaluate(statement.rhs));
    return;
  }
  const ExprNode& source = ast.expr(statement.rhs);
  if (source.kind != ExprKind::call) {
    hub_.context.fail(ErrorCode::type_mismatch, source.where,
                      "Several variables at once are assigned from a function call only.");
  }
  const std::vector<Value> results = call_all(source);
  for (std::int32_t i = 0; i < target.n_children; ++i) {
    const ExprId variable = ast.child(target, i);
    if (variable == none) continue;
    if (static_cast<std::size_t>(i) >= results.size()) {
      hub_.context.fail(ErrorCode::type_mismatch, ast.expr(variable).where,
                        fmt::format("The function has {} results only.", results.size()));
    }
    hub_.expressions.assign(variable, results[static_cast<std::size_t>(i)]);
  }
}

void Functions::run_call(const Statement& statement) {
  const ExprNode& node = hub_.context.ast.expr(statement.lhs);
  if (hub_.context.ast.text(node.text) != "assert") {
    if (!leave_out_effect(node)) call_all(node);
    return;
  }
  hub_.equations.add_assertion(node, path_);
}

void Functions::run_if(const Statement& statement) {
  Pool& pool = hub_.context.pool;
  FunctionFrame& frame = *hub_.expressions.frame();
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
                                 : hub_.expressions.condition(branch.condition);
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
    result = merged(cases[i].condition, cases[i].after, std::move(result), statement.where);
  frame = std::move(result);
}

void Functions::run_jump(const Statement& statement) {
  FunctionFrame& frame = *hub_.expressions.frame();
  const bool is_return = statement.kind == StatementKind::return_;
  if (is_return ? frame.sees_model : loops_ == 0) {
    hub_.context.fail(
        ErrorCode::syntax, statement.where,
        is_return ? "'return' belongs to functions." : "'break' belongs to loops of algorithms.");
  }
  (is_return ? frame.returned : frame.broken) = hub_.context.pool.constant(1.0);
}

bool Functions::is_left() const {
  const NodeId left = left_when(*hub_.expressions.frame());
  if (left == no_node) return false;
  const Node node = hub_.context.pool[left];
  return node.op == Op::constant && node.value != 0.0;
}

void Functions::run_for(const Statement& statement, std::size_t iterator) {
  if (iterator == statement.iterators.size()) return run(statement.branches.front().body);
  const Iterator& index = statement.iterators[iterator];
  const Restored loops(loops_, loops_ + 1);
  const NodeId outer = hub_.expressions.frame()->broken;
  for (Value& value : hub_.expressions.values_of_range(index.range)) {
    if (is_left()) break;
    const Expressions::LoopIndex bound(hub_.expressions, index.name, std::move(value));
    hub_.context.spend(1, statement.where);
    run_for(statement, iterator + 1);
  }
  // A break leaves the whole statement; the loop around it goes on.
  if (iterator == 0) hub_.expressions.frame()->broken = outer;
}

/// A loop whose condition is known each time it is asked: it ends before the run.
void Functions::run_while(const Statement& statement) {
  const Restored loops(loops_, loops_ + 1);
  const NodeId outer = hub_.expressions.frame()->broken;
  for (int round = 0; !is_left(); ++round) {
    if (round == most_rounds) {
      hub_.context.fail(ErrorCode::unsupported, statement.where,
                        fmt::format("This 'while' does not end within {} rounds.", most_rounds));
    }
    const std::optional<double> truth =
        hub_.structure.fix(hub_.expressions.condition(statement.lhs));
    if (!truth) {
      hub_.context.fail(ErrorCode::unsupported, statement.where,
                        "'while' with a condition that is known only during the run is not "
                        "supported: use 'for' with a range known before.");
    }
    if (*truth == 0.0) break;
    hub_.context.spend(1, statement.where);
    run(statement.branches.front().body);
  }
  hub_.expressions.frame()->broken = outer;
}

}  // namespace daedal::modelica
