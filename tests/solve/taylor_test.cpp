// SPDX-License-Identifier: BSD-3-Clause
/// The method and integrator `taylor`, from model text, against tests/oracles/pendulum_chain.py and
/// closed forms.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <daedal/error.hpp>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <numbers>

#include "places.hpp"

namespace daedal {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// x_i'' = -lam_i x_i, y_i'' = -lam_i y_i + g, x_i² + y_i² = (10 + c lam_{i-1})²: index 2n + 1.
Model chain(int n, double c) {
  return parse_model(fmt::format(R"(
    model Chain
      parameter Integer n = {};
      parameter Real g = 9.8, L = 10, c = {};
      Real x[n](each start = 10), y[n](each start = 0, each fixed = true);
      Real vx[n], vy[n](each start = 0, each fixed = true), lam[n];
    equation
      for i in 1:n loop
        der(x[i]) = vx[i];
        der(y[i]) = vy[i];
        der(vx[i]) = -lam[i]*x[i];
        der(vy[i]) = -lam[i]*y[i] + g;
      end for;
      x[1]^2 + y[1]^2 = L^2;
      for i in 2:n loop
        x[i]^2 + y[i]^2 = (L + c*lam[i - 1])^2;
      end for;
    end Chain;)",
                                 n, c));
}

/// x, y and lam of the pendulum `number`.
std::array<double, 3> pendulum(const Solution& s, int number, std::size_t row) {
  const auto value = [&](const char* name) {
    return s.row(row)[s.column(fmt::format("{}[{}]", name, number))];
  };
  return {value("x"), value("y"), value("lam")};
}

struct ChainCase {
  int n;
  double c;
  std::array<double, 3> middle, last;  ///< at t = 10
};

class Chain : public testing::TestWithParam<ChainCase> {};

TEST_P(Chain, IsSolvedFromItsTextWithNoOptionButTheTolerance) {
  const ChainCase& expected = GetParam();
  const Solution s =
      solve(chain(expected.n, expected.c), {0.0, 10.0}, {.rtol = 1e-12, .atol = 1e-12});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.method.used, "taylor");
  const std::size_t end = s.n_rows() - 1;
  const auto middle = pendulum(s, (expected.n + 1) / 2, end);
  const auto last = pendulum(s, expected.n, end);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(middle[k], expected.middle[k], 1e-10) << k;
    EXPECT_NEAR(last[k], expected.last[k], 1e-10) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Index, Chain,
    testing::Values(ChainCase{8,
                              0.1,
                              {-6.0504066781432666, 8.2472983702760963, 2.2918739936275763},
                              {-6.0494286180410008, 8.2486793300717762, 2.2918845555831582}},
                    ChainCase{23,
                              0.1,
                              {-6.0494285822273272, 8.2486792459718451, 2.2918838684801604},
                              {-6.0495709760875958, 8.2486451437030628, 2.3081522246815141}},
                    ChainCase{50,
                              0.02,
                              {-7.1571652517988475, 7.0424333178307517, 2.0480093518186359},
                              {-7.1571652472571541, 7.0424333129879725, 2.0480087257380294}},
                    ChainCase{100,
                              0.005,
                              {-7.3462345512528818, 6.7994337727150214, 1.9936234819456509},
                              {-7.3462345512528819, 6.7994337727150214, 1.9936234819457139}}),
    [](const auto& tested) { return fmt::format("Is{}", 2 * tested.param.n + 1); });

TEST(Taylor, TheLastLengthOfALongChainShrinksToZeroAndTheDiagnosisSaysSo) {
  for (const double tolerance : {1e-6, 1e-10, 1e-12}) {
    const Solution s = solve(chain(30, 0.1), {0.0, 10.0}, {.rtol = tolerance, .atol = tolerance});
    EXPECT_FALSE(is_success(s.status));
    EXPECT_NEAR(s.times.back(), 0.9008, 0.0002);
    EXPECT_THAT(s.message, AllOf(HasSubstr("'x[30]'"), HasSubstr("'y[30]'"),
                                 HasSubstr("L + lam[29]"), HasSubstr("to zero there")));
  }
}

