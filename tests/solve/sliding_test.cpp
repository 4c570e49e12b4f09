// SPDX-License-Identifier: BSD-3-Clause
/// Solutions that slide along a surface at which the equations jump: Filippov's, in closed form.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/problem.hpp>
#include <daedal/solve.hpp>

namespace daedal {
namespace {

constexpr double rtol = 1e-6;

Solution run(const std::string& body, double stop, const SolveOptions& options = {}) {
  return solve(parse_model("model M\n" + body + "end M;\n"), {0.0, stop}, options);
}

void expect_slide(const Solution& s) {
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_TRUE(s.warnings.empty()) << s.warnings.front();
  const auto tells = [](const std::string& notice) {
    return notice.find("slides along it") != std::string::npos;
  };
  EXPECT_TRUE(std::ranges::any_of(s.notices, tells));
}

// s falls from 1 with the rate 3 and stays at 0 from t = 1/3 on: z = 1/6, however the jump is
// written.
class SlidingJump : public testing::TestWithParam<const char*> {};

TEST_P(SlidingJump, StaysOnTheSurface) {
  const Solution s = run(std::string("Real s(start = 1, fixed = true), z(start = 0, fixed = true);"
                                     "equation der(z) = s;") +
                             GetParam(),
                         10.0);
  expect_slide(s);
  EXPECT_NEAR(s.final_value("s"), 0.0, rtol);
  EXPECT_NEAR(s.final_value("z"), 1.0 / 6.0, 10 * rtol);
}

INSTANTIATE_TEST_SUITE_P(, SlidingJump,
                         testing::Values("der(s) = -3*sign(s);",
                                         "der(s) = if s > 0 then -3 else 2;",
                                         "der(s) = if 0 >= s then 2 else -3;",
                                         "der(s) = noEvent(if s > 0 then -3 else 2);",
                                         "der(s) = if s > 0 then -3 elseif s < 0 then 2 else 0;",
                                         "der(s) + 0.1*der(s)^3 = if s > 0 then -5.7 else 2;"));

TEST(Sliding, StaysOnTheSurfaceOfABooleanVariable) {
  const Solution s = run(R"(
      Real s(start = 1, fixed = true), z(start = 0, fixed = true);
      Boolean high;
    equation
      high = s > 0;
      der(s) = if high then -3 else 2;
      der(z) = s;
  )",
                         10.0);
  expect_slide(s);
  EXPECT_NEAR(s.final_value("z"), 1.0 / 6.0, 10 * rtol);
}

// The same in other units of both kinds.
TEST(Sliding, IsTheSameInAnyUnits) {
  for (const double length : {1e-9, 1e-3, 1e6}) {
    for (const double time : {1e-9, 1.0, 1e7}) {
      const Solution s = run(R"(
          parameter Real L = 1, T = 1;
          Real s(start = L, fixed = true), z(start = 0, fixed = true);
        equation
          der(s) = L/T*(if s > 0 then -3 else 2);
          der(z) = s;
      )",
                             10.0 * time, {.parameters = {{"L", length}, {"T", time}}});
      expect_slide(s);
      EXPECT_NEAR(s.final_value("z") / (length * time), 1.0 / 6.0, 10 * rtol);
    }
  }
}

// Sliding mode control: s = x + v is reached at the root of
// s(t) = 1.8 − 2.2 t − 1.5 t² − 0.5 cos t − 0.5 sin t, and from there on x' = −x.
TEST(Sliding, FollowsTheSurface) {
  const Solution s = run(R"(
      Real x(start = 1, fixed = true), v(start = 0.3, fixed = true), s;
    equation
      der(x) = v;
      der(v) = 0.5*sin(time) - 3*(if s > 0 then 1 else -1);
      s = x + v;
  )",
                         5.0);
  expect_slide(s);
  double t = 0.4;
  for (int k = 0; k < 20; ++k) {
    const double g = 1.8 - 2.2 * t - 1.5 * t * t - 0.5 * std::cos(t) - 0.5 * std::sin(t);
    t -= g / (-2.2 - 3.0 * t + 0.5 * std::sin(t) - 0.5 * std::cos(t));
  }
  const double x = 1.0 + 0.8 * t - 1.5 * t * t - 0.5 * std::sin(t);
  EXPECT_NEAR(s.final_value("x"), x * std::exp(-(5.0 - t)), 10 * rtol);
  EXPECT_NEAR(s.final_value("v"), -x * std::exp(-(5.0 - t)), 10 * rtol);
}

