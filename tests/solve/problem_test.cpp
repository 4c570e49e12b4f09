// SPDX-License-Identifier: BSD-3-Clause
/// Prepared problems give the bits of solve(), prepare once, and can be shared by threads.

#include <daedal/problem.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/compare.hpp>
#include <daedal/error.hpp>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <filesystem>
#include <random>
#include <thread>

#include "places.hpp"

namespace daedal {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

const std::filesystem::path problems = std::filesystem::path(DAEDAL_SOURCE_DIR) / "problems";

void expect_same_bits(const Solution& a, const Solution& b, const std::string& what) {
  EXPECT_EQ(a.status, b.status) << what;
  EXPECT_EQ(a.message, b.message) << what;
  EXPECT_EQ(a.names, b.names) << what;
  EXPECT_EQ(a.times, b.times) << what;
  EXPECT_EQ(a.values, b.values) << what;
  EXPECT_EQ(a.notices, b.notices) << what;
  EXPECT_EQ(a.warnings, b.warnings) << what;
  EXPECT_EQ(a.statistics.steps, b.statistics.steps) << what;
  EXPECT_EQ(a.statistics.residual_evaluations, b.statistics.residual_evaluations) << what;
}

/// Random values of the parameters of a model, within 10 % of its own.
std::vector<RunValues> random_values(const Model& model, int n) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> factor(0.9, 1.1);
  const std::vector<double> own = model.parameter_values({});
  std::vector<RunValues> result;
  for (int k = 0; k < n; ++k) {
    RunValues values;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Parameter& parameter = model.parameters()[i];
      if (parameter.constant || !parameter.fixed || parameter.type != ValueType::real) continue;
      values.parameters[parameter.name] = own[i] * factor(random);
    }
    result.push_back(std::move(values));
  }
  return result;
}

/// Some parameters of a problem may be folded into its equations, and then cannot be given.
RunValues accepted(const Model& model, const RunValues& values) {
  RunValues result;
  for (const auto& [name, value] : values.parameters) {
    try {
      (void)solve(model, {0.0, 1e-9}, {.max_steps = 1, .parameters = {{name, value}}});
      result.parameters[name] = value;
    } catch (const ModelError&) {
    }
  }
  return result;
}

SolveOptions short_run(const SolveOptions& options) {
  SolveOptions result = options;
  result.max_steps = 60;
  result.dense_output = false;
  return result;
}

class EveryProblem : public testing::TestWithParam<std::string> {};

TEST_P(EveryProblem, SolvedFromAPreparedProblemHasTheBitsOfAFreshRun) {
  const Model model = load_model(problems / (GetParam() + ".mo"));
  const TimeSpan span{model.experiment().start_time.value_or(0.0),
                      model.experiment().stop_time.value_or(1.0)};
  const SolveOptions options = short_run({});
  const Problem problem = prepare(model, options);
  const auto draws = random_values(model, 20);
  const RunValues mask = draws.empty() ? RunValues{} : accepted(model, draws.front());
  for (std::size_t k = 0; k < draws.size(); ++k) {
    RunValues values;
    for (const auto& [name, value] : mask.parameters) {
      values.parameters[name] = draws[k].parameters.at(name);
    }
    SolveOptions fresh = options;
    fresh.parameters = values.parameters;
    const Solution expected = solve(model, span, fresh);
    expect_same_bits(problem.solve(span, values), expected, GetParam());
  }
}

TEST_P(EveryProblem, IsRecognisedAndCompiledOnce) {
  const Model model = load_model(problems / (GetParam() + ".mo"));
  const TimeSpan span{model.experiment().start_time.value_or(0.0),
                      model.experiment().stop_time.value_or(1.0)};
  const Problem problem = prepare(model, short_run({}));
  const Solution first = problem.solve(span);
  const Solution second = problem.solve(span);
  expect_same_bits(first, second, GetParam());
  EXPECT_GT(first.statistics.compilations, 0);
  EXPECT_EQ(second.statistics.recognitions, 0);
  EXPECT_EQ(second.statistics.compilations, 0);
}

