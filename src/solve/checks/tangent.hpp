// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// One perturbation v followed along a run of an explicit system, v' = J(t) v, at the cost of one
/// evaluation a step: J v by a difference, and the step by the Adams-Bashforth formula of order 3
/// for unequal steps. Where steps are long for what decays or swings the formula is unstable, and
/// what it tells is too much; of what grows by e or more in a step it misses a tenth to a third.

#include <array>
#include <daedal/system.hpp>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "integrate/stepper.hpp"

namespace daedal::solve_detail {

class Tangent {
 public:
  /// `greatest`: magnitudes of the unknowns before.
  Tangent(const ExplicitSystem& system, std::span<const double> greatest);

  /// After an accepted step. False when an evaluation failed: nothing is known from then on.
  bool follow(const integration::StepReport& report, const integration::Stepper& stepper, Run& run);
  /// The logarithm of the growth of v up to now, from where it was smallest, with what the formula
  /// may have missed.
  [[nodiscard]] double log_growth() const { return log_size_ - least_ + missed_; }

 private:
  void measure(const integration::Stepper& stepper, double length);
  [[nodiscard]] bool put_on_manifold(const integration::Stepper& stepper, Run& run);
  [[nodiscard]] bool differentiate(const integration::Stepper& stepper, Run& run);
  void advance(double length);
  void normalize();

  const ExplicitSystem& system_;
  std::vector<double> v_, moved_, slope_, scale_, weights_;
  struct Past {
    double t = 0.0;
    std::vector<double> rate;  ///< J v
  };
  static constexpr std::size_t n_past = 3;
  std::array<Past, n_past> past_;  ///< the newest first
  std::size_t n_known_ = 0;        ///< of them
  double time_ = 0.0;              ///< along the run, of v
  double log_size_ = 0.0;          ///< of v; v itself has the size 1
  double least_ = 0.0;
  double missed_ = 0.0;  ///< since then
  std::int64_t n_steps_ = 0;
};

}  // namespace daedal::solve_detail
