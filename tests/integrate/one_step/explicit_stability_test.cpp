// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "integrate/one_step/explicit_tableau.hpp"
#include "integrate/registry.hpp"

namespace daedal::integration {
namespace {

TEST(RealStability, IsThatOfTheLiterature) {
  // Hairer, Wanner, Solving ODEs II, IV.2: [−2, 0], [−2.785, 0], [−3.3, 0].
  EXPECT_NEAR(forward_euler().real_stability, 2.0, 0.011);
  EXPECT_NEAR(classical_rk4().real_stability, 2.785, 0.011);
  EXPECT_NEAR(dormand_prince5().real_stability, 3.307, 0.011);
}

TEST(RealStability, BoundsExplicitIntegratorsOnly) {
  EXPECT_LT(find_integrator("dop853").can.real_stability, 10.0);
  EXPECT_EQ(find_integrator("radau").can.real_stability, infinity);
}

}  // namespace
}  // namespace daedal::integration
