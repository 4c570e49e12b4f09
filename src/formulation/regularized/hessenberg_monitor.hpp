// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Watches a Hessenberg system for singularities of GB, which an integrator steps over unseen: the
/// r-th singular value of GB relative to its usual scale, r the rank at the start, is sampled on
/// every accepted step, and where it vanishes and rises again the time is reported.

#include "formulation/regularized/hessenberg_context.hpp"
#include "formulation/singular/minimum_scan.hpp"

namespace daedal::formulation {

class HessenbergMonitor {
 public:
  /// From consistent values. `context` must outlive the monitor.
  HessenbergMonitor(const HessenbergContext& context, double t0, std::span<const double> x,
                    HessenbergRun& run);

  /// After an accepted step that ends in (t, x). Warnings go to `run`.
  void after_step(double t, std::span<const double> x, const History& history, HessenbergRun& run);

 private:
  double measure(double t, std::span<const double> x, HessenbergRun& run);

  const HessenbergContext& context_;
  Index rank_ = 0;
  double scale_ = 1.0;  ///< the greatest singular value at the start
  std::vector<double> state_;
  NearZeroScan scan_;
  NearZeroScan::Sample last_;
};

}  // namespace daedal::formulation
