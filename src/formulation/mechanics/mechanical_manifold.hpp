// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The constraint manifold of a mechanical system in x = (q, v): g(q,t) = 0 and Gv + g_t = 0, with
/// the projection of Poell, Hafner 6.1: positions first, then velocities,
///
///     min |q − q̃|  subject to g(q,t) = 0,     min |v − ṽ|  subject to G(q,t) v + g_t = 0,
///
/// in the metric of the masses (the one invariant under changes of coordinates) or Euclidean. One
/// factorisation of [W Gᵀ; G 0] per projection serves both levels: it is taken at the given point
/// and corrected by iteration, which contracts by the size of the drift.

#include <daedal/system.hpp>
#include <span>

#include "formulation/mechanics/mechanics.hpp"
#include "system/named_invariants.hpp"

namespace daedal::formulation {

enum class Metric { mass, euclidean };

class MechanicalManifold final : public Manifold, public NamedInvariants {
 public:
  MechanicalManifold(const Mechanics& mechanics, Metric metric)
      : mechanics_(mechanics), metric_(metric) {}

  [[nodiscard]] int n_levels() const override { return 2; }
  [[nodiscard]] std::int64_t n_invariants(int) const override { return mechanics_.m(); }
  Evaluation residual(double t, std::span<const double> x, int level, Run& run,
                      std::span<double> values) const override;
  Evaluation project(double t, std::span<double> x, std::span<const double> weights,
                     Run& run) const override;
  /// q += Gᵀμ_q, v += Gᵀμ_v with G at the base point: the normals of both levels in the Euclidean
  /// metric, μ = (μ_q, μ_v).
  Evaluation add_normal(double t, std::span<const double> x_base, std::span<const double> mu,
                        std::span<double> x, Run& run) const override;

  [[nodiscard]] std::string invariant_name(std::int64_t invariant) const override;

  /// How Newton's method would contract towards the position constraints: the second correction
  /// over the first, 0 without drift. By Kantorovich's theorem the point belongs to one branch of
  /// the manifold while this is small; near ½ the drift is as large as the distance to a singular
  /// position. Infinite where the constraints are singular or not finite (run.failure).
  double contraction(double t, std::span<const double> x, Run& run) const;

  /// Makes run.projection.
  void prepare(MechanicalRun& run) const;

  /// Factors masses and constraints that stand in run.projection.
  Evaluation factor(double t, MechanicalRun& run) const;
  /// The correction that takes work.values, the negative residuals, to zero: work.correction.
  void correct(MechanicalRun& run) const;
  [[nodiscard]] Metric metric() const { return metric_; }

 private:
  Evaluation read_and_factor(const MechanicalPoint& at, MechanicalRun& run) const;
  /// One level to convergence; `moves` is the part of x that gives way.
  Evaluation project_level(int level, double t, std::span<double> x,
                           std::span<const double> weights, MechanicalRun& run) const;

  const Mechanics& mechanics_;
  Metric metric_;
};

}  // namespace daedal::formulation
