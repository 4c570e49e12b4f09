// SPDX-License-Identifier: BSD-3-Clause

/// Models from their texts with no option: right to a hundred tolerances, and the method is named.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <functional>
#include <map>
#include <numbers>
#include <string>

#include "places.hpp"
#include "problems/problems.hpp"

namespace daedal {
namespace {

using problems::Problem;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr double rtol = 1e-6;

Model read(const std::string& file) {
  return load_model(std::string(DAEDAL_SOURCE_DIR) + "/" + file);
}

struct Case {
  std::string file;
  double stop_time = 1.0;
  std::map<std::string, double> end_values;
  std::string method;
  Overrides parameters = {};
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.file;
}

Case of(const std::string& file, const Problem& problem, const std::string& method) {
  return {"problems/" + file + ".mo", problem.stop_time, problem.end_values, method};
}

class Automatic : public testing::TestWithParam<Case> {};

TEST_P(Automatic, IsRightToAHundredTolerances) {
  const Case& c = GetParam();
  const Solution s =
      solve(read(c.file), {0.0, c.stop_time}, {.rtol = rtol, .parameters = c.parameters});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.method.used, c.method);
  for (const auto& [name, value] : c.end_values) {
    EXPECT_NEAR(s.final_value(name), value, 100.0 * rtol * std::max(1.0, std::abs(value))) << name;
  }
}

/// A string of 100 masses with fixed ends swings in its lowest mode: x_k = sin(k p) cos(w t) with
/// p = pi/101 and w = 2 sin(p/2). It has 200 states and 300 other unknowns.
TEST(AutomaticChoice, TakesAnExplicitSchemeForLinesWithManyOtherUnknowns) {
  const Model model = parse_model(R"(
    model Line
      parameter Real p = 0.031104877758314782;
      Real x[100](start = {sin(k*p) for k in 1:100}, each fixed = true);
      Real v[100](start = zeros(100), each fixed = true);
      Real f[101], e[101], s[101];
    equation
      f[1] = -x[1];
      e[1] = f[1]^2;
      s[1] = e[1] + f[1];
      f[101] = x[100];
      e[101] = f[101]^2;
      s[101] = e[101] + f[101];
      for k in 2:100 loop
        f[k] = x[k - 1] - x[k];
        e[k] = v[k]^2 + f[k]^2;
        s[k] = e[k] + f[k];
      end for;
      for k in 1:100 loop
        der(x[k]) = v[k];
        der(v[k]) = (s[k] - e[k]) - (s[k + 1] - e[k + 1]);
      end for;
    end Line;)");
  const Solution s = solve(model, {0.0, 100.0}, {.rtol = rtol});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.method.used, "ode");
  const double p = std::numbers::pi / 101.0;
  const double w = 2.0 * std::sin(0.5 * p);
  EXPECT_NEAR(s.final_value("x[50]"), std::sin(50.0 * p) * std::cos(100.0 * w), 100.0 * rtol);
}

/// Flows along two lines of 300 cells whose pressures keep constraints of index 2. With
/// x_i = 2 + sin(t) + i/n, y_i = sin(t) + i/n and w_i = sin(pi (i - 1)/n) exp(-t) every equation
/// holds.
TEST(AutomaticChoice, LeavesConstraintsOfManyMultipliersAsTheyAre) {
  const Model model = parse_model(R"(
    model Flow
      constant Integer n = 300;
      Real x[n](start = {2 + i/n for i in 1:n}), y[n](start = {i/n for i in 1:n});
      Real w[n + 1], push[n];
    equation
      for i in 1:n loop
        push[i] = (sin(3.141592653589793*i/n) - sin(3.141592653589793*(i - 1)/n))*exp(-time);
        der(x[i]) = cos(time) + 2 + sin(time) + i/n - x[i] - (w[i + 1] - w[i]) + push[i];
        der(y[i]) = cos(time) + sin(time) + i/n - y[i] - (w[i + 1] - w[i]) + push[i];
      end for;
      w[1] = 0;
      w[n + 1] = 0;
      for i in 2:n loop
        x[i]^2 - x[i - 1]^2 + y[i] - y[i - 1] = (4 + 2*sin(time) + (2*i - 1)/n)/n + 1/n;
      end for;
    end Flow;)");
  const Solution s = solve(model, {0.0, 2.0}, {.rtol = rtol});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.method.used, "index2");
  EXPECT_NEAR(s.final_value("x[150]"), 2.5 + std::sin(2.0), 100.0 * rtol);
  EXPECT_NEAR(s.final_value("y[150]"), 0.5 + std::sin(2.0), 100.0 * rtol);
  EXPECT_NEAR(s.final_value("w[151]"), std::exp(-2.0), 100.0 * rtol);
}