/// 160 derivatives of squares of x and y, whose sum has none of their size: at t = 1.3 the fast
/// waves at the end of this chain have lost the digits asked for, and that is told.
TEST(Taylor, TellsOfDigitsThatRoundingErrorsOfHighDerivativesTake) {
  const Solution s = solve(chain(80, 0.01), {0.0, 1.5}, {.rtol = 1e-12, .atol = 1e-12});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_THAT(s.warnings, testing::Contains(AllOf(HasSubstr("rounding errors of high derivatives"),
                                                  HasSubstr("'lam[80]'"))));
}

TEST(Taylor, ThePendulumOfTenMetresKeepsTwelveDigitsForFiftySeconds) {
  const Solution s =
      solve(chain(1, 0.0), {0.0, 50.0}, {.method = Taylor{}, .rtol = 1e-12, .atol = 1e-12});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(static_cast<double>(s.statistics.steps), 120.0, 30.0);
  const auto [x, y, lam] = pendulum(s, 1, s.n_rows() - 1);
  EXPECT_NEAR(x, -6.8562388954600643, 1e-12 * 10.0);
  EXPECT_NEAR(y, 7.2795596163765674, 1e-12 * 10.0);
  EXPECT_NEAR(lam, 2.1401905272147108, 1e-12);
}

TEST(Taylor, StepsThatBeginOnAKinkTakeThePieceBehindIt) {
  const auto end_of = [](const std::string& rate, double stop) {
    const Model model = parse_model(
        "model M Real y(start = 0, fixed = true); equation der(y) = " + rate + "; end M;");
    const Solution s = solve(model, {0.0, stop}, {.method = Taylor{}, .rtol = 1e-10});
    EXPECT_EQ(s.status, Status::success) << s.message;
    return s.final_value("y");
  };
  // sin 7t is positive on [0, pi/7], and 3 = 6 pi/7 + 0.3072...: what six half waves leave.
  const double rest = 3.0 - 6.0 * std::numbers::pi / 7.0;
  EXPECT_NEAR(end_of("noEvent(if sin(7*time) > 0 then 1 else -1)", 3.0), rest, 1e-8);
  EXPECT_NEAR(end_of("sign(sin(7*time))", 3.0), rest, 1e-8);
  // A half wave of min(sin 7t, 0.3) from a = asin 0.3 on: 2(1 - cos a)/7 + 0.3 (pi - 2a)/7.
  const double a = std::asin(0.3);
  const double above = (2.0 * (1.0 - std::cos(a)) + 0.3 * (std::numbers::pi - 2.0 * a)) / 7.0;
  const double last = (1.0 - std::cos(a)) / 7.0 + 0.3 * (rest - a / 7.0);
  const double whole =
      3.0 * above - 3.0 * 2.0 / 7.0 + (7.0 * rest > std::numbers::pi - a ? NAN : last);
  EXPECT_NEAR(end_of("abs(time - 1) + min(sin(7*time), 0.3)", 3.0), 2.5 + whole, 1e-8);
}

// x'' = -sign x from rest at 1: half waves of length 2 sqrt 2, of which 20 has seven and 0.2010...
// more after the first quarter.
TEST(Taylor, ARelayReversesAtEveryZero) {
  const Model model = parse_model(
      "model M Real x(start = 1, fixed = true), v(start = 0, fixed = true); equation der(x) = v; "
      "der(v) = -sign(x); end M;");
  const Solution s = solve(model, {0.0, 20.0}, {.method = Taylor{}, .rtol = 1e-10});
  EXPECT_EQ(s.status, Status::success) << s.message;
  const double half = 2.0 * std::numbers::sqrt2;
  const double past = std::fmod(20.0 + half / 2.0, 2.0 * half);  // since the last upward zero
  const double into = std::fmod(past, half);
  const double size = std::numbers::sqrt2 * into - into * into / 2.0;
  EXPECT_NEAR(s.final_value("x"), past < half ? size : -size, 1e-8);
}