// u is 1 or −1, its mean 0, and that of u² is 1: rates are averaged, not what they follow from.
TEST(Sliding, TakesTheMeanOfRates) {
  const Solution s = run(R"(
      Real s(start = 1, fixed = true), x(start = 0, fixed = true), u;
    equation
      u = if s > 0 then 1 else -1;
      der(s) = -u;
      der(x) = u^2;
  )",
                         10.0);
  expect_slide(s);
  EXPECT_NEAR(s.final_value("u"), 0.0, 1e-3);
  EXPECT_NEAR(s.final_value("x"), 10.0, 10 * rtol * 10.0);
}

// From t = 3 on nothing drives the solution back: s = −(t − 3)²/2.
TEST(Sliding, LeavesASurfaceThatNoLongerAttracts) {
  const Solution s = run(R"(
      Real s(start = 1, fixed = true), age(start = 0, fixed = true);
    equation
      der(age) = 1;
      der(s) = if s > 0 then -1 else 3 - age;
  )",
                         10.0);
  expect_slide(s);
  EXPECT_NEAR(s.final_value("s"), -24.5, 24.5 * 10 * rtol);
}

// Held by friction until the force exceeds it at T = 10/3, then
// v = 0.15 (t² − T²) − (t − T), x(10) = 0.05 (1000 − T³) − 0.15 T² (10 − T) − (10 − T)²/2.
TEST(Sliding, HoldsByFrictionFromTheStart) {
  const Solution s = run(R"(
      Real x(start = 0, fixed = true), v(start = 0, fixed = true);
    equation
      der(x) = v;
      der(v) = 0.3*time - sign(v);
  )",
                         10.0);
  expect_slide(s);
  EXPECT_NEAR(s.final_value("v"), 20.0 / 3.0, 20.0 / 3.0 * 10 * rtol);
  EXPECT_NEAR(s.final_value("x"), 400.0 / 27.0, 400.0 / 27.0 * 10 * rtol);
}

// Both stop: x at the root of 1 − t + 0.3 (1 − cos t), y at that of 2 − 2 t + 0.5 sin t.
TEST(Sliding, StaysWhereTwoSurfacesMeet) {
  const Solution s = run(R"(
      Real x(start = 1, fixed = true), y(start = 2, fixed = true), z(start = 0, fixed = true);
    equation
      der(x) = -sign(x) + 0.3*sin(time);
      der(y) = -2*sign(y) + 0.5*cos(time);
      der(z) = x + y;
  )",
                         10.0);
  expect_slide(s);
  double a = 1.0;
  double b = 1.0;
  for (int k = 0; k < 20; ++k) {
    a -= (1.0 - a + 0.3 * (1.0 - std::cos(a))) / (-1.0 + 0.3 * std::sin(a));
    b -= (2.0 - 2.0 * b + 0.5 * std::sin(b)) / (-2.0 + 0.5 * std::cos(b));
  }
  const double way =
      1.3 * a - 0.5 * a * a - 0.3 * std::sin(a) + 2.0 * b - b * b + 0.5 * (1.0 - std::cos(b));
  EXPECT_NEAR(s.final_value("z"), way, 10 * rtol * way);
}

// The force leaves the friction behind at t = 100: x = (t - 100)²/200, in a form of `sign`, whose
// steps find the surface without an event, as well as in that of a relation.
TEST(Sliding, LeavesInTime) {
  for (const char* jump : {"sign(x)", "(if x > 0 then 1 else -1)"}) {
    for (const double rtol_of_run : {1e-4, 1e-6, 1e-8}) {
      const Solution s = run(std::string("Real x(start = 10, fixed = true);"
                                         "equation der(x) = 0.01*time - ") +
                                 jump + ";",
                             200.0, {.rtol = rtol_of_run});
      expect_slide(s);
      EXPECT_NEAR(s.final_value("x"), 50.0, 10 * rtol_of_run * 50.0) << jump;
    }
  }
}

// The surface ceases to attract at cos(t) = b and leads up from there on.
TEST(Sliding, LeavesASurfaceThatBeginsToRepel) {
  for (const double b : {1e-3, 1e-6}) {
    const Solution s = run(R"(
        parameter Real b;
        Real x(start = 0.3, fixed = true);
      equation
        der(x) = b - cos(time)*sign(x);
    )",
                           3.0, {.parameters = {{"b", b}}});
    expect_slide(s);
    const double leave = std::acos(b);
    const double x = b * (3.0 - leave) - (std::sin(3.0) - std::sin(leave));
    EXPECT_NEAR(s.final_value("x"), x, 20 * rtol) << b;
  }
}

