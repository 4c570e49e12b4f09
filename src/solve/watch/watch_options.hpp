// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Options of a run for the classes that look into its steps.

namespace daedal::solve_detail {

class BoundChecks;

struct WatchOptions {
  double rtol = 1e-6;
  double atol = 1e-8;
  bool can_repeat = true;       ///< false: the run has fixed steps, which are never taken again
  bool follows_scales = false;  ///< the user gave no absolute tolerance
  /// Signals of the run are read again later, as by delay(). Every feature of a step then counts,
  /// even one that hardly changes the state at its end.
  bool is_kept = false;
  BoundChecks* bounds = nullptr;  ///< are told of values beyond bounds, or null
};

}  // namespace daedal::solve_detail
