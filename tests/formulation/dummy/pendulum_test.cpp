// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/solve.hpp>

#include "formulation/dummy/support.hpp"
#include "formulation/formulation_support.hpp"
#include "problems/problems.hpp"

namespace daedal::formulation {
namespace {

using problems::Problem;
using test::options_of;
using test::relative_error;
using test::run;
using testing::AllOf;
using testing::HasSubstr;

constexpr double quarter_period = 0.59196;  // K(1/√2)/√9.81 of a pendulum released horizontally

// 17 passages of the diagonals in 10 s; end values in quadruple precision.
TEST(DummyDerivatives, ReselectsThePendulumsStateAndStaysOnTheConstraints) {
  const Problem pendulum = problems::pendulum();
  const Solution solution = run(pendulum.model, pendulum.stop_time, options_of(1e-8));
  EXPECT_NEAR(static_cast<double>(solution.statistics.reselections), 17.0, 2.0);
  EXPECT_LE(relative_error(solution, "x", pendulum.end_values.at("x")), 1e-5);
  EXPECT_LE(relative_error(solution, "y", pendulum.end_values.at("y")), 1e-5);
  EXPECT_TRUE(solution.warnings.empty()) << solution.warnings.front();
  ASSERT_EQ(solution.constraints.size(), 3U);
  // The corrector stops when less than a thousandth of what the tolerances of the unknowns allow is
  // left of a constraint: 2(|x| + |y|)w ≤ 6e-8, and with speeds up to 4.4 and their tolerances
  // 2·1.4·5e-8 + 2·4.4·2e-8 ≤ 4e-7.
  EXPECT_LE(solution.constraints[0].max_residual, 1e-9);
  EXPECT_LE(solution.constraints[1].max_residual, 1e-8);
}

// Poell, Hafner's setting: classical Runge-Kutta with h = .01.
TEST(DummyDerivatives, ServesExplicitSchemesWithTheirOrder) {
  const Problem pendulum = problems::pendulum();
  std::vector<double> errors;
  for (const double h : {0.01, 0.005}) {
    SolveOptions options = options_of(1e-8, "rk4");
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
  SolveOptions options = options_of(1e-8, "rk4");
  options.fixed_step = 0.01;
  std::vector<double> errors;
  for (const double ratio : {0.95, 0.3}) {
    options.method.set("switch_ratio", ratio);
    const Solution solution = run(pendulum.model, pendulum.stop_time, options);
    errors.push_back(relative_error(solution, "x", pendulum.end_values.at("x")));
  }
  EXPECT_GE(errors[1], 10.0 * errors[0]);
}

TEST(DummyDerivatives, AFixedSelectionRunsIntoItsSingularPivotAndSaysSo) {
  for (const char* integrator : {"bdf", "radau", "dop853"}) {
    SolveOptions options = options_of(1e-6, integrator);
    options.method.set("fixed", 1.0);
    const Solution solution = solve(test::pendulum(), {0.0, 10.0}, options);
    EXPECT_EQ(solution.status, Status::singular_iteration_matrix) << integrator;
    EXPECT_THAT(solution.message, AllOf(HasSubstr("'rod'"), HasSubstr("'x'"))) << integrator;
    EXPECT_NEAR(solution.times.back(), quarter_period, 0.02) << integrator;
  }
}

TEST(DummyDerivatives, RunsAThousandSeconds) {
  const Solution solution = run(problems::pendulum().model, 1000.0, options_of(1e-6));
  EXPECT_LE(solution.constraints.at(0).max_residual, 1e-7);
}

TEST(DummyDerivatives, RefusesARatioOutsideItsRange) {
  SolveOptions options = options_of(1e-6);
  options.method.set("switch_ratio", 1.5);
  EXPECT_THROW((void)solve(test::pendulum(), {0.0, 1.0}, options), OptionError);
}

}  // namespace
}  // namespace daedal::formulation
