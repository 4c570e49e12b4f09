// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Consistent initial values of a mechanical system from rough guesses, level by level:
///
///     positions    g(q, t0) = 0                 fixed q held, guesses moved least
///     velocities   G v + g_t = 0                fixed v held, guesses moved least
///     accelerations and multipliers             from the saddle-point system
///
/// Initial equations in q alone belong to the first level, those with v to the second. More fixed
/// values than free ones are fine when they agree; contradictions are refused by name.

#include <span>
#include <vector>

#include "formulation/frame/compiled_equations.hpp"
#include "formulation/frame/formulation.hpp"
#include "formulation/mechanics/mechanics.hpp"

namespace daedal::formulation {

class MechanicalStart {
 public:
  explicit MechanicalStart(const Mechanics& mechanics);

  /// x = (q, v), xp = (v, a); work.multipliers hold λ. Modes and discrete values of `run` are read.
  [[nodiscard]] Start find(double t0, MechanicalRun& run) const;
  /// The nearest consistent x = (q, v), with what reinit gave as it is.
  Evaluation project(double t, std::span<double> x, MechanicalRun& run) const;

 private:
  [[nodiscard]] CompiledEquations make_level(int level, Pool& pool) const;
  /// One level at an instant: u is q, or v with q held.
  [[nodiscard]] ProgramConstraints constraints(int level, const MechanicalPoint& at,
                                               MechanicalRun& run) const;
  /// Solves one level of the first guesses; false when start.status says why not.
  bool solve(int level, double t0, const StartWishes& wishes, MechanicalRun& run,
             Start& start) const;

  /// Multipliers follow from the rest: a fixed one agrees or the start is refused.
  void check_multipliers(const StartWishes& wishes, double t0, MechanicalRun& run,
                         Start& start) const;

  const Mechanics& mechanics_;
  std::vector<CompiledEquations> levels_;
  StartValues start_values_;
};

}  // namespace daedal::formulation
