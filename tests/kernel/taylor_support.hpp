// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Taylor series of expressions, and how to compare them.

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "kernel/fixture.hpp"
#include "kernel/taylor.hpp"

namespace daedal::test {

inline constexpr int order = 20;
using Series = std::vector<double>;

/// Coefficients 0..K of `output`, variable i having the series inputs[i].
inline Series expand(const Variables& v, NodeId output, const std::vector<Series>& inputs,
                     int up_to = order) {
  const kernel::Program program = v.compile(std::span(&output, 1));
  kernel::TaylorEvaluator series(program, up_to);
  const auto n = inputs.size();
  Series x(n * (static_cast<std::size_t>(up_to) + 1));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < inputs[i].size(); ++k) x[k * n + i] = inputs[i][k];
  }
  const kernel::SeriesBlock block{x.data(), to_index(n), up_to + 1};
  Series out(static_cast<std::size_t>(up_to) + 1);
  series.evaluate(up_to, {&block, 1}, out);
  return out;
}

/// Recurrences of 20 coefficients lose a few roundings each: 200 of them is ample, and far below
/// what a wrong term would change.
inline void expect_series(const Series& actual, const Series& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(actual[k], expected[k], 200.0 * round_off * (std::abs(expected[k]) + 1e-3))
        << "coefficient " << k;
  }
}

template <class Coefficient>
Series series_of(Coefficient coefficient) {
  Series result;
  for (int k = 0; k <= order; ++k) result.push_back(coefficient(k));
  return result;
}

inline double factorial(int n) {
  return std::tgamma(n + 1.0);
}

inline double binomial(double p, int k) {
  double result = 1.0;
  for (int i = 0; i < k; ++i) result *= (p - i) / (i + 1);
  return result;
}

}  // namespace daedal::test