// h = (1 - t)² up to t = 1, where der(h) = -2√h leaves no solution that a series shows: the series
// goes on to h = (1 - t)², whose slope is that of the other root.
TEST(Taylor, DoesNotGoOnAlongTheOtherBranchOfARoot) {
  const Model tank = parse_model(
      "model Tank Real h(start = 1, fixed = true); equation der(h) = -2*sqrt(h); end Tank;");
  for (const double stop : {1.05, 1.2, 2.0}) {
    const Solution s = solve(tank, {0.0, stop}, {.method = Taylor{}, .rtol = 1e-9});
    EXPECT_FALSE(is_success(s.status)) << s.message;
    EXPECT_NEAR(s.times.back(), 1.0, 1e-3);
    EXPECT_NEAR(s.final_value("h"), 0.0, 1e-7);
  }
  // The integral of |x|³ from -1.5 to 1.5; the series of (x²)^1.5 is that of ±x³.
  const Model cusp = parse_model(
      "model Cusp Real x(start = -1.5, fixed = true), q(start = 0, fixed = true);"
      "equation der(x) = 1; der(q) = (x^2)^1.5; end Cusp;");
  const Solution s = solve(cusp, {0.0, 3.0}, {.method = Taylor{}, .rtol = 1e-9});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("q"), 2.53125, 1e-7);
}

TEST(Taylor, RunsBackward) {
  const Model model = chain(3, 0.1);
  const SolveOptions options{.rtol = 1e-12, .atol = 1e-12};
  const Solution there = solve(model, {0.0, 1.0}, options);
  ASSERT_EQ(there.status, Status::success) << there.message;
  SolveOptions back = options;
  for (int i = 1; i <= 3; ++i) {
    for (const char* name : {"y", "vy"}) {  // the others follow from the constraints
      const std::string variable = fmt::format("{}[{}]", name, i);
      back.start_values[variable] = there.row(there.n_rows() - 1)[there.column(variable)];
    }
  }
  const Solution here = solve(model, {1.0, 0.0}, back);
  ASSERT_EQ(here.status, Status::success) << here.message;
  for (int i = 1; i <= 3; ++i) {
    for (const char* name : {"y", "vy"}) {
      const auto column = here.column(fmt::format("{}[{}]", name, i));
      EXPECT_NEAR(here.row(here.n_rows() - 1)[column], 0.0, 1e-10) << name << i;
    }
  }
}

/// Kepler's problem with eccentricity 0.6: after one period everything is as it was.
TEST(Taylor, ClosesTheOrbitsOfKeplersProblem) {
  const Model model = parse_model(R"(
    model Kepler
      Real x(start = 0.4, fixed = true), y(start = 0, fixed = true);
      Real u(start = 0, fixed = true), v(start = 2, fixed = true), r3;
    equation
      der(x) = u;
      der(y) = v;
      r3 = (x^2 + y^2)^1.5;
      der(u) = -x/r3;
      der(v) = -y/r3;
    end Kepler;)");
  for (const double end : {2.0 * std::numbers::pi, -2.0 * std::numbers::pi}) {
    const Solution s =
        solve(model, {0.0, end}, {.integrator = TaylorSteps{}, .rtol = 1e-13, .atol = 1e-13});
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_EQ(s.method.used, "ode");  // nothing has to be solved for
    EXPECT_EQ(s.integrator.used, "taylor");
    const auto last = s.row(s.n_rows() - 1);
    EXPECT_NEAR(last[s.column("x")], 0.4, 1e-12);
    EXPECT_NEAR(last[s.column("y")], 0.0, 2e-12);
    EXPECT_NEAR(last[s.column("v")], 2.0, 1e-12);
  }
}

/// Two hundred periods of Jupiter; studies/long/study_outer_solar_system.cpp goes on to 10,000.
TEST(Taylor, KeepsTheEnergyOfTheOuterSolarSystem) {
  const Model model = load_model(DAEDAL_SOURCE_DIR "/problems/outer_solar_system.mo");
  const Solution s = solve(model, {0.0, 200.0 * 4332.6}, {.rtol = 1e-13, .atol = 1e-13});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.integrator.used, "taylor");
  const std::size_t energy = s.column("energy");
  for (std::size_t row = 0; row < s.n_rows(); ++row)
    ASSERT_NEAR(s.row(row)[energy] / s.row(0)[energy], 1.0, 1e-12) << s.times[row];
}

