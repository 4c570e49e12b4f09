// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Watches a motion for singular positions of its constraints, which an adaptive integrator steps
/// over unseen. The measure is σ_r(DG), the r-th singular value of G with rows scaled to their
/// usual length, r the rank at the start: it vanishes like |t − t*| where the rank drops. After
/// every step its square is sampled on the step's interpolant; a minimum near zero is located and
/// classified by the second-order condition on the tangents v, Gv = 0, of the branches through it,
///
///     uᵀ g_qq(v, v) = 0   for all u with uᵀG = 0.
///
/// Where the constraints move (g_t ≠ 0) and uᵀg_t does not vanish, no velocity meets them: the
/// mechanism locks. On the way there σ_r² goes to zero linearly in time.

#include <string>
#include <vector>

#include "formulation/mechanics.hpp"
#include "linalg/one_sided_jacobi.hpp"

namespace daedal::formulation {

class SingularityMonitor {
 public:
  /// From consistent values: the rank and the usual lengths of the rows. `mechanics` must outlive
  /// the monitor.
  SingularityMonitor(const Mechanics& mechanics, double t0, std::span<const double> x,
                     MechanicalRun& run);

  /// After an accepted step that ends in (t, x). Warnings go to `run`.
  Change after_step(double t, std::span<const double> x, const History& history,
                    MechanicalRun& run);

 private:
  struct Sample {
    double t = 0.0;
    double square = 0.0;  ///< of the measure
  };
  double measure_square(double t, std::span<const double> x, MechanicalRun& run);
  double measure_square(double t, const History& history, MechanicalRun& run);
  /// In how many parts a step that ends in x is looked at.
  [[nodiscard]] int n_parts(double step, std::span<const double> x) const;
  /// Looks for a singular position between `begin` and `end`, and reports it.
  void inspect(const Sample& begin, const Sample& middle, const Sample& end, const History& history,
               MechanicalRun& run);
  /// The minimum of the measure on a part of the step.
  Sample locate(const Sample& begin, const Sample& end, const History& history, MechanicalRun& run);
  /// uᵀ D g_t for the vanishing direction of the last measurement, relative to |D g_t|.
  double prescribed_push(double t, std::span<const double> x, MechanicalRun& run);
  [[nodiscard]] std::string classify(double t, std::span<const double> x, MechanicalRun& run);
  Change lock(const Sample& before, const Sample& now) const;

  const Mechanics& mechanics_;
  Index rank_;
  std::vector<double> row_scale_;
  Matrix jacobian_;
  std::vector<double> values_, residual_, state_, sorted_;
  linalg::OneSidedJacobi svd_;
  Sample last_;
  double last_reported_ = -infinity;
};

}  // namespace daedal::formulation
