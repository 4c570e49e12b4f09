// SPDX-License-Identifier: BSD-3-Clause
/// A change of the unit of time by a power of two changes no digit of the computation: the steps
/// and the results are the same to the last bit, from rest too.

#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>

namespace daedal {
namespace {

class UnitOfTime : public testing::TestWithParam<const char*> {};

TEST_P(UnitOfTime, DoesNotMatterToTheStepsOfAnIntegrator) {
  const Model model = parse_model(R"(
    model Forced
      parameter Real c = 1;
      Real x(start = 0, fixed = true), v(start = 0, fixed = true);
    equation
      der(x) = c*v;
      der(v) = c*(cos(3*c*time) - x - 0.1*v);
    end Forced;)");
  const auto run = [&](double c) {
    return solve(model, {0.0, 10.0 / c},
                 {.method = Ode{}, .integrator = GetParam(), .parameters = {{"c", c}}});
  };
  const Solution seconds = run(1.0);
  ASSERT_TRUE(is_success(seconds.status)) << seconds.message;
  for (const int power : {-40, -10, 27, 40}) {
    const Solution other = run(std::ldexp(1.0, power));
    ASSERT_TRUE(is_success(other.status)) << power << ": " << other.message;
    EXPECT_EQ(other.statistics.steps, seconds.statistics.steps) << power;
    EXPECT_EQ(other.values, seconds.values) << power;
  }
}

INSTANTIATE_TEST_SUITE_P(Integrators, UnitOfTime,
                         testing::Values("dop853", "dopri5", "radau", "bdf"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace daedal
