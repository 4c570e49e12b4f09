// SPDX-License-Identifier: BSD-3-Clause
/// Collocation points, local elimination and meshes.

#include <gtest/gtest.h>

#include <cmath>
#include <daedal/error.hpp>
#include <numeric>
#include <vector>

#include "bvp/condensation.hpp"
#include "bvp/mesh.hpp"
#include "bvp/points.hpp"

namespace daedal::bvp {
namespace {

TEST(CollocationPoints, IntegrateUpToTheirOrderAndNotBeyond) {
  for (const Scheme scheme : {Scheme::gauss, Scheme::radau, Scheme::lobatto}) {
    for (int k = scheme == Scheme::lobatto ? 2 : 1; k <= 5; ++k) {
      const Points& p = collocation_points(scheme, k);
      const auto error = [&](int power) {
        return std::abs((p.c.array().pow(power) * p.b.array()).sum() - 1.0 / (power + 1));
      };
      for (int power = 0; power < p.order; ++power) {
        EXPECT_LT(error(power), 1e-14) << to_string(scheme) << " " << k << " t^" << power;
      }
      EXPECT_GT(error(p.order), 1e-8) << to_string(scheme) << " " << k;
      // Row i of A integrates ℓ exactly: t^(k−1) from 0 to c_i is c_i^k / k.
      const Vector sums = p.a * p.c.array().pow(k - 1).matrix();
      for (int i = 0; i < k; ++i) EXPECT_NEAR(sums[i], std::pow(p.c[i], k) / k, 1e-14);
    }
  }
}

TEST(CollocationPoints, TheBubbleVanishesAtThePointsAndIsOneAtTheEnd) {
  const Points& p = collocation_points(Scheme::gauss, 3);
  EXPECT_NEAR(p.bubble_value(0.0), 0.0, 1e-15);
  EXPECT_NEAR(p.bubble_value(1.0), 1.0, 1e-13);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(p.bubble_value(p.c[i]), 0.0, 1e-13);
  const double h = 1e-5;
  EXPECT_NEAR(p.bubble_slope(0.6), (p.bubble_value(0.6 + h) - p.bubble_value(0.6 - h)) / (2 * h),
              1e-7);
}

TEST(CollocationPoints, RefuseNumbersThatDoNotExist) {
  EXPECT_THROW((void)collocation_points(Scheme::gauss, 0), OptionError);
  EXPECT_THROW((void)collocation_points(Scheme::radau, 6), OptionError);
  EXPECT_THROW((void)collocation_points(Scheme::lobatto, 1), OptionError);
}

/// The midpoint rule for x' = λx at hλ = 2 has no slope as a function of x_i: K = λh(x_i + K/2).
/// Together with x_(i+1) = x_i + K the interval says x_i = 0.
TEST(Condensation, PivotsOverTheIntervalsEnd) {
  Condensation local;
  local.resize(1, 1, 1);
  auto m = local.matrix(0);  // rows: K − 2(x_i + K/2) = r_1, x_(i+1) − x_i − K = r_2
  m[0] = 1.0 - 1.0;
  m[1] = -2.0;
  m[2] = 0.0;
  m[3] = -1.0;
  m[4] = -1.0;
  m[5] = 1.0;
  Matrix left(1, 1);
  Matrix right(1, 1);
  ASSERT_TRUE(local.eliminate(0, {left.data(), 1, 1}, {right.data(), 1, 1}));
  std::vector<double> r{-6.0, 1.0};
  std::vector<double> f(1);
  local.transform(0, r, f);
  EXPECT_NEAR(right(0, 0), 0.0, 1e-15);
  EXPECT_NEAR(f[0] / left(0, 0), 3.0, 1e-14);  // −2 x_i = −6
  std::vector<double> slope{r[0]};
  local.substitute(0, slope, std::vector<double>{3.0}, std::vector<double>{10.0});
  EXPECT_NEAR(slope[0], 6.0, 1e-14);  // 10 − 3 − K = 1
}

TEST(Condensation, ReportsLocalUnknownsThatNothingDetermines) {
  Condensation local;
  local.resize(1, 1, 1);
  auto m = local.matrix(0);
  std::fill(m.begin(), m.end(), 1.0);
  m[0] = m[3] = 0.0;
  Matrix left(1, 1);
  Matrix right(1, 1);
  EXPECT_FALSE(local.eliminate(0, {left.data(), 1, 1}, {right.data(), 1, 1}));
}

TEST(Mesh, HalvingKeepsThePointsAndAddsTheMiddles) {
  const std::vector<double> mesh{0.0, 0.2, 1.0};
  EXPECT_EQ(halved(mesh), (std::vector<double>{0.0, 0.1, 0.2, 0.6, 1.0}));
}

TEST(Mesh, EqualSharesFollowTheDensity) {
  // Density 3 on the first half, 1 on the second: 3/4 of the intervals go there.
  const std::vector<double> mesh{0.0, 0.5, 1.0};
  const Density density{.per_time = {3.0, 1.0}, .n_needed = 2.0, .imbalance = 1.5};
  const auto result = equidistributed(mesh, density, 8);
  ASSERT_EQ(result.size(), 9U);
  EXPECT_NEAR(result[6], 0.5, 1e-15);
  EXPECT_NEAR(result[1], 0.5 / 6, 1e-15);
  EXPECT_NEAR(result[7], 0.75, 1e-15);
  EXPECT_EQ(result.back(), 1.0);
}

TEST(Mesh, NoDensityGivesAUniformMesh) {
  const std::vector<double> mesh{0.0, 0.7, 1.0};
  const Density nothing{.per_time = {0.0, 0.0}, .n_needed = 0.0, .imbalance = 1.0};
  EXPECT_EQ(equidistributed(mesh, nothing, 2), (std::vector<double>{0.0, 0.5, 1.0}));
}

TEST(Mesh, EqualSharesKeepTheBreaks) {
  const std::vector<double> mesh{0.0, 0.4, 0.41, 1.0};
  const Density density{.per_time = {1.0, 1.0, 1.0}, .n_needed = 1.0, .imbalance = 1.0};
  const std::vector<double> breaks{0.4, 0.41};
  const std::vector<double> expected{0.0,   0.1,   0.2,   0.3,   0.4,   0.405, 0.41,
                                     0.508, 0.607, 0.705, 0.803, 0.902, 1.0};
  const auto result = equidistributed(mesh, density, 10, breaks);
  ASSERT_EQ(result.size(), expected.size());
  for (std::size_t i = 0; i < result.size(); ++i) EXPECT_NEAR(result[i], expected[i], 1e-3);
}

TEST(Mesh, GivenPointsTakeThePlaceOfThoseNextToThem) {
  const std::vector<double> mesh{0.0, 0.25, 0.5, 0.75, 1.0};
  const std::vector<double> points{0.501, 0.6};
  EXPECT_EQ(with_points(mesh, points), (std::vector<double>{0.0, 0.25, 0.501, 0.6, 0.75, 1.0}));
}

}  // namespace
}  // namespace daedal::bvp
