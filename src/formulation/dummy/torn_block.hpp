// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A block of equations, torn: given values of the tears, the other unknowns follow one by one, and
/// as many equations are left as there are tears (structure/tearing.hpp). The unknowns that follow
/// are substituted, so that residuals and their Jacobian are functions of the tears alone.
///
/// An equation may give an unknown that it has with a constant factor, not much smaller than the
/// other constant factors in it: what follows then amplifies errors by little.

#include <span>
#include <vector>

#include "formulation/dummy/slot_expressions.hpp"

namespace daedal::formulation {

struct BlockEquations {
  std::span<const Index> equations;    ///< of the differentiated system
  std::span<const Index> places;       ///< as many
  std::span<const double> nominals;    ///< of all places
  std::span<const double> parameters;  ///< NaN where the start is to find them
};

struct TornBlock {
  struct Entry {
    Index row = 0;     ///< of `residuals`
    Index column = 0;  ///< of `tears`
    NodeId value = no_node;
  };
  std::vector<Index> tears;       ///< places
  std::vector<NodeId> residuals;  ///< as many
  std::vector<Entry> entries;     ///< ∂residuals/∂tears by column, then row
  std::vector<Index> followers;   ///< places
  std::vector<NodeId> values;     ///< of the followers
};

/// Without followers where nothing is gained: residuals and entries are those of the block then.
[[nodiscard]] TornBlock tear_block(const PlaceExpressions& expressions,
                                   const BlockEquations& block);

/// The value of a place for which the equation, affine in it, holds. `factor` is its derivative.
[[nodiscard]] NodeId solved_for(const PlaceExpressions& expressions, Index equation, Index place,
                                NodeId factor);

}  // namespace daedal::formulation
