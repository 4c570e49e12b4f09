// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/equations/discretes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "expr/traverse.hpp"
#include "model/balance.hpp"
#include "modelica/elaborate/expressions/structural_parameters.hpp"

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

std::vector<SymbolId> Discretes::candidates(const FlatEquation& equation) const {
  const Pool& pool = context_.pool;
  std::vector<std::int32_t> found;
  for (const NodeId side : {equation.lhs, equation.rhs}) {
    NodeId leaf = is_discrete_leaf(pool, side) ? side : no_node;
    if (leaf == no_node && equation.type == Type::boolean) leaf = negated_discrete(pool, side);
    if (leaf == no_node || assigned_.contains(pool[leaf].symbol)) continue;
    found.push_back(pool[leaf].symbol);
  }
  return found;
}

NodeId Discretes::declare(const std::string& name, const VariableOptions& options, Position where) {
  declarations_.push_back({name, where, options.causality == Causality::input});
  return context_.builder.discrete(name, options).in(context_.pool);
}

NodeId Discretes::add_hidden(std::string_view purpose, ValueType type, double start,
                             Position where) {
  declarations_.push_back({.where = where});
  const VariableOptions options{.start = Expr(start),
                                .fixed = true,
                                .type = type,
                                .where = context_.diagnostics.source(where)};
  const std::string name = fmt::format("${}{}", purpose, ++n_hidden_);
  return context_.builder.discrete(name, options).in(context_.pool);
}

void Discretes::define(NodeId discrete, NodeId value, Position where) {
  assigned_.insert(context_.pool[discrete].symbol);
  context_.uses.push_back({.node = value, .unit = context_.unit, .defined = discrete});
  context_.builder.discrete_equation({context_.pool, discrete}, {context_.pool, value},
                                     context_.diagnostics.source(where));
}

void Discretes::mark_assigned(SymbolId discrete) {
  assigned_.insert(discrete);
  assigned_in_when_.insert(discrete);
}

bool Discretes::determines(const FlatEquation& equation) const {
  if (equation.type != Type::real) return true;
  const Node left = context_.pool[equation.lhs];
  return left.op == Op::discrete && !assigned_.contains(left.symbol) &&
         !structure_.is_continuous(equation.rhs);
}

/// What changes at events only needs them where its value turns, although functions and noEvent
/// have none: without, it would keep the value of an event that happens to come before.
NodeId Discretes::with_events(NodeId value) {
  if (!structure_.is_continuous(value)) return value;
  Pool& pool = context_.pool;
  const auto held = [&](NodeId id, const Node& node) {
    const bool turns = is_relation(node.op) && node.symbol < 0 && structure_.is_continuous(id);
    return turns ? pool.relation(node.op, node.a, node.b) : rebuild(pool, id, node);
  };
  return rewrite(pool, std::span(&value, 1), held).front();
}

void Discretes::emit(const FlatEquation& equation, std::int32_t discrete) {
  Pool& pool = context_.pool;
  assigned_.insert(discrete);
  const NodeId leaf = pool.discrete(discrete);
  NodeId value = equation.rhs;
  if (equation.lhs != leaf && negated_discrete(pool, equation.lhs) == leaf) {
    value = pool.unary(Op::logical_not, equation.rhs);
  } else if (equation.lhs != leaf) {
    value = equation.rhs == leaf ? equation.lhs : pool.unary(Op::logical_not, equation.lhs);
  }
  value = with_events(value);
  values_[discrete] = value;
  context_.builder.discrete_equation({pool, leaf}, {pool, value},
                                     context_.diagnostics.source(equation.where));
}

void Discretes::solve(const FlatEquations& equations) {
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
      emit(equations[i], discrete);
      continue;
    }
    context_.diagnostics.report(
        ErrorCode::unbalanced, equations[i].where,
        fmt::format("The equation '{}' between {} values determines nothing: it needs a variable "
                    "alone on one side that no other equation determines.",
                    equations[i].name, type_name(equations[i].type)));
  }
}

