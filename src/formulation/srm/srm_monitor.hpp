// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Watches a sequential regularisation for what its theory assumes (Ascher, Lin, H1 to H3) and for
/// what it promises:
///
///   H1, H2  At a time where CB is singular the projector B(CB)⁻¹C and, for linear constraints,
///           B(CB)⁻¹r have equal limits from both sides.
///   H3      Perturbations along the constraints do not grow much: one of them is carried along.
///   E       No eigenvalue of E·CB turns negative; (CB)⁻¹ is not used where branches may meet.
///   error   The last iterations differ by less and less, down to the tolerance.
///
/// An integrator steps over a singular time without seeing it: the smallest singular value of CB is
/// sampled on the step's interpolant, and a minimum near zero is located.

#include <string>
#include <vector>

#include "formulation/singular/minimum_scan.hpp"
#include "formulation/srm/srm_context.hpp"
#include "linalg/dense/one_sided_jacobi.hpp"

namespace daedal::formulation {

class SrmMonitor {
 public:
  /// From consistent values of all iterates. `context` must outlive the monitor.
  SrmMonitor(const SrmContext& context, double t0, std::span<const double> x, SrmRun& run);

  /// After an accepted step that ends in (t, x). Warnings go to `run`.
  Change after_step(double t, std::span<const double> x, const History& history, SrmRun& run);
  /// After an event: the next step begins here.
  void restart(double t, std::span<const double> x, SrmRun& run);

 private:
  using Sample = NearZeroScan::Sample;
  /// The smallest singular value of CB, in its greatest value so far.
  double measure(double t, std::span<const double> state, SrmRun& run);
  Sample sample(double t, const History& history, SrmRun& run);
  /// E does not exist where branches may meet.
  [[nodiscard]] bool stops_at_meetings(SrmRun& run) const;
  [[nodiscard]] static Change stop_before_meeting(double t);
  [[nodiscard]] std::string describe(double t, SrmRun& run, const History& history);
  /// B(CB)⁺C and, for linear constraints, B(CB)⁺r; false when not finite.
  bool limits(double t, const History& history, SrmRun& run, Vector& values);
  Change check_gain(double t, SrmRun& run);
  void follow_perturbation(double t, std::span<const double> x, double step, SrmRun& run);
  void estimate_error(double t, std::span<const double> x, SrmRun& run);

  const SrmContext& context_;
  std::vector<double> state_, zero_;
  linalg::OneSidedJacobi svd_;
  double usual_ = 0.0;
  Sample last_;
  double step_begin_ = 0.0;
  NearZeroScan scan_;
  linalg::DenseLu<double> cayley_;
  Vector perturbation_;
  double first_length_ = 1.0;
  bool has_warned_growth_ = false;
  bool has_warned_error_ = false;
};

}  // namespace daedal::formulation
