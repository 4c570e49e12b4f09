// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Differences that keep their sign in a part of a step although their bounds do not show it.

#include "solve/watch/look/sampled_step.hpp"

namespace daedal::solve_detail {

/// Whether the difference of a suspect, which the bounds leave open, keeps its sign between two
/// instants. The bounds must be those between the instants, and are so afterwards.
[[nodiscard]] bool keeps_sign(std::size_t suspect, const Instant& a, const Instant& b,
                              SampledStep& step, double rtol);

}  // namespace daedal::solve_detail
