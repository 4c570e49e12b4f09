// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "integrate/driver/driver.hpp"
#include "support/collecting_observer.hpp"
#include "support/function_systems.hpp"

namespace daedal::integration {
namespace {

using test::Driven;
using test::FunctionOde;
using test::In;
using test::Out;
using test::run_driver;

/// x' = -rate (x - cos t): smooth after a layer of length 1/rate.
FunctionOde relaxation(double rate) {
  return {1, [rate](double t, In x, Out xp) { xp[0] = -rate * (x[0] - std::cos(t)); }};
}

class ExplicitScheme : public testing::TestWithParam<const char*> {};

TEST_P(ExplicitScheme, FindsThatStabilityHoldsItBack) {
  const FunctionOde system = relaxation(1e5);
  const Driven driven = run_driver(
      system,
      {.integrator = GetParam(), .x0 = {0.0}, .options = {.t1 = 10.0, .stop_when_stiff = true}});
  EXPECT_EQ(driven.outcome.status, Status::success);
  EXPECT_TRUE(driven.outcome.is_stiff);
  EXPECT_LT(driven.outcome.t, 0.1);
  EXPECT_THAT(driven.outcome.message, testing::HasSubstr("stiff"));
}

TEST_P(ExplicitScheme, GoesOnWhenFewStepsAreLeft) {
  // About 5e3/3.25 steps of dopri5 at the bound of stability in all, fewer of dop853.
  const FunctionOde system = relaxation(1e3);
  const Driven driven = run_driver(
      system,
      {.integrator = GetParam(), .x0 = {0.0}, .options = {.t1 = 2.0, .stop_when_stiff = true}});
  EXPECT_TRUE(driven.outcome.is_stiff);
  EXPECT_EQ(driven.outcome.t, 2.0);
}

TEST_P(ExplicitScheme, FindsNothingStiffInAnOscillation) {
  const FunctionOde system = test::oscillator();
  for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
    const Driven driven = run_driver(system, {.integrator = GetParam(),
                                              .tolerance = tolerance,
                                              .x0 = {1.0, 0.0},
                                              .options = {.t1 = 2000.0, .stop_when_stiff = true}});
    EXPECT_FALSE(driven.outcome.is_stiff) << tolerance;
    EXPECT_EQ(driven.outcome.t, 2000.0) << tolerance;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ExplicitScheme, testing::Values("dopri5", "dop853"));

}  // namespace
}  // namespace daedal::integration
