// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The norm of every error and Newton test: the weighted root mean square
///
///   ‖v‖ = sqrt( Σ_i (v_i·w_i)² / n ),   w_i = 1 / (rtol·|x_i| + atol·s_i),
///
/// with the nominal values as scales s_i, taken over the unknowns that are tested. Multipliers
/// (UnknownKind::in_error_test is false) have the weight 0, and the others are scaled by
/// sqrt(n/n_tested), so that the plain mean over all n entries, which SUNDIALS takes, is the mean
/// over the tested ones.
///
/// Where no absolute tolerance was given, nothing is known of unknowns whose nominal value is 1:
/// it may just not have been given. While all values of such an unknown are below a hundredth, they
/// are its scale, s_i = 100·max|x_i| so far. No tolerance is below the rounding errors of a step,
/// or below what the tolerances of the states leave of an algebraic unknown (error_floor.hpp): that
/// is all there is of some unknowns. Nor is a value a scale that rounding errors of others in the
/// same equations, and in theirs, may have left. An unknown that has decayed, and is read by what
/// needs its digits, is followed: as if it had never been larger.
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
  bool follows_scales = false;  ///< of small unknowns, see above
};

class ErrorWeights {
 public:
  /// Below this value an unknown is small: there, the default absolute tolerance of a hundredth of
  /// the relative one exceeds what the relative one allows.
  static constexpr double small_value = 1e-2;

  ErrorWeights(const System& system, const WeightOptions& options);

  /// The weights at x for a step of length h, which matters with IndexWeights::by_step and to small
  /// unknowns. Their scales include the values `ahead`, where there are any.
  void compute(std::span<const double> x, double h, std::span<double> weights,
               std::span<const double> ahead = {}) const;

  /// Values of an accepted point.
  void observe(std::span<const double> x);
  /// The smallest errors that can be asked for in a step of any length, and for each unit of its
  /// length. One look may meet none by chance, so that the largest count for a while.
  void raise_floor(std::span<const double> floor, std::span<const double> rate);
  /// No tolerance is sharper than these, either: rounding errors that reject step after step.
  void raise_noise(std::span<const double> noise);
  /// Some unknowns have had small values only, be it 0.
  [[nodiscard]] bool has_small() const { return !small_.empty(); }
  /// Some of them were not 0: their tolerances are below the absolute one.
  [[nodiscard]] bool follows_small() const;
  /// Some small unknown was 0 up to now, and is not in x.
  [[nodiscard]] bool lacks_scale(std::span<const double> x) const;

  /// Follows unknowns that have decayed to these sizes: their tolerances are relative, but for the
  /// floor that is to be measured anew.
  void follow(std::span<const std::size_t> unknowns, std::span<const double> sizes);
  [[nodiscard]] bool is_following() const;
  /// The value below which the absolute tolerance of an unknown exceeds its relative one.
  [[nodiscard]] double limit(std::size_t unknown) const { return atol_[unknown] / rtol_; }

  /// Tolerances are so much sharper from now on.
  void sharpen(double factor) { sharpness_ = factor; }
  [[nodiscard]] bool is_tested(Index i) const { return factor_[to_size(i)] > 0.0; }
  [[nodiscard]] double rtol() const { return rtol_; }

 private:
  struct Small {
    std::size_t unknown = 0;
    double peak = 0.0;        ///< |x| so far
    double floor = 0.0;       ///< of the tolerance
    double floor_rate = 0.0;  ///< for each unit of the step
    double limit = small_value;
    double least = 0.0;  ///< of one that is followed, a value that is more than rounding errors
  };
  [[nodiscard]] double least(const Small& small) const {
    return small.least > 0.0 ? small.least : least_[part_[small.unknown]];
  }
  [[nodiscard]] double tolerance(const Small& small, double value, double ahead, double h) const;

  double rtol_;
  double sharpness_ = 1.0;
  std::vector<std::size_t> part_;  ///< by unknown: those that no equation leads to have another
  std::vector<double> least_;      ///< by part: a value that is more than rounding errors
  bool depends_on_step_ = false;
  double unit_of_time_ = 1.0;   ///< in which steps are weighed
  std::vector<double> atol_;    ///< atol·nominal_i
  std::vector<double> factor_;  ///< sqrt(n/n_tested), or 0 for an unknown that is not tested
  std::vector<int> power_;      ///< of the step length
  std::vector<double> noise_;   ///< empty: below all tolerances
  std::vector<Small> small_;    ///< in the order of the unknowns
};

/// sqrt(Σ (v_i w_i)² / n); NaN when an entry is not finite, even one of weight 0.
[[nodiscard]] double weighted_rms(std::span<const double> v, std::span<const double> weights);

}  // namespace daedal::integration
