// SPDX-License-Identifier: BSD-3-Clause
/// Parameters and derivatives as columns of a solution, beside the variables or instead of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <daedal/modelica.hpp>
#include <daedal/problem.hpp>
#include <daedal/solve.hpp>

#include "support/errors.hpp"

namespace daedal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Model pendulum = parse_model(R"(
model Pendulum
  parameter Real g = 9.81, l = 2;
  Real x(start = 2), y(start = 0, fixed = true), vx, vy(start = 0, fixed = true), lambda;
  Real height = l + y;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -lambda*x;
  der(vy) = -lambda*y - g;
  x^2 + y^2 = l^2;
end Pendulum;
)");

/// A column of a solution.
std::vector<double> column(const Solution& s, std::string_view name) {
  std::vector<double> values;
  for (std::size_t i = 0; i < s.n_rows(); ++i) values.push_back(s.row(i)[s.column(name)]);
  return values;
}

class ColumnsOf : public testing::TestWithParam<const char*> {};

TEST_P(ColumnsOf, DerivativesSatisfyTheEquations) {
  const Solution s = solve(pendulum, {0.0, 1.0},
                           {.method = Method(GetParam()),
                            .rtol = 1e-8,
                            .columns = {"der(vy)", "g", "*", "der(x)", "der(height)"}});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.names[0], "der(vy)");
  EXPECT_EQ(s.names[1], "g");
  const auto lambda = column(s, "lambda"), y = column(s, "y"), vx = column(s, "vx");
  const auto fall = column(s, "der(vy)"), speed = column(s, "der(x)"), g = column(s, "g");
  const auto rise = column(s, "der(height)"), vy = column(s, "vy");
  // Derivatives of an implicit method are those of its polynomials: accurate as a step is.
  for (std::size_t i = 0; i < s.n_rows(); ++i) {
    EXPECT_EQ(g[i], 9.81);
    EXPECT_NEAR(speed[i], vx[i], 2e-6);
    EXPECT_NEAR(rise[i], vy[i], 2e-6);
    EXPECT_NEAR(fall[i], -lambda[i] * y[i] - 9.81, 2e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ColumnsOf,
                         testing::Values("auto", "index3", "ggl", "baumgarte", "dummy-derivatives",
                                         "states-only", "tangent-space", "derivative-array",
                                         "derivative-array-implicit", "taylor", "trust-region",
                                         "srm", "least-squares-completion"));

TEST(Columns, AskingForMoreChangesNothingElse) {
  const Solution plain = solve(pendulum, {0.0, 3.0}, {});
  const Solution more = solve(pendulum, {0.0, 3.0}, {.columns = {"*", "der(*)", "l"}});
  EXPECT_EQ(plain.times, more.times);
  for (const std::string& name : plain.names) EXPECT_EQ(column(plain, name), column(more, name));
  EXPECT_THAT(std::vector(more.names.begin() + 6, more.names.end()),
              ElementsAre("der(x)", "der(y)", "der(vx)", "der(vy)", "der(height)", "l"));
}

TEST(Columns, PatternsMeanVariablesFirst) {
  // l* is a variable as well as a parameter; l alone can only be the parameter.
  EXPECT_THAT(solve(pendulum, {0.0, 0.1}, {.columns = {"l*"}}).names, ElementsAre("lambda"));
  EXPECT_THAT(solve(pendulum, {0.0, 0.1}, {.columns = {"l", "l*"}}).names,
              ElementsAre("l", "lambda"));
  EXPECT_THAT(solve(pendulum, {0.0, 0.1}, {.columns = {"g*"}}).names, ElementsAre("g"));
}

TEST(Columns, AParameterHasTheValueOfTheRun) {
  const Solution given =
      solve(pendulum, {0.0, 0.1}, {.columns = {"g"}, .parameters = {{"g", 1.62}}});
  EXPECT_EQ(given.final_value("g"), 1.62);
  // Of a parameter that the start determines: the slope of the line through 1 and 3.
  const Model found = parse_model(R"(
model Found
  parameter Real k(fixed = false, start = 1);
  Real x(start = 1, fixed = true);
equation
  der(x) = k*x;
initial equation
  k*x = 3;
end Found;
)");
  const Solution s = solve(found, {0.0, 0.1}, {.columns = {"k", "der(x)"}});
  EXPECT_NEAR(s.row(0)[0], 3.0, 1e-12);
  EXPECT_NEAR(s.row(0)[1], 3.0, 1e-12);
}

TEST(Columns, DenseOutputAndStepsHaveThem) {
  const Problem problem = prepare(pendulum);
  const SolveOptions options{.dense_output = true, .columns = {"der(x)", "vx", "l"}};
  const Solution s = problem.solve({0.0, 1.0}, {}, options);
  EXPECT_NEAR(s.at(0.55, "der(x)"), s.at(0.55, "vx"), 1e-12);
  EXPECT_EQ(s.at(0.55, "l"), 2.0);
  Simulation run = problem.start({0.0, 1.0}, {}, options);
  run.advance(0.55);
  EXPECT_NEAR(run.value("der(x)"), run.value("vx"), 1e-12);
  EXPECT_EQ(run.value("l"), 2.0);
}

TEST(Rows, BetweenTheStepsMakeCurvesSmoothAndChangeNothing) {
  const Solution steps = solve(pendulum, {0.0, 10.0}, {.rtol = 1e-8});
  const Solution all =
      solve(pendulum, {0.0, 10.0}, {.rtol = 1e-8, .interval = 0.02, .has_step_rows = true});
  EXPECT_EQ(all.statistics.steps, steps.statistics.steps);
  double widest = 0.0;
  std::size_t k = 0;  // the rows of the steps, with the same bits
  for (std::size_t i = 0; i < all.n_rows(); ++i) {
    if (i > 0) widest = std::max(widest, all.times[i] - all.times[i - 1]);
    if (k == steps.n_rows() || all.times[i] != steps.times[k]) continue;
    EXPECT_TRUE(std::ranges::equal(all.row(i), steps.row(k)));
    ++k;
  }
  EXPECT_EQ(k, steps.n_rows());
  EXPECT_LE(widest, 0.02 * (1 + 1e-9));
  EXPECT_GE(all.n_rows(), steps.n_rows() + 499);
  // How well the constraints hold is judged at the steps, not by the polynomials between them.
  for (std::size_t level = 0; level < steps.constraints.size(); ++level) {
    EXPECT_EQ(all.constraints[level].max_residual, steps.constraints[level].max_residual);
  }
  // What is asked for by an interval alone is judged as it is.
  const Solution grid = solve(pendulum, {0.0, 10.0}, {.rtol = 1e-8, .interval = 0.02});
  EXPECT_EQ(grid.n_rows(), 501U);
  EXPECT_GT(grid.constraints[0].max_residual, steps.constraints[0].max_residual);
}

TEST(Columns, ADerivativeThatNothingDeterminesIsRefused) {
  const Error error = test::error_of<OptionError>(
      [] { (void)solve(pendulum, {0.0, 0.1}, {.columns = {"der(lambda)"}}); });
  EXPECT_EQ(error.code(), ErrorCode::unknown_name);
  EXPECT_THAT(error.what(), HasSubstr("'der(lambda)' cannot be a column"));
  EXPECT_THAT(error.what(), HasSubstr("'rate = der(lambda)'"));
  EXPECT_THAT(test::error_of<OptionError>([] {
                (void)solve(pendulum, {0.0, 0.1}, {.columns = {"der(vz)"}});
              }).what(),
              HasSubstr("No variable of the model matches 'der(vz)'"));
}

}  // namespace
}  // namespace daedal
