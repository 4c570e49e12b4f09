// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Mechanics in local coordinates of the constraint manifold (local_charts.hpp): positions and
/// velocities are both solved along the directions N of one chart,
///
///     g(q̂ + N s, t) = 0,     G (v̂ + N r) + g_t = 0.

#include <memory>
#include <string>
#include <vector>

#include "formulation/charts/charted_system.hpp"
#include "formulation/mechanics/mechanical_formulation.hpp"
#include "formulation/mechanics/mechanical_ode.hpp"

namespace daedal::formulation {

/// The explicit system of `coordinate-partitioning` and `tangent-space`.
class LocalCoordinatesSystem final : public ChartedSystem<MechanicalOde, MechanicalRun> {
 public:
  LocalCoordinatesSystem(std::shared_ptr<const MechanicalContext> context,
                         const ChartSettings& settings);

  [[nodiscard]] std::unique_ptr<Run> make_run() const override;
  [[nodiscard]] int n_levels() const override { return 2; }
  [[nodiscard]] std::int64_t n_invariants(int) const override { return context().mechanics().m(); }
  Evaluation residual(double t, std::span<const double> x, int level, Run& run,
                      std::span<double> values) const override;

 private:
  [[nodiscard]] const SparsityPattern& pattern() const override {
    return context().mechanics().jacobian_pattern();
  }
  Evaluation constraint_jacobian(double t, std::span<const double> x, Run& run,
                                 std::span<double> values) const override;
  [[nodiscard]] std::string constraint_name(Index constraint) const override {
    return context().mechanics().constraint_name(constraint);
  }
  [[nodiscard]] std::string coordinate_name(Index coordinate) const override {
    return context().mechanics().coordinate_name(coordinate);
  }
};

class LocalCoordinatesFormulation final : public MechanicalFormulation {
 public:
  LocalCoordinatesFormulation(const Request& request, const ChartSettings& settings)
      : MechanicalFormulation(request), system_(shared_context(), settings) {}
  [[nodiscard]] const ExplicitSystem* explicit_system() const override { return &system_; }

 protected:
  void extend_start(double t0, MechanicalRun& run, Start& start) const override;

 private:
  LocalCoordinatesSystem system_;
};

}  // namespace daedal::formulation
