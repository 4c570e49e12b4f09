// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// L. Petzold, Y. Ren, T. Maly: Examples 5.1 and 5.2, Figures 5.1 to 5.14. The paper shows figures;
/// ours are the greatest errors over the run. Interval and start of Example 5.2 are not in its
/// text: ours is [0, 2] from θ₁ = π/4 at rest, which passes the bifurcation once. Figures 5.6 and
/// 5.9, Baumgarte's method on the velocity constraint alone, are not among ours.

#include <vector>

#include "study.hpp"

namespace daedal::studies {

std::vector<Entry> petzold_ren_maly();

}  // namespace daedal::studies
