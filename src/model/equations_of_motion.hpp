// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The equations of motion that energies, forces and constraints stand for:
///
///   d/dt ∂L/∂v − ∂L/∂q = Q − Gᵀλ,   L = T − V,   G = ∂g/∂q   (Poell & Hafner (20)-(24))

#include <vector>

#include "expr/pool.hpp"

namespace daedal {

/// Everything in one pool. Energies, forces and constraints may write v or der(q).
struct MotionStatement {
  std::vector<NodeId> positions{};    ///< leaves q
  std::vector<NodeId> velocities{};   ///< leaves v, one for each
  NodeId lagrangian = no_node;        ///< L(q, v, t)
  std::vector<NodeId> forces{};       ///< Q, one for each
  std::vector<NodeId> constraints{};  ///< g(q, t)
  std::vector<NodeId> multipliers{};  ///< leaves λ, one for each
};

struct EquationsOfMotion {
  /// M v' of every coordinate, and what it equals.
  std::vector<NodeId> inertia{};
  std::vector<NodeId> force{};
  NodeId energy = no_node;  ///< v·∂L/∂v − L
};

EquationsOfMotion derive_motion(Pool& pool, const MotionStatement& statement);

}  // namespace daedal
