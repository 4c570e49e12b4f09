// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The regularisations of Petzold, Ren and Maly in the coupled form: the equations of motion
/// together with those of the algebraic variables, as a DAE of index 1 for implicit schemes. With
///
///     s = Σ weights[j] g⁽ʲ⁾ + G x⁽ᵐ⁾ + remainder          the damped constraint
///     M x⁽ᵐ⁾ = f − B y
///
/// direct regularisation (2.12), (GB + εI) y = r, is s − ε y = 0, because s = r − GM⁻¹B y. The
/// trust region (2.10), (GB)ᵀ(r − GB y) = ε y, needs the auxiliary p:
///
///     Mᵀ p − Gᵀ s = 0,     Bᵀ p − ε y = 0.
///
/// Nothing is inverted, and no matrix is squared. The paper found this form "much more robust" for
/// Baumgarte's method, (2.1a) with (2.5), which it contains for ε = 0.

#include <memory>

#include "formulation/constrained/row_system.hpp"
#include "formulation/regularized/hessenberg_ode.hpp"

namespace daedal::formulation {

class RegularDae final : public RowSystem {
 public:
  explicit RegularDae(std::shared_ptr<const HessenbergContext> context);

  [[nodiscard]] std::unique_ptr<Run> make_run() const override;
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const override;
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const override;

  /// y and p behind the states, from the solution of the states' equations in `run`.
  void complete(double t, std::span<double> x, std::span<double> xp, Run& run) const;

 private:
  [[nodiscard]] const ModelContext& model() const override { return *context_; }
  [[nodiscard]] RowWork& work(Run& run) const override;

  std::shared_ptr<const HessenbergContext> context_;
};

class RegularDaeFormulation final : public ContextFormulation {
 public:
  RegularDaeFormulation(const Request& request, HessenbergView view, HessenbergSettings settings);

  [[nodiscard]] const ImplicitSystem* implicit_system() const override { return &system_; }
  [[nodiscard]] bool watches_singularities() const override { return watches_; }
  Start start(double t0, Run& run) const override;
  [[nodiscard]] int n_levels() const override { return states_.n_levels(); }
  double constraint_residual(double t, std::span<const double> x, std::span<const double> xp,
                             int level, Run& run) const override {
    return states_.constraint_residual(t, x, xp, level, run);
  }

 private:
  [[nodiscard]] const ModelContext& model() const override { return states_.context(); }

  HessenbergFormulation states_;  ///< the same in the states alone, for the start
  RegularDae system_;
  bool watches_;
};

}  // namespace daedal::formulation