void Discretes::check(const FlatEquations& equations) const {
  for (std::size_t i = 0; i < declarations_.size(); ++i) {
    if (declarations_[i].name.empty() || declarations_[i].is_input) continue;
    const auto symbol = static_cast<std::int32_t>(i);
    if (assigned_.contains(symbol)) continue;
    const auto is_it = [&](NodeId side) {
      const Node& node = context_.pool[side];
      return node.op == Op::discrete && node.symbol == symbol;
    };
    const auto real = std::find_if(equations.begin(), equations.end(), [&](const auto& equation) {
      return equation.type == Type::real && (is_it(equation.lhs) || is_it(equation.rhs));
    });
    if (real != equations.end()) {
      context_.diagnostics.report(
          ErrorCode::type_mismatch, real->where,
          fmt::format("'{}' changes at events only, but the other side of this equation changes "
                      "all the time: round it with integer(), or assign it in a when-clause.",
                      declarations_[i].name));
      continue;
    }
    context_.diagnostics.report(
        ErrorCode::unbalanced, declarations_[i].where,
        fmt::format("Nothing determines the discrete variable '{}': add an equation or a "
                    "when-clause for it.",
                    declarations_[i].name));
  }
}

/// The discrete variable that a chain of equations b = a, c = b leads to, or its `pre` value.
NodeId Discretes::followed(NodeId node) const {
  const Pool& pool = context_.pool;
  for (std::size_t steps = 0; steps <= values_.size(); ++steps) {
    const auto found = values_.find(pool[node].symbol);
    if (pool[node].op != Op::discrete || found == values_.end()) return node;
    const Op next = pool[found->second].op;
    if (next != Op::discrete && next != Op::pre) return node;
    node = found->second;
  }
  return node;
}

/// pre(a) = value, or b = value where equations say b = pre(a); also pre(a) = pre(c) once the value
/// of either is known.
bool Discretes::set_pre(const FlatEquation& equation) {
  Pool& pool = context_.pool;
  const NodeId sides[2] = {followed(equation.lhs), followed(equation.rhs)};
  for (const int i : {0, 1}) {
    if (pool[sides[i]].op != Op::pre) continue;
    NodeId value = sides[1 - i];
    if (pool[value].op == Op::pre) {
      const auto known = pre_starts_.find(pool[value].symbol);
      if (known == pre_starts_.end()) continue;
      value = known->second;
    } else if (!structure_.peek(value)) {
      continue;
    }
    const SymbolId symbol = pool[sides[i]].symbol;
    pre_starts_[symbol] = value;
    context_.builder.set_start({pool, pool.discrete(symbol)}, {pool, value});
    return true;
  }
  return false;
}

void Discretes::take_starts(FlatEquations& initial_equations) {
  // In the order in which they follow from each other.
  const auto sets_pre = [this](const FlatEquation& equation) { return set_pre(equation); };
  while (std::erase_if(initial_equations, sets_pre) > 0) {
  }
}

bool Discretes::start(const FlatEquation& equation, std::vector<WhenClause>& clauses) {
  Pool& pool = context_.pool;
  const std::pair<NodeId, NodeId> ways[] = {{equation.lhs, equation.rhs},
                                            {equation.rhs, equation.lhs}};
  for (const auto& [target, value] : ways) {
    const Node leaf = pool[target];
    if (leaf.op != Op::pre && leaf.op != Op::discrete) continue;
    // pre(a) = pre(c) with neither known: both keep their own start values.
    if (leaf.op == Op::pre && pool[value].op == Op::pre) return true;
    if (leaf.op == Op::pre && !structure_.is_continuous(value)) {
      context_.builder.set_start({pool, pool.discrete(leaf.symbol)}, {pool, value});
      return true;
    }
    if (!assigned_in_when_.contains(leaf.symbol)) continue;
    WhenAction action{.kind = WhenAction::Kind::assign,
                      .target = leaf.symbol,
                      .value = value,
                      .where = context_.diagnostics.source(equation.where)};
    WhenClause clause{.where = action.where, .is_initial = true};
    clause.branches.push_back({.condition = pool.initial(), .actions = {std::move(action)}});
    clauses.push_back(std::move(clause));
    return true;
  }
  return false;
}

}  // namespace daedal::modelica
