// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The numbers of x' = f(x, u, t), 0 = g(x, t) with u from the derivatives of the constraints that
/// meet it,
///
///     0 = gᵢ⁽ʳⁱ⁾(x, u, t) + Σ_j weight_ij gᵢ⁽ʲ⁾(x, t),
///
/// weights being those of Baumgarte's damping or zero (Poell, Hafner (31), (33)); u by Newton's
/// method, one solve where it enters linearly. The invariants g, ġ, ..., g⁽ᵏ⁻²⁾ (Poell, Hafner
/// (37)) come with their derivatives by x.

#include <array>
#include <daedal/system.hpp>
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

/// What Baumgarte's method puts in the place of 0 = g⁽ʳ⁾: 2α ġ + β² g for r = 2, otherwise all
/// levels of (d/dt + γ)ʳ g = 0.
struct ConstraintDamping {
  double alpha = 0.0;
  double beta = 0.0;
  double gamma = 0.0;
  /// The weights of g, ġ, ..., g⁽ʳ⁻¹⁾.
  [[nodiscard]] std::vector<double> weights(int depth) const;
};

class ConstrainedOdeRun final : public ModelRun {
 public:
  using ModelRun::ModelRun;
  Evaluator rates, invariants;
  kernel::JacobianWorkspace determining, invariant_jacobian;
  std::vector<double> u;           ///< of the last solve
  std::vector<double> accepted_u;  ///< of the last accepted step
  std::vector<double> residual;    ///< of `determining`, then the correction of u
  std::vector<double> matrix;      ///< ∂g⁽ʳ⁾/∂u
  std::unique_ptr<linalg::RealSolver> solver;
  /// Of projections.
  std::vector<double> metric, jacobian, violation, correction;
  CurvatureWork curvature;
  std::vector<linalg::SaddlePointSolver> projector;  ///< one
  ChartWork chart;                                   ///< of local coordinates
};

class ConstrainedOdeContext final : public ModelContext {
 public:
  ConstrainedOdeContext(const Request& request, ConstrainedView view,
                        const ConstraintDamping& damping);

  [[nodiscard]] const ConstrainedView& view() const { return view_; }
  [[nodiscard]] Index n() const { return to_index(view_.force.size()); }
  [[nodiscard]] Index m() const { return to_index(view_.algebraic.size()); }
  [[nodiscard]] const std::vector<double>& nominals() const { return nominals_; }
  [[nodiscard]] const ConstraintDamping& damping() const { return damping_; }
  void prepare(ConstrainedOdeRun& run) const;

  /// u of x, in run.u.
  Evaluation solve(double t, std::span<const double> x, ConstrainedOdeRun& run) const;
  /// x' of x and of the u that belongs to it.
  Evaluation rates(double t, std::span<const double> x, ConstrainedOdeRun& run,
                   std::span<double> xp) const;

  /// All levels one after the other.
  [[nodiscard]] Index n_invariants() const { return level_start_.back(); }
  [[nodiscard]] Index level_start(int level) const { return level_start_[to_size(level)]; }
  /// Their values; the span lives until the next call. Empty when one is not finite.
  std::span<const double> invariants(double t, std::span<const double> x,
                                     ConstrainedOdeRun& run) const;
  [[nodiscard]] const SparsityPattern& invariant_pattern() const {
    return event_equations_.jacobian.pattern();
  }
  Evaluation invariant_jacobian(double t, std::span<const double> x, ConstrainedOdeRun& run,
                                std::span<double> values) const;
  [[nodiscard]] std::string invariant_name(Index invariant) const {
    return event_equations_.names[to_size(invariant)];
  }
  /// After an accepted step to x, which may have further unknowns behind it: stops where a singular
  /// position is as near as the run holds its constraints, because beyond it lie several branches
  /// and the errors of the run would choose one.
  Change check_branch(double t, std::span<const double> x, ConstrainedOdeRun& run) const;
  /// A sentence about a singular position near x, empty when there is none.
  [[nodiscard]] std::string describe_singularity(double t, std::span<const double> x,
                                                 ConstrainedOdeRun& run) const;
  [[nodiscard]] std::string constraint_name(Index constraint) const;
  [[nodiscard]] std::string state_name(Index state) const;

  [[nodiscard]] Start find_start(double t0, ConstrainedOdeRun& run) const;
  void read(double t, std::span<const double> x, std::span<const double> xp, ModelRun& run,
            std::span<double> values, std::span<double> derivatives) const override;
  bool assign(std::int32_t variable, double value, std::span<double> x) const override;
  /// Moves x to the invariants with what reinit gave held, and solves u.
  Evaluation make_consistent(double t, std::span<double> x, std::span<double> xp,
                             ModelRun& run) const override;

 private:
  enum Block : int {
    time_block,
    state_block,
    rate_block,
    algebraic_block,
    parameter_block,
    mode_block,
    discrete_block,
    pre_block,
    n_own_blocks
  };
  using Blocks = std::array<const double*, n_own_blocks>;
  [[nodiscard]] Blocks blocks(const double& t, std::span<const double> x,
                              const ConstrainedOdeRun& run, const double* rates = nullptr) const;
  [[nodiscard]] std::vector<kernel::Input> inputs(Pool& pool) const;
  [[nodiscard]] ProgramConstraints constraints(const double& t, ConstrainedOdeRun& run,
                                               bool at_start) const;
  void compile_determining(Pool& pool, std::span<const kernel::Input> bound);
  void compile_invariants(Pool& pool, std::span<const kernel::Input> bound);
  enum class NewtonEnd { converged, failed, singular, not_finite };
  /// [W Jᵀ; J 0] at x. Without a singular constraint when it is not ok: not finite.
  linalg::SaddlePointReport factor_invariants(double t, std::span<const double> x,
                                              ConstrainedOdeRun& run) const;
  void fill_rows(double share, std::span<const double> x, ConstrainedOdeRun& run) const;
  /// For run.curvature.rows, with the factors at x.
  Curvature curvature(double t, std::span<const double> x, ConstrainedOdeRun& run) const;
  NewtonEnd newton(double t, std::span<const double> x, ConstrainedOdeRun& run) const;
  Evaluation fail(Status status, std::string detail, ConstrainedOdeRun& run) const;

  ConstrainedView view_;
  ConstraintDamping damping_;
  std::vector<double> nominals_;
  std::vector<Index> level_start_;
  kernel::Program rates_, outputs_;
  StartValues start_values_;
  kernel::JacobianProgram determining_;
  CompiledEquations event_equations_;  ///< the invariants in x
  CompiledEquations start_equations_;  ///< the invariants, then initial equations, in x
};

}  // namespace daedal::formulation
