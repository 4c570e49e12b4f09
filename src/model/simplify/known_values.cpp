// SPDX-License-Identifier: BSD-3-Clause
#include "model/simplify/known_values.hpp"

#include <algorithm>

#include "model/leaves.hpp"
#include "model/rewrite.hpp"
#include "model/views/linear_terms.hpp"

namespace daedal {

namespace {

class Definitions {
 public:
  Definitions(const GeneralView& view, Pool& pool)
      : view_(view),
        pool_(pool),
        walker_(pool),
        n_unknown_(view.model.equations().size(), 0),
        equations_of_(view.model.variables().size()),
        definition_(view.model.variables().size(), no_node) {
    find();
  }

  [[nodiscard]] NodeId of(std::size_t variable) const { return definition_[variable]; }

 private:
  [[nodiscard]] bool is_unknown(const Node& leaf) const {
    if (leaf.op == Op::final_variable) return true;
    if (leaf.op != Op::variable) return false;
    // Derivatives between steps are less exact than the variables that the equations give.
    if (leaf.order > 0) return true;
    return !view_.is_differential[leaf.symbol] && definition_[leaf.symbol] == no_node;
  }

  void find() {
    const auto equations = view_.model.equations();
    std::vector<std::size_t> queue;
    for (std::size_t e = 0; e < equations.size(); ++e) {
      for (const NodeId leaf : walker_.leaves_between_events(view_.residuals[e])) {
        const Node& node = pool_[leaf];
        if (!is_unknown(node)) continue;
        ++n_unknown_[e];
        if (node.op == Op::variable && node.order == 0) equations_of_[node.symbol].push_back(e);
      }
      if (n_unknown_[e] == 1) queue.push_back(e);
    }
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const std::int32_t found = define(queue[next]);
      if (found < 0) continue;
      for (const std::size_t e : equations_of_[found])
        if (--n_unknown_[e] == 1) queue.push_back(e);
    }
  }

  /// The variable that the equation defines, or −1.
  std::int32_t define(std::size_t equation) {
    if (n_unknown_[equation] != 1) return -1;  // the last unknown was found elsewhere
    const Equation& sides = view_.model.equations()[equation];
    std::int32_t symbol = -1;
    double factor = 0.0;
    std::vector<LinearTerm> rest;
    for (const LinearTerm& term : linear_terms(pool_, sides.lhs, sides.rhs)) {
      const Node& node = pool_[term.node];
      if (node.op == Op::variable && node.order == 0 && is_unknown(node)) {
        symbol = node.symbol;
        factor = term.coefficient;
        continue;
      }
      const auto below = walker_.leaves_between_events(term.node);
      if (std::any_of(below.begin(), below.end(),
                      [&](NodeId leaf) { return is_unknown(pool_[leaf]); }))
        return -1;
      rest.push_back(term);
    }
    if (symbol < 0) return -1;
    for (LinearTerm& term : rest) term.coefficient *= -1.0 / factor;
    definition_[symbol] = sum_of_terms(pool_, rest);
    return symbol;
  }

  const GeneralView& view_;
  Pool& pool_;
  LeafWalker walker_;
  std::vector<int> n_unknown_;  ///< leaves of each equation that are not known
  std::vector<std::vector<std::size_t>> equations_of_;
  std::vector<NodeId> definition_;
};

}  // namespace

std::vector<NodeId> in_known_values(const GeneralView& view, Pool& pool,
                                    std::span<const NodeId> roots) {
  if (roots.empty()) return {};
  const Definitions definitions(view, pool);
  std::vector<std::pair<NodeId, NodeId>> defined;
  for (std::size_t i = 0; i < view.x.size(); ++i)
    if (definitions.of(i) != no_node) defined.emplace_back(view.x[i], definitions.of(i));
  Rewriter rewriter(pool, pool);
  for (std::int32_t id = 0; id < pool.n_relations(); ++id)
    rewriter.bind(pool.relation_node(id), pool.relation_node(id));
  for (const auto& [leaf, definition] : defined) rewriter.define(leaf, definition);
  std::vector<NodeId> result;
  for (const NodeId root : roots) result.push_back(rewriter.rewrite(root));
  return result;
}

}  // namespace daedal
