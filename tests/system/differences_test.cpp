// SPDX-License-Identifier: BSD-3-Clause
#include "system/differences.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace daedal {
namespace {

using In = std::span<const double>;
using Out = std::span<double>;

SparsityPattern tridiagonal(std::int64_t n) {
  SparsityPattern pattern{n, n, {0}, {}};
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = std::max<std::int64_t>(j - 1, 0); i < std::min(j + 2, n); ++i) {
      pattern.row.push_back(i);
    }
    pattern.column_start.push_back(pattern.nonzeros());
  }
  return pattern;
}

TEST(Differences, MovesTheColumnsOfATridiagonalMatrixInThreeGroups) {
  const SparsityPattern pattern = tridiagonal(20);
  Differences differences(pattern);
  EXPECT_EQ(differences.n_groups(), 3U);
  std::vector<double> x(20);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.1 * static_cast<double>(i);
  // g_i = x_i² + i·x_{i−1} − 3 x_{i+1}
  int n_evaluations = 0;
  const auto g = [&](In v, Out values) {
    ++n_evaluations;
    for (std::size_t i = 0; i < v.size(); ++i) {
      values[i] = v[i] * v[i] + (i > 0 ? static_cast<double>(i) * v[i - 1] : 0.0) -
                  (i + 1 < v.size() ? 3.0 * v[i + 1] : 0.0);
    }
    return Evaluation::ok;
  };
  daedal::Run run;
  std::vector<double> entries(pattern.row.size());
  ASSERT_EQ(differences.evaluate(x, {}, g, run, entries), Evaluation::ok);
  EXPECT_EQ(n_evaluations, 6);
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (Index k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      const auto i = to_size(pattern.row[to_size(k)]);
      const double exact = i == j ? 2.0 * x[j] : i > j ? static_cast<double>(i) : -3.0;
      // Exact for quadratics up to ε·|g|/increment with an increment of at least 6e-9.
      EXPECT_NEAR(entries[to_size(k)], exact, 1e-6) << i << ", " << j;
    }
  }
}

/// At a corner of the domain x1 ≥ 0, x2 ≤ 1: the one unknown has no lower side and the other no
/// upper one, and both are in one group.
TEST(Differences, AreOneSidedAtTheEdgeOfTheDomain) {
  const SparsityPattern diagonal{2, 2, {0, 1, 2}, {0, 1}};
  Differences differences(diagonal);
  EXPECT_EQ(differences.n_groups(), 1U);
  const auto g = [](In v, Out values) {
    values[0] = v[0] < 0.0 ? NAN : 2.0 * v[0];
    values[1] = v[1] > 1.0 ? NAN : 5.0 * v[1];
    return Evaluation::ok;
  };
  daedal::Run run;
  std::vector<double> entries(2);
  ASSERT_EQ(differences.evaluate(std::vector{0.0, 1.0}, {}, g, run, entries), Evaluation::ok);
  EXPECT_NEAR(entries[0], 2.0, 1e-6);
  EXPECT_NEAR(entries[1], 5.0, 1e-6);
}

TEST(Differences, NameTheRowThatHasNoValueAtThePointItself) {
  const SparsityPattern diagonal{2, 2, {0, 1, 2}, {0, 1}};
  Differences differences(diagonal);
  const auto g = [](In v, Out values) {
    values[0] = v[0];
    values[1] = NAN;
    return Evaluation::ok;
  };
  daedal::Run run;
  std::vector<double> entries(2);
  EXPECT_EQ(differences.evaluate(std::vector{0.0, 1.0}, {}, g, run, entries),
            Evaluation::recoverable);
  EXPECT_EQ(run.failure.status, Status::non_finite_value);
  EXPECT_EQ(run.failure.row, 1);
}

TEST(Differences, FollowTheNominalValues) {
  const SparsityPattern one{1, 1, {0, 1}, {0}};
  Differences differences(one);
  const auto g = [](In v, Out values) {
    values[0] = std::exp(v[0] / 1e-9);
    return Evaluation::ok;
  };
  daedal::Run run;
  std::vector<double> entries(1);
  const std::vector<double> nominals{1e-9};
  ASSERT_EQ(differences.evaluate(std::vector{0.0}, nominals, g, run, entries), Evaluation::ok);
  // The increment is 6e-18: exp'(0) = 1 over the nominal, up to the round-off of 1 ± 6e-9.
  EXPECT_NEAR(entries[0] * 1e-9, 1.0, 1e-7);
}

}  // namespace
}  // namespace daedal
