// SPDX-License-Identifier: BSD-3-Clause
/// Inputs of models: numbers, expressions of time and tables, with every index and at every scale.

#include <daedal/inputs.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/error.hpp>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>

namespace daedal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// x is the integral of u from the start on.
const Model integrator = parse_model(R"(
model Integrator
  parameter Real a = 2;
  input Real u;
  output Real x(start = 0, fixed = true);
equation
  der(x) = u;
end Integrator;
)");

/// The force that makes a mass of 2 follow u: 2·u''.
const Model prescribed = parse_model(R"(
model Prescribed
  input Real u;
  Real x, v, F;
equation
  der(x) = v;
  2 * der(v) = F;
  x = u;
end Prescribed;
)");

Solution driven(const Model& model, const InputValue& u, double stop,
                const SolveOptions& options = {.rtol = 1e-9, .atol = 1e-11}) {
  return solve(with_inputs(model, {{"u", u}}), {0.0, stop}, options);
}

std::string refusal(const Model& model, const Inputs& inputs) {
  try {
    (void)with_inputs(model, inputs);
  } catch (const OptionError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Inputs, ANumberIsHeld) {
  EXPECT_NEAR(driven(integrator, 2.0, 3.0).final_value("x"), 6.0, 1e-9);
}

TEST(Inputs, AnExpressionKnowsTimeAndParameters) {
  const Model model = with_inputs(integrator, {{"u", "a * cos(time)"}});
  const Problem problem = prepare(model, {.rtol = 1e-9, .atol = 1e-11});
  EXPECT_NEAR(problem.solve({0.0, 1.0}).final_value("x"), 2.0 * std::sin(1.0), 1e-7);
  const Solution other = problem.solve({0.0, 1.0}, {.parameters = {{"a", 5.0}}});
  EXPECT_NEAR(other.final_value("x"), 5.0 * std::sin(1.0), 1e-7);
  EXPECT_NEAR(other.final_value("u"), 5.0 * std::cos(1.0), 1e-7);
}

TEST(Inputs, AnExpressionMayHaveEvents) {
  // 0 + 1 + 2·0.5 and 1·0.5 + 3·0.5.
  EXPECT_NEAR(driven(integrator, "floor(time)", 2.5).final_value("x"), 2.0, 1e-7);
  EXPECT_NEAR(driven(integrator, "if time < 0.5 then 1 else 3", 1.0).final_value("x"), 2.0, 1e-8);
  EXPECT_NEAR(driven(integrator, "if time < a then 1 else 3", 3.0).final_value("x"), 5.0, 1e-8);
}

TEST(Inputs, ALinearTableIsIntegratedPieceByPiece) {
  const InputTable triangle{.times = {0.0, 1.0, 2.0}, .values = {0.0, 1.0, 0.0}};
  const Solution s = driven(integrator, triangle, 2.0);
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.at(0.5, "x"), 0.125, 1e-9);
  EXPECT_NEAR(s.at(1.5, "x"), 0.875, 1e-9);
  EXPECT_NEAR(s.final_value("x"), 1.0, 1e-9);
  EXPECT_THAT(s.inputs, ElementsAre("u"));
  EXPECT_THAT(s.outputs, ElementsAre("x"));
  EXPECT_THAT(s.names, ElementsAre("u", "x"));
}

TEST(Inputs, TwoPointsAtOneTimeAreAJump) {
  const InputTable table{.times = {0.0, 1.0, 1.0, 2.0}, .values = {0.0, 1.0, 5.0, 5.0}};
  const Solution s = driven(integrator, table, 2.0);
  EXPECT_NEAR(s.final_value("x"), 5.5, 1e-9);
  EXPECT_NEAR(s.at(1.0, "u"), 1.0, 1e-12);
  EXPECT_NEAR(s.after(1.0, "u"), 5.0, 1e-12);
  ASSERT_EQ(s.events.size(), 1U);
  EXPECT_EQ(s.events[0].time, 1.0);
}

TEST(Inputs, AHeldTableKeepsItsLastValue) {
  const InputTable table{
      .times = {0.0, 1.0, 2.0}, .values = {1.0, 3.0, -1.0}, .interpolation = Interpolation::hold};
  const Solution s = driven(integrator, table, 4.0);
  EXPECT_NEAR(s.final_value("x"), 1.0 + 3.0 - 2.0, 1e-9);
  EXPECT_EQ(s.events.size(), 2U);
}