/// Relations that change many times within what would be one step of the solution.
TEST(Taylor, MissesNoEvent) {
  const Model model = parse_model(R"(
    model Pulses
      Real x(start = 0, fixed = true);
      discrete Integer fast(start = 0, fixed = true), brief(start = 0, fixed = true);
    equation
      der(x) = 1;
      when sin(100*x) > 0 then
        fast = pre(fast) + 1;
      end when;
      when sin(x) > 0.9999999 then
        brief = pre(brief) + 1;
      end when;
    end Pulses;)");
  const Solution s = solve(model, {0.0, 10.0}, {.integrator = TaylorSteps{}, .rtol = 1e-9});
  ASSERT_EQ(s.status, Status::success) << s.message;
  const auto last = s.row(s.n_rows() - 1);
  // sin(100 x) leaves 0 at the start and rises through it at 2πk/100, k = 1 ... 159.
  EXPECT_EQ(last[s.column("fast")], 160.0);
  EXPECT_EQ(last[s.column("brief")], 2.0);
}

/// The same number of crossings in both directions of time, with a pendulum beside them that has to
/// be solved for, or without.
TEST(Taylor, MissesNoEventBackward) {
  for (const char* rest : {"",
                           "x^2 + y^2 = 1; der(x) = u; der(y) = v; der(u) = -lam*x; der(v) = "
                           "-lam*y - 1;"}) {
    const std::string more =
        *rest == 0
            ? ""
            : "Real x(start = 1), y(start = 0, fixed = true), u, v(start = 0, fixed = true), lam;";
    const Model model = parse_model(fmt::format(R"(
      model M
        {}
        Real c(start = 10, fixed = true);
        discrete Integer n(start = 0, fixed = true);
      equation
        {}
        der(c) = 1;
        when sin(10*c) > 0.99999 then
          n = pre(n) + 1;
        end when;
      end M;)",
                                                more, rest));
    const Solution s = solve(model, {10.0, 0.0}, {.integrator = TaylorSteps{}, .rtol = 1e-9});
    ASSERT_EQ(s.status, Status::success) << s.message;
    // sin 10c is 1 at c = (π/2 + 2πk)/10, k = 0 ... 15.
    EXPECT_EQ(s.final_value("n"), 16.0) << rest;
  }
}

/// Jumps and kinks that no event tells of: of floor at every whole number, of two branches that are
/// the same but for rounding errors none.
TEST(Taylor, EndsAStepWhereItsPieceEnds) {
  const Model model = parse_model(R"(
    model M
      Real s(start = 0, fixed = true), c(start = 1, fixed = true);
      Real stairs(start = 0, fixed = true), same(start = 0, fixed = true), hat(start = 0, fixed = true);
    equation
      der(s) = c;
      der(c) = -s;
      der(stairs) = noEvent(floor(2*time));
      der(same) = noEvent(max(s^2 + c^2, 1));
      der(hat) = noEvent(abs(abs(s) - 0.5));
    end M;)");
  const double stop = std::numbers::pi;
  const Solution s = solve(model, {0.0, stop}, {.integrator = TaylorSteps{}, .rtol = 1e-11});
  ASSERT_EQ(s.status, Status::success) << s.message;
  // 0 + 1/2 + 2/2 + 3/2 + 4/2 + 5/2 up to t = 3, and 6 from there on.
  EXPECT_NEAR(s.final_value("stairs"), 7.5 + 6.0 * (stop - 3.0), 1e-9);
  EXPECT_NEAR(s.final_value("same"), stop, 1e-9);
  // |s - 1/2| over [0, π]: 2(√3 - 1) - π/6.
  EXPECT_NEAR(s.final_value("hat"), 2.0 * std::numbers::sqrt3 - 2.0 - stop / 6.0, 1e-9);
  EXPECT_LT(s.statistics.steps, 60);
}

