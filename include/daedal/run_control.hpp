// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Inputs and results common to all kinds of runs: span, progress, log and counters. Plain data,
/// without models.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace daedal {

struct TimeSpan {
  double start = 0.0;
  double stop = 1.0;
};

struct Progress {
  double time = 0.0;
  double fraction = 0.0;
  std::int64_t steps = 0;
};

enum class LogLevel { debug, info, warning };
using LogSink = std::function<void(LogLevel, std::string_view)>;

struct Statistics {
  std::int64_t steps = 0;
  std::int64_t rejected = 0;
  std::int64_t residual_evaluations = 0;  ///< or right-hand sides
  std::int64_t jacobian_evaluations = 0;
  std::int64_t factorizations = 0;
  std::int64_t newton_iterations = 0;
  std::int64_t projections = 0;
  std::int64_t reselections = 0;
  std::int64_t events = 0;
  std::int64_t restarts = 0;
  std::int64_t recognitions = 0;  ///< views of the model that were looked for
  std::int64_t compilations = 0;  ///< programs that were compiled
  double wall_time = 0.0;         ///< seconds
  /// What solved the linear systems of an implicit scheme, and why; empty for small systems.
  std::string linear_solver{};

  /// Adds the counters of another part of a run. The wall time is that of the whole.
  Statistics& operator+=(const Statistics& part) {
    steps += part.steps;
    rejected += part.rejected;
    residual_evaluations += part.residual_evaluations;
    jacobian_evaluations += part.jacobian_evaluations;
    factorizations += part.factorizations;
    newton_iterations += part.newton_iterations;
    projections += part.projections;
    reselections += part.reselections;
    events += part.events;
    restarts += part.restarts;
    if (!part.linear_solver.empty()) linear_solver = part.linear_solver;
    return *this;
  }
};

}  // namespace daedal
