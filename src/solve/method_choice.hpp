// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The choice that `auto` makes: candidates in the order in which they are tried. A candidate is
/// passed over when the model does not have the shape that it needs, when its index is too high, or
/// when the integrator asked for cannot step its system. The first candidate that starts is run;
/// where the run shows that another method serves better, that one continues from there. The rules
/// are the table in method_choice.cpp.

#include <cmath>
#include <cstddef>
#include <daedal/options.hpp>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formulation/frame/registry.hpp"
#include "solve/preparation.hpp"

namespace daedal::solve_detail {

/// The method that takes over when another one stops on the way, and why.
struct Successor {
  const formulation::MethodRow* method = nullptr;
  std::string_view integrator = {};  ///< empty: the method's own
  std::string_view reason = {};      ///< the end of a sentence
  double tolerance_factor = 1.0;     ///< see Candidate
  bool passes_folds = false;         ///< of algebraic equations, by a jump with the states held
  bool was_before = false;           ///< it found the model stiff, and handed over
};

struct Candidate {
  const formulation::MethodRow* method = nullptr;
  std::string_view integrator = {};  ///< empty: the method's own, or the one asked for
  std::string_view reason = {};      ///< a full sentence; empty when the user chose
  std::size_t max_unknowns = std::numeric_limits<std::size_t>::max();
  /// Considered only after the start of another candidate turned out singular.
  bool is_for_singular = false;
  /// Takes models of index 1 at most.
  bool is_for_low_index = false;
  /// Also constraints of what is no mechanism.
  bool takes_any_constraints = false;
  /// Only quicker than those after it: that it does not fit is not worth a word.
  bool is_shortcut = false;
  std::optional<Successor> when_stiff = std::nullopt;
  /// The implicit integrator that goes on with the same explicit system where it is stiff and its
  /// matrices are no fuller than those of the successor; empty: none.
  std::string_view stiff_integrator = {};
  std::optional<Successor> when_singular = std::nullopt;  ///< watched for where there is one
  std::optional<Successor> when_failed = std::nullopt;    ///< its steps came to nothing
  /// From an event on nothing determines some unknowns: the states may move on without them.
  std::optional<Successor> when_undetermined = std::nullopt;
  /// Poles keep the solutions of its equations apart.
  bool is_for_poles = false;
  /// Taken because it is fast: where it stops, others take over from the start.
  bool is_for_speed = false;
  /// A local tolerance so much sharper than the one asked for.
  double tolerance_factor = 1.0;
  /// Sharpens the local tolerance of long runs, see long_run_factor().
  bool minds_length = false;
  /// The scales of small variables were too much for it: see ErrorWeights.
  bool ignores_scales = false;
  /// The tolerance was sharpened for a long run; if that fails, the run is repeated with the
  /// tolerance asked for.
  bool is_sharpened = false;
  /// The largest number of steps of a run with a sharpened tolerance: beyond it, rounding errors
  /// shorten the steps.
  double most_steps = HUGE_VAL;
};

/// A run of this many steps is cheap enough for any method.
inline constexpr double bearable_steps = 1e5;
/// What found the model stiff takes over again where the method that followed it fails.
Successor as_before(const Candidate& candidate);

/// Runs of more steps than this are long.
inline constexpr double long_run = 1000.0;
/// The factor by which the local tolerance of a long run is sharpened. The errors of n steps add up
/// to n in quantities that should be constant, such as an energy, and to n² in the phase of an
/// oscillation. `room`: how many times as many steps are allowed.
double long_run_factor(double n_steps, double room);
/// Times the steps that a run projects: sharpened it takes six times as many at most, and no run is
/// as long as it seems to be at its beginning.
inline constexpr double steps_beyond_projection = 16.0;
/// The same method for a run of so many steps, with the tolerance sharpened so.
Candidate sharpened(Candidate candidate, double n_steps, double room);
/// How many times the errors of a run, its tolerance sharpened so, exceed those of a short one.
double long_run_excess(double n_steps, double factor);
inline constexpr double bearable_excess = 100.0;  ///< more is reported
std::string length_warning(double n_steps);

/// The method asked for alone, or the candidates of `auto` for the model, the first one first.
/// `may_take_series`: where they are only faster, not the only way.
std::vector<Candidate> candidates(const SolveOptions& options, const PreparedModel& model,
                                  bool may_take_series = true);

}  // namespace daedal::solve_detail
