// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Symmetric projection (Hairer 2000; Poell, Hafner 6.2) around any one-step scheme Φ_h for an
/// explicit system with invariants g(t, x) = 0:
///
///     x̃0 = x0 + G(x0)ᵀμ,   x̃1 = Φ_h(x̃0),   x1 = x̃1 + G(x1)ᵀμ,   g(x1) = 0,
///
/// with the same μ before and after the step, so that a symmetric Φ gives a symmetric method on the
/// manifold. μ is found by Broyden's method, which starts from 2 G Gᵀ (Φ is near the identity);
/// each iteration repeats the attempt of Φ, at a rate of O(h) or better.

#include <memory>
#include <vector>

#include "integrate/one_step/one_step.hpp"
#include "linalg/linear_solver.hpp"

namespace daedal::integration {

class SymmetricProjection final : public OneStepScheme {
 public:
  /// Throws OptionError when the system has no manifold or the scheme is not symmetric.
  SymmetricProjection(const ExplicitSystem& system, std::unique_ptr<OneStepScheme> scheme);

  [[nodiscard]] int order() const override { return scheme_->order(); }
  [[nodiscard]] bool is_symmetric() const override { return true; }
  [[nodiscard]] bool projects_itself() const override { return true; }
  [[nodiscard]] bool has_error_estimate() const override { return scheme_->has_error_estimate(); }
  [[nodiscard]] StepControl control() const override { return scheme_->control(); }
  double initial_step(const StepTask& task, Run& run) override {
    return scheme_->initial_step(task, run);
  }
  Attempt attempt(const StepTask& task, Run& run) override;
  [[nodiscard]] std::span<const double> x_new() const override { return x1_; }
  [[nodiscard]] std::span<const double> xp_new() const override { return xp1_; }
  void accept(Run& run) override;
  [[nodiscard]] DensePolynomial& dense() override { return scheme_->dense(); }
  [[nodiscard]] const DensePolynomial& dense() const override { return scheme_->dense(); }
  [[nodiscard]] double adjust_factor(double factor) const override {
    return scheme_->adjust_factor(factor);
  }
  void reset() override { scheme_->reset(); }
  void count(Statistics& statistics) const override;

 private:
  Attempt iterate(const StepTask& task, Run& run);
  /// One pass for the present μ: x1_ and the invariants there.
  Attempt shoot(const StepTask& task, Run& run);
  /// The scheme inside cannot name invariants: if its matrix is singular, run.failure names the
  /// invariant that comes nearest to depending on the others at the start of the step, if one does.
  void name_invariant(const StepTask& task, Run& run);
  Evaluation place_end(double t, Run& run);
  Evaluation invariants(double t, std::span<const double> x, Run& run, std::span<double> values);
  /// The starting matrix ∂g/∂μ ≈ 2 G Gᵀ, by differences along the normals at x1_.
  Attempt start_matrix(double t, Run& run);
  /// max |v_i| in the sizes of the unknowns at x1_.
  [[nodiscard]] double relative_length(std::span<const double> v) const;
  /// Factors the matrix with rows and columns scaled to a diagonal of ±1: normals may be short.
  linalg::FactorReport factor();

  const ExplicitSystem& system_;
  std::vector<double> nominals_;
  const Manifold& manifold_;
  std::unique_ptr<OneStepScheme> scheme_;
  std::unique_ptr<linalg::RealSolver> solver_;
  std::vector<double> x0_;     ///< x̃0
  std::vector<double> start_;  ///< G(x0)ᵀμ
  std::vector<double> end_;    ///< G(x1)ᵀμ
  std::vector<double> x1_;
  std::vector<double> xp1_;
  std::vector<double> last_x1_;
  std::vector<double> mu_;
  std::vector<double> delta_;
  std::vector<double> g_;
  std::vector<double> last_g_;
  std::vector<double> matrix_;  ///< ∂g/∂μ, column-major
  std::vector<double> scaled_;
  std::vector<double> scale_;
  std::vector<double> normal_;
  std::vector<double> longest_;  ///< the greatest length of each normal so far
  std::vector<double> reach_;    ///< the same in the sizes of the unknowns
  Index evaluations_ = 0;
  Index projections_ = 0;
};

}  // namespace daedal::integration
