// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Substitution in a finished model. A relation holds its value between events and is read by its
/// id, whatever it compares: replacing what it compares would make another relation of it, with an
/// id that no event knows.

#include <span>
#include <vector>

#include "expr/pool.hpp"

namespace daedal {

/// As `substitute`, but relations with an id stay as they are.
std::vector<NodeId> substitute_held(Pool& pool, std::span<const NodeId> roots,
                                    std::span<const NodeId> from, std::span<const NodeId> to);

}  // namespace daedal
