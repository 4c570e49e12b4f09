// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// x' = f(x, u(x, t), t) on the manifold of all invariants g, ġ, ..., g⁽ᵏ⁻²⁾ (Poell, Hafner (37)):
/// the general form behind `index1`, `baumgarte`, the projections and the local coordinates for
/// systems of any index k that are not written as mechanics.
///
/// The manifold projects all levels at once, by the least change of x in units of the nominal
/// values: one factorisation of [W Jᵀ; J 0], W = diag(1/nominal²), J = ∂(g, ġ, ...)/∂x.

#include <daedal/system.hpp>
#include <memory>
#include <optional>

#include "formulation/charts/charted_system.hpp"
#include "formulation/constrained/constrained_ode_context.hpp"
#include "formulation/frame/model_system.hpp"
#include "system/named_invariants.hpp"

namespace daedal::formulation {

class ConstrainedManifold final : public Manifold, public NamedInvariants {
 public:
  explicit ConstrainedManifold(const ConstrainedOdeContext& context) : context_(context) {}

  [[nodiscard]] int n_levels() const override { return context_.view().index() - 1; }
  [[nodiscard]] std::int64_t n_invariants(int level) const override {
    return context_.level_start(level + 1) - context_.level_start(level);
  }
  Evaluation residual(double t, std::span<const double> x, int level, Run& run,
                      std::span<double> values) const override;
  Evaluation project(double t, std::span<double> x, std::span<const double> weights,
                     Run& run) const override;
  /// x += Jᵀμ with J at the base point.
  Evaluation add_normal(double t, std::span<const double> x_base, std::span<const double> mu,
                        std::span<double> x, Run& run) const override;

  [[nodiscard]] std::string invariant_name(std::int64_t invariant) const override {
    return context_.invariant_name(invariant);
  }

 private:
  const ConstrainedOdeContext& context_;
};

class ConstrainedOde : public ModelSystem<ExplicitSystem, ConstrainedRun> {
 public:
  ConstrainedOde(std::shared_ptr<const ConstrainedOdeContext> context, bool projects);

  [[nodiscard]] std::int64_t size() const override { return context_->n(); }
  [[nodiscard]] std::span<const double> nominals() const override { return context_->nominals(); }
  Evaluation rhs(double t, std::span<const double> x, Run& run,
                 std::span<double> xp) const override;
  [[nodiscard]] const Manifold* manifold() const override {
    return projects_ ? &manifold_ : nullptr;
  }
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const override;
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const override;

 protected:
  [[nodiscard]] const ConstrainedOdeContext& context() const final { return *context_; }
  void prepare(ConstrainedRun& run) const override { context_->prepare(run); }

 private:
  std::shared_ptr<const ConstrainedOdeContext> context_;
  ConstrainedManifold manifold_;
  bool projects_;
};

/// The constrained ODE in local coordinates of all levels together.
class ConstrainedCoordinates final : public ChartedSystem<ConstrainedOde, ConstrainedRun> {
 public:
  ConstrainedCoordinates(std::shared_ptr<const ConstrainedOdeContext> context,
                         const ChartSettings& settings);

  [[nodiscard]] int n_levels() const override { return 1; }
  [[nodiscard]] std::int64_t n_invariants(int) const override { return context().n_invariants(); }
  Evaluation residual(double t, std::span<const double> x, int level, Run& run,
                      std::span<double> values) const override;

 private:
  [[nodiscard]] const SparsityPattern& pattern() const override {
    return context().invariant_pattern();
  }
  Evaluation constraint_jacobian(double t, std::span<const double> x, Run& run,
                                 std::span<double> values) const override;
  [[nodiscard]] std::string constraint_name(Index constraint) const override {
    return context().invariant_name(constraint);
  }
  [[nodiscard]] std::string coordinate_name(Index coordinate) const override {
    return context().state_name(coordinate);
  }
};

struct ConstrainedOdeSettings {
  ConstraintDamping damping{};
  bool projects = false;
  std::optional<ChartSettings> chart{};
};
Formulation make_constrained_ode(const Request& request, ConstrainedView view,
                                 const ConstrainedOdeSettings& settings);

}  // namespace daedal::formulation
