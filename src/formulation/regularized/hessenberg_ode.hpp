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

#include "formulation/frame/model_system.hpp"
#include "formulation/regularized/hessenberg_context.hpp"

namespace daedal::formulation {

class HessenbergOde final : public ModelSystem<ExplicitSystem, HessenbergRun> {
 public:
  explicit HessenbergOde(std::shared_ptr<const HessenbergContext> context)
      : context_(std::move(context)) {}

  [[nodiscard]] std::int64_t size() const override { return context_->n_states(); }
  [[nodiscard]] std::span<const double> nominals() const override { return context_->nominals(); }
  Evaluation rhs(double t, std::span<const double> x, Run& run,
                 std::span<double> xp) const override;
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const override;

 private:
  [[nodiscard]] const ModelContext& context() const override { return *context_; }
  void prepare(HessenbergRun& run) const override { context_->prepare(run); }

  std::shared_ptr<const HessenbergContext> context_;
};

/// The nearest X on all levels, with what is to be said of dependent constraints and the sign of a
/// shifted system chosen.
Start find_hessenberg_start(const HessenbergContext& context, double t0, HessenbergRun& run);

Formulation make_hessenberg_ode(const Request& request, ConstrainedView view,
                                HessenbergSettings settings);
/// The coupled form of the regularisations (regularized_dae.cpp), for implicit schemes.
Formulation make_regularized_dae(const Request& request, ConstrainedView view,
                                 HessenbergSettings settings);

}  // namespace daedal::formulation
