// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What every run is given and tells, whatever it solves: its span, numeric parameters by name,
/// progress, log and counters. Plain data, without models.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace daedal {

struct TimeSpan {
  double start = 0.0;
  double stop = 1.0;
};

/// Numeric parameters of a method or an integrator by name: {"gamma", 1e3}.
using MethodParameters = std::map<std::string, double>;

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
  double wall_seconds = 0.0;

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
    return *this;
  }
};

}  // namespace daedal
