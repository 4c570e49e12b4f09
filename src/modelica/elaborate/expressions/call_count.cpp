// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/expressions/call_count.hpp"

#include "modelica/library/builtins.hpp"

namespace daedal::modelica {

CallCount::Count& CallCount::Count::operator+=(const Count& other) {
  n += other.n;
  leads_outside = leads_outside || other.leads_outside;
  return *this;
}

const CallCount::Count& CallCount::count(ClassId function) {
  // A function that calls itself is refused where it is executed.
  const ClassDefinition& definition = ast_.definition(function);
  const auto [entry, is_new] = known_.emplace(function, Count{1.0, definition.is_external});
  if (!is_new) return entry->second;
  Count count = entry->second;
  for (const Declaration& declaration : definition.declarations) {
    count += of_expression(declaration.binding);
  }
  for (const auto& section : definition.algorithms) {
    for (const StatementId id : section) count += of_statement(id);
  }
  return known_[function] = count;
}

CallCount::Count CallCount::of_statement(StatementId id) {
  const Statement& statement = ast_.statement(id);
  Count count = of_expression(statement.lhs);
  count += of_expression(statement.rhs);
  for (const Branch& branch : statement.branches) {
    count += of_expression(branch.condition);
    for (const StatementId inner : branch.body) count += of_statement(inner);
  }
  return count;
}

CallCount::Count CallCount::of_expression(ExprId id) {
  if (id == none) return {};
  const ExprNode& node = ast_.expr(id);
  Count result;
  if (node.kind == ExprKind::call) {
    const std::string& name = ast_.text(node.text);
    const ClassId function = classes_.find(ClassKind::function, name);
    if (function != none) result += count(function);
    result.leads_outside |= name.find('.') != std::string::npos && !is_builtin(name) &&
                            classes_.find_function(name) == none &&
                            classes_.find(ClassKind::record, name) == none;
  }
  // In a chain operators stand between the operands.
  const std::int32_t stride = node.kind == ExprKind::chain ? 2 : 1;
  for (std::int32_t i = 0; i < node.n_children; i += stride) {
    result += of_expression(ast_.child(node, i));
  }
  return result;
}

}  // namespace daedal::modelica
