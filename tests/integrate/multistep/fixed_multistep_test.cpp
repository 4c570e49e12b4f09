// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/multistep/fixed_multistep.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <daedal/error.hpp>

#include "integrate/hessenberg_problem.hpp"
#include "integrate/multistep/adams_pece.hpp"
#include "integrate/multistep/bdf_fixed.hpp"
#include "integrate/registry.hpp"
#include "integrate/stepping.hpp"
#include "support/order_fit.hpp"

namespace daedal::integration {
namespace {

using test::FunctionDae;
using test::FunctionOde;
using test::In;
using test::Out;

constexpr double step = 0.125;  // a power of two: the grid is exact

/// The history of x = t^degree at t, t - h, …
struct PowerHistory {
  Matrix x;
  Matrix xp;
};
PowerHistory power_history(double t, int degree, int columns) {
  PowerHistory history{Matrix(1, columns), Matrix(1, columns)};
  for (int j = 0; j < columns; ++j) {
    history.x(0, j) = std::pow(t - j * step, degree);
    history.xp(0, j) = degree * std::pow(t - j * step, degree - 1);
  }
  return history;
}

double bdf_power_error(int order, int degree) {
  const FunctionDae system(
      1, [degree](double t, In, In xp, Out f) { f[0] = xp[0] - degree * std::pow(t, degree - 1); });
  FixedBdf stepper(system, {.order = order}, {.fixed_step = step, .log = {}});
  daedal::Run run;
  const auto history = power_history(1.0, degree, order + 1);
  stepper.start_with_history(1.0, history.x, history.xp, run, 2.0);
  EXPECT_EQ(test::run_to(stepper, 2.0).status, Status::success);
  return std::abs(stepper.x()[0] - std::pow(2.0, degree));
}

TEST(FixedBdf, IsExactOnPolynomialsUpToItsOrderAndNotBeyond) {
  for (int order = 1; order <= 6; ++order) {
    for (int degree = 1; degree <= order; ++degree) {
      EXPECT_LT(bdf_power_error(order, degree), 1e-11) << order << " " << degree;
    }
    EXPECT_GT(bdf_power_error(order, order + 1), 1e-6) << order;
  }
}

double adams_power_error(int degree) {
  const FunctionOde system(
      1, [degree](double t, In, Out xp) { xp[0] = degree * std::pow(t, degree - 1); });
  AdamsPece stepper(system, {.fixed_step = step, .log = {}});
  daedal::Run run;
  const auto history = power_history(1.0, degree, 5);
  stepper.start_with_history(1.0, history.x, history.xp, run, 2.0);
  EXPECT_EQ(test::run_to(stepper, 2.0).status, Status::success);
  return std::abs(stepper.x()[0] - std::pow(2.0, degree));
}

TEST(AdamsPece, IsExactOnPolynomialsUpToItsOrderAndNotBeyond) {
  for (int degree = 1; degree <= 5; ++degree) EXPECT_LT(adams_power_error(degree), 1e-12);
  EXPECT_GT(adams_power_error(6), 1e-6);
}

TEST(FixedBdf, SolvesIndex2And3OfTheCircleProblem) {
  // BDF of order k converges with order k in all unknowns of Hessenberg systems of index 2 and 3
  // (Brenan, Campbell, Petzold, section 3.2), with starting values of that accuracy.
  for (const int index : {2, 3}) {
    const auto error = [&](double h) {
      const test::CircleProblem problem(index);
      const auto stepper =
          find_integrator("bdf-fixed")
              .make_implicit(problem.system, {.fixed_step = h, .log = {}}, BdfFixed{.order = 3});
      daedal::Run run;
      stepper->start(0.0, test::circle_solution(0.0), test::circle_slope(0.0), run, 1.0);
      const auto report = test::run_to(*stepper, 1.0);
      EXPECT_EQ(report.status, Status::success) << report.message;
      return test::distance(stepper->x().first(4), In(test::circle_solution(1.0)).first(4));
    };
    EXPECT_NEAR(test::fit_order({0.02, 0.0125, 0.01, 0.00625}, error), 3.0, 0.25) << index;
  }
}

TEST(FixedBdf, StartsAnOverdeterminedSystemWithLowOrders) {
  // x' = -x, y' = -2y with the invariant y = x² as a third row.
  const FunctionDae system(
      2,
      [](double, In x, In xp, Out f) {
        f[0] = xp[0] + x[0];
        f[1] = xp[1] + 2.0 * x[1];
        f[2] = x[1] - x[0] * x[0];
      },
      1);
  daedal::Run run;
  const auto stepper =
      find_integrator("bdf-fixed")
          .make_implicit(system, {.fixed_step = 0.01, .log = {}}, BdfFixed{.order = 2});
  stepper->start(0.0, std::vector{1.0, 1.0}, std::vector{-1.0, -2.0}, run, 1.0);
  const auto report = test::run_to(*stepper, 1.0);
  ASSERT_EQ(report.status, Status::success) << report.message;
  EXPECT_NEAR(stepper->x()[0], std::exp(-1.0), 1e-4);
  EXPECT_NEAR(stepper->x()[1], stepper->x()[0] * stepper->x()[0], 1e-13);
}

TEST(FixedMultistep, LandsOffTheGridByItsStarterAndBeginsAnew) {
  const FunctionOde system(1, [](double, In x, Out xp) { xp[0] = -x[0]; });
  for (const char* name : {"abm5", "bdf-fixed"}) {
    daedal::Run run;
    const auto stepper =
        find_integrator(name).make_explicit(system, {.fixed_step = 0.01, .log = {}}, {});
    stepper->start(0.0, std::vector{1.0}, {}, run, 1.0);
    for (const double limit : {0.305, 0.3051, 1.0}) {
      ASSERT_EQ(test::run_to(*stepper, limit).status, Status::success) << name;
      EXPECT_EQ(stepper->time(), limit);
      EXPECT_NEAR(stepper->x()[0], std::exp(-limit), 1e-4);
      std::vector<double> x(1);
      stepper->interpolate(limit, x, {});
      EXPECT_NEAR(x[0], stepper->x()[0], 1e-13) << name;
    }
  }
}

TEST(FixedMultistep, RefusesToRunWithoutAFixedStep) {
  const FunctionOde system(1, [](double, In x, Out xp) { xp[0] = -x[0]; });
  EXPECT_THROW(find_integrator("abm5").make_explicit(system, {}, {}), OptionError);
  EXPECT_THROW(find_integrator("bdf-fixed").make_explicit(system, {}, {}), OptionError);
}

TEST(FixedMultistep, KeepsItsHistoryWhenTheEquationsChange) {
  // The same equations, announced as changed at every step: the result is the same to the bit.
  const FunctionOde system = test::oscillator();
  const auto end = [&](bool announce) {
    daedal::Run run;
    const auto stepper =
        find_integrator("abm5").make_explicit(system, {.fixed_step = 0.05, .log = {}}, {});
    stepper->start(0.0, std::vector{1.0, 0.0}, {}, run, 3.0);
    test::run_to(*stepper, 3.0, [&](const StepReport& report) {
      if (announce && report.t0 > 0.5) stepper->equations_changed();
    });
    return std::vector(stepper->x().begin(), stepper->x().end());
  };
  EXPECT_EQ(end(true), end(false));
}

TEST(FixedMultistep, ReportsAValueThatIsNotFinite) {
  const FunctionOde system(1, [](double t, In, Out xp) { xp[0] = std::sqrt(1.0 - t); });
  for (const char* name : {"abm5", "bdf-fixed"}) {
    daedal::Run run;
    const auto stepper =
        find_integrator(name).make_explicit(system, {.fixed_step = 0.03, .log = {}}, {});
    stepper->start(0.0, std::vector{0.0}, {}, run, 2.0);
    const auto report = test::run_to(*stepper, 2.0);
    EXPECT_EQ(report.status, Status::non_finite_value) << name;
    EXPECT_NEAR(stepper->time(), 0.99, 1e-9) << name;
  }
}

}  // namespace
}  // namespace daedal::integration
