// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/equations/roots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "expr/calculus.hpp"
#include "expr/traverse.hpp"
#include "modelica/elaborate/components.hpp"

namespace daedal::modelica {

bool Roots::is_known_before_run(NodeId node) const {
  const auto leaves = dependencies(context_.pool, std::span(&node, 1));
  return std::ranges::all_of(leaves, [&](NodeId leaf) {
    const Op op = context_.pool[leaf].op;
    return op == Op::constant || op == Op::parameter;
  });
}

NodeId Roots::add(NodeId low, NodeId high, Position where) {
  Pool& pool = context_.pool;
  const NodeId middle = pool.mul(pool.constant(0.5), pool.add(low, high));
  VariableOptions options{.where = context_.diagnostics.source(where)};
  if (is_known_before_run(middle)) options.start = Expr(pool, middle);
  const std::string name = fmt::format("$root{}", roots_.size() + 1);
  const NodeId unknown = components_.add_variable(name, options);
  roots_.push_back({.unknown = unknown, .guess = middle, .where = where});
  // Within the accuracy of a run that is not asked for another.
  const NodeId size = pool.binary(Op::max, pool.unary(Op::abs, low), pool.unary(Op::abs, high));
  const NodeId slack = pool.mul(pool.constant(1e-6), size);
  const NodeId above = pool.immediate_relation(Op::greater_equal, unknown, pool.sub(low, slack));
  const NodeId below = pool.immediate_relation(Op::less_equal, unknown, pool.add(high, slack));
  const NodeId is_between = pool.binary(Op::logical_and, above, below);
  context_.uses.push_back({.node = is_between, .unit = context_.unit});
  context_.builder.assertion(
      {.condition = is_between,
       .message = "The root that was found does not lie between the bounds given for it.",
       .where = context_.diagnostics.source(where)});
  return unknown;
}

void Roots::determine(NodeId unknown, NodeId residual, NodeId path) {
  Pool& pool = context_.pool;
  const Root& root = *std::ranges::find(roots_, unknown, &Root::unknown);
  if (path != no_node) residual = pool.if_else(path, residual, pool.sub(unknown, root.guess));
  equations_.push_back({.lhs = residual,
                        .rhs = pool.constant(0.0),
                        .where = root.where,
                        .name = "the equation whose root is sought",
                        .unit = context_.unit});
}

void Roots::move_to(FlatEquations& equations) {
  std::ranges::move(equations_, std::back_inserter(equations));
  equations_.clear();
}

}  // namespace daedal::modelica
