// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The one table of differentiation rules, used by forward and reverse accumulation alike.

#include <array>

#include "expr/pool.hpp"

namespace daedal {

/// weight * ∂node/∂(argument k), where k counts a, b, c from 0. no_node where the derivative is 0
/// whatever the values: of relations, logic, `sign` and `floor`, and of conditions.
NodeId times_partial(Pool& pool, NodeId id, int k, NodeId weight);

/// The tangent Σ ∂node/∂(argument k) * tangents[k]; no_node stands for a tangent that is 0.
NodeId tangent(Pool& pool, NodeId id, const std::array<NodeId, 3>& tangents);

}  // namespace daedal
