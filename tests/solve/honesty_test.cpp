// SPDX-License-Identifier: BSD-3-Clause

/// Runs that could end with a wrong result and the status success, and must not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/error.hpp>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <string>

namespace daedal {
namespace {

using testing::Contains;
using testing::HasSubstr;

Solution run(const std::string& body, const TimeSpan& span, const SolveOptions& options = {}) {
  return solve(parse_model("model M\n" + body + "end M;\n"), span, options);
}

TEST(Honesty, AnOutputWithoutAValueIsNoSuccess) {
  const Solution s = run(R"(
    Real x(start = 1, fixed = true), y;
  equation
    der(x) = -1;
    y = log(x);
  )",
                         {0.0, 2.0});
  EXPECT_EQ(s.status, Status::non_finite_value);
  EXPECT_THAT(s.message, HasSubstr("'y'"));
  EXPECT_NEAR(s.final_value("x"), -1.0, 1e-9) << "what was integrated is kept";
}

TEST(Honesty, AFoldThatIsJumpedOverIsSaidAtAnyTolerance) {
  // z^3 - 3 z = 2 - 4.5 sin t has no root near 2 any more where 4.5 sin t = 4; the second part
  // makes the index 2. The corrector jumps to the root at -2, and the check tells.
  for (const double rtol : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
    const Solution s =
        run(R"(
      Real y, z(start = 2), q(start = 0, fixed = true), a, u;
    equation
      y = -2 + 4.5*sin(time);
      y + z^3 - 3*z = 0 "fold";
      der(q) = z;
      der(a) = u + q;
      a = sin(time);
    )",
            {0.0, 3.0}, {.method = "dummy-derivatives", .integrator = "bdf", .rtol = rtol});
    EXPECT_EQ(s.status, Status::check_failed) << rtol << ": " << s.message;
    EXPECT_THAT(s.message, HasSubstr("'fold'")) << rtol;
  }
}

TEST(Honesty, SamplersDoNotRunBackward) {
  EXPECT_THROW(run(R"(
    Real x(start = 0, fixed = true);
    discrete Real n(start = 0, fixed = true);
  equation
    der(x) = n;
    when sample(0.5, 0.5) then
      n = pre(n) + 1;
    end when;
  )",
                   {2.2, 0.0}),
               OptionError);
}

TEST(Honesty, AFixedMultiplierThatContradictsTheRestIsRefused) {
  const std::string pendulum = R"(
    Real x(start = 1, fixed = true), y(start = 0, fixed = true);
    Real vx(start = 0, fixed = true), vy(start = 0, fixed = true);
    Real lambda(start = 5, fixed = true);
  equation
    der(x) = vx;
    der(y) = vy;
    der(vx) = -lambda*x;
    der(vy) = -lambda*y - 9.81;
    x^2 + y^2 = 1;
  )";
  for (const char* method : {"auto", "index1", "ggl", "orthogonal-projection"}) {
    const Solution s = run(pendulum, {0.0, 1.0}, {.method = method});
    EXPECT_EQ(s.status, Status::inconsistent_start) << method;
    EXPECT_THAT(s.message, HasSubstr("lambda")) << method;
  }
}

TEST(Honesty, TheBranchThatIsNotTakenCostsNothing) {
  // Two tanks through a valve: d = h1 - h2 has d' = -2 sqrt d, so sqrt d = 1 - t.
  const Solution s = run(R"(
    Real h1(start = 1, fixed = true), h2(start = 0, fixed = true), q;
  equation
    q = if h1 > h2 then sqrt(h1 - h2) else -sqrt(h2 - h1);
    der(h1) = -q;
    der(h2) = q;
  )",
                         {0.0, 0.5}, {.rtol = 1e-8});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("q"), 0.5, 1e-6);
  EXPECT_NEAR(s.final_value("h1"), 0.625, 1e-6);
}

TEST(Honesty, ASquareWaveOfASineIsFollowedThroughAllItsPeriods) {
  // Up while sin 50 t > 0: 79 full periods and what is left of the 80th, in 10 s.
  const Solution s = run(R"(
    Real x(start = 0, fixed = true);
  equation
    der(x) = if sin(50*time) > 0 then 1 else -1;
  )",
                         {0.0, 10.0});
  ASSERT_EQ(s.status, Status::success) << s.message;
  const double half = std::acos(-1.0) / 50.0;
  const double rest = 10.0 - 158.0 * half;
  EXPECT_NEAR(s.final_value("x"), rest < half ? rest : 2.0 * half - rest, 1e-9);
}

