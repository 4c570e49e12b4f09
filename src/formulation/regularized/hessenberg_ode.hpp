// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// X' = (x', ..., x⁽ᵐ⁾) with x⁽ᵐ⁾ = f − By and y from the damped constraint
///
///     Σ weights[j] g⁽ʲ⁾ + G x⁽ᵐ⁾ + remainder = 0
///
/// by a rule that needs no inverse of GB: `baumgarte`, `direct-regularization` and `trust-region`
/// on Hessenberg systems of any order (Petzold, Ren, Maly (2.3), (2.11), (2.13), (4.15), (4.16)).

#include <daedal/system.hpp>
#include <memory>

#include "formulation/regularized/hessenberg_context.hpp"

namespace daedal::formulation {

class HessenbergOde final : public ContextSystem<ExplicitSystem> {
 public:
  explicit HessenbergOde(std::shared_ptr<const HessenbergContext> context)
      : context_(std::move(context)) {}

  [[nodiscard]] std::int64_t size() const override { return context_->n() * context_->order(); }
  [[nodiscard]] std::unique_ptr<Run> make_run() const override { return context_->make_run(); }
  [[nodiscard]] std::span<const double> nominals() const override { return context_->nominals(); }
  Evaluation rhs(double t, std::span<const double> x, Run& run,
                 std::span<double> xp) const override;
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const override;

 private:
  [[nodiscard]] const ModelContext& model() const override { return *context_; }

  std::shared_ptr<const HessenbergContext> context_;
};

class HessenbergFormulation final : public ContextFormulation {
 public:
  HessenbergFormulation(const Request& request, HessenbergView view, HessenbergSettings settings);

  [[nodiscard]] const ExplicitSystem* explicit_system() const override { return &system_; }
  [[nodiscard]] bool watches_singularities() const override { return context_->settings().watches; }
  [[nodiscard]] const HessenbergContext& context() const { return *context_; }
  [[nodiscard]] const std::shared_ptr<const HessenbergContext>& shared_context() const {
    return context_;
  }
  Start start(double t0, Run& run) const override;
  [[nodiscard]] int n_levels() const override { return context_->order(); }
  double constraint_residual(double t, std::span<const double> x, std::span<const double> xp,
                             int level, Run& run) const override;

 private:
  [[nodiscard]] const ModelContext& model() const override { return *context_; }
  /// What is to be said of constraints that depend on each other.
  void report_dependent(double t0, HessenbergRun& run, Start& start) const;
  /// Before shifting: the sign of y for which no eigenvalue of GB is negative, or why there is
  /// none.
  void choose_sign(double t0, HessenbergRun& run, Start& start) const;

  std::shared_ptr<const HessenbergContext> context_;
  HessenbergOde system_;
};

}  // namespace daedal::formulation
