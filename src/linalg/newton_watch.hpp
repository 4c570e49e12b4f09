// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Judges an iteration by the sizes of its corrections: when to stop, and why.
///
/// A correction of size s after one of size s' contracts by the rate ρ = s/s'. The next one is
/// about ρ·s, so the iteration has converged when that is round-off of the solution, and need not
/// show it by another correction. Corrections of the size of rounding errors need not contract.

#include <cmath>

#include "core/types.hpp"

namespace daedal::linalg {

/// Sizes are relative to the scale of the solution that each correction comes with.
struct NewtonRules {
  /// A correction this small is the last one: four roundings of the solution.
  double tolerance = 4.0 * round_off;
  /// It has also ended if the next correction, by the rate seen, would be this small.
  double remainder = round_off;
  /// Rates above this predict nothing: quadratic convergence has not begun.
  double trusted_rate = 1.0;
  /// The matrix of the first correction is exact: what it leaves is of second order, ρ = s.
  bool has_exact_start = false;
  /// Corrections this small whose rate is above `noise_rate` are rounding errors: a thousand
  /// roundings, as an ill-conditioned matrix leaves them.
  double noise = 1e3 * round_off;
  double noise_rate = 0.5;
  /// Corrections before this many are not taken for noise.
  int first_noise = 2;
  /// Above this rate a newer matrix may help; from `diverging_rate` on nothing does.
  double slow_rate = infinity;
  double diverging_rate = infinity;
};

class NewtonWatch {
 public:
  enum class Verdict {
    contracting,  ///< go on
    converged,
    stalled,    ///< slower than `slow_rate`
    diverging,  ///< at least `diverging_rate`, or not finite
  };

  explicit NewtonWatch(const NewtonRules& rules = {}) : rules_(rules) {}

  /// Judges the correction just added; `scale` is the size of the solution.
  [[nodiscard]] Verdict judge(double size, double scale = 1.0) {
    if (!std::isfinite(size)) return Verdict::diverging;
    ++n_corrections_;
    const bool is_first = n_corrections_ == 1;
    if (is_first) {
      rate_ = rules_.has_exact_start ? size / scale : infinity;
    } else {
      rate_ = before_ == 0.0 ? 0.0 : size / before_;
    }
    before_ = size;
    if (size <= rules_.tolerance * scale || has_small_remainder(size, scale)) {
      return Verdict::converged;
    }
    if (n_corrections_ >= rules_.first_noise && rate_ > rules_.noise_rate &&
        size <= rules_.noise * scale) {
      return Verdict::converged;
    }
    if (is_first) return Verdict::contracting;
    if (rate_ >= rules_.diverging_rate) return Verdict::diverging;
    return rate_ > rules_.slow_rate ? Verdict::stalled : Verdict::contracting;
  }

  /// Contraction rate of the last correction; infinite after the first, where none is known.
  [[nodiscard]] double rate() const { return rate_; }
  [[nodiscard]] int n_corrections() const { return n_corrections_; }

 private:
  [[nodiscard]] bool has_small_remainder(double size, double scale) const {
    return rate_ < rules_.trusted_rate && rate_ * size <= rules_.remainder * scale;
  }

  NewtonRules rules_;
  int n_corrections_ = 0;
  double before_ = 0.0;
  double rate_ = infinity;
};

}  // namespace daedal::linalg