TEST(Honesty, StatesBelowTheirAbsoluteToleranceAreTold) {
  // The charge of a picofarad: u = q/C is of the order 1, and wrong, for nobody asks q to be right.
  const std::string circuit = R"(
    Real q(start = 0, fixed = true NOMINAL), u;
    parameter Real C = 1e-12, R = 1e9;
  equation
    u = q/C;
    der(q) = (sin(2000*time) - u)/R;
  )";
  const auto with = [&](const std::string& nominal) {
    std::string text = circuit;
    return text.replace(text.find(" NOMINAL"), 8, nominal);
  };
  const Solution s = run(with(""), {0.0, 0.01}, {.atol = 1e-8});
  EXPECT_THAT(s.warnings, Contains(HasSubstr("'q'")));

  // u = (sin wt - wT cos wt + wT exp(-t/T)) / (1 + (wT)^2) with T = RC = 1e-3, wT = 2.
  const Solution seen = run(with(", nominal = 1e-12"), {0.0, 0.01});
  ASSERT_EQ(seen.status, Status::success) << seen.message;
  EXPECT_TRUE(seen.warnings.empty());
  const double exact = (std::sin(20.0) - 2.0 * std::cos(20.0) + 2.0 * std::exp(-10.0)) / 5.0;
  EXPECT_NEAR(seen.final_value("u"), exact, 1e-4);
}

TEST(Honesty, TheImpulseOfAPrescribedMotionWithACornerIsTold) {
  // v must jump by 1 at t = 1, and so must p, which has the same derivative: it cannot.
  const std::string motion = R"(
    Real x, v, u, p(start = 0, fixed = true);
  equation
    der(x) = v;
    der(v) = u;
    x = if time < 1 then 0 else PATH;
    der(p) = u;
  )";
  const auto along = [&](const std::string& path) {
    std::string text = motion;
    return run(text.replace(text.find("PATH"), 4, path), {0.0, 2.0});
  };
  EXPECT_THAT(along("time - 1").warnings, Contains(HasSubstr("'v'")));
  // A smooth path keeps v - p.
  const Solution smooth = along("(time - 1)^3");
  ASSERT_EQ(smooth.status, Status::success) << smooth.message;
  EXPECT_TRUE(smooth.warnings.empty());
  EXPECT_NEAR(smooth.final_value("v") - smooth.final_value("p"), 0.0, 1e-4);
}

TEST(Honesty, AConditionTooFastToBeFollowedIsTold) {
  // 1.6e7 periods within a few steps, none of which crosses: nobody looks at them all.
  const Solution s = run(R"(
    Real x(start = 0, fixed = true);
  equation
    der(x) = if sin(1e7*time) > 1.5 then 1 else 0;
  )",
                         {0.0, 10.0});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.final_value("x"), 0.0);
  EXPECT_THAT(s.warnings, Contains(HasSubstr("varies too fast")));
}

TEST(Honesty, BranchesThatComeTooNearToBeToldApartAreTold) {
  // y = sqrt(s² + c²) and its negative are 2c apart at s = 0: far less than the tolerance, or more.
  const auto run_past = [](double c, const std::string& rest) {
    return run(R"(
      parameter Real c = 1;
      Real s(start = -1, fixed = true), y(start = 1), w(start = 0, fixed = true);
    equation
      der(s) = 1;
      y^2 = s^2 + c^2;
    )" + rest,
               {0.0, 2.0}, {.parameters = {{"c", c}}});
  };
  for (const std::string rest : {"der(w) = y;", "der(w) = -1e6*(w - y);"}) {
    const Solution near = run_past(1e-9, rest);
    ASSERT_EQ(near.status, Status::success) << near.message;
    EXPECT_THAT(near.warnings, Contains(HasSubstr("two solutions for 'y' meet"))) << rest;
    const Solution far = run_past(1e-2, rest);
    ASSERT_EQ(far.status, Status::success) << far.message;
    EXPECT_TRUE(far.warnings.empty()) << rest;
    EXPECT_NEAR(far.final_value("y"), std::hypot(1.0, 1e-2), 1e-5) << rest;
  }
}

