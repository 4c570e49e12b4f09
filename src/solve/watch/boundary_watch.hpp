// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The watched functions of a boundary value problem: the instants at which they switch by the time
/// alone, and whether something may hide between the points of a mesh.

#include <daedal/model.hpp>
#include <span>
#include <vector>

#include "bvp/lookout.hpp"
#include "solve/watch/watched_functions.hpp"

namespace daedal::solve_detail {

class BoundaryWatch final : public bvp::Lookout {
 public:
  /// The variables of `model` are the unknowns, in their order.
  BoundaryWatch(const Model& model, std::span<const double> parameters, double rtol);

  /// Where kinks and jumps of functions of the time lie inside a span: the first instant behind
  /// each, ascending. Empty when there are more than `most`.
  [[nodiscard]] std::vector<double> switches(double start, double stop, std::size_t most);

  bool is_gentle(const kernel::Interval& time, std::span<const kernel::Interval> x,
                 std::span<const kernel::Interval> xp, bool is_whole) override;

 private:
  using Interval = kernel::Interval;

  [[nodiscard]] Interval difference(const Watched& function, double a, double b);
  /// Which side, or which whole number below, if the bounds tell.
  [[nodiscard]] static bool is_decided(const Interval& difference, bool is_floor);

  WatchedFunctions functions_;
  std::vector<Interval> bounds_;
  std::vector<std::size_t> places_;  ///< nodes to evaluate for all functions
  std::vector<double> greatest_;     ///< of each function over the interval
  double flat_ = 0.0;                ///< share of it
};

}  // namespace daedal::solve_detail
