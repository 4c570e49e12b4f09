// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/collocation_scheme.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <daedal/error.hpp>
#include <vector>

#include "integrate/hessenberg_problem.hpp"
#include "integrate/registry.hpp"
#include "integrate/stepping.hpp"
#include "support/order_fit.hpp"

namespace daedal::integrate {
namespace {

using test::circle_slope;
using test::circle_solution;
using test::CircleProblem;
using test::FunctionDae;
using test::FunctionOde;
using test::In;
using test::Out;

/// Errors in q, v and λ at t = 1 with a fixed step.
std::array<double, 3> circle_errors(std::string_view integrator, int stages, int index, double h) {
  const CircleProblem problem(index);
  daedal::Run run;
  const auto stepper = find_integrator(integrator)
                           .make_implicit(problem.system, {.fixed_step = h, .log = {}},
                                          {{"stages", static_cast<double>(stages)}});
  stepper->start(0.0, circle_solution(0.0), circle_slope(0.0), run, 1.0);
  const auto report = test::run_to(*stepper, 1.0);
  EXPECT_EQ(report.status, Status::success) << report.message;
  const auto exact = circle_solution(1.0);
  const In x = stepper->x();
  return {test::distance(x.subspan(0, 2), In(exact).subspan(0, 2)),
          test::distance(x.subspan(2, 2), In(exact).subspan(2, 2)), std::abs(x[4] - exact[4])};
}

std::array<double, 3> circle_orders(std::string_view integrator, int stages, int index,
                                    const std::vector<double>& steps) {
  std::array<std::vector<double>, 3> errors;
  for (const double h : steps) {
    const auto e = circle_errors(integrator, stages, index, h);
    for (std::size_t k = 0; k < 3; ++k) errors[k].push_back(e[k]);
  }
  return {test::fit_slope(steps, errors[0]), test::fit_slope(steps, errors[1]),
          test::fit_slope(steps, errors[2])};
}

// Hairer, Lubich, Roche (1989), table 2.3: Radau IIA of s stages has the orders 2s - 1 and s on
// index 2, and 2s - 1, s, s - 1 on index 3.
TEST(Radau, HasTheOrders553OnIndex2) {
  const auto orders = circle_orders("radau", 3, 2, {0.1, 0.0625, 0.05, 0.04});
  EXPECT_NEAR(orders[0], 5.0, 0.25);
  EXPECT_NEAR(orders[1], 5.0, 0.25);
  EXPECT_NEAR(orders[2], 3.0, 0.25);
}

TEST(Radau, HasTheOrders532OnIndex3) {
  const auto orders = circle_orders("radau", 3, 3, {0.1, 0.0625, 0.05, 0.04});
  EXPECT_NEAR(orders[0], 5.0, 0.25);
  EXPECT_NEAR(orders[1], 3.0, 0.25);
  EXPECT_NEAR(orders[2], 2.0, 0.25);
}

// Table 2.3 again: Gauss has the order s + 1 for odd s and s for even s on index 2.
TEST(Gauss, HasTheOrders2And2And4OnIndex2) {
  const std::vector<double> steps{0.05, 0.04, 0.025, 0.02};
  EXPECT_NEAR(circle_orders("gauss", 1, 2, steps)[1], 2.0, 0.25);
  EXPECT_NEAR(circle_orders("gauss", 2, 2, steps)[1], 2.0, 0.25);
  EXPECT_NEAR(circle_orders("gauss", 3, 2, steps)[1], 4.0, 0.25);
}

TEST(Gauss, RefusesIndex3ByName) {
  const CircleProblem problem(3);
  try {
    find_integrator("gauss").make_implicit(problem.system, {.fixed_step = 0.1, .log = {}}, {});
    FAIL() << "index 3 was taken";
  } catch (const OptionError& error) {
    EXPECT_EQ(error.code(), ErrorCode::illegal_combination);
    EXPECT_NE(std::string(error.what()).find("unknown 5"), std::string::npos) << error.what();
  }
}

TEST(Radau, ControlsTheErrorOnIndex2And3) {
  for (const int index : {2, 3}) {
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      SCOPED_TRACE(::testing::Message() << "index " << index << " tolerance " << tolerance);
      const CircleProblem problem(index);
      daedal::Run run;
      const auto stepper = find_integrator("radau").make_implicit(
          problem.system, {.rtol = tolerance, .atol = tolerance, .log = {}}, {});
      stepper->start(0.0, circle_solution(0.0), circle_slope(0.0), run, 10.0);
      const auto report = test::run_to(*stepper, 10.0);
      ASSERT_EQ(report.status, Status::success) << report.message;
      const auto exact = circle_solution(10.0);
      // Positions over ten units of time: the tolerance is local, and the transformed tolerance of
      // RADAU is 0.1·rtol^(2/3), larger than rtol from 1e-4 on down.
      EXPECT_LT(test::distance(stepper->x().first(2), In(exact).first(2)),
                100.0 * std::pow(tolerance, 0.83));
    }
  }
}

TEST(Radau, RefusesAnEvenNumberOfStages) {
  const FunctionOde system(1, [](double, In, Out xp) { xp[0] = 0.0; });
  EXPECT_THROW(find_integrator("radau").make_explicit(system, {}, {{"stages", 2.0}}), OptionError);
  EXPECT_THROW(find_integrator("radau").make_explicit(system, {}, {{"stages", 7.0}}), OptionError);
}

TEST(Radau, NamesTheUnknownThatNothingDetermines) {
  // x_1 appears nowhere.
  const FunctionDae system(2, [](double, In x, In xp, Out f) {
    f[0] = xp[0] + x[0];
    f[1] = 2.0 * (xp[0] + x[0]);
  });
  daedal::Run run;
  const auto stepper = find_integrator("radau").make_implicit(system, {}, {});
  stepper->start(0.0, std::vector{1.0, 0.0}, std::vector{-1.0, 0.0}, run, 1.0);
  const auto report = test::run_to(*stepper, 1.0);
  EXPECT_EQ(report.status, Status::singular_iteration_matrix);
  EXPECT_NE(report.message.find("unknown 2"), std::string::npos) << report.message;
}

TEST(Radau, ReportsANewtonFailureWhenNoStepHelps) {
  // 0 = x² + t has no solution for t > 0 and a Jacobian that vanishes where the solution ends.
  FunctionDae system(1, [](double t, In x, In, Out f) { f[0] = x[0] * x[0] + t; });
  system.unknown_kinds = {{.differential = false}};
  daedal::Run run;
  const auto stepper = find_integrator("radau").make_implicit(system, {}, {});
  stepper->start(-1.0, std::vector{1.0}, std::vector{-0.5}, run, 1.0);
  const auto report = test::run_to(*stepper, 1.0);
  EXPECT_TRUE(report.status == Status::newton_failure ||
              report.status == Status::step_size_underflow ||
              report.status == Status::singular_iteration_matrix)
      << to_string(report.status);
  EXPECT_LT(stepper->time(), 1e-6);
  EXPECT_GT(stepper->time(), -1e-2);
}

TEST(Radau, ReportsResidualsThatAreNotFinite) {
  const FunctionDae system(1,
                           [](double t, In, In xp, Out f) { f[0] = xp[0] - std::sqrt(1.0 - t); });
  daedal::Run run;
  const auto stepper = find_integrator("radau").make_implicit(system, {}, {});
  stepper->start(0.0, std::vector{0.0}, std::vector{1.0}, run, 2.0);
  const auto report = test::run_to(*stepper, 2.0);
  EXPECT_EQ(report.status, Status::non_finite_value) << report.message;
  EXPECT_NEAR(stepper->time(), 1.0, 1e-6);
}

TEST(Radau, SolvesAnImplicitEquationNonlinearInTheDerivative) {
  // x'³ + x' = x³ + x with x' = x: only e^t satisfies it.
  const FunctionDae system(1, [](double, In x, In xp, Out f) {
    f[0] = xp[0] * xp[0] * xp[0] + xp[0] - x[0] * x[0] * x[0] - x[0];
  });
  daedal::Run run;
  const auto stepper =
      find_integrator("radau").make_implicit(system, {.rtol = 1e-9, .atol = 1e-9, .log = {}}, {});
  stepper->start(0.0, std::vector{1.0}, std::vector{1.0}, run, 1.0);
  ASSERT_EQ(test::run_to(*stepper, 1.0).status, Status::success);
  EXPECT_NEAR(stepper->x()[0], std::exp(1.0), 1e-7);
  EXPECT_NEAR(stepper->xp()[0], std::exp(1.0), 1e-6);
}

TEST(Radau, RaisesItsOrderOnASmoothProblem) {
  const FunctionOde system(2, [](double, In x, Out xp) {
    xp[0] = x[1];
    xp[1] = -x[0];
  });
  daedal::Run run;
  const auto stepper =
      find_integrator("radau").make_explicit(system, {.rtol = 1e-9, .atol = 1e-9, .log = {}}, {});
  stepper->start(0.0, std::vector{1.0, 0.0}, {}, run, 20.0);
  int highest = 0;
  test::run_to(*stepper, 20.0, [&](const StepReport& r) { highest = std::max(highest, r.order); });
  EXPECT_EQ(highest, 9);
  EXPECT_NEAR(stepper->x()[0], std::cos(20.0), 1e-7);
}

TEST(Radau, KeepsFewJacobiansAndFactorisationsOnALinearProblem) {
  const FunctionOde system(2, [](double, In x, Out xp) {
    xp[0] = -1000.0 * x[0] + x[1];
    xp[1] = -x[1];
  });
  daedal::Run run;
  const auto stepper = find_integrator("radau").make_explicit(
      system, {.rtol = 1e-7, .atol = 1e-7, .log = {}}, {{"stages", 3.0}});
  stepper->start(0.0, std::vector{1.0, 1.0}, {}, run, 5.0);
  ASSERT_EQ(test::run_to(*stepper, 5.0).status, Status::success);
  Statistics statistics;
  stepper->count(statistics);
  EXPECT_EQ(statistics.jacobian_evaluations, 1);
  EXPECT_LT(statistics.factorizations, 2 * (statistics.steps + statistics.rejected));
}

}  // namespace
}  // namespace daedal::integrate