TEST(Inputs, ARunMayBeginInTheMiddleOfATable) {
  const InputTable table{
      .times = {0.0, 1.0, 2.0}, .values = {1.0, 3.0, -1.0}, .interpolation = Interpolation::hold};
  const Model model = with_inputs(integrator, {{"u", table}});
  EXPECT_NEAR(solve(model, {1.0, 3.0}, {.rtol = 1e-9}).final_value("x"), 3.0 - 1.0, 1e-8);
  EXPECT_NEAR(solve(model, {1.5, 3.0}, {.rtol = 1e-9}).final_value("x"), 1.5 - 1.0, 1e-8);
}

TEST(Inputs, ASplineIsExactForCubics) {
  InputTable table{.interpolation = Interpolation::smooth};
  for (const double t : {0.0, 0.3, 0.5, 1.1, 1.6, 2.0}) {
    table.times.push_back(t);
    table.values.push_back(t * t * t - t);
  }
  EXPECT_NEAR(driven(integrator, table, 2.0).final_value("x"), 4.0 - 2.0, 1e-7);
  // Three points are a parabola, two a line.
  const InputTable parabola{
      .times = {0.0, 1.0, 3.0}, .values = {0.0, 1.0, 9.0}, .interpolation = Interpolation::smooth};
  EXPECT_NEAR(driven(integrator, parabola, 3.0).final_value("x"), 9.0, 1e-7);
  const InputTable line{
      .times = {0.0, 2.0}, .values = {0.0, 2.0}, .interpolation = Interpolation::smooth};
  EXPECT_NEAR(driven(integrator, line, 2.0).final_value("x"), 2.0, 1e-7);
}

TEST(Inputs, HigherIndexDifferentiatesThem) {
  const Solution sine = driven(prescribed, "sin(3 * time)", 1.0);
  ASSERT_EQ(sine.status, Status::success) << sine.message;
  EXPECT_NEAR(sine.final_value("F"), -18.0 * std::sin(3.0), 1e-6);

  // A cubic comes out of a spline exactly: F = 2·6t, by every method.
  InputTable cubic{.interpolation = Interpolation::smooth};
  for (int i = 0; i <= 8; ++i) {
    cubic.times.push_back(0.25 * i);
    cubic.values.push_back(std::pow(0.25 * i, 3));
  }
  for (const char* method : {"auto", "dummy-derivatives", "taylor", "derivative-array"}) {
    const Solution s =
        driven(prescribed, cubic, 2.0, {.method = Method(method), .rtol = 1e-8, .atol = 1e-10});
    ASSERT_EQ(s.status, Status::success) << method << ": " << s.message;
    EXPECT_NEAR(s.final_value("F"), 24.0, 1e-5) << method;
    EXPECT_NEAR(s.final_value("v"), 12.0, 1e-5) << method;
  }
}

TEST(Inputs, AFunctionIsGivenWithItsDerivative) {
  std::vector<double> times;
  for (int i = 0; i <= 200; ++i) times.push_back(0.01 * i);
  const InputTable table =
      tabulate([](double t) { return std::sin(t); }, [](double t) { return std::cos(t); }, times);
  const Solution s = driven(prescribed, table, 2.0);
  ASSERT_EQ(s.status, Status::success) << s.message;
  // Cubics with exact ends: the second derivative is wrong by h²·max|u''''|/12 at the most.
  EXPECT_NEAR(s.final_value("F"), -2.0 * std::sin(2.0), 2.0 * 1e-4 / 12.0 * 1.1);
}

TEST(Inputs, ACallIsDifferentiatedAsOftenAsItHasDerivatives) {
  const auto f = [](double t) { return std::sin(3.0 * t); };
  const auto df = [](double t) { return 3.0 * std::cos(3.0 * t); };
  const auto ddf = [](double t) { return -9.0 * std::sin(3.0 * t); };
  EXPECT_NEAR(driven(integrator, Function("f", {f}), 1.0).final_value("x"),
              (1.0 - std::cos(3.0)) / 3.0, 1e-8);
  const Solution s = driven(prescribed, Function("f", {f, df, ddf}), 1.0);
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("F"), -18.0 * std::sin(3.0), 1e-6);
  try {
    (void)driven(prescribed, Function("f", {f, df}), 1.0);
    ADD_FAILURE() << "a derivative was made up";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("derivative of the function f' is needed"));
  }
  const Model switched = parse_model(
      "model S\n input Boolean u;\n Real x(start = 0, fixed = true);\nequation\n der(x) = if u "
      "then "
      "1 else 0;\nend S;\n");
  EXPECT_THAT(refusal(switched, {{"u", Function("f", {f})}}), HasSubstr("not a function"));
}

