// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The variables that the watched functions depend on, and their rates, at instants of a step: from
/// the states of the run at the ends of the step, from the interpolant of the stepper between them.

#include <daedal/system.hpp>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "integrate/driver/event_monitor.hpp"
#include "integrate/stepper.hpp"
#include "solve/run/output_map.hpp"

namespace daedal::solve_detail {

struct Sample {
  double t = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values, derivatives;  ///< in the order of StepSampler's `variables`
};

class StepSampler {
 public:
  /// `variables`: the numbers of the variables to sample, among the `n_variables` of the model.
  StepSampler(std::shared_ptr<const OutputMap> map, std::span<const std::size_t> variables,
              std::size_t n_variables);

  [[nodiscard]] const OutputMap& map() const { return *map_; }
  [[nodiscard]] Sample make_sample() const;

  void read(const integration::Ray& state, Run& run, Sample& sample);
  [[nodiscard]] Sample interpolate(double t, const integration::Stepper& stepper, Run& run);
  /// Everything that the run computes at an instant inside the step: a value for each of
  /// map().names(), followed by the right-hand side or the residual of the system.
  [[nodiscard]] std::vector<double> row(double t, const integration::Stepper& stepper, Run& run);

 private:
  std::shared_ptr<const OutputMap> map_;
  std::vector<std::size_t> variables_;
  std::vector<double> x_, xp_;
  std::vector<double> values_, derivatives_;  ///< of all variables of the model
  OutputMap::Workspace workspace_;
};

}  // namespace daedal::solve_detail
