// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The equations of a differentiated system as expressions that can be solved and substituted:
/// every place has one leaf, whatever its names (x' and v), and a relation that holds its value
/// between events is a leaf too, so that the unknowns it compares do not count as dependence.

#include <memory>
#include <span>
#include <vector>

#include "formulation/dummy/sigma_system.hpp"

namespace daedal::formulation {

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

}  // namespace daedal::formulation