/// A liquid: 1e4 Pa are 4e-5 of its mass, and rounding errors of the mass are 1e-6 Pa and more in
/// H = a h₀ − b h than the tolerance asks of it. p = 2e5 + 1e4 exp(−t/4.4e-5), h stays.
TEST(AutomaticChoice, GoesOnWhereRoundingErrorsAreGreaterThanTheTolerance) {
  const Model model = parse_model(R"(
    model Liquid
      Real p(start = 2.1e5, fixed = true, nominal = 1e5), h(start = 2e5, fixed = true, nominal = 1e5);
      Real m, U, H, a, b;
    equation
      m = 10*(1 + 4.4e-10*(p - 2e5));
      U = m*h;
      der(m) = a - b;
      der(U) = H;
      a = 0.1;
      b = 1e-4*(p - 1.99e5);
      H = a*2e5 - b*h;
    end Liquid;)");
  for (const double end : {8.8e-5, 1.0}) {
    const Solution s =
        solve(model, {0.0, end}, {.method = "direct", .integrator = "radau", .rtol = 1e-6});
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(s.final_value("p"), 2e5 + 1e4 * std::exp(-end / 4.4e-5), 1.0);
    EXPECT_NEAR(s.final_value("h"), 2e5, 1.0);
    EXPECT_NEAR(s.final_value("H"), -2e5 * std::exp(-end / 4.4e-5), 20.0);
  }
}

/// Two capacitors in parallel (index 2) with a coil: u = cos t. Over a thousand periods the errors
/// of a multistep scheme add up to thousands of tolerances.
TEST(AutomaticChoice, KeepsTheAmplitudeOfACircuitOfIndexTwo) {
  const Model model = parse_model(R"(
    model Tank
      Real u1(start = 1, fixed = true), u2, i1, i2, iL(start = 0, fixed = true);
    equation
      u1 = u2;
      0.5*der(u1) = i1;
      0.5*der(u2) = i2;
      i1 + i2 + iL = 0;
      der(iL) = u1;
    end Tank;)");
  const Solution s = solve(model, {0.0, 2000.0 * std::numbers::pi}, {.rtol = rtol});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("u1"), 1.0, 100.0 * rtol);
  EXPECT_NEAR(s.final_value("iL"), 0.0, 100.0 * rtol);
}

/// A pendulum that is released horizontally hangs down after every quarter of its period,
/// T = 4 K(sin ½π/2)/√g; n full periods and a quarter later it is there again, at full speed.
Case long_pendulum() {
  const double period =
      4.0 * std::comp_ellint_1(std::sin(0.25 * std::numbers::pi)) / std::sqrt(9.81);
  const double stop = (std::floor(1000.0 / period) + 0.25) * period;
  return {"problems/pendulum.mo", stop, {{"x", 0.0}, {"y", -1.0}}, "orthogonal-projection"};
}

/// The same model as `doubled_pendulum.mo` with its constraint written once: g = 9.8, a quarter of
/// a period after the release and two periods later.
Case doubled_pendulum() {
  const double period =
      4.0 * std::comp_ellint_1(std::sin(0.25 * std::numbers::pi)) / std::sqrt(9.8);
  return {"problems/doubled_pendulum.mo", 2.25 * period, {{"x", 0.0}, {"y", -1.0}}, "trust-region"};
}

/// Impacts from height 1 with restitution e = 4/5: t_1 = √(2/g), flights of 2 e^k √(2/g).
Case bouncing_ball() {
  const double fall = std::sqrt(2.0 / 9.81);
  const double stop = fall * (1.0 + 2.0 * 0.8 + 0.64);  // the top after the second impact
  return {"examples/bouncing_ball.mo",
          stop,
          {{"h", std::pow(0.8, 4)}, {"v", 0.0}, {"impacts", 2.0}},
          "ode"};
}

/// Driven by sin 2t: phasor and transient in closed form.
Case capacitor_loop() {
  constexpr double i = 0.2518161313300538;
  constexpr double across = 0.02 * 0.40808206181339196;  // C0 · 2 cos 20
  return {"problems/capacitor_loop.mo",
          10.0,
          {{"i", i}, {"u_C", 0.8554752011557746}, {"i0", across}, {"i_source", i + across}},
          "dummy-derivatives"};
}

