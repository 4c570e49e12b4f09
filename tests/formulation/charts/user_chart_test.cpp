// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/error.hpp>
#include <daedal/modelica.hpp>

#include "formulation/mechanics/support.hpp"

// Charts given by the user: Poell, Hafner (39), (40).

namespace daedal {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A chart of `model`; an empty text gives none.
SolveOptions with_chart(const Model& model, const std::string& chart, double tolerance = 1e-9) {
  SolveOptions options{
      .method = UserChart{}, .rtol = tolerance, .atol = tolerance, .dense_output = false};
  if (!chart.empty()) options.chart = parse_chart(chart, model);
  return options;
}

TEST(UserChart, SolvesThePendulumByItsAngle) {
  const Solution solution =
      solve(test::half_square_pendulum(), {0.0, 10.0},
            with_chart(test::half_square_pendulum(), "x = sin(angle); y = -cos(angle)", 1e-10));
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_LE(test::position_error(solution), 1e-7);
  ASSERT_EQ(solution.constraints.size(), 2U);
  EXPECT_LE(solution.constraints[0].max_residual, 1e-15);
  EXPECT_LE(solution.constraints[1].max_residual, 1e-14);
  // λ = v·v − g y at the end, from the model's equations.
  const double vx = solution.final_value("vx"), vy = solution.final_value("vy");
  EXPECT_NEAR(solution.final_value("lambda"),
              vx * vx + vy * vy - test::pendulum_gravity * solution.final_value("y"), 1e-9);
}

/// A pendulum of length l on a pivot that moves.
const char* moving_pivot = R"(
  model MovingPivot
    parameter Real l = 0.7;
    Real x(start = 0.7), y(start = 0), vx, vy, lambda;
  equation
    der(x) = vx;
    der(y) = vy;
    der(vx) = -lambda*(x - 0.1*sin(3*time));
    der(vy) = -lambda*y - 9.81;
    (x - 0.1*sin(3*time))^2 + y^2 = l^2 "rod";
  end MovingPivot;)";

TEST(UserChart, TakesParametersAndTime) {
  const Model model = parse_model(moving_pivot);
  SolveOptions options = with_chart(model, "x = 0.1*sin(3*time) + l*sin(a); y = -l*cos(a)", 1e-10);
  options.parameters = {{"l", 0.7}};
  const Solution charted = solve(model, {0.0, 3.0}, options);
  ASSERT_EQ(charted.status, Status::success) << charted.message;
  // In the angle alone: l a'' = 0.9 sin(3t) cos a − 9.81 sin a.
  const Model angle = parse_model(R"(
    model Angle
      Real a(start = 1.5707963267948966, fixed = true);
      Real w(start = -0.0, fixed = true);
    equation
      der(a) = w;
      0.7*der(w) = 0.9*sin(3*time)*cos(a) - 9.81*sin(a);
    end Angle;)");
  const Solution exact = solve(angle, {0.0, 3.0}, {.rtol = 1e-12, .atol = 1e-12});
  ASSERT_EQ(exact.status, Status::success) << exact.message;
  EXPECT_NEAR(charted.final_value("x"),
              0.1 * std::sin(9.0) + 0.7 * std::sin(exact.final_value("a")), 1e-7);
}

TEST(UserChart, AgreesWithProjectionInTwoDegreesOfFreedom) {
  const Model model = parse_model(R"(
    model Spherical
      Real x(start = 0.6, fixed = true), y(start = 0), z(start = -0.8);
      Real vx(start = 0), vy(start = 1.5), vz(start = 0), lambda;
    equation
      der(x) = vx; der(y) = vy; der(z) = vz;
      der(vx) = -lambda*x; der(vy) = -lambda*y; der(vz) = -lambda*z - 9.81;
      x^2 + y^2 + z^2 = 1;
    end Spherical;)");
  const Solution charted = solve(
      model, {0.0, 4.0}, with_chart(model, "x = sin(a)*cos(b); y = sin(a)*sin(b); z = -cos(a)"));
  const Solution projected =
      solve(model, {0.0, 4.0}, {.method = "orthogonal-projection", .rtol = 1e-11, .atol = 1e-11});
  ASSERT_EQ(charted.status, Status::success) << charted.message;
  ASSERT_EQ(projected.status, Status::success) << projected.message;
  for (const char* name : {"x", "y", "z", "lambda"}) {
    EXPECT_NEAR(charted.final_value(name), projected.final_value(name), 2e-6) << name;
  }
}

std::string refusal(const std::string& chart) {
  try {
    (void)solve(test::half_square_pendulum(), {0.0, 1.0},
                with_chart(test::half_square_pendulum(), chart));
  } catch (const OptionError& error) {
    return error.what();
  }
  return "";
}

TEST(UserChart, RefusesBadChartsByName) {
  EXPECT_THAT(refusal("x = sin(a)"), HasSubstr("does not give 'y'"));
  EXPECT_THAT(refusal("x = sin(a); y = -cos(a); vx = 1"),
              AllOf(HasSubstr("'vx', which is not a position"), HasSubstr("x and y")));
  EXPECT_THAT(refusal("x = sin(a); y = -cos(b)"),
              AllOf(HasSubstr("2 coordinates"), HasSubstr("'a' and 'b'"), HasSubstr("1 degrees")));
  EXPECT_THAT(refusal("x = sin(a); y = -2*cos(a)"), HasSubstr("constraint 'rod'"));
  EXPECT_THAT(refusal("x"), HasSubstr("(got 'x')"));
  EXPECT_THAT(refusal("x = sin(a); x = cos(a)"), HasSubstr("'x' twice"));
  EXPECT_THAT(refusal(""), HasSubstr("needs a chart"));
  EXPECT_THROW(solve(test::half_square_pendulum(), {0.0, 1.0},
                     with_chart(test::half_square_pendulum(), "x = sin(; y = 1")),
               ParseError);
  SolveOptions other = with_chart(test::half_square_pendulum(), "x = sin(a); y = -cos(a)");
  other.method = "ggl";
  EXPECT_THROW(solve(test::half_square_pendulum(), {0.0, 1.0}, other), OptionError);
}

TEST(UserChart, RefusesAStartThatItDoesNotReach) {
  SolveOptions options = with_chart(test::half_square_pendulum(), "x = s; y = sqrt(1 - s^2)");
  options.start_values = {{"x", 0.6}, {"y", -0.8}};
  const Solution solution = solve(test::half_square_pendulum(), {0.0, 1.0}, options);
  EXPECT_EQ(solution.status, Status::inconsistent_start);
  EXPECT_THAT(solution.message, HasSubstr("does not reach"));
}

TEST(UserChart, StopsWhereTheChartEnds) {
  // Fast enough to pass x = 1, where s no longer tells where it is.
  SolveOptions options =
      with_chart(test::half_square_pendulum(), "x = s; y = -sqrt(1 - s^2)", 1e-6);
  options.start_values = {{"x", 0.0}, {"y", -1.0}, {"vx", 8.0}};
  const Solution solution = solve(test::half_square_pendulum(), {0.0, 2.0}, options);
  EXPECT_EQ(solution.status, Status::singular_iteration_matrix) << solution.message;
  EXPECT_THAT(solution.message, HasSubstr("'s'"));
  // It passes the horizontal at t = 0.209.
  EXPECT_NEAR(solution.times.back(), 0.209, 1e-3);
}

}  // namespace
}  // namespace daedal
