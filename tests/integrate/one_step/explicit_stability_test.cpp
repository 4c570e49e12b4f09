// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "integrate/one_step/explicit_tableau.hpp"
#include "integrate/registry.hpp"

namespace daedal::integration {
namespace {

TEST(RealStability, IsThatOfTheLiterature) {
  // Hairer, Wanner, Solving ODEs II, IV.2: [−2, 0], [−2.785, 0], [−3.3, 0].
  EXPECT_NEAR(real_stability(forward_euler()), 2.0, 0.011);
  EXPECT_NEAR(real_stability(classical_rk4()), 2.785, 0.011);
  EXPECT_NEAR(real_stability(dormand_prince5()), 3.307, 0.011);
}

TEST(RealStability, BoundsExplicitIntegratorsOnly) {
  EXPECT_LT(find_integrator("dop853").can.real_stability, 10.0);
  EXPECT_EQ(find_integrator("radau").can.real_stability, infinity);
}

}  // namespace
}  // namespace daedal::integration
