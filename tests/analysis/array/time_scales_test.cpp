// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/array/time_scales.hpp"

#include <gtest/gtest.h>

#include <daedal/model.hpp>

namespace daedal::analysis {
namespace {

/// Two decays with given time constants.
std::vector<double> scales_of(double first, double second) {
  ModelBuilder b("Decays");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  b.equation(first * der(x) == -x);
  b.equation(second * der(y) == -y);
  const DerivativeArray array(general_view(b.build()), 1);
  const std::vector<double> series(4, 1.0);
  return candidate_scales(
      array,
      {.t = 0.0, .scale = 0.5, .series = series, .parameters = {}, .modes = {}, .discretes = {}});
}

TEST(TimeScales, OnePaceNeedsOneScaleItsMean) {
  const auto scales = scales_of(0.1, 0.4);
  ASSERT_EQ(scales.size(), 1U);
  EXPECT_NEAR(scales.front(), 0.2, 1e-12);  // √(0.1·0.4)
}

TEST(TimeScales, DistantPacesAreTriedDownToTheShortest) {
  const auto scales = scales_of(1.0, 1e-6);
  ASSERT_EQ(scales.size(), 5U);
  EXPECT_NEAR(scales.front(), 1e-3, 1e-12);
  EXPECT_NEAR(scales.back(), 1e-6, 1e-15);
  for (std::size_t i = 1; i < scales.size(); ++i) EXPECT_LT(scales[i], scales[i - 1]);
}

TEST(TimeScales, WithoutDerivativesThereIsNoScale) {
  ModelBuilder b("Algebraic");
  const Expr x = b.variable("x");
  b.equation(x * x == 2.0);
  const DerivativeArray array(general_view(b.build()), 1);
  const std::vector<double> series(2, 1.0);
  const ArrayPoint point{
      .t = 0.0, .scale = 0.5, .series = series, .parameters = {}, .modes = {}, .discretes = {}};
  EXPECT_EQ(natural_scale(array, point), 1.0);
  EXPECT_EQ(candidate_scales(array, point), std::vector<double>{1.0});
}

TEST(TimeScales, ASeriesInAnotherScaleIsTheSameFunction) {
  // x(hτ) with h = 0.5 and 2, two unknowns: X_j·4^j.
  const std::vector<double> series{1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  EXPECT_EQ(rescaled(series, 2, 4.0), (std::vector<double>{1.0, 2.0, 12.0, 16.0, 80.0, 96.0}));
}

}  // namespace
}  // namespace daedal::analysis
