// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy_derivatives.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <numbers>
#include <random>

#include "formulation/formulation_support.hpp"
#include "problems/problems.hpp"

namespace daedal::formulation {
namespace {

using problems::Problem;
using test::make;
using testing::AllOf;
using testing::HasSubstr;

constexpr double quarter_period = 0.59196;  // K(1/√2)/√9.81 of a pendulum released horizontally

Options options_of(double tolerance, const std::string& integrator = "bdf") {
  return {.method = "dummy-derivatives",
          .integrator = integrator,
          .rtol = tolerance,
          .atol = tolerance};
}

Solution run(const Model& model, double stop_time, const Options& options) {
  Solution solution = solve(model, {0.0, stop_time}, options);
  EXPECT_EQ(solution.status, Status::success) << solution.message;
  return solution;
}

double relative_error(const Solution& solution, const std::string& name, double expected) {
  return std::abs(solution.final_value(name) - expected) / std::max(1.0, std::abs(expected));
}

TEST(DummyDerivatives, HasOneUnknownPerDerivativeOfThePendulum) {
  const auto formulation = make("dummy-derivatives", test::pendulum());
  ASSERT_NE(formulation->implicit_system(), nullptr);
  const auto& system = *formulation->implicit_system();
  ASSERT_EQ(system.size(), 7);  // x, x', x'', y, y', y'', λ
  EXPECT_EQ(formulation->n_levels(), 3);
  const auto run = system.make_run();
  const auto start = formulation->start(0.0, *run);
  ASSERT_EQ(start.status, Status::success) << start.message;
  EXPECT_THAT(start.x, testing::Pointwise(testing::DoubleNear(1e-12),
                                          {1.0, 0.0, 0.0, 0.0, 0.0, -9.81, 0.0}));
  EXPECT_TRUE(system.kinds()[1].in_error_test);
  EXPECT_FALSE(system.kinds()[2].in_error_test);
  EXPECT_FALSE(system.kinds()[6].in_error_test);
  EXPECT_EQ(system.unknown_name(1), "u");
  EXPECT_EQ(system.unknown_name(2), "der(u)");
}

/// F_x and F_x' against central differences, which are exact for these quadratic equations.
void expect_analytic_jacobian(const ImplicitSystem& system, Run& run) {
  const auto n = to_size(system.size());
  std::mt19937 random(7);
  std::uniform_real_distribution<double> draw(0.5, 1.5);
  std::vector<double> x(n);
  std::vector<double> xp(n);
  for (double& value : x) value = draw(random);
  for (double& value : xp) value = draw(random);
  const auto& pattern = system.pattern();
  std::vector<double> f_x(to_size(pattern.nonzeros()));
  std::vector<double> f_xp(f_x.size());
  ASSERT_EQ(system.jacobian(0.3, x, xp, run, f_x, f_xp), Evaluation::ok);
  for (const bool by_rate : {false, true}) {
    auto& moved = by_rate ? xp : x;
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<double> high(n);
      std::vector<double> low(n);
      const double value = moved[j];
      moved[j] = value + 0.25;
      ASSERT_EQ(system.residual(0.3, x, xp, run, high), Evaluation::ok);
      moved[j] = value - 0.25;
      ASSERT_EQ(system.residual(0.3, x, xp, run, low), Evaluation::ok);
      moved[j] = value;
      std::vector<double> column(n, 0.0);
      for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p)
        column[to_size(pattern.row[to_size(p)])] = (by_rate ? f_xp : f_x)[to_size(p)];
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(column[i], 2.0 * (high[i] - low[i]), 1e-12) << "row " << i << " column " << j;
    }
  }
}

TEST(DummyDerivatives, JacobianFollowsTheSelection) {
  const auto formulation = make("dummy-derivatives", test::pendulum());
  const auto& context = static_cast<const DummyDerivativesFormulation&>(*formulation).context();
  const auto& system = *formulation->implicit_system();
  const auto run = system.make_run();
  auto& own = static_cast<DummyRun&>(*run);
  const std::vector<double> right{0.8, 0, 0, -0.6, 0, 0, 0};
  const std::vector<double> bottom{0.6, 0, 0, -0.8, 0, 0, 0};
  ASSERT_TRUE(context.select(0.0, right, own));
  EXPECT_GE(own.selection.equation_at[0], 0);  // x is solved from the rod, y is a state
  EXPECT_EQ(own.selection.equation_at[3], -1);
  expect_analytic_jacobian(system, *run);
  ASSERT_TRUE(context.select(0.0, bottom, own));
  EXPECT_EQ(own.selection.equation_at[0], -1);
  EXPECT_GE(own.selection.equation_at[3], 0);
  expect_analytic_jacobian(system, *run);
}

