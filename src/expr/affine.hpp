// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Whether expressions are affine functions of some leaves, as written: root = A·leaves + b with A
/// and b free of the leaves. Decided by the operations on the way from the leaves to the root, so
/// that x·x − x·x is not affine although its value is, and floor(x) is not although its derivative
/// is constant. Relations that hold their value between events are free of all leaves.

#include <span>

#include "expr/pool.hpp"

namespace daedal {

/// `leaves` ascending.
[[nodiscard]] bool is_affine(const Pool& pool, NodeId root, std::span<const NodeId> leaves);

}  // namespace daedal
