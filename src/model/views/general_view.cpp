// SPDX-License-Identifier: BSD-3-Clause
#include "model/views/general_view.hpp"

#include <algorithm>

#include "expr/calculus.hpp"
#include "expr/traverse.hpp"
#include "model/map_expressions.hpp"
#include "model/views/order_reduction.hpp"

namespace daedal {

namespace {

/// The relations with an id that equations and events really use. A pool may hold more: those made
/// on the way to a `no_event` expression.
std::vector<std::int32_t> relations_in_use(const Model& model) {
  std::vector<NodeId> roots;
  for_each_dynamic_expression(model, [&](NodeId id) {
    if (id != no_node) roots.push_back(id);
  });
  std::vector<std::int32_t> ids;
  const Reachable part(*model.pool(), roots);
  for (const NodeId id : part.ids()) {
    const Node& node = (*model.pool())[id];
    if (is_relation(node.op) && node.symbol >= 0) ids.push_back(node.symbol);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace

GeneralView general_view(const Model& model) {
  GeneralView view;
  view.model = reduce_order(model);
  view.n_given = to_index(model.variables().size());
  auto pool = std::make_shared<Pool>(view.model.pool());
  for (const Equation& equation : view.model.equations()) {
    view.residuals.push_back(pool->sub(equation.lhs, equation.rhs));
  }
  const std::size_t n = view.model.variables().size();
  for (std::size_t i = 0; i < n; ++i) {
    view.x.push_back(pool->variable(static_cast<SymbolId>(i)));
    view.xp.push_back(pool->variable(static_cast<SymbolId>(i), 1));
  }
  view.is_differential.assign(n, false);
  for (const NodeId leaf : dependencies(*pool, view.residuals)) {
    const Node& node = (*pool)[leaf];
    if (node.op == Op::variable && node.order > 0) {
      view.is_differential[node.symbol] = true;
    }
  }
  view.relations = relations_in_use(view.model);
  pool->freeze();
  view.pool = std::move(pool);
  return view;
}

}  // namespace daedal
