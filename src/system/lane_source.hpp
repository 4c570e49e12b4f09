// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Explicit systems of which eight runs advance together, one in each lane of the processor's
/// vectors. What is in one lane does not depend on the others.

#include <daedal/system.hpp>
#include <memory>
#include <span>

#include "core/lane_sum.hpp"
#include "core/types.hpp"

namespace daedal {

/// A set of lanes, one bit for each.
using LaneSet = unsigned;
inline constexpr std::size_t lane_count = 8;
inline constexpr LaneSet all_lanes = (1U << lane_count) - 1;

/// x' = f(t, x) of eight runs. Numbers of all lanes stand as values[8·i + lane].
class LaneSystem {
 public:
  virtual ~LaneSystem() = default;

  virtual void sum(const LaneSum& sum) const = 0;
  /// The lane takes the parameters of a run that has started, and all that it holds between events.
  virtual void take(std::size_t lane, Run& run) = 0;
  /// The lanes that have a value, which has the bits of ExplicitSystem::rhs(). `conditioning`: of
  /// the constraints, where that is watched.
  virtual LaneSet rhs(const double* t, const double* x, double* xp, double* conditioning) = 0;
  /// What evaluations of the lane have found of it, to be told to its run.
  virtual void note_conditioning(double /*least*/, Run& /*run*/) const {}
  /// Conditioning of the last evaluation alone, which was at the end of a step.
  virtual void note_end(std::size_t /*lane*/, double /*conditioning*/, Run& /*run*/) const {}
  /// After an accepted step.
  virtual void accept(std::size_t /*lane*/, Run& /*run*/) {}

  /// States of some lanes that are to be moved onto their manifold; `runs` of all lanes.
  struct Ends {
    const double* t;
    double* x;
    const double* weights;
    std::span<Run* const> runs;
  };
  /// As Manifold::project() does it. The lanes for which it has come to an end.
  virtual LaneSet project(const Ends& /*ends*/, LaneSet lanes) { return lanes; }
};

class LaneSource {
 public:
  virtual ~LaneSource() = default;
  /// Null where there are none. The source outlives them.
  [[nodiscard]] virtual std::unique_ptr<LaneSystem> make_lanes() const = 0;
};

}  // namespace daedal