/// Where both pieces lead to the jump no step is long, in any units.
TEST(Taylor, DoesNotPassAJumpThatItBeginsAt) {
  for (const double unit : {1.0, 1e3, 1e6}) {
    const std::string u = std::to_string(unit);
    const Model model = parse_model("model M Real x(start = 100*" + u +
                                    ", fixed = true); equation der(x) = -200*sign(x - 30*" + u +
                                    "*sin(time/" + u + ")); end M;");
    const Solution s = solve(model, {0.0, 5.0 * unit}, {.method = "taylor"});
    EXPECT_EQ(s.status, Status::chattering) << unit << ": " << s.message;
  }
}

/// Whatever is computed between two steps (slopes for the growth of errors), the series that the
/// next one is searched for events with are those of the step.
TEST(Taylor, FindsAConditionOfAMomentInEveryStep) {
  for (int k = 1; k < 40; ++k) {
    const double at = 0.0731 * k;
    const Model model = parse_model(fmt::format(R"(
      model M
        Real x(start = 1), y(start = 0, fixed = true), u, v(start = 0, fixed = true), lam;
        Real clock(start = 0, fixed = true);
        discrete Integer n(start = 0, fixed = true);
      equation
        der(x) = u;
        der(y) = v;
        der(u) = -lam*x;
        der(v) = -lam*y + 9.8;
        x^2 + y^2 = 1;
        der(clock) = 1;
        when (clock - {})^2 < 1e-10 then
          n = pre(n) + 1;
        end when;
      end M;)",
                                                at));
    const Solution s = solve(model, {0.0, 3.0}, {.method = Taylor{}, .rtol = 1e-10});
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_EQ(s.final_value("n"), 1.0) << at;
  }
}

TEST(Taylor, EndsAStepAtAKink) {
  const Model model = parse_model(R"(
    model Rectified
      Real s(start = 0, fixed = true), c(start = 1, fixed = true), area(start = 0, fixed = true);
      Real above(start = 0, fixed = true);
    equation
      der(s) = c;
      der(c) = -s;
      der(area) = noEvent(abs(s));
      der(above) = noEvent(max(s, 0.5));
    end Rectified;)");
  const Solution s = solve(model, {0.0, 3.0 * std::numbers::pi},
                           {.integrator = TaylorSteps{}, .rtol = 1e-12, .atol = 1e-12});
  ASSERT_EQ(s.status, Status::success) << s.message;
  const auto last = s.row(s.n_rows() - 1);
  EXPECT_NEAR(last[s.column("area")], 6.0, 1e-11);
  // Each hump of the sine is above 1/2 from π/6 to 5π/6, with the area √3.
  EXPECT_NEAR(last[s.column("above")],
              2.0 * std::numbers::sqrt3 +
                  0.5 * (3.0 * std::numbers::pi - 2.0 * 2.0 * std::numbers::pi / 3.0),
              1e-11);
}

/// Cancellation: with w = x + y the second equation is w' + w = sin(t), which counting takes for
/// one of x' and y' each.
TEST(Taylor, RefusesAStructureThatDoesNotShowTheIndexByName) {
  const Model model = parse_model(R"(
    model Cancelling
      Real x(start = 0), y(start = 0);
    equation
      der(x) + der(y) + x = sin(time);
      der(x) + der(y) + y = cos(time);
    end Cancelling;)");
  const Solution s = solve(model, {0.0, 1.0}, {.method = Taylor{}});
  EXPECT_EQ(s.status, Status::index_too_high) << s.message;
  EXPECT_THAT(s.message, AllOf(HasSubstr("'x'"), HasSubstr("'y'"), HasSubstr("singular"),
                               HasSubstr("derivative-array")));
}