TEST(Inputs, WhatIsNotSmoothEnoughIsRefusedWithTheOrder) {
  InputTable table{.times = {0.0, 1.0, 2.0}, .values = {0.0, 1.0, 0.0}};
  EXPECT_THAT(refusal(prescribed, {{"u", table}}), HasSubstr("derivative 2 of the input 'u'"));
  EXPECT_THAT(refusal(prescribed, {{"u", table}}), HasSubstr("derivative 1 of its table jumps"));
  table.interpolation = Interpolation::hold;
  EXPECT_THAT(refusal(prescribed, {{"u", table}}), HasSubstr("its table jumps"));
  // A straight line has every derivative, whatever it is called.
  const InputTable line{.times = {0.0, 1.0, 2.0}, .values = {0.0, 1.0, 2.0}};
  EXPECT_NEAR(driven(prescribed, line, 2.0).final_value("v"), 1.0, 1e-8);
  // One derivative of a line with a kink exists, with a jump.
  const Model slope =
      parse_model("model Slope\n input Real u;\n Real y;\nequation\n y = der(u);\nend Slope;\n");
  table.interpolation = Interpolation::linear;
  const Solution s = driven(slope, table, 2.0);
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.at(0.5, "y"), 1.0, 1e-9);
  EXPECT_NEAR(s.at(1.5, "y"), -1.0, 1e-9);
}

// The velocity along |t - 1/2| jumps from -1 to 1; the force of a mass would be an impulse there.
TEST(Inputs, KinksOfExpressionsThatAreDifferentiatedAreEvents) {
  const Model follower = parse_model(R"(
    model Follower
      input Real u;
      Real x, v;
    equation
      x = u;
      der(x) = v;
    end Follower;)");
  for (const char* u :
       {"abs(time - 0.5)", "max(time - 0.5, 0.5 - time)", "-min(time - 0.5, 0.5 - time)"}) {
    const Solution s = driven(follower, u, 1.0);
    ASSERT_EQ(s.status, Status::success) << u << ": " << s.message;
    ASSERT_EQ(s.events.size(), 1U) << u;
    const double kink = s.events[0].time;
    EXPECT_NEAR(kink, 0.5, 1e-12);
    EXPECT_NEAR(s.at(kink, "v"), -1.0, 1e-9);
    EXPECT_NEAR(s.after(kink, "v"), 1.0, 1e-9);
    EXPECT_TRUE(s.warnings.empty());
    const Solution force = driven(prescribed, u, 1.0);
    ASSERT_TRUE(is_success(force.status)) << force.message;
    ASSERT_FALSE(force.warnings.empty()) << u;
    EXPECT_THAT(force.warnings.back(), HasSubstr("impulse"));
  }
  // Where nothing is differentiated, a kink costs no event.
  EXPECT_TRUE(driven(integrator, "abs(time - 0.5)", 1.0).events.empty());
}

TEST(Inputs, KnotsOfSmoothTablesAreNoOutputPoints) {
  const InputTable table{.times = {0.0, 0.3, 0.6, 1.0},
                         .values = {0.0, 1.0, 0.0, 2.0},
                         .interpolation = Interpolation::smooth};
  const Solution s = solve(with_inputs(integrator, {{"u", table}}), {0.0, 1.0}, {.interval = 0.25});
  EXPECT_THAT(s.times, ElementsAre(0.0, 0.25, 0.5, 0.75, 1.0));
  EXPECT_TRUE(s.events.empty());
}

TEST(Inputs, TablesHoldAtEveryScaleOfTime) {
  for (const double unit : {1e-12, 1.0, 3e7}) {
    const InputTable table{.times = {0.0, 0.7 * unit, 0.7 * unit, 2.0 * unit},
                           .values = {1.0 / unit, 1.0 / unit, 4.0 / unit, 4.0 / unit}};
    const Solution s = driven(integrator, table, 2.0 * unit);
    ASSERT_EQ(s.status, Status::success) << unit << ": " << s.message;
    EXPECT_NEAR(s.final_value("x"), 0.7 + 4.0 * 1.3, 1e-7) << unit;
  }
}

TEST(Inputs, RowsMayBeCloseTogetherFarFromTimeZero) {
  // Milliseconds of a clock that counts seconds since 1970, which doubles resolve to 2.4e-7 s.
  const double begin = 1.7e9;
  InputTable table{.interpolation = Interpolation::hold};
  for (int i = 0; i < 4; ++i) {
    table.times.push_back(begin + 1e-3 * i);
    table.values.push_back(i + 1.0);
  }
  const Model model = with_inputs(integrator, {{"u", table}});
  const Solution s =
      solve(model, {begin, begin + 4e-3}, {.rtol = 1e-9, .atol = 1e-12, .initial_step = 1e-4});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("x"), 1e-2, 4.0 * 2.4e-7);
  EXPECT_EQ(s.events.size(), 3U);
}

