// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <numbers>
#include <string>

namespace daedal {
namespace {

using testing::Contains;
using testing::HasSubstr;

// 1000 (sin² x + cos² x) is 1000 but for rounding: the sign of what is left is no condition that
// varies. x = t.
TEST(Conditions, WhatIsZeroButForRoundingIsNotFollowed) {
  const Model model = parse_model(R"(model Balance
  Real x(start = 0, fixed = true);
  Real p;
  Real q;
equation
  der(x) = 1;
  p = 1000 * sin(x) * sin(x) + 1000 * cos(x) * cos(x) - 1000;
  q = abs(p);
end Balance;
)");
  SolveOptions options;
  options.method = "states-only";
  const Solution solution = solve(model, {0.0, 10.0}, options);
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_TRUE(solution.warnings.empty()) << solution.warnings.front();
  EXPECT_NEAR(solution.final_value("x"), 10.0, 1e-6);
  EXPECT_LT(solution.final_value("q"), 1e-11);
}

// Thermostats between 18 and 22 degrees with rates of their own: T goes as an exponential between
// its switchings, and each switching cuts off a step of all. Errors between the ends of long steps
// must not add up over their short parts.
TEST(Conditions, ManySwitchesCutStepsOffAndKeepTheTolerance) {
  const int n = 40;
  const double stop = 4.0;
  const Model model = parse_model(R"(model Thermostats
  parameter Integer n = 40;
  parameter Real k[n] = {1 + 0.01*i for i in 1:n};
  Real T[n](each start = 20, each fixed = true);
  discrete Boolean on[n](each start = true, each fixed = true);
equation
  for i in 1:n loop
    der(T[i]) = k[i]*((if on[i] then 30 else 10) - T[i]);
    when {T[i] > 22, T[i] < 18} then
      on[i] = T[i] < 20;
    end when;
  end for;
end Thermostats;
)");
  const Solution solution = solve(model, {0.0, stop});
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_TRUE(solution.warnings.empty()) << solution.warnings.front();
  for (int i = 1; i <= n; ++i) {
    const double k = 1.0 + 0.01 * i;
    double t = 0.0;
    double temperature = 20.0;
    bool on = true;
    for (;; on = !on) {
      const double goal = on ? 30.0 : 10.0;
      const double border = on ? 22.0 : 18.0;
      const double pause = std::log((goal - temperature) / (goal - border)) / k;
      if (t + pause > stop) {
        temperature = goal + (temperature - goal) * std::exp(-k * (stop - t));
        break;
      }
      t += pause;
      temperature = border;
    }
    // A tenth of the tolerance 1e-6 of 22 degrees.
    EXPECT_NEAR(solution.final_value("T[" + std::to_string(i) + "]"), temperature, 2e-6) << i;
  }
}

// ψ/i at i = 0 is never taken where the choice says so: ψ/ε there, and success.
TEST(Conditions, AQuotientThatAChoiceAvoidsHasNoPole) {
  const Model model = parse_model(R"(model Inductance
  Real i(start = 0.5, fixed = true);
  Real psi(start = 1, fixed = true);
  Real L;
equation
  der(i) = -1;
  der(psi) = 0;
  L = noEvent(if abs(i) > 1e-14 then abs(psi / i) else abs(psi / 1e-14));
end Inductance;
)");
  for (const char* method : {"auto", "states-only", "direct"}) {
    SolveOptions options;
    options.method = method;
    const Solution solution = solve(model, {0.0, 1.0}, options);
    EXPECT_EQ(solution.status, Status::success) << method << ": " << solution.message;
    EXPECT_NEAR(solution.final_value("L"), 2.0, 1e-5) << method;
  }
}

// A comparator with feedback and an integrator: y = -15 until 0.6 x - 6 = -0.001, where the branch
// on which v is at its threshold turns back; from there y = 15. x rises with 15 per second and
// falls again.
TEST(Conditions, LeaveAThresholdAtWhichTheSolutionEnds) {
  const Model model = parse_model(R"(model Generator
  Real x(start = 0, fixed = true), v, y;
equation
  der(x) = -y;
  v = 0.6*x + 0.4*y;
  y = homotopy(smooth(0, if 15000*v > 15 then 15 else if 15000*v < -15 then -15 else 15000*v), -15);
end Generator;
)");
  const double top = 5.999 / 0.6;
  for (const char* method : {"auto", "states-only", "direct"}) {
    SolveOptions options;
    options.method = method;
    const Solution solution = solve(model, {0.0, 1.0}, options);
    ASSERT_EQ(solution.status, Status::success) << method << ": " << solution.message;
    EXPECT_NEAR(solution.final_value("x"), 2.0 * top - 15.0, 1e-5) << method;
    EXPECT_NEAR(solution.final_value("y"), 15.0, 1e-9) << method;
    EXPECT_THAT(solution.warnings, Contains(HasSubstr("comes to an end"))) << method;
  }
}

// x falls to 1/2 and rests there but for 1e-16 a second: nothing crosses at the end of the run.
TEST(Conditions, RestAtTheEndOfARun) {
  const Model model = parse_model(R"(model Rests
  Real x(start = 1, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(x) = if x >= 0.5 then -1 else 1e-16;
  when terminal() then
    n = 1;
  end when;
end Rests;
)");
  const Solution solution = solve(model, {0.0, 2.0});
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(solution.final_value("x"), 0.5, 1e-9);
  EXPECT_EQ(solution.final_value("n"), 1.0);
}

// The threshold is crossed at v = 3.3, in any unit of what is compared.
TEST(Condition, OfSmallValuesIsAnEvent) {
  for (const double a : {1e-9, 1e-11, 1e-12, 1e-15, 1e-20}) {
    const Solution s = solve(parse_model(R"(
      model M
        parameter Real a;
        Real v(start = 0, fixed = true), i, z(start = 0, fixed = true);
      equation
        der(v) = 1;
        i = a*v;
        der(z) = if i > 3.3*a then 1 else 0;
      end M;
    )"),
                             {0.0, 10.0}, {.parameters = {{"a", a}}});
    ASSERT_TRUE(is_success(s.status)) << s.message;
    EXPECT_NEAR(s.final_value("z"), 6.7, 1e-5) << a;
  }
}

// A ball of any size of motion: from h = a at rest under g = a it meets the floor at √2, and
// returns to a·e² at √2 (1 + e).
TEST(Condition, OfASmallMotionIsAnEvent) {
  for (const double a : {1.0, 1e-9, 1e-12, 1e-15}) {
    const Solution s = solve(parse_model(R"(
      model M
        parameter Real a;
        Real h(start = a, fixed = true), v(start = 0, fixed = true);
      equation
        der(h) = v;
        der(v) = -a;
        when h < 0 then
          reinit(v, -0.5*pre(v));
        end when;
      end M;
    )"),
                             {0.0, 1.5 * std::sqrt(2.0)}, {.parameters = {{"a", a}}});
    ASSERT_TRUE(is_success(s.status)) << s.message;
    EXPECT_NEAR(s.final_value("h") / a, 0.25, 1e-5) << a;
  }
}

// A check valve: the root has no value on the far side of the event that closes it. V is the area
// of a half disc, cut at t - 2.
TEST(Conditions, ValuesBeforeAnEventAreThoseOfItsNearSide) {
  const Model model = parse_model(R"(model Valve
  Real V(start = 0, fixed = true);
  Real q;
  Real dp;
equation
  dp = 1 - (time - 2)^2;
  q = if dp > 0 then sqrt(dp) else 0;
  der(V) = q;
end Valve;
)");
  for (const double rtol : {1e-4, 1e-6, 1e-9}) {
    const Solution s = solve(model, {0.0, 4.0}, {.rtol = rtol, .interval = 0.25});
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(s.final_value("V"), std::numbers::pi / 2.0, 100.0 * rtol);
    ASSERT_EQ(s.events.size(), 2U);
    const std::size_t closed = s.events[1].row;
    EXPECT_DOUBLE_EQ(s.times[closed], s.times[closed - 1]);
    EXPECT_NEAR(s.times[closed], 3.0, 1e-12);
    EXPECT_LT(s.row(closed - 1)[s.column("q")], 1e-6);
    EXPECT_EQ(s.row(closed)[s.column("q")], 0.0);
    EXPECT_TRUE(std::ranges::is_sorted(s.times));
  }
}

}  // namespace
}  // namespace daedal
