// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/expressions/call_count.hpp"

namespace daedal::modelica {

double CallCount::of(ClassId function) {
  // A function that calls itself is refused where it is executed.
  const auto [entry, is_new] = known_.emplace(function, 1.0);
  if (!is_new) return entry->second;
  double count = 1.0;
  const ClassDefinition& definition = ast_.definition(function);
  for (const Declaration& declaration : definition.declarations) {
    count += of_expression(declaration.binding);
  }
  for (const auto& section : definition.algorithms) {
    for (const StatementId id : section) count += of_statement(id);
  }
  known_[function] = count;
  return count;
}

double CallCount::of_statement(StatementId id) {
  const Statement& statement = ast_.statement(id);
  double count = of_expression(statement.lhs) + of_expression(statement.rhs);
  for (const Branch& branch : statement.branches) {
    count += of_expression(branch.condition);
    for (const StatementId inner : branch.body) count += of_statement(inner);
  }
  return count;
}

double CallCount::of_expression(ExprId id) {
  if (id == none) return 0.0;
  const ExprNode& node = ast_.expr(id);
  double count = 0.0;
  if (node.kind == ExprKind::call) {
    const ClassId function = classes_.find(ClassKind::function, ast_.text(node.text));
    if (function != none) count += of(function);
  }
  // In a chain operators stand between the operands.
  const std::int32_t stride = node.kind == ExprKind::chain ? 2 : 1;
  for (std::int32_t i = 0; i < node.n_children; i += stride) {
    count += of_expression(ast_.child(node, i));
  }
  return count;
}

}  // namespace daedal::modelica
