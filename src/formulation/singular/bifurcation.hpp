// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What a singular position of a mechanism is. There the tangents v of motions, Gv = 0, need not
/// all belong to one: a motion also meets the second-order condition
///
///     uᵀ g_qq(v, v) = 0   for all u with uᵀG = 0.
///
/// Where that holds for every v, the position is passed smoothly; where it singles out some, they
/// are the branches of a bifurcation; where none is left, the position is isolated.

#include <span>
#include <string>
#include <vector>

#include "formulation/mechanics/mechanics.hpp"

namespace daedal::formulation {

struct SingularPosition {
  enum class Kind { smooth, bifurcation, isolated };
  Kind kind = Kind::smooth;
  Index rank = 0;                ///< of G there
  std::vector<Vector> branches;  ///< tangents, where they are two lines
  Index n_tangents = 0;          ///< to first order
};

/// The position in `x`, which is known to a small multiple of the tolerance; rows of G are scaled
/// by `row_scale`.
SingularPosition classify_position(const Mechanics& mechanics, const MechanicalPoint& at,
                                   std::span<const double> row_scale, MechanicalRun& run);

/// "; it is a bifurcation, with branches along (th1 +1 and th2 +1), ...": the end of a sentence.
std::string describe(const SingularPosition& position, const Mechanics& mechanics);

}  // namespace daedal::formulation
