// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Watches a motion for singular positions of its constraints, which an adaptive integrator steps
/// over unseen. The measure is σ_r(DG), the r-th singular value of G with rows scaled to their
/// usual length, r the rank at the start: it vanishes like |t − t*| where the rank drops. After a
/// step its square is sampled on the step's interpolant; a minimum near zero is located, classified
/// and reported. Where the constraints move (g_t ≠ 0) and uᵀg_t does not vanish for
/// the vanishing direction u, no velocity meets them: the mechanism locks. On the way there σ_r²
/// goes to zero linearly in time. A rank that stays changed is a change of redundancy.
///
/// Methods that know the conditioning of the constraints in every evaluation of a step
/// (RegularConstraints) spare the decompositions while it does not fall.

#include <string>
#include <vector>

#include "formulation/mechanics/mechanics.hpp"
#include "formulation/singular/minimum_scan.hpp"
#include "linalg/dense/one_sided_jacobi.hpp"

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
  using Sample = NearZeroScan::Sample;
  [[nodiscard]] bool has_decompositions() const;
  /// To their present length.
  void scale_rows();
  /// The scaled Jacobian of the values read last.
  const Matrix& scaled_jacobian();
  bool read(double t, std::span<const double> x, MechanicalRun& run);
  double measure_square(double t, std::span<const double> x, MechanicalRun& run);
  double measure_square(double t, const History& history, MechanicalRun& run);
  /// How far a step has gone, in nominal values and in turns of the constraints' normals.
  double movement(double step, std::span<const double> x);
  /// Whether a step of this length cannot have passed a singular position.
  [[nodiscard]] bool is_quiet(double conditioning, double moved);
  /// What is left of inspect() where there are too many constraints for decompositions.
  void report_pivots(double t, double conditioning, MechanicalRun& run);
  /// Looks at a whole step.
  Change inspect(double t, std::span<const double> x, const History& history, MechanicalRun& run);
  /// uᵀ D g_t for the vanishing direction of the last measurement, relative to |D g_t|.
  double prescribed_push(double t, std::span<const double> x, MechanicalRun& run);
  Change lock(const Sample& before, const Sample& now) const;
  /// Names the constraints with a share in the vanishing direction of the last measurement.
  [[nodiscard]] std::string vanishing_constraints() const;
  [[nodiscard]] Index vanishing_direction() const;
  void follow_rank(double t, std::span<const double> x, MechanicalRun& run);
  void report_rank(double t, std::span<const double> x, Index rank, MechanicalRun& run);

  const Mechanics& mechanics_;
  Index rank_ = 0;
  std::vector<double> units_;  ///< of the positions
  std::vector<double> row_scale_;
  Matrix jacobian_;
  std::vector<double> values_, before_, residual_, state_, sorted_;
  linalg::OneSidedJacobi svd_;
  NearZeroScan scan_;
  Sample last_;
  double moved_ = 0.0;          ///< the last step
  double reference_ = 0.0;      ///< conditioning that the present one is compared with, 0: none
  double usual_square_ = 0.0;   ///< the greatest measured
  bool is_near_ = false;        ///< a small measure at the end of the last step
  double changed_since_ = 0.0;  ///< movement since the rank is not `rank_`
  Index changed_rank_ = -1;     ///< that rank
};

}  // namespace daedal::formulation
