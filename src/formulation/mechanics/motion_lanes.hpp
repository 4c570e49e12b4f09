// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Accelerations of eight runs at once, by the elimination that is written out
/// (eliminated_motion.hpp), and their projection (mechanical_manifold.hpp).

#include <span>
#include <vector>

#include "formulation/frame/program_lanes.hpp"
#include "formulation/mechanics/mechanical_manifold.hpp"

namespace daedal::formulation {

class MotionLanes final : public KernelLanes {
 public:
  /// All outlive the lanes; the manifold may be null.
  MotionLanes(const Mechanics& mechanics, const Mechanics::Programs& programs,
              const MechanicalManifold* manifold);

  void take(std::size_t lane, Run& run) override;
  LaneSet rhs(const double* t, const double* x, double* xp, double* conditioning) override;
  void note_conditioning(double least, Run& run) const override;
  void note_end(std::size_t lane, double conditioning, Run& run) const override;
  void accept(std::size_t lane, Run& run) override;
  LaneSet project(const Ends& ends, LaneSet lanes) override;

 private:
  void point(const double* t, const double* x);
  LaneSet factor(const Ends& ends, LaneSet lanes);
  LaneSet project_level(int level, const Ends& ends, LaneSet lanes);

  std::size_t n_, m_;
  const MechanicalManifold* manifold_;
  LaneBlocks blocks_;
  ProgramLanes motion_, position_, velocity_, mass_;
  // Squares of the lengths of the rows of G (conditioning.hpp), by lanes.
  const double* squares_ = nullptr;  ///< of the last evaluation
  std::vector<double> one_over_usual_;
  std::vector<double> moved_, weights_;
};

}  // namespace daedal::formulation