// 17 passages of the diagonals in 10 s; end values in quadruple precision.
TEST(DummyDerivatives, ReselectsThePendulumsStateAndStaysOnTheConstraints) {
  const Problem pendulum = problems::pendulum();
  const Solution solution = run(pendulum.model, pendulum.stop_time, options_of(1e-8));
  EXPECT_NEAR(static_cast<double>(solution.statistics.reselections), 17.0, 2.0);
  EXPECT_LE(relative_error(solution, "x", pendulum.end_values.at("x")), 1e-5);
  EXPECT_LE(relative_error(solution, "y", pendulum.end_values.at("y")), 1e-5);
  EXPECT_TRUE(solution.warnings.empty()) << solution.warnings.front();
  ASSERT_EQ(solution.constraints.size(), 3U);
  // Well within what the tolerances w of the unknowns allow: 2(|x| + |y|)w and, with speeds up to
  // 4.4, 2·4.4·w more.
  EXPECT_LE(solution.constraints[0].max_residual, 1e-8);
  EXPECT_LE(solution.constraints[1].max_residual, 1e-7);
}

// Poell, Hafner's setting: classical Runge-Kutta with h = .01.
TEST(DummyDerivatives, ServesExplicitSchemesWithTheirOrder) {
  const Problem pendulum = problems::pendulum();
  std::vector<double> errors;
  for (const double h : {0.01, 0.005}) {
    Options options = options_of(1e-8, "rk4");
    options.fixed_step = h;
    const Solution solution = run(pendulum.model, pendulum.stop_time, options);
    EXPECT_NEAR(static_cast<double>(solution.statistics.reselections), 17.0, 2.0);
    errors.push_back(std::hypot(relative_error(solution, "x", pendulum.end_values.at("x")),
                                relative_error(solution, "y", pendulum.end_values.at("y"))));
    ASSERT_EQ(solution.constraints.size(), 3U);
    for (const auto& level : solution.constraints) EXPECT_LE(level.max_residual, 1e-12);
    // Halfway through a step too.
    const double x = solution.at(3.0035, "x");
    const double y = solution.at(3.0035, "y");
    EXPECT_NEAR(x * x + y * y, 1.0, 1e-12);
  }
  EXPECT_LE(errors[0], 1e-5);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4.1, 0.6);
}

TEST(DummyDerivatives, SwitchingLateSpoilsAccuracy) {
  const Problem pendulum = problems::pendulum();
  Options options = options_of(1e-8, "rk4");
  options.fixed_step = 0.01;
  std::vector<double> errors;
  for (const double ratio : {0.95, 0.3}) {
    options.method_parameters["switch_ratio"] = ratio;
    const Solution solution = run(pendulum.model, pendulum.stop_time, options);
    errors.push_back(relative_error(solution, "x", pendulum.end_values.at("x")));
  }
  EXPECT_GE(errors[1], 10.0 * errors[0]);
}

TEST(DummyDerivatives, AFixedSelectionRunsIntoItsSingularPivotAndSaysSo) {
  for (const char* integrator : {"bdf", "radau", "dop853"}) {
    Options options = options_of(1e-6, integrator);
    options.method_parameters["fixed"] = 1.0;
    const Solution solution = solve(test::pendulum(), {0.0, 10.0}, options);
    EXPECT_EQ(solution.status, Status::singular_iteration_matrix) << integrator;
    EXPECT_THAT(solution.message, AllOf(HasSubstr("'rod'"), HasSubstr("'x'"))) << integrator;
    EXPECT_NEAR(solution.times.back(), quarter_period, 0.02) << integrator;
  }
}

TEST(DummyDerivatives, RunsAThousandSeconds) {
  const Solution solution = run(problems::pendulum().model, 1000.0, options_of(1e-6));
  EXPECT_LE(solution.constraints.at(0).max_residual, 1e-6);
}

class DummyDerivativesMechanisms : public testing::TestWithParam<Problem (*)()> {};

