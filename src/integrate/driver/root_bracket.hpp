// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Shrinks a bracket around a change of sign: regula falsi with the Illinois modification (Dowell &
/// Jarratt 1971, order 1.44), and bisection whenever three evaluations have not halved the bracket.

#include <cmath>

namespace daedal::integrate {

/// The sign changes between a and b, where b has the new sign. A value of exactly 0 counts as not
/// yet changed, so that b is always beyond the root.
struct RootBracket {
  double a = 0.0;
  double value_a = 0.0;
  double b = 0.0;
  double value_b = 0.0;
};

/// The result is narrower than `tolerance`, or its ends are neighbouring numbers. A value that is
/// not finite ends the search with that value in value_b.
template <class Function>
RootBracket shrink_bracket(RootBracket bracket, double tolerance, const Function& function) {
  constexpr int max_iterations = 200;
  constexpr int evaluations_per_halving = 3;
  double width_before = std::abs(bracket.b - bracket.a);
  double weight_a = std::abs(bracket.value_a);
  double weight_b = std::abs(bracket.value_b);
  int kept = 0;  // how often in a row the same end stayed: > 0 that is a, < 0 that is b
  for (int i = 0; i < max_iterations && std::abs(bracket.b - bracket.a) > tolerance; ++i) {
    double fraction = weight_a / (weight_a + weight_b);
    if (i % evaluations_per_halving == evaluations_per_halving - 1) {
      double width = std::abs(bracket.b - bracket.a);
      if (width > 0.5 * width_before) {
        fraction = 0.5;
        width *= 0.5;
      }
      width_before = width;
    }
    // A point inside, at least half a tolerance from either end.
    const double margin = 0.5 * tolerance / std::abs(bracket.b - bracket.a);
    fraction = std::fmin(std::fmax(fraction, margin), 1.0 - margin);
    const double c = bracket.a + fraction * (bracket.b - bracket.a);
    if (c == bracket.a || c == bracket.b) break;
    const double value = function(c);
    if (!std::isfinite(value)) {
      bracket.b = c;
      bracket.value_b = value;
      break;
    }
    const bool has_changed = value != 0.0 && std::signbit(value) == std::signbit(bracket.value_b);
    if (has_changed) {
      bracket.b = c;
      bracket.value_b = value;
      weight_b = std::abs(value);
      kept = kept > 0 ? kept + 1 : 1;
      if (kept > 1) weight_a *= 0.5;
    } else {
      bracket.a = c;
      bracket.value_a = value;
      weight_a = std::abs(value);
      kept = kept < 0 ? kept - 1 : -1;
      if (kept < -1) weight_b *= 0.5;
    }
  }
  return bracket;
}

}  // namespace daedal::integrate
