// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Where sampled functions of time reach 0: brackets around a change of sign, and samples that may
/// bend towards 0 and away again between them.

#include <algorithm>
#include <cmath>
#include <optional>

namespace daedal::integration {

/// The sign changes between a and b, where b has the new sign. A value of exactly 0 counts as not
/// yet changed, so that b is always beyond the root.
struct RootBracket {
  double a = 0.0;
  double value_a = 0.0;
  double b = 0.0;
  double value_b = 0.0;
};

/// Shrinks a bracket by regula falsi with the Illinois modification (Dowell & Jarratt 1971, order
/// 1.44), and by bisection whenever three evaluations have not halved it.
///
/// The result is narrower than `tolerance`, or its ends are neighbouring numbers. An infinite value
/// has a sign like any other and the bracket is halved; one that is not a number ends the search
/// and stands in value_b.
template <class Function>
RootBracket shrink_bracket(RootBracket bracket, double tolerance, const Function& function) {
  // A bracket is halved at least once in three evaluations, and after 64 halvings its ends are
  // neighbouring numbers.
  constexpr int max_iterations = 200;
  constexpr int evaluations_per_halving = 3;
  double width_before = std::abs(bracket.b - bracket.a);
  double weight_a = std::abs(bracket.value_a);
  double weight_b = std::abs(bracket.value_b);
  int kept = 0;  // how often in a row the same end stayed: > 0 that is a, < 0 that is b
  for (int i = 0; i < max_iterations && std::abs(bracket.b - bracket.a) > tolerance; ++i) {
    double fraction = weight_a / (weight_a + weight_b);
    if (!std::isfinite(weight_a + weight_b)) fraction = 0.5;
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
    if (std::isnan(value)) {
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

/// A parabola whose vertex comes this near to 0, relative to the middle sample, is looked at.
inline constexpr double vertex_nearness = 0.25;
/// A parabola whose vertex comes this near, relative to the outer samples, is looked at too.
inline constexpr double vertex_scale = 0.1;

struct Point {
  double t = 0.0;
  double value = 0.0;
};

/// Three samples of one function in the order of time.
struct Bend {
  Point before, middle, after;
};

/// Where the parabola through three samples of one sign comes nearest to 0, if that is between them
/// and near.
inline std::optional<double> nearest_to_zero(const Bend& bend) {
  const auto& [before, middle, after] = bend;
  if (before.value * middle.value <= 0.0 || middle.value * after.value <= 0.0) return std::nullopt;
  const double rise = (middle.value - before.value) / (middle.t - before.t);
  const double next_rise = (after.value - middle.value) / (after.t - middle.t);
  const double curvature = (next_rise - rise) / (after.t - before.t);
  if (!(middle.value * curvature > 0.0)) return std::nullopt;
  const double slope = rise + curvature * (middle.t - before.t);
  const double t = middle.t - 0.5 * slope / curvature;
  const bool is_between = (t - before.t) * (after.t - t) > 0.0 && t != middle.t;
  const double value = middle.value - 0.25 * slope * slope / curvature;
  const double scale = std::max(std::abs(before.value), std::abs(after.value));
  const double near = std::max(vertex_nearness * std::abs(middle.value), vertex_scale * scale);
  if (!is_between || (value * middle.value > 0.0 && std::abs(value) > near)) return std::nullopt;
  return t;
}

/// The three of the four points around the one nearest to 0.
inline Bend closer(const Bend& bend, const Point& found) {
  const bool is_earlier = (found.t - bend.middle.t) * (bend.after.t - bend.before.t) < 0.0;
  const bool is_better = std::abs(found.value) < std::abs(bend.middle.value);
  if (is_earlier) {
    return is_better ? Bend{bend.before, found, bend.middle} : Bend{found, bend.middle, bend.after};
  }
  return is_better ? Bend{bend.middle, found, bend.after} : Bend{bend.before, bend.middle, found};
}

}  // namespace daedal::integration
