// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Mechanics in local coordinates of the constraint manifold (Poell, Hafner 7):
///
///     q = q̂ + N s(q̂),   g(q̂ + N s, t) = 0,     v = v̂ + N r,   G (v̂ + N r) + g_t = 0,
///
/// where the columns of N (n×m) are directions that leave the manifold. The integrator steps all
/// coordinates q̂, v̂; before every stage the part along N is solved anew, so that only the local
/// coordinates (what is transversal to N) are integrated. Two choices of N:
///
///   partition  N = unit vectors of m dependent coordinates (Wehage, Haug; Fuehrer, Leimkuhler 2.2)
///   tangent    N = G(q₀)ᵀ at a base point q₀ of the current chart
///
/// A chart is good while G N is regular. It is changed early, when another one would be clearly
/// better; that changes equations, not unknowns, so multistep histories stay.

#include <memory>
#include <string>
#include <vector>

#include "formulation/mechanical_formulation.hpp"
#include "formulation/mechanical_ode.hpp"
#include "linalg/dense_lu.hpp"

namespace daedal::formulation {

enum class Chart { partition, tangent };

struct LocalCoordinatesSettings {
  Chart chart = Chart::partition;
  /// A chart is left when its quality falls below this share of the best one's. Late switching
  /// spoils accuracy: on the pendulum (Poell, Hafner's setting) the position error is 1.1e-6 at 1,
  /// 2.2e-5 at 0.7 and 0.18 at 0.1; a little below 1 keeps charts of equal quality from flickering.
  double switch_ratio = 0.95;
  bool is_fixed = false;  ///< keep the first chart, to its singular end
};

/// The chart of a run.
class LocalCoordinatesRun final : public MechanicalRun {
 public:
  using MechanicalRun::MechanicalRun;
  Matrix normals;                               ///< N
  std::vector<Index> dependent;                 ///< of a partition
  std::vector<linalg::DenseLu<double>> solver;  ///< one, of G N
  std::vector<double> jacobian;                 ///< G on its pattern
  std::vector<double> values;                   ///< m
};

/// The explicit system of `coordinate-partitioning` and `tangent-space`.
class LocalCoordinatesSystem final : public MechanicalOde, public Manifold {
 public:
  LocalCoordinatesSystem(std::shared_ptr<const MechanicalContext> context,
                         const LocalCoordinatesSettings& settings);

  [[nodiscard]] std::unique_ptr<Run> make_run() const override;
  [[nodiscard]] bool has_complete() const override { return true; }
  Evaluation complete(double t, std::span<double> x, Run& run) const override;
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const override;
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const override;

  /// Completion is this manifold's projection: along N instead of orthogonally.
  [[nodiscard]] const Manifold* manifold() const override { return this; }
  [[nodiscard]] int n_levels() const override { return 2; }
  [[nodiscard]] std::int64_t n_invariants(int) const override { return context().mechanics().m(); }
  Evaluation residual(double t, std::span<const double> x, int level, Run& run,
                      std::span<double> values) const override;
  Evaluation project(double t, std::span<double> x, std::span<const double> weights,
                     Run& run) const override;

  /// Chooses the first chart; call with consistent x.
  Evaluation choose_chart(double t, std::span<const double> x, LocalCoordinatesRun& run) const;

 private:
  [[nodiscard]] bool read_jacobian(double t, std::span<const double> x,
                                   LocalCoordinatesRun& run) const;
  /// Factors G N for the Jacobian that was read.
  Evaluation factor(double t, LocalCoordinatesRun& run) const;
  [[nodiscard]] Matrix dense_jacobian(const LocalCoordinatesRun& run) const;
  Change watch_partition(double t, std::span<const double> x, LocalCoordinatesRun& run) const;
  Change watch_tangent(double t, std::span<const double> x, LocalCoordinatesRun& run) const;
  Evaluation solve_level(int level, double t, std::span<double> x, LocalCoordinatesRun& run) const;
  [[nodiscard]] std::string chart_name(const LocalCoordinatesRun& run) const;

  LocalCoordinatesSettings settings_;
};

class LocalCoordinatesFormulation final : public MechanicalFormulation {
 public:
  LocalCoordinatesFormulation(const Request& request, const LocalCoordinatesSettings& settings)
      : MechanicalFormulation(request), system_(shared_context(), settings) {}
  [[nodiscard]] const ExplicitSystem* explicit_system() const override { return &system_; }

 protected:
  void extend_start(double t0, MechanicalRun& run, Start& start) const override;

 private:
  LocalCoordinatesSystem system_;
};

}  // namespace daedal::formulation