INSTANTIATE_TEST_SUITE_P(
    Mechanics, Automatic,
    testing::Values(of("pendulum", problems::pendulum(), "orthogonal-projection"), long_pendulum(),
                    of("spherical_pendulum", problems::spherical_pendulum(),
                       "orthogonal-projection"),
                    of("double_pendulum", problems::double_pendulum(), "orthogonal-projection"),
                    of("squeezer", problems::squeezer(), "orthogonal-projection"),
                    of("car_axis", problems::car_axis(), "orthogonal-projection"),
                    of("four_bar", problems::four_bar(), "orthogonal-projection"),
                    of("slider_crank", problems::slider_crank(), "trust-region"),
                    doubled_pendulum()));

INSTANTIATE_TEST_SUITE_P(
    HigherIndex, Automatic,
    testing::Values(of("torus", problems::torus(), "dummy-derivatives"),
                    of("flexible_arm_4", problems::flexible_arm(4), "dummy-derivatives"),
                    of("flexible_arm_5", problems::flexible_arm(5), "taylor"),
                    of("flexible_arm_6", problems::flexible_arm(6), "taylor"), capacitor_loop()));

// Robertson: Hairer, Wanner IV.10, t = 4e10 from the IVP test set's reference run. Van der Pol:
// the IVP test set.
INSTANTIATE_TEST_SUITE_P(
    LowIndex, Automatic,
    testing::Values(Case{"examples/robertson.mo",
                         4e10,
                         {{"y1", 5.20834518e-8}, {"y2", 2.08333818e-13}, {"y3", 1.0 - 5.2e-8}},
                         "ode"},
                    Case{"problems/van_der_pol.mo",
                         2.0,
                         {{"y", 1.70616773217048}, {"z", -0.89280970102479}},
                         "ode"},
                    Case{"examples/rlc.mo",
                         10.0,
                         {{"i", 0.2518161313300538}, {"u_C", 0.8554752011557746}},
                         "ode"},
                    bouncing_ball()));

TEST(AutomaticChains, OfIndexTwoToSixAreRight) {
  for (int n = 2; n <= 6; ++n) {
    const Problem problem = problems::hessenberg_chain(n);
    const Solution s = solve(problem.model, {0.0, problem.stop_time}, {.rtol = rtol});
    ASSERT_EQ(s.status, Status::success) << n << ": " << s.message;
    for (const auto& [name, value] : problem.end_values) {
      EXPECT_NEAR(s.final_value(name), value, 100.0 * rtol) << n << ": " << name;
    }
  }
}

TEST(AutomaticStates, DemandsThatNoChoiceObeysBecomeWishes) {
  // x' = (cos t - x)/2 remains; one of x and y is a state, never both.
  const Model model = parse_model(R"(
    model BothDemanded
      Real x(start = 1, fixed = true, stateSelect = StateSelect.always);
      Real y(stateSelect = StateSelect.always);
      Real z;
    equation
      der(x) = -x + z;
      der(y) = z;
      x + y = sin(time);
    end BothDemanded;)");
  const Solution s = solve(model, {0.0, 3.0}, {.rtol = rtol});
  ASSERT_EQ(s.status, Status::success) << s.message;
  const double exact = 0.2 * std::cos(3.0) + 0.4 * std::sin(3.0) + 0.8 * std::exp(-1.5);
  EXPECT_NEAR(s.final_value("x"), exact, 100.0 * rtol);
  EXPECT_THAT(s.notices, Contains(HasSubstr("stateSelect")));
}

TEST(AutomaticTorus, WithADerivativeThatItsStructureDoesNotHaveGoesToTheArray) {
  // The same model as the text's, with an initial equation for λ'.
  const Problem problem = problems::torus();
  const Solution s = solve(problem.model, {0.0, problem.stop_time}, {.rtol = rtol});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.method.used, "derivative-array");
  for (const auto& [name, value] : problem.end_values) {
    EXPECT_NEAR(s.final_value(name), value, 100.0 * rtol * std::max(1.0, std::abs(value))) << name;
  }
}

TEST(AutomaticLinkage, PassesItsFlatPositions) {
  const Problem problem = problems::n_four_bar(2);
  const Solution s = solve(problem.model, {0.0, problem.stop_time}, {.rtol = rtol});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.method.used, "trust-region");
  for (const auto& [name, value] : problem.end_values) {
    EXPECT_NEAR(s.final_value(name), value, 100.0 * rtol) << name;
  }
}

