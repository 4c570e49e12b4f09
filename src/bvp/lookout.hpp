// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What is known of the equations between the points at which they are evaluated.

#include <span>

#include "kernel/interval.hpp"

namespace daedal::bvp {

class Lookout {
 public:
  virtual ~Lookout() = default;
  /// Whether the equations are no more than a gentle curve while time, unknowns and their slopes
  /// stay within bounds. `is_whole`: of an interval of the mesh, whose parts come next.
  virtual bool is_gentle(const kernel::Interval& time, std::span<const kernel::Interval> x,
                         std::span<const kernel::Interval> xp, bool is_whole) = 0;
};

}  // namespace daedal::bvp