// Every position, velocity and multiplier, relative where it is above 1.
TEST_P(DummyDerivativesMechanisms, EndAtTheirReferenceValues) {
  const Problem problem = GetParam()();
  const Solution solution = run(problem.model, problem.stop_time, options_of(1e-8, "dop853"));
  for (const auto& [name, value] : problem.end_values)
    EXPECT_LE(relative_error(solution, name, value), 100 * 1e-8) << name;
}

// Velocities are steeper: those of the squeezer turn at 1e6 rad/s².
TEST_P(DummyDerivativesMechanisms, EndAtTheirReferencePositionsImplicitly) {
  const Problem problem = GetParam()();
  const Solution solution = run(problem.model, problem.stop_time, options_of(1e-8, "radau"));
  for (const auto& [name, value] : problem.end_values) {
    if (name[0] == 'v' || name[0] == 'w' || name[0] == 'l') continue;
    EXPECT_LE(relative_error(solution, name, value), 100 * 1e-8) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, DummyDerivativesMechanisms,
                         testing::Values(&problems::pendulum, &problems::spherical_pendulum,
                                         &problems::double_pendulum, &problems::four_bar,
                                         &problems::car_axis, &problems::squeezer));

// Petzold, Ren & Maly's slider crank passes a bifurcation at t = 1.03126624: G = (sin θ₁, sin θ₂)
// vanishes at (0, π).
TEST(DummyDerivatives, ReportsWhereTheConstraintsLoseRank) {
  for (const char* integrator : {"bdf", "radau", "dop853"}) {
    const Solution solution =
        run(problems::slider_crank().model, 1.5, options_of(1e-8, integrator));
    ASSERT_EQ(solution.warnings.size(), 1U) << integrator;
    EXPECT_THAT(solution.warnings[0], AllOf(HasSubstr("t = 1.031266"), HasSubstr("lost rank")));
  }
}

// Two capacitors in series at a voltage source, a resistor beside the second, all values 1:
// 2 v2' + v2 = cos t, so v2 = −.2 e^(−t/2) + .2 cos t + .4 sin t from v2(0) = 0.
TEST(DummyDerivatives, SolvesALoopOfCapacitors) {
  ModelBuilder b("CapacitorLoop");
  const Expr v1 = b.variable("v1");
  const Expr v2 = b.variable("v2", {.start = 0.0, .fixed = true});
  const Expr i = b.variable("i");
  b.equation(v1 + v2 == sin(b.time()), "source");
  b.equation(der(v1) == i, "capacitor 1");
  b.equation(der(v2) == i - v2, "capacitor 2");
  const Model model = b.build();
  for (const char* integrator : {"bdf", "radau", "dop853"}) {
    const Solution solution = run(model, 5.0, options_of(1e-8, integrator));
    const double t = 5.0;
    const double expected = -0.2 * std::exp(-t / 2) + 0.2 * std::cos(t) + 0.4 * std::sin(t);
    const double rate = 0.1 * std::exp(-t / 2) - 0.2 * std::sin(t) + 0.4 * std::cos(t);
    EXPECT_NEAR(solution.final_value("v2"), expected, 1e-6) << integrator;
    EXPECT_NEAR(solution.final_value("i"), rate + expected, 1e-6) << integrator;
  }
}

// x_k' = 2 x_(k+1), 0 = x_1 − sin t: index ν for ν variables, x_k = sin^(k−1)(t)/2^(k−1).
TEST(DummyDerivatives, SolvesHessenbergChainsUpToIndexSix) {
  for (int index = 2; index <= 6; ++index) {
    ModelBuilder b("Chain");
    std::vector<Expr> x;
    for (int k = 1; k <= index; ++k) x.push_back(b.variable("x" + std::to_string(k)));
    for (std::size_t k = 0; k + 1 < x.size(); ++k) b.equation(der(x[k]) == 2.0 * x[k + 1]);
    b.equation(x[0] == sin(b.time()));
    const Solution solution = run(b.build(), 3.0, options_of(1e-8));
    for (int k = 1; k <= index; ++k) {
      const double expected = std::sin(3.0 + (k - 1) * std::numbers::pi / 2) / std::exp2(k - 1);
      EXPECT_NEAR(solution.final_value("x" + std::to_string(k)), expected, 1e-9)
          << "index " << index;
    }
  }
}

Model chained_pendula(int n) {
  ModelBuilder b("ChainedPendula");
  Expr length = 10.0;
  for (int i = 1; i <= n; ++i) {
    const std::string suffix = std::to_string(i);
    const Expr x = b.variable("x" + suffix, {.start = 10.0});
    const Expr y = b.variable("y" + suffix, {.start = 0.0, .fixed = true});
    const Expr lambda = b.variable("lambda" + suffix);
    b.equation(der(x, 2) == -lambda * x);
    b.equation(der(y, 2) == -lambda * y + 9.8);
    b.equation(sqr(x) + sqr(y) == sqr(length), "rod " + suffix);
    b.initial_equation(der(y) == 0.0);
    length = 10.0 + 0.1 * lambda;
  }
  return b.build();
}

// Index 5. The first pendulum is a plain one of length 10; start values x = 10, 10, x' = 0.
TEST(DummyDerivatives, SolvesChainedPendulaOfIndexFive) {
  const Model chain = chained_pendula(2);
  const Solution implicit = run(chain, 3.0, options_of(1e-9, "radau"));
  const Solution expl = run(chain, 3.0, options_of(1e-9, "dop853"));
  ASSERT_EQ(implicit.constraints.size(), 5U);
  EXPECT_NEAR(implicit.row(0)[implicit.column("x2")], 10.0, 1e-9);
  Options other = options_of(1e-10, "dop853");
  other.method = "orthogonal-projection";
  const Solution first = run(chained_pendula(1), 3.0, other);
  EXPECT_NEAR(implicit.final_value("x1"), first.final_value("x1"), 1e-6);
  EXPECT_NEAR(implicit.final_value("lambda1"), first.final_value("lambda1"), 1e-6);
  EXPECT_NEAR(implicit.final_value("x2"), expl.final_value("x2"), 1e-6);
  EXPECT_NEAR(implicit.final_value("lambda2"), expl.final_value("lambda2"), 1e-6);
  const double length = 10.0 + 0.1 * expl.final_value("lambda1");
  EXPECT_NEAR(std::hypot(expl.final_value("x2"), expl.final_value("y2")), length, 1e-9);
}

TEST(DummyDerivatives, NamesConstraintsThatRepeatEachOther) {
  ModelBuilder b("Doubled");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y");
  const Expr p = b.variable("p");
  const Expr q = b.variable("q");
  b.equation(der(x, 2) == -(p + q) * x);
  b.equation(der(y, 2) == -(p + 2.0 * q) * y - 9.81);
  b.equation(sqr(x) + sqr(y) == 1.0, "rod");
  b.equation(2.0 * sqr(x) + 2.0 * sqr(y) == 2.0, "rod again");
  const Solution solution = solve(b.build(), {0.0, 1.0}, options_of(1e-6));
  EXPECT_EQ(solution.status, Status::index_too_high);
  EXPECT_THAT(solution.message,
              AllOf(HasSubstr("'rod', differentiated twice"), HasSubstr("'rod again'")));
}

// Both equations contain x' + y': their difference is a constraint that no structure shows.
TEST(DummyDerivatives, SaysWhereTheStructureDoesNotShowTheIndex) {
  ModelBuilder b("Hidden");
  const Expr x = b.variable("x", {.start = 1.0});
  const Expr y = b.variable("y");
  b.equation(der(x) + der(y) == -x, "first");
  b.equation(der(x) + der(y) == y - sin(b.time()), "second");
  const Solution solution = solve(b.build(), {0.0, 1.0}, options_of(1e-6));
  EXPECT_EQ(solution.status, Status::index_too_high);
  EXPECT_THAT(solution.message,
              AllOf(HasSubstr("'first'"), HasSubstr("'second'"), HasSubstr("derivative-array")));
}

TEST(DummyDerivatives, RefusesStructurallySingularModelsByName) {
  ModelBuilder b("Singular");
  const Expr x = b.variable("x", {.start = 1.0});
  const Expr y = b.variable("y");
  const Expr z = b.variable("z");
  b.equation(der(x) == -x * z, "motion");
  b.equation(sqr(y) == 2.0, "one");
  b.equation(exp(y) == 2.0, "two");
  const Model model = b.build();
  for (const char* method : {"dummy-derivatives", "direct", "auto"}) {
    Options options;
    options.method = method;
    try {
      (void)solve(model, {0.0, 1.0}, options);
      ADD_FAILURE() << method << " took it";
    } catch (const ModelError& error) {
      EXPECT_EQ(error.code(), ErrorCode::structurally_singular);
      EXPECT_THAT(error.equations(), testing::ElementsAre("one", "two")) << method;
    }
  }
}

TEST(DummyDerivatives, RespectsStateSelect) {
  for (const auto select : {StateSelect::avoid, StateSelect::standard}) {
    ModelBuilder b("Pendulum");
    const Expr x = b.variable("x", {.start = 0.8, .fixed = true});
    const Expr y = b.variable("y", {.start = -0.6, .state_select = select});
    const Expr lambda = b.variable("lambda");
    b.equation(der(x, 2) == -lambda * x);
    b.equation(der(y, 2) == -lambda * y - 9.81);
    b.equation(sqr(x) + sqr(y) == 1.0, "rod");
    const auto formulation = make("dummy-derivatives", b.build());
    const auto run = formulation->system().make_run();
    ASSERT_EQ(formulation->start(0.0, *run).status, Status::success);
    const auto& selection = static_cast<DummyRun&>(*run).selection;
    const bool y_is_state = selection.equation_at[3] < 0;
    EXPECT_EQ(y_is_state, select == StateSelect::standard);
  }
}

TEST(DummyDerivatives, StartsFromInitialEquationsAndParametersToBeFound) {
  const Model model = parse_model(R"(model Pendulum
  parameter Real length(fixed = false, start = 1);
  Real x(start = 1);
  Real y(start = -1);
  Real u(start = 0, fixed = true);
  Real v;
  Real lambda;
equation
  der(x) = u;
  der(y) = v;
  der(u) = -lambda * x;
  der(v) = -lambda * y - 9.81;
  x ^ 2 + y ^ 2 = length ^ 2;
initial equation
  x = 3;
  y = -4;
end Pendulum;
)");
  const auto formulation = make("dummy-derivatives", model);
  const auto run = formulation->system().make_run();
  const auto start = formulation->start(0.0, *run);
  ASSERT_EQ(start.status, Status::success) << start.message;
  EXPECT_NEAR(static_cast<DummyRun&>(*run).parameters.at(0), 5.0, 1e-9);
  EXPECT_NEAR(start.x[0], 3.0, 1e-9);
  EXPECT_NEAR(start.x[3], -4.0, 1e-9);
}

// Stopped and sent back at the bottom, the pendulum returns to where it was released.
TEST(DummyDerivatives, ExecutesEvents) {
  const Model model = parse_model(R"(model Bouncing
  Real x(start = 1, fixed = true);
  Real y(start = 0);
  Real u(start = 0, fixed = true);
  Real v(start = 0);
  Real lambda;
equation
  der(x) = u;
  der(y) = v;
  der(u) = -lambda * x;
  der(v) = -lambda * y - 9.81;
  x ^ 2 + y ^ 2 = 1;
  when x < 0 then
    reinit(u, -u);
  end when;
end Bouncing;
)");
  for (const char* integrator : {"bdf", "dop853"}) {
    const Solution solution = run(model, 2 * quarter_period, options_of(1e-9, integrator));
    ASSERT_EQ(solution.events.size(), 1U) << integrator;
    EXPECT_NEAR(solution.events[0].time, quarter_period, 1e-5);
    EXPECT_NEAR(solution.final_value("x"), 1.0, 1e-6) << integrator;
    EXPECT_NEAR(solution.final_value("y"), 0.0, 1e-4) << integrator;
  }
}

TEST(DummyDerivatives, IsTheChoiceForHigherIndexWithoutASpecialShape) {
  ModelBuilder b("CapacitorLoop");
  const Expr v1 = b.variable("v1");
  const Expr v2 = b.variable("v2", {.start = 0.0, .fixed = true});
  const Expr i = b.variable("i");
  b.equation(v1 + v2 == sin(b.time()));
  b.equation(der(v1) == i);
  b.equation(der(v2) == i - v2);
  const Solution solution = solve(b.build(), {0.0, 1.0});
  EXPECT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.method.used, "dummy-derivatives");
}

TEST(DummyDerivatives, RefusesARatioOutsideItsRange) {
  Options options = options_of(1e-6);
  options.method_parameters["switch_ratio"] = 1.5;
  EXPECT_THROW((void)solve(test::pendulum(), {0.0, 1.0}, options), OptionError);
}

}  // namespace
}  // namespace daedal::formulation
