// SPDX-License-Identifier: BSD-3-Clause
/// The statements of a function's algorithm.

#include <fmt/format.h>

#include "modelica/elaborator.hpp"

namespace daedal::modelica {

void Functions::run(const std::vector<StatementId>& statements) {
  for (const StatementId id : statements) run(hub_.context.ast.statement(id));
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
      hub_.context.fail(ErrorCode::unsupported, statement.where,
                        "'while' is not supported: use 'for' with a range known before the run.");
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
    call_all(node);
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
  for (std::size_t i = cases.size(); i-- > 0;) {
    for (auto& [name, value] : result.variables) {
      value = hub_.operators.select(cases[i].condition, cases[i].after.variables.at(name), value,
                                    statement.where);
    }
  }
  frame = std::move(result);
}

void Functions::run_for(const Statement& statement, std::size_t iterator) {
  if (iterator == statement.iterators.size()) return run(statement.branches.front().body);
  const Iterator& index = statement.iterators[iterator];
  for (Value& value : hub_.expressions.values_of_range(index.range)) {
    const Expressions::LoopIndex bound(hub_.expressions, index.name, std::move(value));
    hub_.context.spend(1, statement.where);
    run_for(statement, iterator + 1);
  }
}

}  // namespace daedal::modelica
