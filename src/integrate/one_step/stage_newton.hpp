// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Simplified Newton iteration for the stage equations of a collocation method,
///
///     (h⁻¹ D ⊗ E + I ⊗ A) ΔZ = -R(Z),   E = F_x', A = F_x frozen,
///
/// by one factorisation of (γ/h) E + A per eigenvalue γ of D (collocation_rule.hpp). Jacobian and
/// factorisations are kept until the caller asks for new ones; convergence is judged by the rate,
/// as in RADAU5 (Hairer, Wanner IV.8).

#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "integrate/one_step/collocation_rule.hpp"
#include "integrate/one_step/one_step.hpp"
#include "linalg/pencil_solver.hpp"

namespace daedal::integration {

struct NewtonSettings {
  /// Converged when the estimated remaining error is below this.
  double kappa = 0.03;
  /// An iteration that stagnates below this has reached round-off: it is converged too.
  double stagnation = 0.03;
  /// An iteration that no longer contracts below this has converged, too: in ill-conditioned
  /// equations only rounding errors are left there. An error that grows would be no larger.
  double noise = 0.0;
  int max_iterations = 7;
  /// Give up as soon as the rate says that max_iterations will not do.
  bool extrapolates_failure = true;
};

struct NewtonReport {
  Attempt::Outcome outcome = Attempt::Outcome::ok;
  int iterations = 0;
  double rate = 1e-3;   ///< contraction per iteration; as small as this when one was enough
  double advice = 0.0;  ///< with diverged: the step's factor that follows from the rate
};

class StageNewton {
 public:
  StageNewton(const ImplicitSystem& system, int max_stages,
              linalg::Storage storage = linalg::Storage::automatic);

  Evaluation evaluate_jacobian(const StepTask& task, Run& run);
  /// Factors for step h. `with_real` asks for the matrix of real_gamma where no stage needs it.
  linalg::FactorReport factor(const CollocationRule& rule, double h, bool with_real);
  [[nodiscard]] bool is_factored_for(const CollocationRule& rule, double h) const {
    return factored_rule_ == &rule && factored_step_ == h;
  }
  /// Improves the stages Z, the first columns of z.
  NewtonReport iterate(const CollocationRule& rule, const StepTask& task,
                       const NewtonSettings& settings, Run& run);

  /// The stage values Z_i = X_i - x0, one column each.
  [[nodiscard]] Matrix& stages() { return z_; }
  [[nodiscard]] const Matrix& stages() const { return z_; }
  /// The next iteration has to show a rate of its own.
  void forget_rate() { remaining_ = infinity; }
  /// Counted evaluation of the residual.
  Evaluation residual(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> values);
  /// After an iteration without end, in a step from x: the residuals are no more than the rounding
  /// errors of their terms, and no iteration brings them down.
  [[nodiscard]] bool is_at_rounding(const CollocationRule& rule, std::span<const double> x) const;
  /// Solves with (real_gamma/h) E + A.
  void solve_real(std::span<double> rhs) { modes_solver_->solve_real(rhs); }
  /// Takes a perturbation over a step that it is factored for, by the rule itself; false where it
  /// is factored for another step.
  bool carry(const CollocationRule& rule, double h, std::span<double> perturbation);
  void count(Statistics& statistics) const;

  /// Solves F(t, x, x') = 0 for the algebraic unknowns and the derivatives of the others, from
  /// values near by; the differential unknowns are held, but for those whose derivatives no
  /// equation contains: constraints determine them from the selected states. Leaves x and x' alone
  /// where the iteration does not converge to `weights`, or where the equations do not determine
  /// them.
  struct StatePoint {
    double t;
    std::span<double> x;
    std::span<double> xp;
  };
  void complete_state(const StatePoint& at, const std::vector<bool>& is_differential,
                      std::span<const double> weights, Run& run);
  /// The matrix of complete_state() is that of another step. One that is singular step after step,
  /// because equations repeat each other, is asked for less and less often.
  void forget_state_matrix() {
    if (steps_to_skip_ > 0) {
      --steps_to_skip_;
    } else {
      state_matrix_ = StateMatrix::unknown;
    }
  }

 private:
  [[nodiscard]] double distance(std::span<const double> x, std::span<const double> weights) const;
  bool factor_state_matrix(const StatePoint& at, const std::vector<bool>& is_differential,
                           Run& run);
  Evaluation evaluate_stages(const CollocationRule& rule, const StepTask& task, Run& run);
  /// Corrects Z mode by mode. Returns the norm of the corrections in the modes, ‖T⁻¹ΔZ‖, as RADAU
  /// does: T⁻¹ is large for many stages, and an error of Newton that is small in every stage may be
  /// large in the slopes that the stages share.
  double solve_modes(const CollocationRule& rule, std::span<const double> weights);

  const ImplicitSystem& system_;
  std::unique_ptr<linalg::PencilSolver> modes_solver_;
  std::vector<double> f_x_;
  std::vector<double> f_xp_;
  std::vector<std::complex<double>> gammas_;  ///< of the complex modes, over the step
  Matrix z_;
  Matrix residuals_;
  Matrix slopes_;
  Matrix modes_;  ///< right sides and solutions of the modes
  std::vector<double> stage_x_;
  const CollocationRule* factored_rule_ = nullptr;
  double factored_step_ = 0.0;
  /// rate/(1 - rate) of the last iteration. Infinite when none was seen to converge: with a tiny
  /// step every correction is small, which proves nothing, so that a rate has to be seen.
  double remaining_ = infinity;
  double noise_ = 0.0;  ///< the corrections at which iterations have ceased to contract
  /// For complete_state(), made when first needed.
  std::unique_ptr<linalg::RealSolver> state_solver_;
  std::vector<double> state_values_, state_slopes_, state_x_, state_xp_, state_rhs_;
  std::vector<bool> is_held_;
  enum class StateMatrix { unknown, regular, singular };
  StateMatrix state_matrix_ = StateMatrix::unknown;
  int n_singular_ = 0;  ///< in a row
  int steps_to_skip_ = 0;
  Index residual_evaluations_ = 0;
  Index jacobian_evaluations_ = 0;
  Index factorizations_ = 0;
  Index iterations_ = 0;
};

}  // namespace daedal::integration
