// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Derivatives by finite differences, for comparison.

#include <functional>

namespace daedal::test {

/// f'(x) by the central difference of fourth order; the error is h⁴ f⁽⁵⁾/30 plus round-off/h.
inline double difference(const std::function<double(double)>& f, double x, double h = 1e-3) {
  return (8.0 * (f(x + h) - f(x - h)) - (f(x + 2.0 * h) - f(x - 2.0 * h))) / (12.0 * h);
}

}  // namespace daedal::test