/// Watching for singular positions takes pivots that are there anyway, and no decomposition of the
/// constraints of a long chain.
TEST(AutomaticLinkage, TakesTheStepsOfTheNamedMethodOnLongChains) {
  for (const int links : {60, 400}) {
    const Model model = problems::closed_chain(links).model;
    const Solution s = solve(model, {0.0, 0.02}, {.rtol = rtol});
    const Solution named =
        solve(model, {0.0, 0.02}, {.method = "orthogonal-projection", .rtol = rtol});
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_EQ(s.method.used, "orthogonal-projection");
    EXPECT_EQ(s.statistics.steps, named.statistics.steps);
    EXPECT_EQ(s.final_value("x[7]"), named.final_value("x[7]"));
    EXPECT_TRUE(s.warnings.empty());
  }
}

TEST(AutomaticLinkage, WithSpatialHingesMovesAsInThePlane) {
  const Problem problem = problems::spatial_four_bar();
  const Solution s = solve(problem.model, {0.0, problem.stop_time}, {.rtol = rtol});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.method.used, "trust-region");
  for (const auto& [name, value] : problem.end_values) {
    EXPECT_NEAR(s.final_value(name), value, 100.0 * rtol) << name;
  }
  EXPECT_THAT(s.notices, Contains(AllOf(HasSubstr("redundant"), HasSubstr("tilt"))));
}

TEST(AutomaticHandOver, SaysWhereTheModelTurnedOutStiff) {
  const Solution s = solve(read("problems/van_der_pol.mo"), {0.0, 2.0}, {.rtol = rtol});
  EXPECT_THAT(s.notices, Contains(AllOf(HasSubstr("stiff for 'ode'"), HasSubstr("from there on"))));
  EXPECT_EQ(s.integrator.used, "radau");
}

TEST(AutomaticHandOver, IsOneSolutionInItsGridAndDenseOutput) {
  // x' = -1000 (x - cos t) - sin t from x(0) = 1 is cos t.
  ModelBuilder b("Stiff");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  b.equation(der(x) == -1000.0 * (x - cos(b.time())) - sin(b.time()));
  const Solution s = solve(b.build(), {0.0, 20.0}, {.rtol = 1e-8, .atol = 1e-8, .interval = 0.25});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.integrator.used, "radau");
  ASSERT_EQ(s.n_rows(), 81U);
  for (std::size_t i = 0; i < s.n_rows(); ++i) {
    EXPECT_EQ(s.times[i], 0.25 * static_cast<double>(i));
    EXPECT_NEAR(s.row(i)[0], std::cos(s.times[i]), 1e-6);
  }
  for (int i = 0; i <= 2000; ++i) EXPECT_NEAR(s.at(0.01 * i, "x"), std::cos(0.01 * i), 1e-6) << i;
}

TEST(AutomaticHandOver, ALongRunIsNotSharpenedBeyondTheStepsThatItHas) {
  // With a sharper tolerance the run would need more steps than the limit leaves it: it goes on as
  // it is, and comes as far as the limit lets it.
  const Model pendulum = read("problems/pendulum.mo");
  const TimeSpan span{0.0, 1000.0};
  const Solution whole = solve(pendulum, span, {.rtol = rtol});
  ASSERT_EQ(whole.status, Status::success) << whole.message;
  ASSERT_THAT(whole.notices, Contains(HasSubstr("errors add up")));

  const Solution s = solve(pendulum, span, {.rtol = rtol, .max_steps = 400});
  EXPECT_EQ(s.status, Status::max_steps_reached);
  EXPECT_EQ(s.statistics.steps, 400);
  EXPECT_THAT(s.notices, Not(Contains(HasSubstr("errors add up"))));
  EXPECT_EQ(s.n_rows(), 401U);  // rows are steps, and the start
  EXPECT_NEAR(s.at(1.0, "x"), whole.at(1.0, "x"), 1e-4);
}

