// SPDX-License-Identifier: BSD-3-Clause
/// What the problem itself does to errors is told, and where it leaves no digit a warning says so.
/// Where digits are left, nothing is said.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>

namespace daedal {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Solution run(const std::string& body, double stop, const SolveOptions& options = {}) {
  return solve(parse_model("model M\n" + body + "end M;\n"), {0.0, stop}, options);
}

/// x = e^(-1.3kt) is one solution, and every error of it grows as e^(1.3kt).
std::string hyperbolic(double k) {
  return "parameter Real k = " + std::to_string(k) + R"(;
    Real x(start = 1, fixed = true), v(start = -1.3, fixed = true);
  equation
    der(x) = k*v;
    der(v) = 1.69*k*x;
  )";
}

// By e^39 = 9e16 to kt = 30, in any unit of time.
TEST(LostDigits, AreToldWhereErrorsGrowBeyondTheSolution) {
  for (const double k : {1e-6, 1.0, 1e9}) {
    for (const char* integrator : {"auto", "bdf", "radau"}) {
      const Solution s = run(hyperbolic(k), 30.0 / k, {.integrator = integrator});
      ASSERT_EQ(s.status, Status::success) << s.message;
      EXPECT_THAT(s.warnings, Contains(HasSubstr("No digit of the result"))) << integrator << k;
    }
  }
}

// To t = 5 by e^6.5 = 665: three digits of six are left. The estimate is one within a factor of e:
// it follows a perturbation that has not the direction of growth alone, by a formula of order 3.
TEST(LostDigits, AreNotToldWhereSomeAreLeft) {
  for (const char* integrator : {"auto", "bdf", "radau"}) {
    const Solution s = run(hyperbolic(1.0), 5.0, {.integrator = integrator});
    EXPECT_THAT(s.warnings, IsEmpty()) << integrator;
    EXPECT_NEAR(std::log(s.error_growth), 6.5, 1.0) << integrator;
    EXPECT_NEAR(s.final_value("x"), std::exp(-6.5), 1e-3) << integrator;
  }
}

// Backwards in time the errors of x' = -x grow as those of x' = x do forwards, and so does x: all
// its digits stay.
TEST(LostDigits, AreNotToldWhereTheSolutionGrowsAsMuch) {
  const Model model =
      parse_model("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;");
  const Solution s = solve(model, {20.0, 0.0});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_THAT(s.warnings, IsEmpty());
  EXPECT_NEAR(s.final_value("x") / std::exp(20.0), 1.0, 1e-4);
}

// Its largest exponent is 0.9 (Sprott 2003): e^36 to t = 40.
TEST(LostDigits, AreToldOfLorenzsAttractor) {
  const std::string body = R"(
      Real x(start = 1, fixed = true), y(start = 1, fixed = true), z(start = 1, fixed = true);
    equation
      der(x) = 10*(y - x);
      der(y) = x*(28 - z) - y;
      der(z) = x*y - 8/3*z;
  )";
  EXPECT_THAT(run(body, 40.0).warnings, Contains(HasSubstr("No digit of the result")));
  EXPECT_THAT(run(body, 2.0).warnings, IsEmpty());
}

// Rods that only swing are neutral, though the linearised system is unstable whenever the rod is
// above its pivot. g/l = 1, released at 2 rad: the period is 4 K(sin 1) = 8.349753 (K by the
// arithmetic-geometric mean, 30 digits by mpmath), and after 20 of them the rod is there again.
TEST(LostDigits, AreNotToldOfASwingingRod) {
  const Solution s = run(R"(
      Real a(start = 2, fixed = true), w(start = 0, fixed = true);
    equation
      der(a) = w;
      der(w) = -sin(a);
  )",
                         20.0 * 8.349753);
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_THAT(s.warnings, IsEmpty());
  EXPECT_THAT(s.notices, Not(Contains(HasSubstr("once more"))));
  EXPECT_NEAR(s.final_value("a"), 2.0, 1e-3);
}

