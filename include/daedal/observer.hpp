// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What a run shows on its way, as it happens:
///
///     SolveOptions options{.interval = 0.1, .columns = {"x", "T*"}, .keep_rows = false};
///     options.observer.on_output = [&](double t, std::span<const double> row) {
///       file << t << ' ' << row[0] << '\n';
///       return row[0] > 100.0 ? Flow::stop : Flow::go_on;
///     };
///
/// Everything comes in the order of time and in the thread of the run. Rows have the columns of the
/// Solution. Flow::stop ends the run with Status::event_stop. An exception ends it, too, and is
/// passed on; a Simulation then still has what was computed before.

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace daedal {

enum class Flow { go_on, stop };

/// An accepted step, or the part of one up to an event.
struct ObservedStep {
  double start = 0.0;
  double end = 0.0;
  int order = 0;                ///< of the integrator in this step
  std::span<const double> row;  ///< at its end, before an event there
};

/// Each of these may be left out.
struct Observer {
  /// Before anything else: the names of the columns. Again, should a later method have others.
  std::function<Flow(std::span<const std::string> names)> on_begin{};
  /// An output point: of the grid, or at the end of every step. At an event there are two, with the
  /// values before it and after it.
  std::function<Flow(double time, std::span<const double> row)> on_output{};
  std::function<Flow(const ObservedStep& step)> on_step{};
  /// What happened, and the values after it.
  std::function<Flow(double time, std::string_view what, std::span<const double> row)> on_event{};
  /// Everything that was shown after `time` is void: `auto` continues from there with another
  /// method, usually from the start of the run.
  std::function<Flow(double time)> on_rewind{};
};

}  // namespace daedal
