// SPDX-License-Identifier: BSD-3-Clause
// Equations as one function of C++, traced and on numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/integrate.hpp>
#include <daedal/residual.hpp>
#include <daedal/solve.hpp>
#include <stdexcept>

namespace daedal::test {
namespace {

using ::testing::HasSubstr;

/// A circle at unit speed, as a constraint that demands its forces: x = cos t, y = sin t, and the
/// multiplier is 1. Index 3, or 2 with the constraint of the velocities.
template <int index>
struct Circle {
  template <class T, class X, class R>
  void operator()(const T&, const X& x, const X& xp, R&& r) const {
    r[0] = xp[0] - x[2];
    r[1] = xp[1] - x[3];
    r[2] = xp[2] + x[4] * x[0];
    r[3] = xp[3] + x[4] * x[1];
    r[4] = index == 3 ? x[0] * x[0] + x[1] * x[1] - 1.0 : x[0] * x[2] + x[1] * x[3];
  }
};

const StartValues start{.x = {1, 0, 0, 1, 1}, .xp = {0, 1, -1, 0, 0}};

TEST(Residual, TracedItIsAModelOfAnyIndex) {
  const Model model = trace(Circle<3>{}, start.x, "Circle");
  EXPECT_EQ(model.name(), "Circle");
  const Solution s = solve(model, {0.0, 2.0}, {.rtol = 1e-8});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("x[1]"), std::cos(2.0), 1e-7);
  EXPECT_NEAR(s.final_value("x[4]"), std::cos(2.0), 1e-7);
  EXPECT_NEAR(s.final_value("x[5]"), 1.0, 1e-6);
}

TEST(Residual, OnNumbersItHasTheIndexThatItSays) {
  const ResidualSystem second(5, Circle<2>{}, {{true}, {true}, {true}, {true}, {false, 2, false}});
  const ResidualSystem third(5, Circle<3>{},
                             {{true}, {true}, {true, 2}, {true, 2}, {false, 3, false}});
  for (const ResidualSystem* system : {&second, &third}) {
    const Solution s = integrate(*system, start, {0.0, 2.0}, {.integrator = Radau{}, .rtol = 1e-8});
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(s.final_value("x[2]"), std::sin(2.0), 1e-6);
    EXPECT_NEAR(s.final_value("x[5]"), 1.0, 1e-4);  // two orders less accurate than the positions
  }
}

TEST(Residual, OfHigherIndexItIsAccurateOverManyTurns) {
  const ResidualSystem circle(5, Circle<3>{},
                              {{true}, {true}, {true, 2}, {true, 2}, {false, 3, false}});
  const Solution s = integrate(circle, start, {0.0, 60.0});
  ASSERT_EQ(s.status, Status::success) << s.message;
  // Ten tolerances; bdf is 1,500 off.
  EXPECT_NEAR(s.final_value("x[1]"), std::cos(60.0), 1e-5);
  EXPECT_NEAR(s.final_value("x[2]"), std::sin(60.0), 1e-5);
}

TEST(Residual, WhatItThrowsEndsTheRunAndKeepsIt) {
  const ResidualSystem system(1, [](double t, auto x, auto xp, auto r) {
    if (t > 0.5) throw std::runtime_error("no data");
    r[0] = xp[0] + x[0];
  });
  const Solution s = integrate(system, {{1.0}, {-1.0}}, {0.0, 1.0});
  EXPECT_EQ(s.status, Status::non_finite_value);
  EXPECT_THAT(s.message, HasSubstr("The residual function has failed (no data)."));
  ASSERT_GT(s.n_rows(), 2U);
  EXPECT_LE(s.times.back(), 0.5);
  EXPECT_NEAR(s.values.back(), std::exp(-s.times.back()), 1e-5);

  const ResidualSystem other(1, [](double t, auto x, auto xp, auto r) {
    if (t > 0.5) throw 3;  // NOLINT(hicpp-exception-baseclass)
    r[0] = xp[0] + x[0];
  });
  const Solution kept = integrate(other, {{1.0}, {-1.0}}, {0.0, 1.0});
  EXPECT_EQ(kept.status, Status::non_finite_value);
  EXPECT_GT(kept.n_rows(), 2U);
}

}  // namespace
}  // namespace daedal::test