// A block on a spring with dry friction turns at 3.3, -1.3 and -0.7, where it stays.
TEST(Sliding, StopsWhereFrictionHolds) {
  const Solution s = run(R"(
      Real x(start = 3.3, fixed = true), v(start = 0, fixed = true);
    equation
      der(x) = v;
      der(v) = -x - sign(v);
  )",
                         10.0);
  expect_slide(s);
  EXPECT_NEAR(s.final_value("x"), -0.7, 10 * rtol * 3.3);
}

// As above, where an equation gives u but not in the form u = ...
TEST(Sliding, TakesTheMeanOfRatesHoweverTheyAreWritten) {
  const Solution s = run(R"(
      Real s(start = 1, fixed = true), y(start = 0, fixed = true), u;
    equation
      der(s) = 0.3 - u;
      2*u = 2*sign(s);
      der(y) = u^2;
  )",
                         5.0);
  expect_slide(s);
  EXPECT_NEAR(s.final_value("y"), 5.0, 5 * 10 * rtol);
}

// The heater is on for the share 0.463 of the time that keeps T at 293.15.
TEST(Sliding, IsTheMeanOfAThermostatWithoutHysteresis) {
  const Solution s = run(R"(
      Real T(start = 280, fixed = true), h;
      Boolean on;
    equation
      on = T < 293.15;
      h = if on then 5 else 0;
      der(T) = -0.1*(T - 270) + h;
  )",
                         60.0);
  expect_slide(s);
  EXPECT_NEAR(s.final_value("T"), 293.15, 10 * rtol * 293.15);
  EXPECT_NEAR(s.final_value("h"), 2.315, 1e-4);
}

// On x = 0, while the factor y of the surface falls to 8e-7.
TEST(Sliding, StaysOnASurfaceThatGetsFlatter) {
  const Solution s = run(R"(
      Real x(start = 1, fixed = true), y(start = 1, fixed = true);
    equation
      der(x) = sin(time) - 2*sign(x*y);
      der(y) = -y;
  )",
                         14.0);
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("x"), 0.0, 10 * rtol);
}

// A relay behind a lag: switching gets faster and faster, and there is nothing to slide along.
// x' = -sign(x y) + cos(t)/2, y' = -3y: x stays at 0 from where 1 - t + sin(t)/2 is 0 on, although
// y becomes smaller than any width of a band that is fixed.
TEST(Sliding, StaysOnASurfaceWhoseFactorVanishes) {
  for (const double unit : {1.0, 1e-8, 1e5}) {
    const std::string u = std::to_string(unit * 1e8) + "*1e-8";
    const Solution s = run("Real x(start = " + u +
                               ", fixed = true), y(start = 1, fixed = true);"
                               "equation der(x) = " +
                               u + "*(-sign(x*y) + 0.5*cos(time)); der(y) = -3*y;",
                           8.0);
    expect_slide(s);
    EXPECT_NEAR(s.at(5.0, "x"), 0.0, rtol * unit);
    EXPECT_NEAR(s.at(7.0, "x"), 0.0, rtol * unit);
    EXPECT_NEAR(s.final_value("x"), 0.0, rtol * unit);
  }
}

// Two masses on one rod, friction 1 and 2 under them: together 2 v' = -3 until they rest at t = 2.
TEST(Sliding, HoldsBodiesThatConstraintsConnect) {
  const Solution s = run(R"(
      Real x1(start = 0, fixed = true), x2, v1(start = 3, fixed = true), v2, f;
    equation
      der(x1) = v1;
      der(x2) = v2;
      der(v1) = -sign(v1) + f;
      der(v2) = -2*sign(v2) - f;
      x2 = x1 + 1;
  )",
                         4.0);
  expect_slide(s);
  EXPECT_NEAR(s.at(1.0, "v1"), 1.5, 10 * rtol);
  EXPECT_NEAR(s.final_value("v2"), 0.0, 10 * rtol);
  EXPECT_NEAR(s.final_value("x1"), 3.0, 30 * rtol);
}

TEST(Sliding, DoesNotHideModesThatChatter) {
  const Solution s = run(R"(
      Real v(start = 1, fixed = true), x(start = 0, fixed = true);
    equation
      der(v) = (x - v)/0.1;
      der(x) = if v > 0 then -1 else 1;
  )",
                         10.0);
  EXPECT_EQ(s.status, Status::chattering);
  EXPECT_LT(s.statistics.steps, 100000);
}

