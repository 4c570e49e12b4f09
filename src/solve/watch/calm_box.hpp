// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Ranges of time and of the variables within which every watched function is calm, whatever the
/// variables do there. Steps that stay inside need not be looked at, and to test this costs a few
/// comparisons instead of the evaluation of all bounds.

#include <vector>

#include "solve/watch/step_bounds.hpp"
#include "solve/watch/suspects.hpp"
#include "solve/watch/watched_functions.hpp"

namespace daedal::solve_detail {

class CalmBox {
 public:
  struct Stretch {
    const Sample& begin;
    const Sample& end;
  };
  /// Makes a box that several steps of this length fit into, after a calm step between two samples;
  /// leaves it empty where there is none. `bounds` is used to compute it and then holds the box.
  void rebuild(const WatchedFunctions& functions, const Suspects& suspects, const Stretch& step,
               StepBounds& bounds);
  void clear() { ranges_.clear(); }
  [[nodiscard]] bool is_empty() const { return ranges_.empty(); }
  /// Whether the bounds of time and of the variables lie within the box.
  [[nodiscard]] bool contains(const StepBounds& bounds) const;

 private:
  /// The box reaches as far as so many steps: some more each time it is calm, half as many where it
  /// is not. If not even the fewest are calm, the next few attempts are left out.
  static constexpr double first_steps = 8.0;
  static constexpr double fewest_steps = 4.0;
  static constexpr double most_steps = 64.0;
  static constexpr double growth = 1.25;
  static constexpr int longest_pause = 16;

  std::vector<kernel::Interval> ranges_;  ///< of time at its places, then of the leaves
  double n_steps_ = first_steps;
  int pause_ = 0;
};

}  // namespace daedal::solve_detail
