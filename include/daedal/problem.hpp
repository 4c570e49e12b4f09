// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A model made ready to be solved many times:
///
///     Problem problem = prepare(model, {.method = Ggl{}});
///     for (double mass : {1.0, 2.0, 3.0}) {
///       Solution s = problem.solve({0.0, 10.0}, {.parameters = {{"m", mass}}});
///     }
///
/// What depends on the structure of the model (simplification, recognition, compilation) is made
/// once. Time span, tolerances, values, output and cancellation belong to a run. The first run
/// prepares what it needs; later runs find it. A value that changes the structure, such as a mass
/// that becomes zero, prepares anew. Every run gives the bits that solve() gives.

#include <daedal/model.hpp>
#include <daedal/options.hpp>
#include <daedal/solution.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

class RowSystem;

/// The values of one run.
struct RunValues {
  Overrides parameters{};    ///< by name; the others keep the values of the model
  Overrides start_values{};  ///< by variable name; they count as fixed
};

/// A run that advances step by step; a change of the method on the way is a step like any other.
/// One thread advances it. Others may set values, ask for them and save the run meanwhile: they
/// wait for the end of the step. Its own callbacks may ask, but not set.
class DAEDAL_EXPORT Simulation {
 public:
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  /// One accepted step, or the part of one up to an event and that event. False when the run is
  /// over: solution() then has its status and its message.
  bool step();
  /// Steps until time() is `t`, where the last of them ends; at the end of the span the run is over
  /// then. False when it ended before.
  bool advance(double t);
  [[nodiscard]] bool is_over() const;

  [[nodiscard]] const TimeSpan& span() const;
  [[nodiscard]] double time() const;
  /// The value of a variable at time(), after an event the value after it; while the run goes on
  /// also of those that are no columns. Throws OptionError{unknown_name}.
  [[nodiscard]] double value(std::string_view name) const;
  /// All values at time(), in the order of Solution::names.
  void values(std::span<double> all_values) const;
  [[nodiscard]] std::vector<double> values() const;

  /// From time() on the input has another value. That is an event: relations and when-clauses
  /// react, states keep their values, and everything else follows. What is set at one time counts
  /// as one event, which takes place before anything else is asked of the run. Throws OptionError
  /// for a name that is no input, for an input that follows an expression or a table, for one whose
  /// derivatives the equations need, which a jump does not have, and for a run that is over.
  void set_input(std::string_view name, double value);
  /// The same for a parameter. Throws OptionError, besides, for one that is used at the start alone
  /// or found there, and where the structure of the model may hang on the value.
  void set_parameter(std::string_view name, double value);

  /// A checkpoint, as bytes that may be written to a file and begin with "daedal checkpoint ". A
  /// run that is saved starts its steps anew from there, so that Problem::restore() gives the same
  /// bits from there on, in this process or in another one. A run that was cancelled or has used up
  /// its time or its steps is saved where it stopped. Throws OptionError, with the run as it was,
  /// when it is over otherwise or cannot be started anew just there.
  [[nodiscard]] std::string save();

  /// What was computed so far. Throws OptionError while another thread advances the run.
  [[nodiscard]] const Solution& solution() const;
  /// A copy as it stands between two steps, also then, but then without dense output.
  [[nodiscard]] Solution copy_solution() const;
  /// The same, handed over; the simulation must not be used afterwards.
  [[nodiscard]] Solution take_solution();

 private:
  friend class Problem;
  class Impl;
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Const, and shared freely: copies share what was prepared, and threads may solve at the same
/// time.
class DAEDAL_EXPORT Problem {
 public:
  [[nodiscard]] const Model& model() const;
  /// The options given to prepare().
  [[nodiscard]] const SolveOptions& options() const;

  /// Solves with the options given to prepare(); `values` come on top of theirs.
  [[nodiscard]] Solution solve(const TimeSpan& span, const RunValues& values = {}) const;
  /// Solves with other tolerances, limits, output and callbacks. Method, integrator, chart and the
  /// watch for singularities stay those of prepare(); values of `run` and `values` add up.
  [[nodiscard]] Solution solve(const TimeSpan& span, const RunValues& values,
                               const SolveOptions& run) const;
  /// The same run, to be advanced step by step.
  [[nodiscard]] Simulation start(const TimeSpan& span, const RunValues& values = {}) const;
  [[nodiscard]] Simulation start(const TimeSpan& span, const RunValues& values,
                                 const SolveOptions& run) const;
  /// The run that was saved, to be advanced from there; its solution has what was computed before,
  /// but dense output from there on alone. Throws OptionError for bytes that are no checkpoint, or
  /// one of another model, other values or other options. Of `run` only what does not change the
  /// solution may differ: limits and callbacks.
  [[nodiscard]] Simulation restore(std::string_view checkpoint) const;
  [[nodiscard]] Simulation restore(std::string_view checkpoint, const SolveOptions& run) const;

 private:
  friend DAEDAL_EXPORT Problem prepare(const Model& model, const SolveOptions& options);
  friend class Ensemble;
  friend DAEDAL_EXPORT std::unique_ptr<RowSystem> share_rows(const Model& model,
                                                             const TimeSpan& span,
                                                             const SolveOptions& options);
  class Impl;
  explicit Problem(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

/// Checks model and options, and makes what every run needs. Throws ModelError and OptionError.
DAEDAL_EXPORT Problem prepare(const Model& model, const SolveOptions& options = {});

}  // namespace daedal
