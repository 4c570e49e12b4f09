// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// How far to go along a Newton correction, by the squares of what it leaves of the residuals.

#include <cmath>

namespace daedal::linalg {

/// Sixty halvings: the correction of an exponential far below its root overshoots by its inverse.
inline constexpr double least_length = 0x1p-60;
/// A correction that leaves more than this of the squares is one of a function steeper than a
/// cubic: (1 - 1/n)ⁿ of the residual of the n-th power, 1/e of that of an exponential.
inline constexpr double slow_share = 0.09;
/// `squares(length)` at growing lengths from 1 while every doubling gains, at shorter ones where 1
/// does not; 0 where none makes them less.
template <class Squares>
double line_search(double before, Squares&& squares) {
  double length = 1.0;
  double reached = squares(length);
  while (!(reached < before && reached <= (1.0 - 0.1 * length) * before)) {
    length *= 0.5;
    if (length < least_length) return 0.0;
    reached = squares(length);
  }
  if (length < 1.0 || reached < slow_share * before) return length;
  for (;;) {
    // An exponential that has vanished asks for ever longer steps, to infinity.
    if (reached == 0.0) return length;
    const double further = squares(2.0 * length);
    // An exponential loses as much again; one that is no longer steep has been passed.
    if (!(further <= reached * std::sqrt(reached / before))) return length;
    reached = further;
    length *= 2.0;
  }
}

}  // namespace daedal::linalg