// Relaxation oscillations grow away from slow motions, in short times only. The values at t = 360
// are those of the test set for initial value problems (Mazzia, Magherini 2008).
TEST(LostDigits, NeedNoSecondRunOfTheOregonator) {
  const Solution s = run(R"(
      Real a(start = 1, fixed = true), b(start = 2, fixed = true), c(start = 3, fixed = true);
    equation
      der(a) = 77.27*(b + a*(1 - 8.375e-6*a - b));
      der(b) = (c - (1 + a)*b)/77.27;
      der(c) = 0.161*(a - c);
  )",
                         360.0, {.rtol = 1e-5, .atol = 1e-5});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_THAT(s.warnings, IsEmpty());
  EXPECT_THAT(s.notices, Not(Contains(HasSubstr("repeated"))));
  EXPECT_NEAR(s.final_value("a") / 1.000814870318523, 1.0, 1e-4);
  EXPECT_NEAR(s.final_value("b") / 1228.178521549917, 1.0, 1e-4);
  EXPECT_NEAR(s.final_value("c") / 132.0554942846706, 1.0, 1e-4);
}

// Along its jumps van der Pol's equation multiplies errors by a million and divides them again: at
// the end of a period they are what they were. The values are those of the same test set.
TEST(LostDigits, NeedNoSecondRunOfVanDerPolsEquation) {
  const Solution s = run(R"(
      Real x(start = 2, fixed = true), v(start = 0, fixed = true);
    equation
      der(x) = v;
      der(v) = ((1 - x^2)*v - x)/1e-6;
  )",
                         2.0, {.rtol = 1e-4, .atol = 1e-4});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_THAT(s.warnings, IsEmpty());
  EXPECT_THAT(s.notices, Not(Contains(HasSubstr("repeated"))));
  EXPECT_NEAR(s.final_value("x") / 1.706167732170483, 1.0, 1e-3);
  EXPECT_NEAR(s.final_value("v") / -0.8928097010247975, 1.0, 1e-3);
}

// y = 1e-3 exp(-60 t + 30 t²) falls to 1e-16 and comes back to 1e-3: the error of an absolute
// tolerance at t = 1 is 1e13 times as large at t = 2. Beside a motion that has died out at once.
TEST(LostDigits, AreToldWhereErrorsGrowFromTheAbsoluteTolerance) {
  for (const char* method : {"direct", "ode"}) {
    const Solution s =
        run(R"(
        Real x(start = 1, fixed = true), y(start = 1e-3, fixed = true);
        Real z(start = 1, fixed = true);
      equation
        der(x) = -1;
        der(y) = -60*x*y;
        der(z) = -1e6*(z - x);
    )",
            2.0, {.method = method, .integrator = "radau", .rtol = 1e-4, .atol = 1e-4});
    ASSERT_EQ(s.status, Status::success) << method << ": " << s.message;
    EXPECT_THAT(s.warnings, Contains(HasSubstr("No digit of the result is certain"))) << method;
  }
}

constexpr const char* oscillator = R"(
    Real x(start = 1, fixed = true), v(start = 0, fixed = true);
  equation
    der(x) = v;
    der(v) = -100*x;
)";

// At h = 0.2 the rotation by 10 h = 2 a step is off by |e^2i - (1 + 2i - 2 - 4i/3 + 2/3)| = 0.4.
TEST(FixedSteps, AreToldToBeTooLong) {
  const Solution s = run(oscillator, 10.0, {.integrator = "rk4", .fixed_step = 0.2});
  EXPECT_THAT(s.warnings, Contains(AllOf(HasSubstr("The step is too long"), HasSubstr("half"))));
}

// At h = 0.01 by 0.1^5/120 = 8e-8: 8e-5 in all.
TEST(FixedSteps, AreNotToldToBeTooLongWhereTheyAreShort) {
  const Solution s = run(oscillator, 10.0, {.integrator = "rk4", .fixed_step = 0.01});
  EXPECT_THAT(s.warnings, IsEmpty());
  EXPECT_NEAR(s.final_value("x"), std::cos(100.0), 1e-3);
}

// A fast motion that has died out asks nothing of the steps of an implicit scheme: x = sin t.
TEST(FixedSteps, AreNotTooLongForWhatHasDiedOut) {
  const Solution s = run(R"(
      Real x(start = 0, fixed = true);
    equation
      der(x) = -1e6*(x - sin(time)) + cos(time);
  )",
                         10.0, {.integrator = "radau", .fixed_step = 0.05});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_THAT(s.warnings, IsEmpty());
  EXPECT_THAT(s.notices, Not(Contains(HasSubstr("half the step"))));
  EXPECT_NEAR(s.final_value("x"), std::sin(10.0), 1e-5);
}

}  // namespace
}  // namespace daedal
