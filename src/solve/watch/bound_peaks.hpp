// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Looks within steps for values beyond the bounds of their variables: peaks of which no row tells.
/// A variable can have one where it bends within the step by more than it lacks to its bound.

#include <limits>
#include <memory>
#include <vector>

#include "integrate/stepper.hpp"
#include "solve/checks/row_checks.hpp"
#include "solve/run/output_map.hpp"

namespace daedal::solve_detail {

class BoundPeaks {
 public:
  /// `checks` are told of what is found, and must outlive this object.
  BoundPeaks(std::shared_ptr<const OutputMap> map, RowChecks& checks);

  void on_step(const integration::StepReport& step, const integration::Stepper& stepper, Run& run);

 private:
  /// The values of all variables inside the last step.
  struct Point {
    double t = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> values{};
  };
  void read(double t, const integration::Stepper& stepper, Run& run, Point& point);
  /// Finds the bounds that variables may be beyond within the step.
  void find_near(const integration::StepReport& step);
  void look_for_peak(const RowChecks::Bound& bound, const integration::Stepper& stepper, Run& run);

  std::shared_ptr<const OutputMap> map_;
  RowChecks& checks_;
  OutputMap::Workspace workspace_;
  std::vector<double> x_, xp_;
  std::vector<double> slopes_;  ///< by bound, over the last step
  std::vector<std::size_t> near_;
  std::vector<Point> points_;  ///< of the step, in equal distances
  Point end_, peak_;
};

}  // namespace daedal::solve_detail
