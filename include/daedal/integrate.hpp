// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Systems written in C++ (system.hpp), without a model:
///
///     class Pendulum final : public ExplicitSystem { size(), rhs() };
///     Solution s = integrate(Pendulum{}, {1.0, 0.0}, {0.0, 10.0});
///     double angle = s.at(2.5, "x[1]");
///
/// Events, invariants (Manifold), limits and dense output work as in solve(). Jacobians are
/// optional. The columns of the Solution are the unknowns by System::unknown_name.

#include <atomic>
#include <cstdint>
#include <daedal/methods.hpp>
#include <daedal/run_control.hpp>
#include <daedal/solution.hpp>
#include <daedal/system.hpp>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

struct IntegrateOptions {
  /// Radau{.stages = 3}, or "radau:stages=3". "auto" is bdf for implicit systems, radau for those
  /// of index 2 and 3; for explicit ones it is dop853, and bdf from where the system turns out to
  /// be stiff.
  Integrator integrator{};

  double rtol = 1e-6;
  double atol = 0.0;          ///< scaled by System::nominals; 0: rtol/100
  double fixed_step = 0.0;    ///< > 0: a constant step for schemes that have one
  double initial_step = 0.0;  ///< 0: estimated
  double max_step = std::numeric_limits<double>::infinity();
  std::int64_t max_steps = 1'000'000;
  double time_limit = std::numeric_limits<double>::infinity();  ///< wall-clock seconds
  /// Project on the manifold before and after each step with the same multipliers (gauss alone)
  /// instead of after it.
  bool symmetric_projection = false;

  /// Output grid: interval > 0 asks for equidistant points; otherwise every accepted step.
  double interval = 0.0;
  std::vector<double> stop_times{};  ///< times that a step must hit exactly
  bool dense_output = true;          ///< keep the interpolants for Solution::at

  /// Set to true from anywhere: the run ends and keeps what it has.
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(const Progress&)> on_progress{};
  LogSink log{};
};

/// Where an implicit system starts: values that satisfy F(t, x, x') = 0 within the tolerances.
struct StartValues {
  std::vector<double> x{};
  std::vector<double> xp{};
};

/// F(t, x, x') = 0 from start.x, start.xp. Start values that do not satisfy the equations end the
/// run with Status::inconsistent_start and the name of the equation. Throws OptionError for wrong
/// options; everything that happens while integrating is in the status. What the system throws
/// passes through.
DAEDAL_EXPORT Solution integrate(const ImplicitSystem& system, const StartValues& start,
                                 const TimeSpan& span, const IntegrateOptions& options = {});

/// x' = f(t, x) from x = start, which must lie on the manifold where the system has one.
DAEDAL_EXPORT Solution integrate(const ExplicitSystem& system, const std::vector<double>& start,
                                 const TimeSpan& span, const IntegrateOptions& options = {});

}  // namespace daedal
