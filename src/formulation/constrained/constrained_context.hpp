// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What every method of a constrained view shares,
///
///     M x⁽ᵐ⁾ = f(x, ..., x⁽ᵐ⁻¹⁾, u, t),   0 = g(x, t),
///
/// with the state X = (x, x', ..., x⁽ᵐ⁻¹⁾): consistent start values, events, the way back to the
/// model's variables, and the constraint levels. A family of methods adds how x⁽ᵐ⁾ and u follow
/// from X: by a saddle-point system (mechanics.hpp), by Newton's method
/// (constrained_ode_context.hpp) or by a regularised system (hessenberg_context.hpp).

#include <daedal/system.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formulation/charts/local_charts.hpp"
#include "formulation/frame/compiled_equations.hpp"
#include "formulation/frame/model_context.hpp"
#include "formulation/frame/registry.hpp"
#include "formulation/singular/distance.hpp"
#include "linalg/linear_solver.hpp"
#include "linalg/saddle_point.hpp"
#include "model/views/constrained_view.hpp"

namespace daedal::formulation {

/// Registers, values and factors of the general reading (constrained_ode_context.hpp).
struct GeneralWork {
  Evaluator rates;
  kernel::JacobianWorkspace determining, invariant_jacobian;
  std::vector<double> accepted_u;  ///< of the last accepted step
  std::vector<double> residual;    ///< of `determining`, then the correction of u
  std::vector<double> matrix;      ///< ∂g⁽ʳ⁾/∂u
  std::unique_ptr<linalg::RealSolver> solver;
  std::vector<double> metric, jacobian, violation, correction;  ///< of projections
  CurvatureWork curvature;
  std::vector<linalg::SaddlePointSolver> projector;  ///< one
};

class ConstrainedRun : public ModelRun {
 public:
  using ModelRun::ModelRun;
  std::vector<const double*> pointers;  ///< to the blocks of programs
  Evaluator levels;                     ///< g, ġ, ..., one level after the other
  std::vector<double> top;              ///< x⁽ᵐ⁾ of the last solve
  std::vector<double> u;                ///< of the last solve
  std::vector<double> met;              ///< states that meet all levels
  ChartWork chart;                      ///< of local coordinates
  GeneralWork general;
};

class ConstrainedContext : public ModelContext {
 public:
  [[nodiscard]] const ConstrainedView& view() const { return view_; }
  [[nodiscard]] Index n() const { return n_; }  ///< of x
  [[nodiscard]] Index m() const { return m_; }  ///< of g
  [[nodiscard]] int order() const { return view_.order(); }
  [[nodiscard]] Index n_states() const { return n_ * order(); }
  /// Nominal values of all states.
  [[nodiscard]] const std::vector<double>& nominals() const { return nominals_; }
  void prepare(ConstrainedRun& run) const;

  /// x⁽ᵐ⁾ and u of a state, in run.top and run.u.
  virtual Evaluation solve(double t, std::span<const double> x, ConstrainedRun& run) const = 0;
  /// X'; x may have further unknowns behind the states, xp too.
  Evaluation derivatives(double t, std::span<const double> x, ConstrainedRun& run,
                         std::span<double> xp) const;

  /// All levels one after the other: (level, constraint) with level below the constraint's depth.
  [[nodiscard]] Index n_invariants() const { return level_start_.back(); }
  [[nodiscard]] Index level_start(int level) const { return level_start_[to_size(level)]; }
  /// Their values; the span lives until the next call. Empty when one is not finite.
  std::span<const double> invariants(double t, std::span<const double> x,
                                     ConstrainedRun& run) const;
  [[nodiscard]] std::string invariant_name(Index invariant) const {
    return invariant_names_[to_size(invariant)];
  }
  /// Levels whose residuals are reported, and the greatest residual of one; NaN when not finite.
  [[nodiscard]] virtual int n_levels() const { return view_.index() - 1; }
  virtual double level_residual(double t, std::span<const double> x, std::span<const double> xp,
                                int level, ConstrainedRun& run) const;
  /// The residuals of all levels.
  virtual void level_residuals(double t, std::span<const double> x, std::span<const double> xp,
                               ConstrainedRun& run, std::span<double> residuals) const {
    for (std::size_t k = 0; k < residuals.size(); ++k) {
      residuals[k] = level_residual(t, x, xp, static_cast<int>(k), run);
    }
  }

  /// The consistent X nearest to the start values, for the modes of `run`. Fixed values are held:
  /// more of them than free ones are fine when they agree, contradictions are refused by name.
  [[nodiscard]] virtual Start find_start(double t0, ConstrainedRun& run) const;
  /// See Formulation::take_start.
  [[nodiscard]] Start take_start(double t0, ConstrainedRun& run) const;
  /// A sentence about a singular position near x, empty when there is none.
  [[nodiscard]] virtual std::string describe_singularity(double, std::span<const double>,
                                                         ConstrainedRun&) const {
    return {};
  }

