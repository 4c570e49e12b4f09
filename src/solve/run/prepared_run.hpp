// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A candidate made ready to run: its formulation, its integrator and its start values.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/expected.hpp"
#include "formulation/frame/formulation.hpp"
#include "formulation/frame/model_run.hpp"
#include "integrate/registry.hpp"
#include "solve/method_choice.hpp"
#include "solve/run/run_context.hpp"

namespace daedal::solve_detail {

/// Where a run starts: the model, the values of its parameters there, and the time.
struct StartPoint {
  const PreparedModel* model = nullptr;
  std::vector<double> parameters;
  double t0 = 0.0;
  /// The last parameters are values of the model's variables, of which the differential ones are
  /// held.
  bool holds_states = false;
  /// An output point that lies so little before t0 that it has the values there.
  std::optional<double> row_time = std::nullopt;
  std::optional<formulation::EventState> events = std::nullopt;  ///< of a checkpoint
};

struct PreparedRun {
  Candidate candidate;
  SolveOptions options;  ///< with the tolerances and the integrator of the candidate
  bool follows_scales = false;
  StartPoint from;
  formulation::Request request;
  const integration::IntegratorRow* integrator = nullptr;
  FormulationPtr formulation;
  std::unique_ptr<Run> run;
  formulation::Start start;
};

/// Finds the formulation of `candidate` and its start values. Throws Error when the model or the
/// options do not fit.
enum class StartSearch { full, none };  ///< none: see Formulation::take_start
PreparedRun prepare_run(const Candidate& candidate, const StartPoint& from,
                        const RunContext& context, StartSearch search = StartSearch::full);
Expected<PreparedRun> try_prepare_run(const Candidate& candidate, const StartPoint& from,
                                      const RunContext& context);
/// Whether an error says that the model has another shape than a method needs: another method may
/// fit.
bool does_not_fit(ErrorCode code);

/// Like prepare_run() for a run that continues from the values of `from`, which are the last of its
/// parameters: the states keep them. Where no start holds all differential variables exactly,
/// because they have drifted from a constraint, they may follow the drift; where they would have to
/// move further, the start has failed.
PreparedRun resume_run(const Candidate& candidate, const StartPoint& from,
                       const RunContext& context);

/// The values of the model's variables at the start that was found.
std::vector<double> start_values_of(const PreparedRun& run);

/// The first candidate that fits and starts; why it was chosen and what the others lack goes to
/// `notices`. When none starts, the last one that was made; when none could be made, the first
/// one's error.
Expected<PreparedRun> first_that_fits(const std::vector<Candidate>& candidates,
                                      const StartPoint& from, const RunContext& context,
                                      std::vector<std::string>& notices);

/// Variables that nothing else needs are taken out with the equations that determine them. Such an
/// equation may be one of motion, for the force that a prescribed coordinate needs: without it no
/// mechanism is recognised. Nothing is asked twice where a method for mechanics fits, or where none
/// is needed.
bool may_hide_mechanics(const PreparedRun& run, const Reading& reading, const RunContext& context);

/// Whether a tolerance can be sharpened by a factor worth the while.
bool can_be_sharper(double rtol);

/// The stepper of a run's system.
std::unique_ptr<integration::Stepper> make_stepper(const PreparedRun& run);

}  // namespace daedal::solve_detail
