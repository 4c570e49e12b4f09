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

// Windows of |sin(3s)| < 0.1 about s = 0, π/3, ..., 4π/3 until s = 5: each of the full width
// 2 asin(0.1)/3 but the first, which begins in its middle. In any unit, forward and backward.
TEST_P(UnitOfTime, DoesNotMatterToEventsInEitherDirection) {
  const Model model = parse_model(R"(
    model Windows
      parameter Real c = 1, first = 0;
      Real s(start = first, fixed = true), x(start = 0, fixed = true);
    equation
      der(s) = c;
      der(x) = if abs(sin(3*s)) < 0.1 then c else 0;
    end Windows;)");
  const double area = 4.5 * 2.0 * std::asin(0.1) / 3.0;
  for (const double c : {1e-12, 1e-6, 1.0, 1e6, 1e12}) {
    const SolveOptions options{.method = Ode{}, .integrator = GetParam(), .parameters = {{"c", c}}};
    const Solution forward = solve(model, {0.0, 5.0 / c}, options);
    ASSERT_TRUE(is_success(forward.status)) << c << ": " << forward.message;
    EXPECT_NEAR(forward.final_value("x"), area, 1e-6) << c;
    SolveOptions from_end = options;
    from_end.parameters["first"] = 5.0;
    const Solution backward = solve(model, {5.0 / c, 0.0}, from_end);
    ASSERT_TRUE(is_success(backward.status)) << c << ": " << backward.message;
    EXPECT_NEAR(backward.final_value("x"), -area, 1e-6) << c;
  }
}

INSTANTIATE_TEST_SUITE_P(Integrators, UnitOfTime,
                         testing::Values("dop853", "dopri5", "radau", "bdf"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace daedal