TEST(Inputs, LongTablesCostNoMoreForEachRow) {
  // The integral of the polygon through 20,000 points of a zigzag: a mean of 1/2.
  InputTable table;
  for (int i = 0; i <= 20'000; ++i) {
    table.times.push_back(1e-3 * i);
    table.values.push_back(i % 2);
  }
  const Solution s = driven(integrator, table, 20.0, {.dense_output = false});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("x"), 10.0, 1e-6);
}

TEST(Inputs, ARunThatLeavesTheTableIsRefused) {
  const auto said = [](Interpolation interpolation, const TimeSpan& span) -> std::string {
    const InputTable table{
        .times = {0.0, 0.5, 1.0}, .values = {0.0, 0.5, 1.0}, .interpolation = interpolation};
    try {
      const Solution s = solve(with_inputs(integrator, {{"u", table}}), span);
      return std::string(to_string(s.status));
    } catch (const OptionError& error) {
      return error.what();
    }
  };
  for (const auto interpolation : {Interpolation::linear, Interpolation::smooth}) {
    EXPECT_EQ(said(interpolation, {0.0, 1.0}), "success");
    EXPECT_EQ(said(interpolation, {0.0, 1.0 + 1e-12}), "success");  // rounded
    EXPECT_THAT(said(interpolation, {0.0, 1.0001}), HasSubstr("'u', which reaches from 0 to 1"));
    EXPECT_THAT(said(interpolation, {-0.1, 1.0}), HasSubstr("'u', which reaches from 0 to 1"));
  }
  EXPECT_EQ(said(Interpolation::hold, {0.0, 2.0}), "success");
  EXPECT_THAT(said(Interpolation::hold, {-0.1, 1.0}), HasSubstr("'u', which begins at 0"));
  EXPECT_THAT(said(Interpolation::linear, {1.0, 0.0}), HasSubstr("forward in time only"));
}

TEST(Inputs, PointsTooCloseForASmoothCurveAreRefused) {
  const auto smooth = [](std::vector<double> t, std::vector<double> y) {
    return Inputs{{"u", InputTable{.times = std::move(t),
                                   .values = std::move(y),
                                   .interpolation = Interpolation::smooth}}};
  };
  for (const double unit : {1e-12, 1.0, 3e7}) {
    const auto at = [&](double gap) {
      return std::vector<double>{0.0, unit, unit * (1.0 + gap), 2.0 * unit};
    };
    EXPECT_THAT(refusal(integrator, smooth(at(1e-15), {0.0, 1.0, 3.0, 4.0})),
                HasSubstr("too close together"));
    EXPECT_THAT(refusal(integrator, smooth(at(1e-15), {0.0, 1.0, 1.0, 4.0})),
                HasSubstr("too close together"));
    EXPECT_THAT(refusal(integrator, smooth(at(1e-6), {0.0, 1.0, 3.0, 4.0})),
                HasSubstr("is no smooth curve"));
    // A jump is said by two points at one time, and close points of a smooth function are none.
    EXPECT_NO_THROW((void)with_inputs(integrator, smooth(at(0.0), {0.0, 1.0, 3.0, 4.0})));
    EXPECT_NO_THROW((void)with_inputs(integrator, smooth(at(1e-6), {0.0, 1.0, 1.0 + 1e-6, 2.0})));
  }
}

TEST(Inputs, BooleansAndIntegersChangeAtEvents) {
  const Model model = parse_model(R"(
model Switched
  input Boolean on;
  input Integer n;
  Real x(start = 0, fixed = true);
equation
  der(x) = if on then n else 0;
end Switched;
)");
  const InputTable on{.times = {0.0, 1.0, 2.0}, .values = {0.0, 1.0, 0.0}};
  const Model driven_model = with_inputs(model, {{"on", on}, {"n", 3.0}});
  const Solution s = solve(driven_model, {0.0, 3.0}, {.rtol = 1e-9});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("x"), 3.0, 1e-8);
  const Model by_text = with_inputs(model, {{"on", "time > 0.5"}, {"n", "integer(2 * time)"}});
  // n is 0, 1, 2, 3 for half a unit each.
  EXPECT_NEAR(solve(by_text, {0.0, 2.0}, {.rtol = 1e-9}).final_value("x"), 3.0, 1e-7);
  EXPECT_THAT(refusal(model, {{"n", 2.5}}), HasSubstr("Integer"));
  EXPECT_THAT(refusal(model, {{"on", 2.0}}), HasSubstr("Boolean"));
}

