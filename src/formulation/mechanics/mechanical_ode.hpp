// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// q' = v, v' = a(q, v, t) with a from the saddle-point system
///
///     [M Gᵀ; G 0] (a, λ) = (f, −z − damping),
///
/// the explicit ordinary differential equation behind `index1`, `baumgarte` and the projection
/// methods. With a manifold the driver projects every accepted step.

#include <daedal/system.hpp>
#include <memory>
#include <optional>

#include "formulation/frame/model_system.hpp"
#include "formulation/mechanics/mechanical_manifold.hpp"

namespace daedal::formulation {

class MechanicalOde : public ModelSystem<ExplicitSystem, MechanicalRun>, public LaneSource {
 public:
  struct Settings {
    Mechanics::Damping damping{};
    std::optional<Metric> projection{};  ///< of accepted steps
    bool drifts = false;                 ///< nothing holds the constraints of position
    /// For redundant and singular constraints: least squares with a brake, ...
    std::optional<RegularSettings> regular{};
    /// ... or −εI in the saddle-point system.
    double saddle_shift = 0.0;
  };
  MechanicalOde(std::shared_ptr<const Mechanics> context, const Settings& settings);

  [[nodiscard]] std::int64_t size() const override { return 2 * context_->n(); }
  [[nodiscard]] std::span<const double> nominals() const override { return context_->nominals(); }
  Evaluation rhs(double t, std::span<const double> x, Run& run,
                 std::span<double> xp) const override;
  [[nodiscard]] const Manifold* manifold() const override {
    return manifold_ ? &*manifold_ : nullptr;
  }
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const override;
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const override;
  [[nodiscard]] std::unique_ptr<LaneSystem> make_lanes() const override;

 protected:
  [[nodiscard]] const Mechanics& context() const final { return *context_; }
  void prepare(MechanicalRun& run) const override;

 private:
  std::shared_ptr<const Mechanics> context_;
  Settings settings_;
  bool is_plain_;  ///< accelerations as the equations have them
  std::optional<MechanicalManifold> manifold_;
};

Formulation make_mechanical_ode(const Request& request,
                                const std::shared_ptr<const Mechanics>& context,
                                const MechanicalOde::Settings& settings);

}  // namespace daedal::formulation
