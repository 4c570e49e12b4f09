// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Whether two runs of one problem, by different tolerances or steps, have a digit in common.

#include <cstddef>
#include <daedal/model.hpp>
#include <daedal/solution.hpp>
#include <functional>

namespace daedal::solve_detail {

struct Difference {
  double share = 0.0;  ///< of the largest value of the variable in the first of the two
  std::size_t column = 0;
  double t = 0.0;
  double one = 0.0, two = 0.0;  ///< the values there

  /// The first digit may be another one.
  [[nodiscard]] bool leaves_no_digit() const { return share >= 0.1; }
};

/// The greatest at the end, or where a quarter of the output points before it have lost all digits,
/// at the first of those. Differences below a hundred absolute tolerances are none.
Difference difference_of(const Solution& a, const Solution& b, const Model& model);

/// Errors that can have grown to this share of the result are looked at.
inline constexpr double smallest_doubt = 1e-2;

/// Errors that can have grown to some share of the result.
struct Doubt {
  double size = 0.0;
  bool is_of_step = false;  ///< that is fixed, instead of the tolerance
};

/// If the doubt is large enough: the run once more, by `other_run` with a tolerance that is sharper
/// by a factor, or half the step. A warning where the two have no digit in common, a note
/// otherwise.
void tell_lost_digits(const Doubt& doubt, const Model& model,
                      const std::function<Solution(double sharper)>& other_run, Solution& solution);

}  // namespace daedal::solve_detail
