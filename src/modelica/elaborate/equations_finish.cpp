// SPDX-License-Identifier: BSD-3-Clause
/// Which equation determines what: equations between Reals are for the solver, equations between
/// Booleans and Integers are assignments of one discrete variable each.

#include <fmt/format.h>

#include <algorithm>

#include "model/balance.hpp"
#include "modelica/elaborate/elaborator.hpp"

namespace daedal::modelica {

namespace {

bool is_discrete_leaf(const Pool& pool, NodeId node) {
  return pool[node].op == Op::discrete;
}

/// b of `not b`, or no_node.
NodeId negated_discrete(const Pool& pool, NodeId node) {
  const Node outer = pool[node];
  if (outer.op != Op::logical_not || !is_discrete_leaf(pool, outer.a)) return no_node;
  return outer.a;
}

}  // namespace

/// The discrete variables that the equation could be solved for.
std::vector<std::int32_t> Equations::candidates(const FlatEquation& equation) const {
  const Pool& pool = hub_.context.pool;
  std::vector<std::int32_t> found;
  for (const NodeId side : {equation.lhs, equation.rhs}) {
    NodeId leaf = is_discrete_leaf(pool, side) ? side : no_node;
    if (leaf == no_node && equation.type == Type::boolean) leaf = negated_discrete(pool, side);
    if (leaf == no_node || assigned_discretes_.contains(pool[leaf].symbol)) continue;
    found.push_back(pool[leaf].symbol);
  }
  return found;
}

/// An equation between Reals determines a discrete variable only if that stands alone on the left
/// side and is declared discrete.
bool Equations::determines_discrete(const FlatEquation& equation) const {
  if (equation.type != Type::real) return true;
  const Node left = hub_.context.pool[equation.lhs];
  return left.op == Op::discrete && !assigned_discretes_.contains(left.symbol) &&
         !hub_.structure.is_continuous(equation.rhs);
}

void Equations::emit_discrete(const FlatEquation& equation, std::int32_t discrete) {
  Pool& pool = hub_.context.pool;
  assigned_discretes_.insert(discrete);
  const NodeId leaf = pool.discrete(discrete);
  NodeId value = equation.rhs;
  if (equation.lhs != leaf && negated_discrete(pool, equation.lhs) == leaf) {
    value = pool.unary(Op::logical_not, equation.rhs);
  } else if (equation.lhs != leaf) {
    value = equation.rhs == leaf ? equation.lhs : pool.unary(Op::logical_not, equation.lhs);
  }
  discrete_values_[discrete] = value;
  hub_.context.builder.discrete_equation({pool, leaf}, {pool, value},
                                         hub_.context.diagnostics.source(equation.where));
}

void Equations::finish_discrete(const std::vector<FlatEquation>& equations) {
  // Connections leave equations a = b with either side to be determined: a matching decides.
  Incidence rows;
  std::int32_t n_columns = 0;
  for (const FlatEquation& equation : equations) {
    rows.push_back(candidates(equation));
    for (const std::int32_t column : rows.back()) n_columns = std::max(n_columns, column + 1);
  }
  const Matching matching = maximum_matching(rows, n_columns);
  for (std::size_t i = 0; i < equations.size(); ++i) {
    const std::int32_t discrete = matching.column_of_row[i];
    if (discrete >= 0) {
      emit_discrete(equations[i], discrete);
      continue;
    }
    hub_.context.diagnostics.report(
        ErrorCode::unbalanced, equations[i].where,
        fmt::format("The equation '{}' between {} values determines nothing: it needs a variable "
                    "alone on one side that no other equation determines.",
                    equations[i].name, type_name(equations[i].type)));
  }
}

void Equations::check_discretes() const {
  const auto& discretes = hub_.components.discretes();
  for (std::size_t i = 0; i < discretes.size(); ++i) {
    if (discretes[i].name.empty()) continue;
    const auto symbol = static_cast<std::int32_t>(i);
    if (assigned_discretes_.contains(symbol)) continue;
    const auto is_it = [&](NodeId side) {
      const Node& node = hub_.context.pool[side];
      return node.op == Op::discrete && node.symbol == symbol;
    };
    const auto real = std::find_if(equations_.begin(), equations_.end(), [&](const auto& equation) {
      return equation.type == Type::real && (is_it(equation.lhs) || is_it(equation.rhs));
    });
    if (real != equations_.end()) {
      hub_.context.diagnostics.report(
          ErrorCode::type_mismatch, real->where,
          fmt::format("'{}' changes at events only, but the other side of this equation changes "
                      "all the time: round it with integer(), or assign it in a when-clause.",
                      discretes[i].name));
      continue;
    }
    hub_.context.diagnostics.report(
        ErrorCode::unbalanced, discretes[i].where,
        fmt::format("Nothing determines the discrete variable '{}': add an equation or a "
                    "when-clause for it.",
                    discretes[i].name));
  }
}

std::vector<NodeId> Equations::all_uses() const {
  std::vector<NodeId> uses = other_uses_;
  for (const auto* list : {&equations_, &initial_equations_}) {
    for (const FlatEquation& equation : *list) {
      uses.push_back(equation.lhs);
      uses.push_back(equation.rhs);
    }
  }
  return uses;
}

/// The discrete variable that a chain of equations b = a, c = b leads to, or its `pre` value.
NodeId Equations::followed(NodeId node) const {
  const Pool& pool = hub_.context.pool;
  for (std::size_t steps = 0; steps <= discrete_values_.size(); ++steps) {
    const auto found = discrete_values_.find(pool[node].symbol);
    if (pool[node].op != Op::discrete || found == discrete_values_.end()) return node;
    const Op next = pool[found->second].op;
    if (next != Op::discrete && next != Op::pre) return node;
    node = found->second;
  }
  return node;
}

/// pre(a) = value, or b = value where equations say b = pre(a); also pre(a) = pre(c) once the value
/// of either is known.
bool Equations::set_pre(const FlatEquation& equation) {
  Pool& pool = hub_.context.pool;
  const NodeId sides[2] = {followed(equation.lhs), followed(equation.rhs)};
  for (const int i : {0, 1}) {
    if (pool[sides[i]].op != Op::pre) continue;
    NodeId value = sides[1 - i];
    if (pool[value].op == Op::pre) {
      const auto known = pre_starts_.find(pool[value].symbol);
      if (known == pre_starts_.end()) continue;
      value = known->second;
    } else if (!hub_.structure.peek(value)) {
      continue;
    }
    const SymbolId symbol = pool[sides[i]].symbol;
    pre_starts_[symbol] = value;
    hub_.context.builder.set_start({pool, pool.discrete(symbol)}, {pool, value});
    return true;
  }
  return false;
}

/// Initial equations that give `pre` values, in the order in which they follow from each other.
void Equations::start_discretes() {
  bool any = true;
  while (any) {
    any = std::erase_if(initial_equations_,
                        [this](const FlatEquation& equation) { return set_pre(equation); }) > 0;
  }
}

/// An initial equation for a discrete variable: n = value, if a when-clause determines n later,
/// acts once at the start; pre(n) = value is n's start value. False for any other initial equation.
bool Equations::start_discrete(const FlatEquation& equation) {
  Pool& pool = hub_.context.pool;
  const std::pair<NodeId, NodeId> ways[] = {{equation.lhs, equation.rhs},
                                            {equation.rhs, equation.lhs}};
  for (const auto& [target, value] : ways) {
    const Node leaf = pool[target];
    if (leaf.op != Op::pre && leaf.op != Op::discrete) continue;
    // pre(a) = pre(c) with neither known: both keep their own start values.
    if (leaf.op == Op::pre && pool[value].op == Op::pre) return true;
    if (leaf.op == Op::pre && !hub_.structure.is_continuous(value)) {
      hub_.context.builder.set_start({pool, pool.discrete(leaf.symbol)}, {pool, value});
      return true;
    }
    if (!assigned_in_when_.contains(leaf.symbol)) continue;
    WhenAction action{.kind = WhenAction::Kind::assign,
                      .target = leaf.symbol,
                      .value = value,
                      .where = hub_.context.diagnostics.source(equation.where)};
    WhenClause clause{.where = action.where, .is_initial = true};
    clause.branches.push_back({.condition = pool.initial(), .actions = {std::move(action)}});
    clauses_.push_back(std::move(clause));
    return true;
  }
  return false;
}

void Equations::finish() {
  Pool& pool = hub_.context.pool;
  std::vector<FlatEquation> discrete;
  for (const FlatEquation& equation : equations_) {
    if (determines_discrete(equation)) {
      discrete.push_back(equation);
      continue;
    }
    hub_.context.builder.equation({{pool, equation.lhs}, {pool, equation.rhs}}, equation.name,
                                  hub_.context.diagnostics.source(equation.where));
  }
  finish_discrete(discrete);
  if (hub_.context.diagnostics.count() == 0) check_discretes();
  for (const WhenClause& clause : clauses_) {
    for (const WhenBranch& branch : clause.branches) {
      for (const WhenAction& action : branch.actions)
        if (action.kind == WhenAction::Kind::assign) assigned_in_when_.insert(action.target);
    }
  }
  start_discretes();
  for (const FlatEquation& equation : initial_equations_) {
    if (start_discrete(equation)) continue;
    const Equality sides{{pool, equation.lhs}, {pool, equation.rhs}};
    const SourcePosition where = hub_.context.diagnostics.source(equation.where);
    if (hub_.functions.has_boundary_values) {
      hub_.context.builder.boundary_equation(sides, equation.name, where);
    } else {
      hub_.context.builder.initial_equation(sides, equation.name, where);
    }
  }
  for (WhenClause& clause : clauses_) hub_.context.builder.when(std::move(clause));
}

}  // namespace daedal::modelica
