// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Derivatives by extrapolated central differences, with an estimate of their error.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace daedal::test {

struct Difference {
  double value;
  double error;
};

/// f'(x) by Ridders' extrapolation of central differences (C. J. F. Ridders, Adv. Eng. Software 4
/// (1982) 75): steps h, h/1.4, ... and a Neville table in h².
template <class Function>
Difference differentiate(Function f, double x, double h) {
  constexpr std::size_t n = 12;
  constexpr double shrink = 1.4;
  std::array<std::array<double, n>, n> table{};
  Difference best{0.0, std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < n; ++i, h /= shrink) {
    table[i][0] = (f(x + h) - f(x - h)) / (2.0 * h);
    double factor = 1.0;
    for (std::size_t j = 1; j <= i; ++j) {
      factor *= shrink * shrink;
      table[i][j] = (table[i][j - 1] * factor - table[i - 1][j - 1]) / (factor - 1.0);
      const double error = std::max(std::abs(table[i][j] - table[i][j - 1]),
                                    std::abs(table[i][j] - table[i - 1][j - 1]));
      if (error < best.error) best = {table[i][j], error};
    }
  }
  return best;
}

}  // namespace daedal::test
