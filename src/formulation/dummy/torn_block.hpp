// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A block of equations, torn: given values of the tears, the other unknowns follow one by one, and
/// as many equations are left as there are tears (structure/tearing.hpp). The unknowns that follow
/// are substituted, so that residuals and their Jacobian are functions of the tears alone.
///
/// An equation may give an unknown that it has with a constant factor, not much smaller than the
/// other constant factors in it: what follows then amplifies errors by little.

#include <memory>
#include <span>
#include <vector>

#include "formulation/dummy/sigma_system.hpp"

namespace daedal::formulation {

/// The equations of a differentiated system as expressions that can be solved and substituted:
/// every place has one leaf, whatever its names (x' and v), and a relation that holds its value
/// between events is a leaf too, so that the unknowns it compares do not count as dependence.
class PlaceExpressions {
 public:
  explicit PlaceExpressions(const DifferentiatedSystem& system);

  /// A child of the system's pool, open for what is derived from the equations.
  [[nodiscard]] Pool& pool() const { return *pool_; }
  /// no_node for a place that no equation and no variable names.
  [[nodiscard]] NodeId leaf(Index place) const { return leaves_[to_size(place)]; }
  [[nodiscard]] NodeId residual(Index equation) const { return residuals_[to_size(equation)]; }
  /// For programs of these expressions: blocks as in model_run.hpp, places as values.
  [[nodiscard]] std::span<const kernel::Input> inputs() const { return inputs_; }

  struct Derivative {
    Index place = 0;
    NodeId value = no_node;
  };
  /// ∂residual/∂place where it is not zero, by ascending places.
  [[nodiscard]] std::span<const Derivative> derivatives(Index equation) const {
    return derivatives_[to_size(equation)];
  }

 private:
  void differentiate();

  std::shared_ptr<Pool> pool_;
  std::vector<NodeId> leaves_;
  std::vector<NodeId> residuals_;
  std::vector<kernel::Input> inputs_;
  std::vector<std::vector<Derivative>> derivatives_;
};

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
