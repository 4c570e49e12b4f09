// SPDX-License-Identifier: BSD-3-Clause
#include "model/views/constrained_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/labels.hpp"
#include "model/rewrite.hpp"

namespace daedal {

Recognition<ConstrainedView> mechanical_view(const Model& model,
                                             std::span<const double> parameters) {
  LinearReading found = read_linear(semi_explicit_form(model, parameters), parameters);
  if (!found.not_mechanical.empty()) return {{}, found.not_mechanical};
  return {std::move(found.view), {}};
}

Recognition<ConstrainedView> hessenberg_view(const Model& model,
                                             std::span<const double> parameters) {
  LinearReading found = read_linear(semi_explicit_form(model, parameters), parameters);
  if (!found.not_hessenberg.empty()) return {{}, found.not_hessenberg};
  return {std::move(found.view), {}};
}

InitialResiduals initial_residuals(const ConstrainedView& view, Pool& pool) {
  InitialResiduals result;
  Rewriter rewriter(*view.pool, pool);
  for (std::size_t i = 0; i < view.outputs.size(); ++i) {
    const NodeId leaf = pool.variable(static_cast<SymbolId>(i));
    if (leaf != view.outputs[i]) rewriter.define(leaf, view.outputs[i]);
  }
  std::vector<int> level_of(view.model.variables().size(), -1);
  for (std::size_t k = 0; k < view.states.size(); ++k) {
    const bool is_last = k + 1 == view.states.size();
    for (std::size_t i = 0; i < view.states[k].size(); ++i) {
      level_of[view.states[k][i]] = static_cast<int>(k);
      const NodeId rate = pool.variable(view.states[k][i], 1);
      if (is_last && view.mass.empty()) rewriter.define(rate, view.force[i]);
      // What no expression uses is no leaf of the view.
      if (is_last || rate >= view.pool->size()) continue;
      rewriter.bind(rate, pool.variable(view.states[k + 1][i]));
    }
  }
  for (const Equation& equation : view.model.initial_equations()) {
    const std::string name = equation.name.empty()
                                 ? "an initial equation" + place_suffix(equation.where)
                                 : "'" + equation.name + "'";
    const NodeId residual =
        pool.sub(rewriter.rewrite(equation.lhs), rewriter.rewrite(equation.rhs));
    int level = 0;
    for (const NodeId leaf : dependencies(pool, std::span(&residual, 1))) {
      const Node& node = pool[leaf];
      if (node.op != Op::variable) continue;
      const int own = node.order == 0 ? level_of[node.symbol] : -1;
      if (own < 0 && result.reason.empty()) {
        result.reason = fmt::format("{} depends on '{}', which is not a state of this form", name,
                                    view.model.variables()[node.symbol].name);
      }
      level = std::max(level, own);
    }
    result.residuals.push_back(residual);
    result.levels.push_back(level);
    result.names.push_back(name);
  }
  return result;
}

}  // namespace daedal