TEST(Honesty, SolutionsThatMeetAreToldWithTheInstant) {
  // z = x - 1 and z = -|x - 1| are solutions from x = 1 on, whatever the method.
  struct Choice {
    std::string method, integrator;
  };
  for (const Choice& by :
       {Choice{"auto", "auto"}, Choice{"direct", "bdf"}, Choice{"direct", "radau"},
        Choice{"states-only", "radau"}, Choice{"states-only", "dop853"}}) {
    const Solution s = run(R"(
      Real x(start = 0, fixed = true), z(start = -1);
    equation
      der(x) = 1;
      z*z = (x - 1)^2;
    )",
                           {0.0, 2.0}, {.method = by.method, .integrator = by.integrator});
    ASSERT_EQ(s.status, Status::success) << by.method << ' ' << s.message;
    EXPECT_THAT(s.warnings, Contains(HasSubstr("two solutions for 'z' meet")))
        << by.method << ' ' << by.integrator;
  }
}

TEST(Honesty, OneSolutionWithASingularMatrixIsNoMeeting) {
  // z = sign(x - 1) |x - 1|^(1/2) and (x - 1)^(1/3) are unique.
  for (const std::string equation : {"z*abs(z) = x - 1;", "z^3 = x - 1;"}) {
    const Solution s = run(R"(
      Real x(start = 0, fixed = true), z(start = -1);
    equation
      der(x) = 1;
    )" + equation,
                           {0.0, 2.0});
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_THAT(s.warnings, testing::Not(Contains(HasSubstr("two solutions")))) << equation;
    EXPECT_NEAR(s.final_value("z"), 1.0, 1e-5) << equation;
  }
}

TEST(Honesty, AnImpulseOfReinitThatAnotherStateWouldFeelIsTold) {
  // q = p^2 jumps from 1 to 9, and so should w, whose derivative is that of q.
  const std::string body = R"(
    Real p(start = 0, fixed = true), q, i, w(start = 0, fixed = true);
  equation
    der(p) = 1;
    q = p^2;
    der(q) = i;
    der(w) = i;
    when time >= 1 then
      reinit(p, 3);
  )";
  EXPECT_THAT(run(body + "end when;", {0.0, 2.0}).warnings, Contains(HasSubstr("'der(w) = i'")));
  const Solution given = run(body + "reinit(w, 9); end when;", {0.0, 2.0});
  EXPECT_TRUE(given.warnings.empty());
  EXPECT_NEAR(given.final_value("w"), 16.0, 1e-4);
}

TEST(Honesty, WhatReadsValuesBelowTheGivenToleranceIsTold) {
  // x = e^(-10 t): w would be -5 t^2.
  const std::string body = R"(
    Real x(start = 1, fixed = true), w(start = 0, fixed = true);
  equation
    der(x) = -10*x;
    der(w) = log(x);
  )";
  EXPECT_THAT(run(body, {0.0, 3.0}, {.atol = 1e-8}).warnings,
              Contains(HasSubstr("the rate of 'w' hangs on digits of 'x'")));
  const Solution s = run(body, {0.0, 3.0});
  EXPECT_TRUE(s.warnings.empty());
  EXPECT_NEAR(s.final_value("w"), -45.0, 1e-2);
}

TEST(Honesty, AStateThatGrowsAgainFromBelowTheToleranceIsFollowed) {
  // x = e^(5 t^2 - 50 t), 1e-55 at t = 5.
  for (const double rtol : {1e-4, 1e-6, 1e-9}) {
    const Solution s = run(R"(
      Real x(start = 1, fixed = true);
    equation
      der(x) = 10*(time - 5)*x;
    )",
                           {0.0, 10.0}, {.rtol = rtol});
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(s.final_value("x"), 1.0, 1e4 * rtol) << rtol;
  }
}

TEST(Honesty, ATankRunsEmptyAndStaysSo) {
  // sqrt h = 1 - t/2 until t = 2.
  const Solution s = run(R"(
    Real h(start = 1, fixed = true);
  equation
    der(h) = if h > 0 then -sqrt(h) else 0;
  )",
                         {0.0, 3.0});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.at(1.0, "h"), 0.25, 1e-6);
  EXPECT_NEAR(s.final_value("h"), 0.0, 1e-6);
}

TEST(Honesty, ATankFillsFromEmpty) {
  // u = sqrt h: 2 u u' = 1 - u, so t = -2 (u + log(1 - u)).
  const Solution s = run(R"(
    Real h(start = 0, fixed = true);
  equation
    der(h) = 1 - sqrt(h);
  )",
                         {0.0, 1.0}, {.rtol = 1e-8});
  ASSERT_EQ(s.status, Status::success) << s.message;
  const double u = std::sqrt(s.final_value("h"));
  EXPECT_NEAR(-2.0 * (u + std::log(1.0 - u)), 1.0, 1e-4);
}

}  // namespace
}  // namespace daedal
