// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Three samples of a function that may bend towards 0 and away again between them.

#include <algorithm>
#include <cmath>
#include <optional>

namespace daedal::integrate {

/// A parabola whose vertex comes this near to 0, relative to the middle sample, is looked at.
inline constexpr double vertex_nearness = 0.25;
/// So is one that comes this near, relative to its neighbours.
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

}  // namespace daedal::integrate
