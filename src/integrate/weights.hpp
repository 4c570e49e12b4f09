// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The norm of every error and Newton test: the weighted root mean square
///
///   ‖v‖ = sqrt( Σ_i (v_i·w_i)² / n ),   w_i = 1 / (rtol·|x_i| + atol·nominal_i),
///
/// taken over the unknowns that are tested. Multipliers (UnknownKind::in_error_test is false) have
/// the weight 0, and the others are scaled by sqrt(n/n_tested), so that the plain mean over all n
/// entries, which SUNDIALS takes, is the mean over the tested ones.
///
/// Unknowns of index 2 and 3 carry errors of order h^-1 and h^-2 (Hairer & Wanner II, VII.3-4):
/// by option they are weighed by h and h², or left out.

#include <daedal/methods.hpp>
#include <daedal/system.hpp>
#include <span>
#include <vector>

#include "core/types.hpp"

namespace daedal::integration {

struct WeightOptions {
  double rtol = 1e-6;
  double atol = 1e-8;
  IndexWeights index_weighting = IndexWeights::none;
};

class ErrorWeights {
 public:
  ErrorWeights(const System& system, const WeightOptions& options);

  /// The weights at x for a step of length h (h matters with IndexWeights::by_step only).
  void compute(std::span<const double> x, double h, std::span<double> weights) const;

  [[nodiscard]] bool is_tested(Index i) const { return factor_[to_size(i)] > 0.0; }
  [[nodiscard]] double rtol() const { return rtol_; }

 private:
  double rtol_;
  bool depends_on_step_ = false;
  std::vector<double> atol_;    ///< atol·nominal_i
  std::vector<double> factor_;  ///< sqrt(n/n_tested), or 0 for an unknown that is not tested
  std::vector<int> power_;      ///< of the step length
};

/// sqrt(Σ (v_i w_i)² / n); NaN when an entry is not finite, even one of weight 0.
[[nodiscard]] double weighted_rms(std::span<const double> v, std::span<const double> weights);

}  // namespace daedal::integration
