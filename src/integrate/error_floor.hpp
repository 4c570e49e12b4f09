// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What rounding errors come to within one step: below it no tolerance can be met. An unknown that
/// is 0 but for the rounding of large terms that cancel has no other scale. An algebraic unknown
/// that is 0 but for the errors of the states has none but theirs.

#include <bit>
#include <daedal/system.hpp>
#include <memory>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "integrate/noise.hpp"
#include "linalg/linear_solver.hpp"

namespace daedal::integration {

/// A fixed pattern without a period that a model would have.
inline double irregular_sign(std::size_t i) {
  return std::popcount(i * 0x9E3779B97F4A7C15ULL) % 2 == 0 ? 1.0 : -1.0;
}

class ErrorFloor {
 public:
  explicit ErrorFloor(const System& system);

  /// A point of a run and the step from there.
  struct Point {
    double t = 0.0;
    double h = 0.0;
    std::span<const double> x;
    std::span<const double> xp;
    std::span<const double> weights;  ///< of the error test: one over the tolerances
  };

  /// True at the first call and at those whose number is a power of two: often enough to follow a
  /// run, too seldom to cost anything.
  bool is_due();
  /// The next call is as the first one.
  void restart() { n_calls_ = 0; }
  /// False where it cannot be told; the floor is then 0.
  bool measure(const Point& at, Run& run);
  /// In a step of any length, and for each unit of its length.
  [[nodiscard]] std::span<const double> floor() const { return floor_; }
  [[nodiscard]] std::span<const double> floor_rate() const { return floor_rate_; }
  /// What of the floor is due to rounding alone; empty for explicit systems, whose functions may
  /// have changed by more than rounding within a step.
  [[nodiscard]] std::span<const double> rounding() const { return rounding_; }

 private:
  bool measure_explicit(const Point& at, Run& run);
  bool measure_rates(const Point& at, Run& run);
  double carry_rounding(const Point& at, double length, Run& run);
  bool measure_implicit(const Point& at, Run& run);
  void carry_tolerances(const Point& at);

  const ExplicitSystem* explicit_;
  const ImplicitSystem* implicit_;
  std::vector<double> floor_, floor_rate_, rounding_, moved_, values_, others_, opposite_;
  Noise noise_;
  std::vector<double> f_x_, f_xp_;
  std::unique_ptr<linalg::RealSolver> solver_;
  std::int64_t n_calls_ = 0;
  double longest_ = 0.0;  ///< of the steps so far
};

}  // namespace daedal::integration
