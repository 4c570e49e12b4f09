// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Derivatives of expressions by graph automatic differentiation: every pass is one loop over node
/// ids, and shared subexpressions stay shared in the result.

#include <span>
#include <vector>

#include "expr/pool.hpp"

namespace daedal {

/// One structural nonzero of a Jacobian.
struct JacobianEntry {
  std::int32_t row;
  std::int32_t column;
  NodeId value;
};

/// d/dt of every expression of `roots`; variables go one order up, parameters and discrete values
/// are constant.
std::vector<NodeId> total_time_derivative(Pool& pool, std::span<const NodeId> roots);

/// ∂roots/∂leaves, structurally nonzero entries only, sorted by column, then row. `leaves` are
/// different leaf nodes (variable, parameter, time, ...). Chooses forward or reverse accumulation
/// per row.
std::vector<JacobianEntry> jacobian(Pool& pool, std::span<const NodeId> roots,
                                    std::span<const NodeId> leaves);

/// Which of the expressions have a derivative with respect to some of the leaves.
std::vector<bool> depend_on(const Pool& pool, std::span<const NodeId> roots,
                            std::span<const NodeId> leaves);

/// The gradient of one expression by a reverse sweep: one node per leaf (constant 0 if absent).
std::vector<NodeId> gradient(Pool& pool, NodeId root, std::span<const NodeId> leaves);

/// roots with every leaf `from[i]` replaced by the node `to[i]`, all at once. Derivatives of a
/// replaced variable are leaves of their own and stay.
std::vector<NodeId> substitute(Pool& pool, std::span<const NodeId> roots,
                               std::span<const NodeId> from, std::span<const NodeId> to);

/// The leaves that the expressions depend on, numbers excepted, ascending ids, each once.
std::vector<NodeId> dependencies(const Pool& pool, std::span<const NodeId> roots);

}  // namespace daedal
