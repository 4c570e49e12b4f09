// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What the user may say about a run. Every default has its reason beside it.

#include <atomic>
#include <cstdint>
#include <daedal/model.hpp>
#include <daedal/run_control.hpp>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace daedal {

struct Options {
  std::string method = "auto";
  MethodParameters method_parameters{};
  /// Of the method user-chart: every position by coordinates of your own, as equations of model
  /// text, "x = l*sin(angle); y = -l*cos(angle)". What is no position, parameter or time is a
  /// coordinate.
  std::string chart{};
  std::string integrator = "auto";
  MethodParameters integrator_parameters{};

  double rtol = 1e-6;         ///< the accuracy engineering plots need, and what peers default to
  double atol = 1e-8;         ///< scaled by each variable's nominal value
  double fixed_step = 0.0;    ///< > 0: a constant step for schemes that have one
  double initial_step = 0.0;  ///< 0: estimated
  double max_step = std::numeric_limits<double>::infinity();
  std::int64_t max_steps = 1'000'000;  ///< a run that needs more is most often a wrong model
  double time_limit = std::numeric_limits<double>::infinity();  ///< wall-clock seconds
  /// Look for singular positions of a mechanism, between the steps too, and report them. The
  /// regularising methods do so by themselves; with others it costs decompositions every step.
  bool watch_singularities = false;

  /// Output grid: interval > 0 asks for equidistant points; otherwise every accepted step.
  double interval = 0.0;
  std::vector<double> stop_times{};  ///< times that a step must hit exactly
  bool keep_dense = true;  ///< keep the interpolants, so that Solution::at works between points

  Overrides parameters{};  ///< parameter values by name
  Overrides starts{};      ///< start values by variable name; they count as fixed

  const std::atomic<bool>* cancel =
      nullptr;  ///< set to true from anywhere: the run ends, keeps all
  std::function<void(const Progress&)> on_progress{};
  LogSink log{};
};

}  // namespace daedal
