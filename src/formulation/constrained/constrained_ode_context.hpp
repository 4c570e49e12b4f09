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

#include <daedal/system.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formulation/constrained/constrained_context.hpp"
#include "formulation/constrained/manifold_newton.hpp"
#include "formulation/singular/distance.hpp"
#include "linalg/linear_solver.hpp"
#include "linalg/saddle_point.hpp"

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

class ConstrainedOdeContext final : public ConstrainedContext {
 public:
  ConstrainedOdeContext(const Request& request, ConstrainedView view,
                        const ConstraintDamping& damping);

  void prepare(ConstrainedRun& run) const;

  Evaluation solve(double t, std::span<const double> x, ConstrainedRun& run) const override;
  [[nodiscard]] Start find_start(double t0, ConstrainedRun& run) const override;
  void read(double t, std::span<const double> x, std::span<const double> xp, ModelRun& run,
            std::span<double> values, std::span<double> derivatives) const override;

  /// Moves x along the normals of the invariants, in nominal values, to where these are 0.
  Projected meet(double t, std::span<double> x, std::span<const double> weights,
                 ConstrainedRun& run) const;

  [[nodiscard]] const SparsityPattern& invariant_pattern() const {
    return event_stages().front().equations.jacobian.pattern();
  }
  Evaluation invariant_jacobian(double t, std::span<const double> x, ConstrainedRun& run,
                                std::span<double> values) const;
  /// u of the last solve.
  [[nodiscard]] static const std::vector<double>& multipliers(const ConstrainedRun& run) {
    return run.u;
  }
  /// After an accepted step of an implicit form: Newton's method continues from the u behind the
  /// states.
  Change watch(double t, std::span<const double> x, const History& history,
               ConstrainedRun& run) const;
  /// After an accepted step to x, which may have further unknowns behind it: stops where a singular
  /// position is as near as the run holds its constraints, because beyond it lie several branches
  /// and the errors of the run would choose one.
  Change check_branch(double t, std::span<const double> x, ConstrainedRun& run) const;
  /// check_branch() finds singular positions too.
  Change check_regular(double, std::span<const double>, ConstrainedRun&) const { return {}; }
  [[nodiscard]] std::string describe_singularity(double t, std::span<const double> x,
                                                 ConstrainedRun& run) const override;

 private:
  enum class NewtonEnd { converged, failed, singular, not_finite };
  NewtonEnd newton(double t, std::span<const double> x, ConstrainedRun& run) const;
  /// u of x, in run.u.
  Evaluation solve_algebraic(double t, std::span<const double> x, ConstrainedRun& run) const;
  /// [W Jᵀ; J 0] at x. Without a singular constraint when it is not ok: not finite.
  linalg::SaddlePointReport factor_invariants(double t, std::span<const double> x,
                                              ConstrainedRun& run) const;
  void fill_rows(double share, std::span<const double> x, ConstrainedRun& run) const;
  /// For run.general.curvature.rows, with the factors at x.
  Curvature curvature(double t, std::span<const double> x, ConstrainedRun& run) const;
  bool meet_levels(double t, std::span<double> x, ConstrainedRun& run) const override;
  static Evaluation fail(Status status, std::string detail, ConstrainedRun& run);

  kernel::Program rates_;
  kernel::JacobianProgram determining_;
};

}  // namespace daedal::formulation