  void read(double t, std::span<const double> x, std::span<const double> xp, ModelRun& run,
            std::span<double> values, std::span<double> derivatives) const override;
  /// For results of a form that keeps the constraints on one level, g⁽ʳ⁺¹⁻ᵏ⁾ for the index k. It
  /// has errors on the other levels, which differentiating to u multiplies: u, and the states that
  /// only the kept level and those above contain, are those of the nearest states that meet all
  /// levels. What the lower levels contain is shown as it is: its drift is the method's.
  void meet_levels_of(int index);
  /// Writes the outputs from run.top and run.u as they are.
  void write_outputs(double t, std::span<const double> x, ConstrainedRun& run,
                     std::span<double> values, std::span<double> derivatives) const;
  bool assign(std::int32_t variable, double value, std::span<double> x) const override;
  /// Moves X to the invariants with what reinit gave held, and solves.
  Evaluation make_consistent(double t, std::span<double> x, std::span<double> xp,
                             ModelRun& run) const override;

  [[nodiscard]] std::string constraint_name(Index constraint) const;
  [[nodiscard]] const std::string& state_name(Index state) const;

  /// Where programs find the values of leaves: x⁽ᵏ⁾ is in block first_state_block + k.
  enum Block : int {
    time_block,
    algebraic_block,
    top_block,
    parameter_block,
    mode_block,
    discrete_block,
    pre_block,
    first_state_block
  };
  /// Pointers to all blocks, for a time that outlives them.
  std::span<const double*> blocks(const double& t, std::span<const double> x,
                                  ConstrainedRun& run) const;
  /// The same but for those of the states.
  static std::span<const double*> held_blocks(const double& t, ConstrainedRun& run) {
    run.pointers[time_block] = &t;
    run.pointers[algebraic_block] = run.u.data();
    run.pointers[top_block] = run.top.data();
    run.pointers[parameter_block] = run.parameters.data();
    run.pointers[mode_block] = run.modes.data();
    run.pointers[discrete_block] = run.discretes.data();
    run.pointers[pre_block] = run.pre.data();
    return run.pointers;
  }
  /// Bindings of all leaves of the view's model, made in `pool`, a child of the view's.
  [[nodiscard]] std::vector<kernel::Input> inputs(Pool& pool) const;

 protected:
  /// Moves the velocities of a mechanism onto the constraints by an impulse normal to them. False
  /// where masses are not known, or the constraints do not determine it; x is then as it was.
  virtual bool meet_velocities(double, std::span<double>, ConstrainedRun&) const { return false; }

  /// Moves x onto all levels. False where it is too far from them or a singular position is near;
  /// x is then anything.
  virtual bool meet_levels(double, std::span<double>, ConstrainedRun&) const { return false; }
  /// 1/(rtol |x|) for nominal values of x.
  [[nodiscard]] std::vector<double> result_weights(const ConstrainedRun& run) const;

  /// How constraints are met: level by level, x⁽ᵏ⁾ by g⁽ᵏ⁾ with the lower ones held, or all levels
  /// together by all states.
  enum class Meeting { by_levels, together };
  ConstrainedContext(const Request& request, ConstrainedView view, Meeting meeting);

  /// Equations in the states from `first` on.
  struct Stage {
    CompiledEquations equations;
    Index first = 0;
  };
  [[nodiscard]] const std::vector<Stage>& event_stages() const { return event_stages_; }

 private:
  /// The start values as they are, in the states and in run.u.
  [[nodiscard]] Start wished_values(const StartWishes& wishes, ConstrainedRun& run) const;
  void complete_start(const StartWishes& wishes, double t0, ConstrainedRun& run,
                      Start& start) const;
  /// Warns of velocities that an impact changed; false, with the failure told, where other states
  /// had to move.
  bool tell_jump(double t, std::span<const double> before, std::span<const double> after,
                 bool is_impact, ConstrainedRun& run) const;
  void name_invariants();
  [[nodiscard]] std::vector<Stage> make_stages(Meeting meeting, const InitialResiduals& initial,
                                               Pool& pool, std::span<const kernel::Input> bound);
  [[nodiscard]] ProgramConstraints constraints(const Stage& stage, const double& t,
                                               std::span<double> x, ConstrainedRun& run) const;
  /// u follows from the states: a fixed value agrees, or the start is refused.
  void check_fixed(const StartWishes& wishes, double t0, ConstrainedRun& run, Start& start) const;

  ConstrainedView view_;
  Index n_;
  Index m_;
  bool meets_levels_ = false;    ///< in results
  std::vector<Index> drifting_;  ///< states that are shown as they are
  std::vector<double> nominals_;
  std::vector<Index> level_start_;
  std::vector<std::string> invariant_names_;
  kernel::Program outputs_, levels_;
  StartValues start_values_;
  std::vector<Stage> start_stages_;  ///< with the initial equations
  std::vector<Stage> event_stages_;
};

struct ConstrainedParts {
  bool watches = false;  ///< for singular positions on the way
  /// After the search for a start, successful or not: from X to the unknowns of a method.
  std::function<void(double t0, ConstrainedRun& run, Start& start)> extend_start{};
};
/// Everything but the system.
Formulation constrained_formulation(const Request& request,
                                    const std::shared_ptr<const ConstrainedContext>& context,
                                    const ConstrainedParts& parts);

}  // namespace daedal::formulation