/// Under auto another method takes over, by name, and has all digits.
TEST(Taylor, HandsOverWhereTheStructureDoesNotShowTheIndex) {
  const Model model = parse_model(R"(
    model Cancelling
      Real x(start = 1, fixed = true), y(start = 0, fixed = true);
    equation
      der(x) + der(y) + x = sin(time) + (cos(time) - sin(time))/2;
      der(x) + der(y) + y = sin(time) - (cos(time) - sin(time))/2;
    end Cancelling;)");
  const Solution s = solve(model, {0.0, 2.0}, {.rtol = 1e-10});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NE(s.method.used, "taylor");
  EXPECT_THAT(s.notices, testing::Contains(AllOf(HasSubstr("'taylor' was passed over"),
                                                 HasSubstr("system Jacobian is singular"))));
  // With w = x + y: 2 w' + w = 2 sin t, w(0) = 1, so that w = (2 sin t - 4 cos t)/5 + 9/5
  // exp(-t/2).
  const double w = (2.0 * std::sin(2.0) - 4.0 * std::cos(2.0) + 9.0 * std::exp(-1.0)) / 5.0;
  EXPECT_NEAR(s.final_value("x") + s.final_value("y"), w, 1e-8);
  EXPECT_NEAR(s.final_value("x") - s.final_value("y"), std::cos(2.0) - std::sin(2.0), 1e-8);
}

TEST(Taylor, HandsOverToAnImplicitSchemeWhereTheModelIsStiff) {
  // x' = -1e6 (x - cos t) and y' = -y, in two equations that have to be solved together.
  const Model model = parse_model(R"(
    model Stiff
      Real x(start = 1, fixed = true), y(start = 1, fixed = true);
    equation
      der(x) + 0.5*der(y) = -1e6*(x - cos(time)) - 0.5*y;
      der(y) + 0.1*der(x) = -y - 1e5*(x - cos(time));
    end Stiff;)");
  const Solution s = solve(model, {0.0, 100.0}, {.rtol = 1e-9});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.method.used, "direct");
  EXPECT_THAT(s.notices, testing::Contains(HasSubstr("stiff for 'taylor'")));
  // The second minus a tenth of the first: 0.95 y' = -0.95 y.
  EXPECT_NEAR(s.final_value("y"), std::exp(-100.0), 1e-9);
  EXPECT_NEAR(s.final_value("x"), std::cos(100.0), 2e-6);
}

/// Where a method for mechanisms has more to say, it is asked.
TEST(Taylor, LeavesSingularPositionsToOthers) {
  const Solution s =
      solve(load_model(DAEDAL_SOURCE_DIR "/problems/slider_crank.mo"), {0.0, 2.0}, {.rtol = 1e-11});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_THAT(s.warnings, testing::Contains(HasSubstr("A singular position was passed")));
  EXPECT_THAT(s.notices, testing::Contains(HasSubstr("without Taylor series")));
}

/// x is fixed where y has a double root: y = 0 is found to the root of the round-off alone, and
/// with it the energy v²/2 + g y = 0 of the pendulum that bounces off a wall.
TEST(Taylor, LeavesSingularStartsToOthers) {
  const Solution s = solve(load_model(DAEDAL_SOURCE_DIR "/examples/limited_pendulum.mo"),
                           {0.0, 5.0}, {.rtol = 1e-11});
  ASSERT_EQ(s.status, Status::success) << s.message;
  const double vx = s.final_value("vx");
  const double vy = s.final_value("vy");
  EXPECT_NEAR(0.5 * (vx * vx + vy * vy) + 9.81 * s.final_value("y"), 0.0, 1e-9);
}

TEST(Taylor, TellsOfStiffness) {
  const Model model = parse_model(R"(
    model Stiff
      Real x(start = 1, fixed = true);
    equation
      der(x) = -1000*(x - cos(time));
    end Stiff;)");
  const Solution s = solve(model, {0.0, 10.0}, {.integrator = TaylorSteps{}, .rtol = 1e-6});
  EXPECT_EQ(s.status, Status::success) << s.message;
  EXPECT_THAT(s.warnings, testing::Contains(HasSubstr("stiff for 'taylor'")));
}

TEST(Taylor, IsRefusedWithMethodsThatHaveNoSeries) {
  const Model model = chain(1, 0.0);
  try {
    (void)solve(model, {0.0, 1.0}, {.method = Index1{}, .integrator = TaylorSteps{}});
    FAIL() << "must be refused";
  } catch (const OptionError& error) {
    EXPECT_EQ(error.code(), ErrorCode::illegal_combination);
    EXPECT_THAT(error.what(), HasSubstr("'taylor'"));
  }
}

}  // namespace
}  // namespace daedal
