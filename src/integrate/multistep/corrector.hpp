// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The corrector iteration of an implicit multistep method: solves
///
///   F(t, x, x') = 0,   x = x_predicted + e,   x' = x'_predicted + c·e
///
/// for the correction e by a modified Newton iteration. It decides by itself when to factor anew
/// and when to evaluate the Jacobian anew, tests convergence in the error weights it is given
/// (multipliers have weight 0), and bounds the residuals of constraints in overdetermined systems
/// and in those of higher index or with untested unknowns. It does not depend on SUNDIALS.

#include <daedal/system.hpp>
#include <memory>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "integrate/multistep/correction_solver.hpp"

namespace daedal::integration {

/// Why the last corrector iteration failed.
struct CorrectorFailure {
  enum class Cause {
    none,
    diverged,
    residual_not_finite,
    jacobian_not_finite,
    singular_matrix,
    fatal,  ///< Run::failure says why
  };
  Cause cause = Cause::none;
  double t = 0.0;
  Index row = -1;     ///< the equation that is not finite
  Index column = -1;  ///< the unknown without a pivot; from size() on, a dependent constraint
};

struct CorrectorProblem {
  double t = 0.0;
  double c = 0.0;  ///< c_j, the leading coefficient over the step length
  std::span<const double> x;
  std::span<const double> xp;
  std::span<const double> weights;
};

struct CorrectorCounters {
  std::int64_t solves = 0;
  std::int64_t iterations = 0;
  std::int64_t residuals = 0;
  std::int64_t jacobians = 0;
  std::int64_t factorizations = 0;
};

class Corrector {
 public:
  enum class Outcome { converged, recoverable, fatal };

  /// `kind` matters for overdetermined systems only, `storage` for others.
  explicit Corrector(const ImplicitSystem& system,
                     linalg::Corrector kind = linalg::Corrector::state_space_form,
                     linalg::Storage storage = linalg::Storage::automatic);

  /// The correction of a predicted point. When it is `recoverable`, a smaller step may help.
  Outcome solve(const CorrectorProblem& problem, Run& run, std::span<double> correction);

  /// The corrected point of the last solve.
  [[nodiscard]] std::span<const double> x() const { return x_; }
  [[nodiscard]] std::span<const double> xp() const { return xp_; }
  [[nodiscard]] const CorrectorFailure& failure() const { return failure_; }
  [[nodiscard]] const CorrectorCounters& counters() const { return counters_; }
  [[nodiscard]] std::string linear_solver() const { return solver_->description(); }
  /// The equations changed: evaluate and factor anew at the next solve.
  void forget_matrix();

 private:
  [[nodiscard]] bool wants_matrix(double c) const;
  [[nodiscard]] bool wants_jacobian() const;
  Outcome update_matrix(const CorrectorProblem& problem, Run& run, bool with_jacobian);
  Outcome evaluate_jacobian(const CorrectorProblem& problem, Run& run);
  Outcome evaluate_residual(const CorrectorProblem& problem, Run& run);
  Outcome iterate(const CorrectorProblem& problem, Run& run, std::span<double> correction);
  Outcome iterate_beyond_kink(const CorrectorProblem& problem, Run& run,
                              std::span<double> correction);
  void set_point(const CorrectorProblem& problem, std::span<const double> correction);
  [[nodiscard]] double constraint_defect() const;
  void scale_constraints(const CorrectorProblem& problem);
  Outcome fail(CorrectorFailure::Cause cause, double t, Index row, Index column);

  const ImplicitSystem& system_;
  std::size_t n_;
  std::size_t n_constraints_;
  double max_change_of_c_;  ///< before the matrix is factored anew
  double tolerance_;        ///< of the estimated remaining error in the weighted norm
  std::unique_ptr<CorrectionSolver> solver_;
  bool tests_constraints_;  ///< of higher index; least squares leaves them with a residual
  std::vector<double> f_x_, f_xp_, residual_, delta_, x_, xp_;
  std::vector<double> constraint_scale_;
  double allowed_defect_ = 0.0;
  bool has_matrix_ = false;
  bool has_jacobian_ = false;
  bool has_converged_ = false;  ///< since the equations changed
  bool converged_slowly_ = false;
  double c_factored_ = 0.0;
  double c_last_ = 0.0;
  double error_per_correction_ = 0.0;  ///< ρ/(1 − ρ): what remains after a correction of norm 1
  std::int64_t jacobian_age_ = 0;      ///< in solves
  CorrectorFailure failure_;
  CorrectorCounters counters_;
};

}  // namespace daedal::integration
