// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/taylor/first_crossing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace daedal::integration {
namespace {

/// Π (τ − r_i).
std::vector<double> with_roots(const std::vector<double>& roots) {
  std::vector<double> p{1.0};
  for (const double root : roots) {
    std::vector<double> next(p.size() + 1, 0.0);
    for (std::size_t k = 0; k < p.size(); ++k) {
      next[k + 1] += p[k];
      next[k] -= root * p[k];
    }
    p = next;
  }
  return p;
}

TEST(FirstCrossing, TheFirstOfManyRootsIsFoundAndNoSecondLiesBeforeTheClearPlace) {
  CrossingFinder finder;
  const auto found = finder.find(with_roots({0.9, 0.31, 0.3, 0.5, 0.7, 1.5}), 1.0);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->root, 0.3, 1e-12);
  EXPECT_GT(found->clear, found->root);
  EXPECT_LT(found->clear, 0.31);
}

TEST(FirstCrossing, TwoRootsAThousandthApartAreSeen) {
  CrossingFinder finder;
  const auto found = finder.find(with_roots({0.4, 0.4001, -2.0, 3.0}), 2.0);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->root, 0.4, 1e-9);
  EXPECT_LT(found->clear, 0.4001);
}

TEST(FirstCrossing, RootsBeyondTheEndAndBeforeTheStartAreNone) {
  CrossingFinder finder;
  EXPECT_FALSE(finder.find(with_roots({-0.1, 1.1, 1.2}), 1.0));
  EXPECT_FALSE(finder.find(std::vector<double>{2.0, -1.0, 0.5}, 1.0));
}

TEST(FirstCrossing, AZeroAtTheStartIsNoCrossing) {
  CrossingFinder finder;
  EXPECT_FALSE(finder.find(std::vector<double>{0.0, 1.0, 0.5}, 1.0));
  const auto found = finder.find(std::vector<double>{1e-17, -1.0, 2.0}, 1.0);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->root, 0.5, 1e-15);
}

// 1e-17 - τ + 2τ² is above zero before 1e-17 alone, 1e-18 - τ²/4 before 2e-9.
TEST(FirstCrossing, AZeroThatIsPassedAtOnceIsTold) {
  CrossingFinder finder;
  EXPECT_FALSE(finder.root_at_start(std::vector<double>{0.0, 1.0, 0.5}, 1.0));
  EXPECT_FALSE(finder.root_at_start(std::vector<double>{1e-17, 1.0, 0.5}, 1.0));
  EXPECT_FALSE(finder.root_at_start(std::vector<double>{0.1, -1.0, 0.5}, 1.0));
  const auto at_once = finder.root_at_start(std::vector<double>{1e-17, -1.0, 2.0}, 1.0);
  ASSERT_TRUE(at_once);
  EXPECT_NEAR(*at_once, 1e-17, 1e-30);
  const auto squared = finder.root_at_start(std::vector<double>{1e-18, 0.0, -0.25}, 1.0);
  ASSERT_TRUE(squared);
  EXPECT_NEAR(*squared, 2e-9, 1e-22);
}

TEST(FirstCrossing, ATouchIsNoCrossing) {
  CrossingFinder finder;
  EXPECT_FALSE(finder.find(std::vector<double>{0.25, -1.0, 1.0}, 1.0));
}

TEST(FirstCrossing, OscillationsOfASineInOneStepGiveTheFirstRoot) {
  // sin(8τ + 0.5) to degree 40 on [0, 1]: its first root is (π − 0.5)/8.
  std::vector<double> p(41);
  double factor = 1.0;
  for (int k = 0; k <= 40; ++k) {
    p[static_cast<std::size_t>(k)] = factor * std::sin(0.5 + k * std::acos(0.0));
    factor *= 8.0 / (k + 1);
  }
  CrossingFinder finder;
  const auto found = finder.find(p, 1.0);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->root, (2.0 * std::acos(0.0) - 0.5) / 8.0, 1e-12);
}

}  // namespace
}  // namespace daedal::integration
