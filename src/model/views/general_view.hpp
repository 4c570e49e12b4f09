// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The general view of a model: F(t, x, x') = 0 of first order, one residual per equation.

#include <daedal/model.hpp>
#include <memory>
#include <vector>

#include "core/types.hpp"
#include "expr/pool.hpp"

namespace daedal {

struct GeneralView {
  /// First-order model: derivatives of order two and more are unknowns (see order_reduction.hpp).
  /// Start values, fixed, nominal and names of the unknowns are those of its variables.
  Model model;
  Index n_given = 0;                    ///< the first unknowns are the variables of the given model
  std::shared_ptr<const Pool> pool;     ///< a frozen child of the model's pool
  std::vector<NodeId> residuals;        ///< lhs − rhs of every equation
  std::vector<NodeId> x;                ///< leaves of the unknowns
  std::vector<NodeId> xp;               ///< leaves of their derivatives
  std::vector<bool> is_differential;    ///< the derivative of the unknown appears in a residual
  std::vector<std::int32_t> relations;  ///< ids of the relations in equations and events
};

GeneralView general_view(const Model& model);

}  // namespace daedal