TEST(Problem, MakesMethodsThatDependOnTheToleranceOnceForEach) {
  const Model model = load_model(problems / "pendulum.mo");
  for (const char* method : {"trust-region", "direct-regularization", "srm", "penalty",
                             "park-chiou", "baumgarte:alpha=5"}) {
    const Problem problem = prepare(model, short_run({.method = method}));
    const Solution first = problem.solve({0.0, 0.1});
    const Solution second = problem.solve({0.0, 0.1}, {.parameters = {{"g", 9.0}}});
    EXPECT_GT(first.statistics.compilations, 0) << method;
    EXPECT_EQ(second.statistics.compilations, 0) << method;
    EXPECT_EQ(second.method.used, first.method.used);
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, EveryProblem,
                         testing::Values("pendulum", "double_pendulum", "car_axis", "squeezer",
                                         "four_bar", "slider_crank", "van_der_pol", "torus",
                                         "capacitor_loop", "flexible_arm_4", "doubled_pendulum",
                                         "stiff_actuator", "singular_line", "hessenberg_chain"),
                         [](const auto& test) { return test.param; });

Model pendulum() {
  return load_model(problems / "pendulum.mo");
}

TEST(Problem, SharedByTwoThreadsGivesTheBitsOfOne) {
  const Model model = pendulum();
  const Problem problem = prepare(model);
  const Solution expected = solve(model, {0.0, 2.0});
  std::vector<Solution> found(4);
  {
    std::vector<std::jthread> threads;
    for (Solution& solution : found) {
      threads.emplace_back([&] { solution = problem.solve({0.0, 2.0}); });
    }
  }
  for (const Solution& solution : found) expect_same_bits(solution, expected, "thread");
}

TEST(Problem, TakesStartValuesPerRun) {
  const Model model = parse_model(R"(
    model Decay
      parameter Real k = 1;
      Real x(start = 1, fixed = true);
    equation
      der(x) = -k*x;
    end Decay;)");
  const Problem problem = prepare(model, {.rtol = 1e-9, .atol = 1e-11});
  for (const double x0 : {1.0, 2.0, -3.0}) {
    const Solution s = problem.solve({0.0, 1.0}, {.start_values = {{"x", x0}}});
    // x0 e^(-t), to ten tolerances
    EXPECT_NEAR(s.final_value("x"), x0 * std::exp(-1.0), 1e-8 * std::abs(x0));
    expect_same_bits(
        s, solve(model, {0.0, 1.0}, {.rtol = 1e-9, .atol = 1e-11, .start_values = {{"x", x0}}}),
        "start values");
  }
  EXPECT_THROW((void)problem.solve({0.0, 1.0}, {.start_values = {{"xx", 1.0}}}), ModelError);
  EXPECT_THROW((void)problem.solve({0.0, 1.0}, {.start_values = {{"x", NAN}}}), ModelError);
}

TEST(Problem, PreparesAnewWhereAValueChangesTheStructure) {
  // With a mass of zero the second equation is algebraic: v = sin t, x = 1 - cos t.
  const Model model = parse_model(R"(
    model Mass
      parameter Real m = 1;
      Real x(start = 0, fixed = true), v(start = 0);
    equation
      der(x) = v;
      m*der(v) = sin(time) - v;
    end Mass;)");
  const Problem problem = prepare(model, {.rtol = 1e-8, .atol = 1e-10});
  EXPECT_TRUE(is_success(problem.solve({0.0, 2.0}).status));
  const Solution massless = problem.solve({0.0, 2.0}, {.parameters = {{"m", 0.0}}});
  ASSERT_TRUE(is_success(massless.status)) << massless.message;
  EXPECT_NEAR(massless.final_value("x"), 1.0 - std::cos(2.0), 1e-6);
  // and back
  expect_same_bits(problem.solve({0.0, 2.0}),
                   solve(model, {0.0, 2.0}, {.rtol = 1e-8, .atol = 1e-10}), "back");
}

TEST(Problem, TakesTolerancesPerRun) {
  const Model model = pendulum();
  const Problem problem = prepare(model, {.method = OrthogonalProjection{}});
  (void)problem.solve({0.0, 1.0});
  const SolveOptions sharp{.rtol = 1e-10, .atol = 1e-12};
  const Solution s = problem.solve({0.0, 1.0}, {}, sharp);
  EXPECT_EQ(s.method.used, "orthogonal-projection");
  EXPECT_EQ(s.statistics.compilations, 0);
  EXPECT_EQ(s.rtol, 1e-10);
}

TEST(Problem, TakesTheToleranceOfTheModelTextWhereNoneIsGiven) {
  const Model model = parse_model(R"(
model Decay
  Real x(start = 1, fixed = true);
equation
  der(x) = -x;
annotation(experiment(StopTime = 1, Tolerance = 1e-9));
end Decay;)");
  const TimeSpan span{0.0, 1.0};
  EXPECT_EQ(solve(model, span).rtol, 1e-9);
  EXPECT_DOUBLE_EQ(solve(model, span).atol, 1e-11);
  EXPECT_EQ(solve(model, span, {.rtol = 1e-4}).rtol, 1e-4);
  const Model silent = parse_model("model M Real x; equation der(x) = 1; end M;");
  EXPECT_EQ(solve(silent, span).rtol, 1e-6);
  CompareOptions options;
  options.methods = {"ode"};
  const Comparison rows = compare(model, span, options);
  EXPECT_EQ(rows.rows.at(0).status, Status::success);
}

TEST(Problem, RefusesUnknownMethodsAndFieldsWhenItIsPrepared) {
  EXPECT_THROW((void)prepare(pendulum(), {.method = "baumgart"}), OptionError);
  EXPECT_THROW((void)prepare(pendulum(), {.method = "baumgarte:alpha=-1"}), OptionError);
  EXPECT_THROW((void)prepare(pendulum(), {.integrator = "radau:stagges=3"}), OptionError);
}

TEST(Problem, StillTakesTheOldNameOfGgl) {
  const Solution old = solve(pendulum(), {0.0, 0.5}, {.method = "stabilized-index2"});
  ASSERT_TRUE(is_success(old.status)) << old.message;
  EXPECT_EQ(old.method.used, "ggl");
  expect_same_bits(old, solve(pendulum(), {0.0, 0.5}, {.method = Ggl{}}), "ggl");
}

TEST(Simulation, AdvancesStepByStepToTheSolution) {
  const Model model = pendulum();
  const Problem problem = prepare(model);
  Simulation simulation = problem.start({0.0, 2.0});
  double last = simulation.time();
  std::int64_t n = 0;
  while (simulation.step()) {
    EXPECT_GE(simulation.time(), last);
    last = simulation.time();
    ++n;
    const double x = simulation.value("x"), y = simulation.value("y");
    EXPECT_NEAR(x * x + y * y, 1.0, 1e-9);  // projected to round-off of the Newton iteration
  }
  EXPECT_TRUE(simulation.is_over());
  EXPECT_EQ(n, simulation.solution().statistics.steps);
  expect_same_bits(simulation.take_solution(), problem.solve({0.0, 2.0}), "stepped");
}

TEST(Simulation, AdvancesToATime) {
  Simulation simulation = prepare(pendulum()).start({0.0, 2.0});
  EXPECT_TRUE(simulation.advance(0.5));
  EXPECT_GE(simulation.time(), 0.5);
  EXPECT_LT(simulation.time(), 2.0);
  EXPECT_TRUE(simulation.advance(2.0));
  EXPECT_FALSE(simulation.advance(3.0));
}

TEST(Simulation, HandsOverOnTheWayAsSolveDoes) {
  // Slow at first, then stiff: x follows cos(t) with the rate 1 + 1e6 t^4.
  const Model model = parse_model(R"(
    model Stiffens
      Real x(start = 0, fixed = true), y(start = 0, fixed = true);
    equation
      der(x) = -(1 + 1e6*time^4)*(x - cos(time));
      der(y) = x - y;
    end Stiffens;)");
  const Problem problem = prepare(model);
  Simulation simulation = problem.start({0.0, 3.0});
  while (simulation.step()) {
  }
  const Solution& s = simulation.solution();
  ASSERT_TRUE(is_success(s.status)) << s.message;
  EXPECT_EQ(s.integrator.used, "radau");
  expect_same_bits(s, solve(model, {0.0, 3.0}), "handover");
  const Solution again = problem.solve({0.0, 3.0});
  EXPECT_EQ(again.statistics.compilations, 0);
}

TEST(Solution, KnowsDerivativesAndTheValuesAroundEvents) {
  const Model model = parse_model(R"(
    model Ball
      Real h(start = 1, fixed = true), v(start = 0, fixed = true);
    equation
      der(h) = v;
      der(v) = -10;
      when h < 0 then
        reinit(v, -0.5*pre(v));
      end when;
    end Ball;)");
  const Solution s = solve(model, {0.0, 0.8}, {.rtol = 1e-9, .atol = 1e-11});
  ASSERT_TRUE(is_success(s.status)) << s.message;
  ASSERT_EQ(s.events.size(), 1U);
  // h = 1 - 5 t^2 reaches 0 at t = sqrt(1/5) with v = -sqrt(20), and leaves with half of it.
  const double t = s.events[0].time;
  EXPECT_NEAR(t, std::sqrt(0.2), 1e-9);
  const std::size_t v = s.column("v"), row = s.events[0].row;
  EXPECT_NEAR(s.row(row - 1)[v], -std::sqrt(20.0), 1e-7);
  EXPECT_NEAR(s.row(row)[v], 0.5 * std::sqrt(20.0), 1e-7);
  EXPECT_NEAR(s.at(t, "v"), -std::sqrt(20.0), 1e-7);
  EXPECT_NEAR(s.after(t, "v"), 0.5 * std::sqrt(20.0), 1e-7);
  for (const double time : {0.0, 0.1, 0.3, 0.6, 0.8}) {
    EXPECT_NEAR(s.derivative(time, "v"), -10.0, 1e-6) << time;
    EXPECT_NEAR(s.derivative(time, "h"), s.at(time, "v"), 1e-6) << time;
  }
}

}  // namespace
}  // namespace daedal
