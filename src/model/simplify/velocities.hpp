// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Velocities in other units than those of their positions: x' = k v with a number k, in a model
/// with constraints. With w = k v in place of v the equation says that w is the derivative of x,
/// which is how mechanical systems are recognised and derivatives named; steps and accuracy remain
/// what they are.

#include <cstdint>
#include <vector>

#include "core/types.hpp"
#include "model/simplify/elimination.hpp"

namespace daedal {

/// der(position) = factor · velocity, both representatives of their alias classes.
struct ScaledVelocity {
  std::size_t equation = 0;
  std::int32_t position = -1;
  std::int32_t velocity = -1;
  double factor = 1.0;
};

/// Those with other factors than 1, none that depends on itself: x' = k v, v' = m x is left alone.
[[nodiscard]] std::vector<ScaledVelocity> scaled_velocities(const Model& model,
                                                            Elimination& elimination);

}  // namespace daedal
