// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What the user may say about a run. Every default has its reason beside it.

#include <atomic>
#include <cstdint>
#include <daedal/methods.hpp>
#include <daedal/model.hpp>
#include <daedal/observer.hpp>
#include <daedal/run_control.hpp>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace daedal {

struct SolveOptions {
  // What a problem is prepared for.
  Method method{};  ///< Baumgarte{.alpha = 5.0}, or "baumgarte:alpha=5"; "auto" chooses
  /// For the method user-chart: every position by coordinates of your own. A model of equations
  /// position = expression, with der(coordinate) = 0 for every coordinate (parse_chart() reads it
  /// from text).
  std::optional<Model> chart{};
  Integrator integrator{};  ///< Radau{.stages = 3}, or "radau:stages=3"; "auto" is the method's
  /// Look for singular positions of a mechanism, between the steps too, and report them. The
  /// regularising methods do so by themselves; with others it costs decompositions every step.
  bool watch_singularities = false;

  // What belongs to a run.
  std::optional<double> rtol{};  ///< absent: Experiment::default_rtol() of the model
  double atol = 0.0;             ///< times nominal values; 0: rtol/100, less for small variables
  double fixed_step = 0.0;       ///< > 0: a constant step for schemes that have one
  double initial_step = 0.0;     ///< 0: estimated
  double max_step = std::numeric_limits<double>::infinity();
  std::int64_t max_steps = 1'000'000;  ///< a run that needs more is most often a wrong model
  double time_limit = std::numeric_limits<double>::infinity();  ///< wall-clock seconds
  /// Between rows; 0: the model's own, if it has one, else every_step (daedal/output_grid.hpp).
  double interval = 0.0;
  bool has_step_rows = false;        ///< with an interval: rows at the ends of the steps as well
  std::vector<double> stop_times{};  ///< times that a step must hit exactly
  /// Keep the interpolants, so that Solution::at works between points. Absent: where all columns
  /// and rows are kept, because interpolants need all unknowns at every step.
  std::optional<bool> dense_output{};
  /// The columns of the solution, in this order: names, or patterns such as "wheel*" and "T[?]".
  /// What matches no variable may match parameters and derivatives, as "m" and "der(x)" do.
  /// Empty: all variables.
  std::vector<std::string> columns{};
  /// False: output goes to the observer, and the solution keeps its last row only. Events go to an
  /// observer of events, or to the solution if there is none. The memory used then does not grow
  /// with the length of the run.
  bool keep_rows = true;

  Overrides parameters{};    ///< parameter values by name
  Overrides start_values{};  ///< by variable name; they count as fixed

  const std::atomic<bool>* cancel =
      nullptr;  ///< set to true from anywhere: the run ends, keeps all
  std::function<void(const Progress&)> on_progress{};
  LogSink log{};
  Observer observer{};
};

}  // namespace daedal
