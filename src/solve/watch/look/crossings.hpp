// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Changes of sign of the difference of a suspect between two instants of a step.

#include "solve/watch/look/sampled_step.hpp"

namespace daedal::solve_detail {

struct Bracket {
  double begin = 0.0;
  double end = 0.0;
  std::size_t suspect = 0;
};

/// The bracket shrunk until it is very short beside the step, or its end alone where the sign does
/// not change.
[[nodiscard]] Bracket crossing(const Bracket& bracket, SampledStep& step);

/// The same, widened to the last instant before and the first instant after the crossing at which
/// the sign is not left to rounding errors of the two sides: a step that begins at the latter
/// begins on the other side for certain.
[[nodiscard]] Bracket about_crossing(const Bracket& bracket, SampledStep& step);

}  // namespace daedal::solve_detail