TEST(AutomaticHandOver, ALongRunIsSharpenedAsFarAsItsStepsReach) {
  // ∫(1 + cos(10⁵t)) dt over 2π is 2π: 10⁵ waves, some steps each.
  const Model waves = parse_model(R"(
    model Waves
      Real x(start = 0, fixed = true);
    equation
      der(x) = 1 + cos(1e5*time);
    end Waves;)");
  const Solution s = solve(waves, {0.0, 2.0 * std::numbers::pi});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_THAT(s.notices, Contains(HasSubstr("errors add up")));
  EXPECT_NEAR(s.final_value("x"), 2.0 * std::numbers::pi, 1e-4);
  // With hardly more steps than it takes the run cannot be sharper, and tells so.
  const Solution bound = solve(waves, {0.0, 2.0 * std::numbers::pi}, {.max_steps = 260'000});
  ASSERT_EQ(bound.status, Status::success) << bound.message;
  EXPECT_THAT(bound.warnings, Contains(HasSubstr("errors add up")));
}

// A hundred steps at the border of stability are left to an implicit scheme, on the states alone.
TEST(AutomaticHandOver, TakesSlowMotionsToAnImplicitSchemeEarly) {
  const Model akzo = read("bench/stiff/akzo.mo");
  const Solution s = solve(akzo, {0.0, 180.0}, {.rtol = 1e-6, .atol = 1e-8});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.method.used, "ode");
  EXPECT_EQ(s.integrator.used, "radau");
  EXPECT_LT(s.statistics.steps, 80);
}

// Predators and prey, of which the eigenvalues are as large as stability allows in every period: an
// implicit scheme would take as many steps, each of them dearer.
TEST(AutomaticHandOver, KeepsTheExplicitSchemeWhereTheMotionBends) {
  const Model model = parse_model(R"(
    model Hunt
      Real x(start = 1, fixed = true), y(start = 1, fixed = true);
    equation
      der(x) = x*(1.5 - y);
      der(y) = -y*(3 - x);
    end Hunt;)");
  for (const double tolerance : {1e-4, 1e-6}) {
    const Solution s = solve(model, {0.0, 500.0}, {.rtol = tolerance, .atol = tolerance});
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_EQ(s.integrator.used, "dop853") << tolerance;
  }
}

TEST(AutomaticHandOver, GoesOnWhereEventsRemember) {
  // The clock counts samples; the stiff part is found out on the way.
  const Model clock = parse_model(R"(
    model StiffClock
      Real x(start = 1, fixed = true);
      discrete Real n(start = 0, fixed = true);
    equation
      der(x) = -1000*(x - cos(time)) - sin(time);
      when sample(0.5, 1) then
        n = pre(n) + 1;
      end when;
    end StiffClock;)");
  const Solution s = solve(clock, {0.0, 20.0}, {.rtol = 1e-8, .atol = 1e-8});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.integrator.used, "radau");
  EXPECT_EQ(s.final_value("n"), 20.0);
  EXPECT_EQ(s.times.front(), 0.0);
  EXPECT_TRUE(std::is_sorted(s.times.begin(), s.times.end()));
  EXPECT_THAT(s.notices, Contains(HasSubstr("from there on by 'radau'")));
}

TEST(AutomaticHandOver, AStiffMechanismGoesOnImplicitly) {
  // A mass at the end of a rod, on a spring and a damper so strong that it creeps: the fast rate is
  // 1e4/s, the slow one 1/s.
  ModelBuilder b("Creeping");
  const Expr x = b.variable("x", {.start = 0.6, .fixed = true});
  const Expr y = b.variable("y", {.start = -0.8});
  const Expr u = b.variable("u"), v = b.variable("v"), lambda = b.variable("lambda");
  b.equation(der(x) == u);
  b.equation(der(y) == v);
  b.equation(der(u) == -lambda * x - 1e4 * x - 1e4 * u);
  b.equation(der(v) == -lambda * y - 9.81);
  b.equation(x * x + y * y == 1.0, "rod");
  const Solution s = solve(b.build(), {0.0, 5.0}, {.rtol = rtol});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.method.used, "ggl");
  EXPECT_THAT(s.notices, Contains(HasSubstr("turned out to be stiff")));
  EXPECT_LT(s.statistics.steps, 2000);
}

/// The ring modulator seems long at first, to be stiff only later. With the tolerance sharpened for
/// its length the run fails; what comes next is the tolerance asked for, with which it is found
/// out.
TEST(AutomaticHandOver, ASharpenedToleranceIsGivenUpBeforeTheScalesOfSmallVariables) {
  const Model ring = load_model(std::string(DAEDAL_SOURCE_DIR) + "/bench/stiff/ring.mo");
  const Solution s = solve(ring, {0.0, 1e-4}, {.rtol = 1e-8});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.integrator.used, "radau");
  EXPECT_THAT(s.notices, Not(Contains(HasSubstr("one absolute tolerance"))));
  EXPECT_LT(s.statistics.steps, 10000);
  const Solution exact =
      solve(ring, {0.0, 1e-4}, {.method = Direct{}, .integrator = "radau", .rtol = 1e-11});
  ASSERT_EQ(exact.status, Status::success) << exact.message;
  for (const char* name : {"y[1]", "y[2]", "y[7]"}) {
    const double value = exact.final_value(name);
    EXPECT_NEAR(s.final_value(name), value, 1e-6 * std::abs(value)) << name;
  }
}

