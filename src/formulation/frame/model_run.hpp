// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Where programs find the values of a model's leaves, and the part of a run that every
/// formulation of a model shares.

#include <array>
#include <cassert>
#include <daedal/model.hpp>
#include <daedal/system.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "formulation/events/signal_history.hpp"
#include "kernel/jacobian_program.hpp"
#include "kernel/program.hpp"
#include "linalg/linear_solver.hpp"

namespace daedal::analysis {
struct InitializerMemory;
}

namespace daedal::formulation {

/// The blocks of a program's inputs, in this order.
enum Block : int {
  block_time,         ///< one number
  block_values,       ///< continuous variables
  block_derivatives,  ///< their first time derivatives
  block_parameters,
  block_modes,  ///< relations with an id
  block_discretes,
  block_pre,         ///< left limits of discrete variables
  block_pre_values,  ///< left limits of continuous variables
  block_samples,     ///< samplers: 1 at their instants
  block_phase,       ///< initial(), terminal()
  n_blocks,
};

/// Binds every leaf of a model of first order, and the relations with an id. Makes the leaves in
/// `pool`, a child of the model's.
std::vector<kernel::Input> model_inputs(const Model& model, Pool& pool);

/// The blocks in which a formulation with blocks of its own has what does not change within a step.
struct HeldBlocks {
  int time;
  int parameters;
  int modes;
  int discretes;
  int pre;
};
/// The same as model_inputs without the continuous variables, in other blocks.
std::vector<kernel::Input> held_inputs(const Model& model, Pool& pool, const HeldBlocks& blocks);

/// The start value of a variable as an expression: 0 where none is given.
NodeId start_node(const Variable& variable, Pool& pool);

/// A program with its registers: what a run evaluates.
struct Evaluator {
  const kernel::Program* program = nullptr;
  kernel::Workspace workspace;

  Evaluator() = default;
  explicit Evaluator(const kernel::Program& p) : program(&p), workspace(p.make_workspace()) {}
  /// The values live until the next call.
  std::span<const double> operator()(std::span<const double* const> blocks) {
    return program->evaluate(blocks, workspace);
  }
  /// The outputs of the last evaluation.
  [[nodiscard]] std::span<double> out() { return program->outputs(workspace); }
};

/// What events remember between instants.
struct EventMemory {
  std::vector<double> crossed;         ///< the time at which each relation was last crossed
  std::vector<int> n_hasty;            ///< crossings in haste, one after the other
  std::vector<double> offsets;         ///< of the event functions, see ModelEvents
  std::vector<int> n_quick;            ///< crossings in a row that followed each other at once
  std::vector<double> targets;         ///< the side that each relation was last crossed into
  std::vector<double> peaks;           ///< the greatest absolute values of left − right seen
  std::vector<double> bands;           ///< hysteresis where errors of the steps crossed a relation
  std::vector<double> scales;          ///< of each relation, by the nominal values in it
  std::vector<double> thresholds;      ///< of relations of time alone
  std::vector<double> conditions;      ///< when-conditions as the last event left them
  std::vector<std::int64_t> n_taken;   ///< instants that each sampler has had
  std::vector<std::size_t> next_rows;  ///< of each schedule: the row that comes next
  std::vector<double> stretch_ends;    ///< of each delayed signal: when the next one is due
  std::vector<SignalHistory> histories;  ///< of these signals, by schedule
  std::vector<double> sampler_starts;
  std::vector<double> sampler_intervals;
  std::vector<bool> warned;  ///< assertions of level warning that were reported
  double left_at = std::numeric_limits<double>::quiet_NaN();  ///< the instant of the last event
  Evaluator functions, sides, rates, discretes, when_conditions, when_values, assertions,
      time_thresholds, samplers;
};

/// What a run that continues from a checkpoint needs to know of earlier events.
struct EventState {
  std::vector<double> modes, discretes, pre, pre_values, crossed, conditions, stretch_ends;
  std::vector<std::int64_t> n_hasty, n_taken, next_rows, warned;
  std::vector<SignalHistory> histories;
};

/// Registers of the equations that a system evaluates, and of their Jacobian.
struct EquationWork {
  kernel::Workspace residual;
  kernel::JacobianWorkspace jacobian;
  std::vector<double> nonzeros;               ///< of a Jacobian that is handed on dense
  std::unique_ptr<linalg::RealSolver> rates;  ///< see WrittenEquations::complete_derivatives()
};

/// What a method keeps during a run, where it needs no class of runs of its own.
struct MethodWork {
  MethodWork() = default;
  MethodWork(const MethodWork&) = delete;
  MethodWork& operator=(const MethodWork&) = delete;
  virtual ~MethodWork() = default;
};

/// The mutable side of a system made from a model.
class ModelRun : public Run {
 public:
  ModelRun(const Model& model, std::span<const double> parameter_values);

  /// Pointers to every block; `t`, `values` and `derivatives` must outlive them.
  [[nodiscard]] std::array<const double*, n_blocks> blocks(const double& t,
                                                           std::span<const double> values,
                                                           std::span<const double> derivatives);

  /// Everything that a start has found, from another run of the same model.
  void take_from(ModelRun& other);

  std::vector<double> parameters;   ///< with those found by the initial equations
  bool has_new_parameters = false;  ///< the event to come was made by changing them
  bool start_goes_on = false;       ///< the start is searched for from where it was found last
  /// Start values given for this run, by variable; they are held and replace those of the model.
  std::vector<std::optional<double>> starts;
  std::vector<double> values;  ///< of the model's variables: buffers for events and outputs
  std::vector<double> derivatives;
  std::vector<double> pre_values;
  std::vector<double> samples;
  std::array<double, 2> phase{};
  double direction = 1.0;  ///< of time, −1 in a run backward
  double rtol = 1e-6;      ///< of the steps
  /// Variables that reinit has just given a value: held while the others are made consistent.
  std::vector<std::int32_t> reinitialized;
  std::vector<double> reinit_values;  ///< of these
  /// Numbers that the start or an event has found and the way back to the model needs: dense output
  /// keeps them with the steps. Empty for most methods.
  std::vector<double> memory;
  EventMemory events;
  std::optional<EventState> resumed;  ///< the start goes on from there, and initialises nothing
  EquationWork equations;             ///< of the system that the run belongs to
  Evaluator outputs;  ///< variables of the model that the system computes from its state
  std::unique_ptr<MethodWork> work;
  std::shared_ptr<analysis::InitializerMemory> searches;  ///< for consistent values after events
};

/// What `resumed` of a later run can go on from.
[[nodiscard]] EventState event_state(const Run& run);
/// The next start of the run continues from this state.
void resume_events(EventState state, Run& run);

/// Puts the reason in `run` why an evaluation failed. Where something is not finite a smaller step
/// may help, elsewhere none does.
Evaluation note_failure(Status status, std::string detail, Run& run, std::int64_t row = -1);

/// A run as the class that its system has made it.
template <class OwnRun>
[[nodiscard]] OwnRun& run_of(Run& run) {
  assert(dynamic_cast<OwnRun*>(&run) != nullptr);
  return static_cast<OwnRun&>(run);
}
template <class OwnRun>
[[nodiscard]] const OwnRun& run_of(const Run& run) {
  assert(dynamic_cast<const OwnRun*>(&run) != nullptr);
  return static_cast<const OwnRun&>(run);
}

}  // namespace daedal::formulation
