// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// At which times a run has rows.

#include <daedal/model.hpp>
#include <limits>

namespace daedal {

/// As SolveOptions::interval: a row at every accepted step, whatever the model says.
inline constexpr double every_step = -std::numeric_limits<double>::infinity();

/// The distance of rows for the `asked` SolveOptions::interval: 0 stands for the model's own, and
/// the result 0 for every accepted step. The one rule of all interfaces.
inline double output_interval(double asked, const Experiment& experiment) {
  if (asked == every_step) return 0.0;
  return asked == 0.0 ? experiment.interval.value_or(0.0) : asked;
}

}  // namespace daedal
