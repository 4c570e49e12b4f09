// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The singular-mass form of Petzold, Ren, Maly (4.11), (MᵀM + γI) v' = Mᵀ(f − Gᵀλ), is right only
/// where f − Gᵀλ lies in the range of M. Along a massless direction w, Mw = 0, that a force or a
/// constraint pushes, it drops the push: constraints hold, and the motion is another one.

#include "formulation/frame/formulation.hpp"
#include "formulation/mechanics/mechanics.hpp"

namespace daedal::formulation {

/// Refuses a start where a massless direction is pushed, and names its coordinates.
void refuse_pushed_massless(const Mechanics& mechanics, double t0, MechanicalRun& run,
                            Start& start);

}  // namespace daedal::formulation