TEST(Inputs, AValueInTheDeclarationIsADefault) {
  const Model model = parse_model(
      "model A\n input Real u = 3;\n Real x(start = 0, fixed = true);\nequation\n der(x) = u;\n"
      "end A;\n");
  EXPECT_NEAR(solve(model, {0.0, 1.0}).final_value("x"), 3.0, 1e-6);
  EXPECT_NEAR(solve(with_inputs(model, {{"u", 5.0}}), {0.0, 1.0}).final_value("x"), 5.0, 1e-6);
  // A second value replaces the first.
  const Model twice = with_inputs(with_inputs(integrator, {{"u", 1.0}}), {{"u", "7"}});
  EXPECT_NEAR(solve(twice, {0.0, 1.0}).final_value("x"), 7.0, 1e-6);
}

TEST(Inputs, ArraysHaveAnInputForEachElement) {
  const Model model = parse_model(
      "model A\n input Real u[2];\n Real x(start = 0, fixed = true);\nequation\n"
      " der(x) = u[1] - u[2];\nend A;\n");
  const Model given = with_inputs(model, {{"u[1]", 5.0}, {"u[2]", "time"}});
  EXPECT_NEAR(solve(given, {0.0, 2.0}).final_value("x"), 8.0, 1e-5);
}

TEST(Inputs, CppModelsHaveThem) {
  ModelBuilder b("Driven");
  const Expr u = b.input("u");
  const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
  b.equation(der(x) == u - x);
  const Model model = with_inputs(b.build(), {{"u", 1.0}});
  EXPECT_NEAR(solve(model, {0.0, 1.0}, {.rtol = 1e-9}).final_value("x"), 1.0 - std::exp(-1.0),
              1e-7);
}

TEST(Inputs, WhatIsMissingIsNamed) {
  try {
    (void)solve(integrator, {0.0, 1.0});
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.code(), ErrorCode::unbalanced);
    EXPECT_THAT(error.what(), HasSubstr("'u'"));
    EXPECT_THAT(error.variables(), ElementsAre("u"));
    EXPECT_EQ(error.where().line, 4);
  }
}

TEST(Inputs, BadValuesAreRefused) {
  const Model determined =
      parse_model("model A\n input Real u;\n Real x;\nequation\n x = 2 * u;\n u = 1;\nend A;\n");
  EXPECT_THAT(refusal(determined, {{"u", 1.0}}), HasSubstr("an equation of the model determines"));
  EXPECT_THAT(refusal(integrator, {{"U", 1.0}}), HasSubstr("did you mean 'u'"));
  EXPECT_THAT(refusal(integrator, {{"x", 1.0}}), HasSubstr("is not an input"));
  EXPECT_THAT(refusal(integrator, {{"u", std::nan("")}}), HasSubstr("not a finite number"));
  EXPECT_THAT(refusal(integrator, {{"u", "sin(tme)"}}), HasSubstr("tme"));
  EXPECT_THAT(refusal(integrator, {{"u", "2 *"}}), HasSubstr("cannot be read"));
  EXPECT_THAT(refusal(integrator, {{"u", " "}}), HasSubstr("empty"));
  EXPECT_THAT(refusal(integrator, {{"u", "1; der(x) = 2"}}), HasSubstr("';'"));
  EXPECT_THAT(refusal(integrator, {{"u", "2 * x"}}), HasSubstr("uses the variable 'x'"));
  EXPECT_THAT(refusal(integrator, {{"u", "delay(time, 0.5)"}}), HasSubstr("delay"));
  const auto table = [](std::vector<double> t, std::vector<double> y) {
    return Inputs{{"u", InputTable{.times = std::move(t), .values = std::move(y)}}};
  };
  EXPECT_THAT(refusal(integrator, table({}, {})), HasSubstr("is empty"));
  EXPECT_THAT(refusal(integrator, table({0.0, 1.0}, {1.0})), HasSubstr("2 times, but 1 values"));
  EXPECT_THAT(refusal(integrator, table({1.0, 0.0}, {1.0, 1.0})), HasSubstr("not in order"));
  EXPECT_THAT(refusal(integrator, table({0.0, 1.0}, {1e308, -1e308})), HasSubstr("too steep"));
  EXPECT_THAT(refusal(integrator, table({0.0, 0.0, 0.0}, {1.0, 2.0, 3.0})),
              HasSubstr("more than two points"));
  EXPECT_THAT(refusal(integrator, table({0.0, 1.0}, {1.0, std::nan("")})), HasSubstr("row 2"));
}

}  // namespace
}  // namespace daedal
