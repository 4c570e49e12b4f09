// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Events of a model, shared by all formulations: relations, discrete equations, when-clauses,
/// samplers, reinit, terminate and assertions.
///
/// A relation holds its mode between events. Its event function is g = a − b; where g changes sign
/// the mode flips, and event iteration runs until discrete variables equal their `pre` values:
///
///     repeat
///       solve the discrete equations and the when-clauses whose condition became true
///       execute reinit, then make the continuous unknowns consistent
///       read the relations anew
///     until nothing changes
///
/// Within one pass of this loop `pre` values are held and relations, discrete equations and
/// continuous unknowns are found together: friction that sticks or slides, diodes that conduct or
/// block make a mixed system. They are solved in turn, all relations at once; if that runs in
/// circles, the first wrong relation alone is changed each time (Murty's least-index rule, which
/// ends for linear complementarity problems with a P-matrix).
///
/// At the event itself g is zero to rounding, so its sign decides nothing. The side after the event
/// is the one that was crossed into; if the event turned the motion round (a ball that bounces) it
/// is the side that dg/dt points to. g is then given an offset of the size of its rounding error
/// that puts it on that side: an event does not trigger itself again. Where g comes to rest at its
/// zero (a clutch that sticks: w = 0 and w' = 0) the offset is a dead band wide enough for what
/// solvers leave of zero.

#include <daedal/system.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "formulation/frame/model_run.hpp"
#include "model/views/general_view.hpp"

namespace daedal::formulation {

/// How events read and write the state of a formulation.
class StateAccess {
 public:
  virtual ~StateAccess() = default;
  /// Values and first derivatives of the variables of the view's model.
  virtual void read(double t, std::span<const double> x, std::span<const double> xp, ModelRun& run,
                    std::span<double> values, std::span<double> derivatives) const = 0;
  /// reinit(variable, value); false when this variable is no state of the formulation.
  virtual bool assign(std::int32_t variable, double value, std::span<double> x) const = 0;
  /// Solves x' and the algebraic unknowns anew for the modes and discrete values of `run`; the
  /// states stay. Not ok: run.failure says why.
  virtual Evaluation make_consistent(double t, std::span<double> x, std::span<double> xp,
                                     ModelRun& run) const = 0;
};

/// The sign of g = left − right on the side where a relation has this mode.
[[nodiscard]] double side_of(Op op, double mode);

class ModelEvents {
 public:
  explicit ModelEvents(const GeneralView& view);

  /// Makes the workspaces and the discrete start values of a run.
  void prepare(ModelRun& run) const;

  [[nodiscard]] Index n_events() const { return to_index(exported_.size()); }
  Evaluation event_functions(double t, std::span<const double> values,
                             std::span<const double> derivatives, ModelRun& run,
                             std::span<double> out) const;
  /// The event functions without their offsets, of values, derivatives and what is held.
  [[nodiscard]] const kernel::Program& functions() const { return functions_; }
  [[nodiscard]] double next_time_event(double t, const ModelRun& run) const;
  /// See System.
  [[nodiscard]] bool is_smooth_event(double t, const ModelRun& run) const;

  /// Initial values of relations and discrete variables together with the continuous ones:
  /// `solve` finds the latter for the modes of `run`, as often as they change. run.values holds
  /// the first guesses. Change::stop when there is no start.
  Change initialize(double t, std::span<double> x, std::span<double> xp, ModelRun& run,
                    const StateAccess& access, const std::function<Change()>& solve) const;
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, ModelRun& run, const StateAccess& access) const;
  /// Assertions of the equation section, for accepted steps.
  [[nodiscard]] bool has_assertions() const { return !model_.assertions().empty(); }
  Change check_assertions(double t, std::span<const double> values,
                          std::span<const double> derivatives, ModelRun& run) const;

  /// One line for the event log: the relations that were crossed.
  [[nodiscard]] std::string describe(std::span<const std::int64_t> fired,
                                     const Change& change) const;

 private:
  friend class EventIteration;
  friend class EventRelations;

  struct Relation {
    std::int32_t id = 0;
    Op op = Op::less;
    NodeId left = no_node;  ///< what it compares, in known values where they suffice
    NodeId right = no_node;
    bool is_discrete = false;     ///< changes at events only
    bool is_equality = false;     ///< == and <>: no side, read at events only
    bool has_rate = false;        ///< dg/dt is known from the first derivatives
    bool is_continuous = false;   ///< g is made of differential variables: reinit alone moves it
    bool is_dynamic = false;      ///< the continuous equations use it
    bool is_followed = false;     ///< the end of a stretch of the past: a new one has another
    std::int32_t threshold = -1;  ///< time against something discrete: its number
    double side_before = 0.0;     ///< the sign of g before time reaches the threshold
    double nominal = 0.0;         ///< the greatest nominal value of the variables in g
  };
  struct Action {
    const WhenAction* action = nullptr;
    std::size_t value = 0;  ///< output of when_values_
  };
  struct Branch {
    std::size_t condition = 0;  ///< output of when_conditions_
    bool at_start = false;      ///< the condition uses initial()
    std::vector<Action> actions{};
  };

  void read_samplers(ModelRun& run) const;
  /// Nothing jumps at its next row.
  [[nodiscard]] bool is_smooth_row(std::size_t schedule, const ModelRun& run) const;
  [[nodiscard]] double next_row(std::size_t schedule, double t, const ModelRun& run) const;
  [[nodiscard]] double next_instant(double t, const ModelRun& run) const;
  void classify_relations(const GeneralView& view, Pool& pool);
  void compile_relations(const GeneralView& view, Pool& pool,
                         std::span<const kernel::Input> inputs);
  void compile_discrete_part(Pool& pool, std::span<const kernel::Input> inputs);
  [[nodiscard]] std::string relation_text(std::size_t number) const;

  Model model_;
  std::vector<Relation> relations_;
  std::vector<std::size_t> exported_;  ///< relations with an event function
  std::vector<std::vector<Branch>> clauses_;
  std::vector<bool> dynamic_discrete_;
  std::vector<std::size_t> differential_;  ///< variables

  kernel::Program functions_, sides_, rates_, time_thresholds_, scales_;
  kernel::Program discrete_values_, when_conditions_, when_values_, assertions_;
  kernel::Program samplers_, discrete_starts_;
};

}  // namespace daedal::formulation
