// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/fold_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace daedal::analysis {
namespace {

/// Steps that come nearer to `end` by the factor `ratio` each, down to `least`.
std::vector<FoldSample> approach(double end, double ratio, double least,
                                 const std::function<double(double)>& q) {
  std::vector<FoldSample> samples;
  for (double distance = 1.0; distance > least; distance *= ratio) {
    samples.push_back({end - distance, q(distance)});
  }
  return samples;
}

TEST(Fold, IsFoundWhereTheSquareFallsLinearly) {
  // σ² = s(1 + s/2): the curvature of a real fold.
  for (const double ratio : {0.5, 0.9}) {
    const auto fold =
        find_fold(approach(2.0, ratio, 1e-12, [](double s) { return s * (1 + s / 2); }));
    ASSERT_TRUE(fold);
    EXPECT_NEAR(fold->t, 2.0, 1e-12);
    EXPECT_LE(fold->uncertainty, 1e-9);
  }
}

TEST(Fold, IsExtrapolatedFromARunThatStopsEarly) {
  // Lock-up of the crank 1 with the rod .9: σ² = .81 − cos²(π/4 − t), the run stops at t = .32.
  std::vector<FoldSample> samples;
  const double locked = std::acos(-1.0) / 4 - std::acos(0.9);
  for (double t = 0.0; t <= 0.3201; t += 0.04) {
    samples.push_back({t, 0.81 - std::pow(std::cos(std::acos(-1.0) / 4 - t), 2)});
  }
  const auto fold = find_fold(samples);
  ASSERT_TRUE(fold);
  EXPECT_NEAR(fold->t, locked, 1e-3);
  EXPECT_NEAR(fold->t, locked, fold->uncertainty);
}

TEST(Fold, IsFoundInARunBackwardInTime) {
  auto samples = approach(0.0, 0.5, 1e-6, [](double s) { return s; });
  for (FoldSample& sample : samples) sample.t = -sample.t;
  const auto fold = find_fold(samples);
  ASSERT_TRUE(fold);
  EXPECT_NEAR(fold->t, 0.0, 1e-9);
}

TEST(Fold, IsNoBifurcationAndNoBlowUp) {
  // σ ~ s at a bifurcation; 1/x'² = s⁴ for x' = x², s³ for x' = x³.
  for (const double order : {2.0, 3.0, 4.0}) {
    EXPECT_FALSE(find_fold(approach(1.0, 0.7, 1e-4, [&](double s) { return std::pow(s, order); })))
        << order;
  }
}

TEST(Fold, IsNotSeenInWhatDoesNotVanish) {
  EXPECT_FALSE(find_fold({}));
  EXPECT_FALSE(find_fold(approach(1.0, 0.5, 1e-9, [](double) { return 1.0; })));
  EXPECT_FALSE(find_fold(approach(1.0, 0.5, 1e-9, [](double s) { return 0.4 + s; })));
  EXPECT_FALSE(find_fold(approach(1.0, 0.5, 1e-9, [](double s) { return 2.0 - s; })));
  auto samples = approach(1.0, 0.5, 1e-9, [](double s) { return s; });
  samples[3].q = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(find_fold(samples));
}

TEST(Fold, IsNotSeenWhereTheRunWentOnBehindIt) {
  auto samples = approach(1.0, 0.8, 0.05, [](double s) { return s; });
  samples.push_back({3.0, 1e-12});
  EXPECT_FALSE(find_fold(samples));
}

}  // namespace
}  // namespace daedal::analysis
