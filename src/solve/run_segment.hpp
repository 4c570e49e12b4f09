// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A run in legs. One method runs to the end as a rule; where it finds out on the way that the
/// model is stiff, or that a singular position lies ahead, it stops at the last good point, and its
/// successor goes on from there. What is recorded is one solution.

#include <chrono>
#include <daedal/solution.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "model/simplify/recovery.hpp"
#include "solve/dense.hpp"
#include "solve/prepared_run.hpp"

namespace daedal::solve_detail {

/// What every leg shares.
struct Journey {
  const TimeSpan& span;
  const Options& options;
  const Recovery& recovery;
  std::size_t n_continuous;
  std::shared_ptr<Solution::Dense> dense;  ///< may be null
  std::chrono::steady_clock::time_point began;
  /// The longest of the legs that were left behind for one from the start.
  std::optional<Solution> set_aside = std::nullopt;

  /// Since the run began, with its analysis and all its legs.
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
};

/// Where a leg ended.
struct LegEnd {
  double t = 0.0;
  enum class Reason { none, stiff, singular, length };
  Reason reason = Reason::none;  ///< why another leg follows
  double projected_steps = 0.0;
  std::vector<double> values;  ///< of the model's variables there
  std::vector<double> parameters;
};

/// Runs `attempt` from `t0` to the end of the span, or to where it finds that another method should
/// go on; fills `solution`.
LegEnd run_leg(Attempt& attempt, const formulation::Request& request, double t0,
               const Journey& journey, Solution& solution);

/// The attempt that goes on after `end`, and from when. `request` becomes its request.
struct NextLeg {
  Attempt attempt;
  double t0 = 0.0;
};
NextLeg next_leg(const Attempt& attempt, LegEnd end, formulation::Request& request,
                 Journey& journey, Solution& solution);

/// After the last leg: when it failed short of what an earlier one had reached, that one's values.
void keep_the_longest(Journey& journey, Solution& solution);

}  // namespace daedal::solve_detail
