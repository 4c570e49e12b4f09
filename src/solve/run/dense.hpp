// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The stored interpolant behind Solution::at: per accepted step the values of the integrator's
/// own dense output at Chebyshev points, which reproduce its polynomial to round-off.

#include <daedal/solution.hpp>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "integrate/stepper.hpp"
#include "solve/run/output_map.hpp"

namespace daedal {

class Solution::Dense {
 public:
  /// Steps added from now on are those of another formulation. To be called before the first one.
  void begin_leg(std::shared_ptr<const solve_detail::OutputMap> map);
  /// The same for a system without a model, whose columns are its n unknowns.
  void begin_leg(std::size_t n);
  /// Stores the stepper's last step from `t0` to `t1` (t1 may lie before the step's end: an event).
  void add_step(double t0, double t1, int order, const integration::Stepper& stepper, Run& run);
  /// Stores a polynomial of degree n_nodes − 1 from `t0` to `t1`, given by its values x and x'.
  using Interpolant = std::function<void(double t, std::span<double> x, std::span<double> xp)>;
  void add_segment(double t0, double t1, std::size_t n_nodes, const Interpolant& interpolant,
                   Run& run);
  /// At an event: the values before it, or those after.
  enum class Side { left, right };
  /// Throws OptionError{invalid_option} for a time outside the run.
  void evaluate(double t, Side side, std::span<double> all_values) const;
  /// Time derivatives of all values, by the polynomial through them at the nodes of the step.
  void differentiate(double t, std::span<double> all_values) const;

 private:
  struct Segment {
    double t0;
    double t1;
    std::size_t first;  ///< of its nodes in states_
    std::size_t n_nodes;
    std::size_t discrete;  ///< its snapshot of modes and discrete values
    std::size_t leg;
  };
  struct Snapshot {
    std::vector<double> modes;
    std::vector<double> discretes;
    std::vector<double> parameters;
    std::vector<double> memory;
  };
  struct Leg {
    std::size_t n;                                       ///< unknowns
    std::shared_ptr<const solve_detail::OutputMap> map;  ///< null where they are the columns
  };
  void take_snapshot(Run& run);
  void interpolate(const Segment& segment, double t, std::span<double> x,
                   std::span<double> xp) const;
  [[nodiscard]] const Segment& segment_at(double t, Side side) const;
  /// A run in the modes of a segment; null where the unknowns are the columns.
  [[nodiscard]] std::unique_ptr<Run> run_of(const Segment& segment) const;
  void evaluate_in(const Segment& segment, double t, Run* run, std::span<double> all_values) const;

  std::vector<Leg> legs_;
  std::vector<Segment> segments_;
  std::vector<double> states_;  ///< x and x' at every node
  std::vector<Snapshot> snapshots_;
  std::size_t n_before_leg_ = 0;  ///< snapshots of earlier legs
};

}  // namespace daedal
