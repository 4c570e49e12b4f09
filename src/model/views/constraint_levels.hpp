// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Total time derivatives of constraints along chains x' = v, v' = a, ...

#include <cstdint>
#include <vector>

#include "expr/calculus.hpp"
#include "expr/pool.hpp"

namespace daedal {

struct ConstraintLevels {
  std::vector<std::vector<NodeId>> levels;  ///< g, ġ, ..., g⁽ᵐ⁻¹⁾
  std::vector<NodeId> remainder;            ///< g⁽ᵐ⁾ without its term G x⁽ᵐ⁾
  std::vector<JacobianEntry> jacobian;      ///< G, by columns
};

/// `states[k][i]` is the variable that stands for the k-th derivative of xᵢ, k = 0..m−1.
ConstraintLevels constraint_levels(Pool& pool, const std::vector<NodeId>& constraints,
                                   const std::vector<std::vector<std::int32_t>>& states);

}  // namespace daedal