TEST(Sliding, IsLeftToAuto) {
  const Solution s =
      run("Real s(start = 1, fixed = true);"
          "equation der(s) = if s > 0 then -3 else 2;",
          10.0, {.integrator = "dop853"});
  EXPECT_EQ(s.status, Status::chattering);
}

TEST(Sliding, CannotBeSaved) {
  const Problem problem = prepare(parse_model(R"(
    model M
      Real s(start = 1, fixed = true);
    equation
      der(s) = if s > 0 then -3 else 2;
    end M;
  )"));
  Simulation simulation = problem.start({0.0, 10.0});
  simulation.advance(5.0);
  try {
    (void)simulation.save();
    FAIL() << "saved";
  } catch (const OptionError& error) {
    EXPECT_NE(std::string(error.what()).find("it slides along a surface"), std::string::npos);
  }
}

/// x falls or rises by 2 until it meets sin ωt, which is slower, and follows it from there on. Both
/// terms of the difference move far while it is 0: what bounds of each cannot tell, samples do.
TEST(Sliding, AlongAMovingTargetIsLookedIntoToTheEnd) {
  for (const char* rate : {"-2*sign(x - sin(w*time))", "if x < sin(w*time) then 2 else -2",
                           "noEvent(if x < sin(w*time) then 2 else -2)"}) {
    for (const double w : {0.3, 1.0, 1.7}) {
      const Solution s =
          run("parameter Real w; Real x(start = 0.5, fixed = true);"
              "equation der(x) = " +
                  std::string(rate) + ";",
              10.0, {.interval = 0.5, .parameters = {{"w", w}}});
      ASSERT_TRUE(is_success(s.status)) << rate << ": " << s.message;
      EXPECT_TRUE(s.warnings.empty()) << rate << ", " << w << ": " << s.warnings.front();
      EXPECT_NEAR(s.final_value("x"), std::sin(10.0 * w), 1e-6) << rate << ", " << w;
    }
  }
}

// Two conditions that define each other have no form of their own on either side of x = 0, to which
// both lead after 0.5 s: there is no band to slide in, and the run says where its events end.
TEST(Sliding, ConditionsThatDefineEachOtherAreToldToChatter) {
  const Solution solution = run(R"(
  Real x(start = 0.5, fixed = true);
  Boolean b, c;
equation
  der(x) = if b then -1 else 1;
  b = x > 0 or (c and x > 5);
  c = b and x > 4;
)",
                                2.0);
  EXPECT_EQ(solution.status, Status::chattering) << solution.message;
  EXPECT_NEAR(solution.times.back(), 0.5, 1e-6);
}

// A slow run looks whether such a surface holds it up: where it compares derivatives, nothing tells
// its rate.
TEST(Sliding, SurfacesInDerivativesDoNotStopASlowRun) {
  const Solution solution = run(R"(
  Real s(start = 1, fixed = true), v, f, y(start = 0, fixed = true);
equation
  v = der(s);
  v = -s;
  f = if v < -0.2 then 1 else 2;
  der(y) = -1e6*(y - f);
)",
                                3.0, {.method = "ode", .integrator = "dop853", .max_steps = 2000});
  EXPECT_EQ(solution.status, Status::max_steps_reached) << solution.message;
  EXPECT_NEAR(solution.final_value("s"), std::exp(-solution.times.back()), 10 * rtol);
}

// h = (1 - t/2)² until it is empty: the roots of either side have no value on the other.
TEST(Sliding, RestsWhereAVesselIsEmpty) {
  for (const char* equation :
       {"der(h) = -sqrt(abs(h))*sign(h);", "der(h) = if h > 0 then -sqrt(h) else sqrt(-h);"}) {
    for (const double tolerance : {1e-4, 1e-6, 1e-9}) {
      const Solution s = run(std::string("Real h(start = 1, fixed = true); equation ") + equation,
                             3.0, {.rtol = tolerance, .interval = 0.25});
      ASSERT_EQ(s.status, Status::success) << equation << s.message;
      for (std::size_t i = 0; i < s.n_rows(); ++i) {
        const double root = std::max(0.0, 1.0 - 0.5 * s.times[i]);
        EXPECT_NEAR(s.row(i)[s.column("h")], root * root, 100.0 * tolerance) << s.times[i];
      }
    }
  }
}

}  // namespace
}  // namespace daedal
