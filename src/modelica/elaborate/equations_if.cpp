// SPDX-License-Identifier: BSD-3-Clause
/// If-equations. A condition of parameters is decided now, because the branches may differ in
/// structure; a condition that changes during the run merges the branches' equations.

#include <fmt/format.h>

#include <algorithm>

#include "modelica/elaborate/elaborator.hpp"

namespace daedal::modelica {

void Equations::read_if(const Statement& statement) {
  for (std::size_t b = 0; b < statement.branches.size(); ++b) {
    const Branch& branch = statement.branches[b];
    if (branch.condition == none) return read_all(branch.body);
    const NodeId condition = hub_.expressions.condition(branch.condition);
    const std::optional<double> truth = hub_.structure.fix(condition);
    if (!truth) return read_merged(statement, b, condition);
    if (*truth != 0.0) return read_all(branch.body);
  }
}

void Equations::read_all(const std::vector<StatementId>& statements) {
  for (const StatementId id : statements) read(hub_.context.ast.statement(id));
}

/// Merges the branches from `first` on; the parameters have ruled out those before.
void Equations::read_merged(const Statement& statement, std::size_t first, NodeId first_condition) {
  Pool& pool = hub_.context.pool;
  struct Case {
    NodeId condition;
    std::vector<FlatEquation> equations;
  };
  std::vector<Case> cases;
  std::vector<FlatEquation> result;
  NodeId remaining = path_ == no_node ? pool.constant(1.0) : path_;
  for (std::size_t b = first; b < statement.branches.size(); ++b) {
    const Branch& branch = statement.branches[b];
    if (branch.condition == none) {
      result = read_branch(branch, remaining);
      continue;
    }
    const NodeId condition =
        b == first ? first_condition : hub_.expressions.condition(branch.condition);
    const std::optional<double> truth = b == first ? std::nullopt : hub_.structure.fix(condition);
    if (truth && *truth == 0.0) continue;
    if (truth) {  // `elseif true` is an else
      result = read_branch(branch, remaining);
      break;
    }
    cases.push_back(
        {condition, read_branch(branch, pool.binary(Op::logical_and, remaining, condition))});
    remaining = pool.binary(Op::logical_and, remaining, pool.unary(Op::logical_not, condition));
  }
  for (std::size_t i = cases.size(); i-- > 0;) {
    result = merge(cases[i].condition, std::move(cases[i].equations), std::move(result),
                   statement.where);
  }
  sink_->insert(sink_->end(), result.begin(), result.end());
}

std::vector<FlatEquation> Equations::read_branch(const Branch& branch, NodeId path) {
  std::vector<FlatEquation> equations;
  const Restored sink(sink_, &equations);
  const Restored outer_path(path_, path);
  for (const StatementId id : branch.body) {
    const Statement& statement = hub_.context.ast.statement(id);
    if (statement.kind == StatementKind::when) {
      hub_.context.fail(ErrorCode::unsupported, statement.where,
                        "A when-clause inside an if-equation whose condition changes during the "
                        "run.");
    }
    read(statement);
  }
  return equations;
}

std::vector<FlatEquation> Equations::merge(NodeId condition, std::vector<FlatEquation> yes,
                                           std::vector<FlatEquation> no, Position where) {
  if (yes.size() != no.size()) {
    hub_.context.fail(
        ErrorCode::unbalanced, where,
        fmt::format("The branches of this if-equation have {} and {} equations; they must have the "
                    "same number, because the condition changes during the run.",
                    yes.size(), no.size()));
  }
  Pool& pool = hub_.context.pool;
  std::vector<FlatEquation> merged;
  for (std::size_t i = 0; i < yes.size(); ++i) {
    // Equations for the same left side belong together, whatever their order.
    const auto partner = std::find_if(no.begin() + static_cast<std::ptrdiff_t>(i), no.end(),
                                      [&](const auto& other) { return other.lhs == yes[i].lhs; });
    if (partner != no.end()) std::iter_swap(no.begin() + static_cast<std::ptrdiff_t>(i), partner);
    FlatEquation both = yes[i];
    const bool same_side = yes[i].lhs == no[i].lhs;
    if (!same_side && (yes[i].type != Type::real || no[i].type != Type::real)) {
      hub_.context.fail(ErrorCode::unsupported, no[i].where,
                        "The branches of an if-equation must determine the same Boolean and "
                        "Integer variables, each alone on its left side.");
    }
    if (same_side) {
      both.rhs = pool.if_else(condition, yes[i].rhs, no[i].rhs);
    } else {
      both.lhs = pool.constant(0.0);
      both.rhs =
          pool.if_else(condition, pool.sub(yes[i].lhs, yes[i].rhs), pool.sub(no[i].lhs, no[i].rhs));
    }
    merged.push_back(std::move(both));
  }
  return merged;
}

}  // namespace daedal::modelica
