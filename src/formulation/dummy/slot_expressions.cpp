// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy/slot_expressions.hpp"

#include "expr/calculus.hpp"
#include "model/rewrite.hpp"

namespace daedal::formulation {

PlaceExpressions::PlaceExpressions(const DifferentiatedSystem& system)
    : pool_(std::make_shared<Pool>(system.pool())), leaves_(to_size(system.n_places()), no_node) {
  const auto all = system.inputs(*pool_);
  // Discrete variables have numbers up to n_discretes: relations continue after them.
  const auto n_discretes = static_cast<SymbolId>(system.view().model.discretes().size());
  Rewriter rewriter(*pool_, *pool_);
  for (const kernel::Input& input : all) {
    kernel::Input own = input;
    if (input.block == block_modes) {
      const SymbolId symbol = n_discretes + static_cast<SymbolId>(input.offset);
      own.leaf = pool_->discrete(symbol);
      rewriter.bind(input.leaf, own.leaf);
    } else if (input.block == block_values) {
      NodeId& leaf = leaves_[to_size(input.offset)];
      if (leaf != no_node) {
        rewriter.bind(input.leaf, leaf);
        continue;
      }
      leaf = input.leaf;
    }
    inputs_.push_back(own);
  }
  for (const NodeId root : system.residual_nodes()) residuals_.push_back(rewriter.rewrite(root));
  differentiate();
}

void PlaceExpressions::differentiate() {
  std::vector<NodeId> leaves;
  std::vector<Index> places;
  for (std::size_t p = 0; p < leaves_.size(); ++p) {
    if (leaves_[p] == no_node) continue;
    leaves.push_back(leaves_[p]);
    places.push_back(to_index(p));
  }
  derivatives_.resize(residuals_.size());
  for (const JacobianEntry& entry : jacobian(*pool_, residuals_, leaves)) {
    derivatives_[static_cast<std::size_t>(entry.row)].push_back(
        {places[static_cast<std::size_t>(entry.column)], entry.value});
  }
}

}  // namespace daedal::formulation
