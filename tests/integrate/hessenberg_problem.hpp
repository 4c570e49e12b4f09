// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A particle on the unit circle with a known motion, in the form of index 2 or 3:
///
///     q' = v,  v' = f(t, q, v) - qλ,  0 = q·v  or  0 = (q·q - 1)/2.
///
/// q = (cos φ, sin φ), φ = t + sin(t)/2, λ = 2 + cos t. The force is made to fit, and depends on
/// position and velocity too.

#include <cmath>
#include <vector>

#include "support/function_systems.hpp"

namespace daedal::test {

/// (q, v, λ) of the motion.
inline std::vector<double> circle_solution(double t) {
  const double phi = t + 0.5 * std::sin(t);
  const double omega = 1.0 + 0.5 * std::cos(t);
  return {std::cos(phi), std::sin(phi), -omega * std::sin(phi), omega * std::cos(phi),
          2.0 + std::cos(t)};
}

/// (q', v', 0) of the motion.
inline std::vector<double> circle_slope(double t) {
  const auto x = circle_solution(t);
  const double omega = 1.0 + 0.5 * std::cos(t);
  const double alpha = -0.5 * std::sin(t);
  return {x[2], x[3], -alpha * x[1] - omega * omega * x[0], alpha * x[0] - omega * omega * x[1],
          -std::sin(t)};
}

struct CircleProblem {
  explicit CircleProblem(int index)
      : system(5, [index](double t, In x, In xp, Out f) {
          const auto s = circle_solution(t);
          const auto a = circle_slope(t);
          // The state-dependent part of the force, less its value on the solution.
          const double swirl = 0.4 * (x[2] * x[1] - s[2] * s[1]);
          const double pull = 0.7 * (x[3] * x[3] * x[0] - s[3] * s[3] * s[0]);
          f[0] = xp[0] - x[2];
          f[1] = xp[1] - x[3];
          f[2] = xp[2] - (a[2] + s[0] * s[4] + swirl) + x[0] * x[4];
          f[3] = xp[3] - (a[3] + s[1] * s[4] + pull) + x[1] * x[4];
          f[4] = index == 3 ? 0.5 * (x[0] * x[0] + x[1] * x[1] - 1.0) : x[0] * x[2] + x[1] * x[3];
        }) {
    system.unknown_kinds.resize(5);
    system.unknown_kinds[2].index = system.unknown_kinds[3].index = index == 3 ? 2 : 1;
    system.unknown_kinds[4].index = index;
    system.unknown_kinds[4].differential = false;
  }
  FunctionDae system;
};

}  // namespace daedal::test