/// Unknowns that a state feeds, each by a loop of its own: more of them than of states.
std::string chain(const std::string& first) {
  std::string variables = "  Real y1(start = 2);\n";
  std::string equations = first;
  for (int k = 2; k <= 9; ++k) {
    const std::string own = "y" + std::to_string(k);
    variables += "  Real " + own + ";\n";
    equations += "  " + own + " + 0.1*sin(" + own + ") = y" + std::to_string(k - 1) + ";\n";
  }
  return "model Chain\n" + variables + "  Real x(start = 2/3, fixed = true);\nequation\n" +
         equations + "end Chain;\n";
}

TEST(AutomaticHandOver, ARunThatEndsAtAFoldJumpsWithTheStatesHeld) {
  // The relaxation oscillator x' = -y, x = y³/3 - y: from y = 2 it is at the fold after 3/2 - ln 2.
  const std::string text = chain("  y1^3/3 - y1 = x;\n  der(x) = -y1 + 1e-12*y9;\n");
  const double half = 1.5 - std::log(2.0);
  const Solution s = solve(parse_model(text), {0.0, 2.0 * half}, {.rtol = rtol});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.method.used, "states-only");
  EXPECT_FALSE(s.warnings.empty());
  EXPECT_NEAR(s.at(half - 1e-3, "x"), -2.0 / 3.0, 1e-2);
}

TEST(AutomaticHandOver, WhoAskedForAnExplicitIntegratorIsTold) {
  const Solution s =
      solve(read("problems/van_der_pol.mo"), {0.0, 0.01},
            {.integrator = "dopri5", .rtol = rtol, .parameters = {{"epsilon", 1e-4}}});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.integrator.used, "dopri5");
  EXPECT_THAT(s.warnings, Contains(HasSubstr("stiff")));
}

// A ladder of 120 equal resistors at a source of index 2. The sum of a and b decays as e^-t, b is
// the root of 2b + b³/10 = a + b, and the nodes between b and 0 lie on a line.
std::string ladder(const std::string& more) {
  return R"(model Ladder
  Real a(start = 1.1, fixed = true), b, l, v[119];
)" + more +
         R"(equation
  der(a) = -a - l;
  der(b) = -b + l;
  a = b + 0.1 * b^3;
  0 = b - 2 * v[1] + v[2];
  for i in 2:118 loop
    0 = v[i - 1] - 2 * v[i] + v[i + 1];
  end for;
  0 = v[118] - 2 * v[119];
end Ladder;
)";
}

void expect_ladder(const Solution& solution) {
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  const double sum = 2.1 * std::exp(-2.0);
  double b = 0.5 * sum;
  for (int k = 0; k < 20; ++k) b -= (2.0 * b + 0.1 * b * b * b - sum) / (2.0 + 0.3 * b * b);
  EXPECT_NEAR(solution.final_value("b"), b, 1e-5);
  EXPECT_NEAR(solution.final_value("v[30]"), 0.75 * b, 1e-5);
}

TEST(AutomaticChoice, IntegratesFewStatesOfManyUnknownsAlone) {
  const Solution solution = solve(parse_model(ladder("")), {0.0, 2.0}, {.rtol = rtol});
  expect_ladder(solution);
  EXPECT_EQ(solution.method.used, "states-only");
}

// y³ - 3y = 0.01 sin(10 t) has three roots all the time: that near 0, -sin(10 t)/300, is followed.
TEST(AutomaticChoice, IntegratesAllUnknownsWhereOneMayLeapBetweenSolutions) {
  const std::string loop =
      "  Real y(start = 0);\nequation\n  y^3 - 3 * y = 0.01 * sin(10 * time);\n";
  const Solution solution = solve(parse_model(ladder(loop)), {0.0, 2.0}, {.rtol = rtol});
  expect_ladder(solution);
  EXPECT_EQ(solution.method.used, "dummy-derivatives");
  EXPECT_NEAR(solution.final_value("y"), -0.01 * std::sin(20.0) / 3.0, 1e-6);
}

}  // namespace
}  // namespace daedal
