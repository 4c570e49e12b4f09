// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/one_step/collocation_scheme.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <daedal/error.hpp>
#include <numbers>
#include <vector>

#include "integrate/hessenberg_problem.hpp"
#include "integrate/registry.hpp"
#include "integrate/stepping.hpp"
#include "support/order_fit.hpp"

namespace daedal::integration {
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
                                          Integrator(integrator, {{"stages", stages}}));
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
    EXPECT_NE(std::string(error.what()).find("x[5]"), std::string::npos) << error.what();
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
  EXPECT_THROW(find_integrator("radau").make_explicit(system, {}, Radau{.stages = 2}), OptionError);
  EXPECT_THROW(find_integrator("radau").make_explicit(system, {}, Radau{.stages = 7}), OptionError);
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
  EXPECT_NE(report.message.find("x[2]"), std::string::npos) << report.message;
}

// x1' = 2 x1, x2 = 3 x1: what x1 is off grows by e^6 up to t = 3, as x1 itself does, and x2 is off
// three times as much.
TEST(Radau, CarriesPerturbationsAlong) {
  FunctionDae system(2, [](double, In x, In xp, Out f) {
    f[0] = xp[0] - 2.0 * x[0];
    f[1] = x[1] - 3.0 * x[0];
  });
  system.unknown_kinds = {{.differential = true}, {.differential = false}};
  daedal::Run run;
  const auto stepper = find_integrator("radau").make_implicit(system, {}, {});
  stepper->start(0.0, std::vector{1.0, 3.0}, std::vector{2.0, 0.0}, run, 3.0);
  std::vector<double> v{1e-3, 0.0};
  const auto report =
      test::run_to(*stepper, 3.0, [&](const StepReport&) { EXPECT_TRUE(stepper->carry(v)); });
  ASSERT_EQ(report.status, Status::success) << report.message;
  EXPECT_NEAR(std::log(v[0] / 1e-3), 6.0, 1e-4);
  EXPECT_NEAR(v[1] / v[0], 3.0, 1e-9);
}

TEST(Radau, ReportsANewtonFailureWhenNoStepHelps) {
  // x² = -1 has no solution at all.
  FunctionDae system(1, [](double, In x, In, Out f) { f[0] = x[0] * x[0] + 1.0; });
  system.unknown_kinds = {{.differential = false}};
  daedal::Run run;
  const auto stepper = find_integrator("radau").make_implicit(system, {}, {});
  stepper->start(0.0, std::vector{0.7}, std::vector{0.0}, run, 1.0);
  const auto report = stepper->advance(1.0);
  EXPECT_EQ(report.status, Status::newton_failure) << report.message;
  EXPECT_EQ(stepper->time(), 0.0);
}

/// The heat equation on n inner points of the unit interval: tridiagonal, solved by sparse LU.
class Heat final : public ImplicitSystem {
 public:
  explicit Heat(std::int64_t n) : scale_(static_cast<double>((n + 1) * (n + 1))) {
    pattern_ = {n, n, {0}, {}};
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = std::max<std::int64_t>(j - 1, 0); i <= std::min(j + 1, n - 1); ++i) {
        pattern_.row.push_back(i);
      }
      pattern_.column_start.push_back(pattern_.nonzeros());
    }
  }
  [[nodiscard]] std::int64_t size() const override { return pattern_.rows; }
  [[nodiscard]] const SparsityPattern& pattern() const override { return pattern_; }
  Evaluation residual(double, In x, In xp, daedal::Run&, Out f) const override {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double left = i > 0 ? x[i - 1] : 0.0;
      const double right = i + 1 < x.size() ? x[i + 1] : 0.0;
      f[i] = xp[i] - scale_ * (left - 2.0 * x[i] + right);
    }
    return Evaluation::ok;
  }
  Evaluation jacobian(double, In, In, daedal::Run&, Out f_x, Out f_xp) const override {
    for (std::int64_t j = 0; j < pattern_.columns; ++j) {
      const auto first = static_cast<std::size_t>(pattern_.column_start[to_size(j)]);
      const auto last = static_cast<std::size_t>(pattern_.column_start[to_size(j + 1)]);
      for (std::size_t k = first; k < last; ++k) {
        const bool is_diagonal = pattern_.row[k] == j;
        f_x[k] = is_diagonal ? 2.0 * scale_ : -scale_;
        f_xp[k] = is_diagonal ? 1.0 : 0.0;
      }
    }
    return Evaluation::ok;
  }

 private:
  double scale_;
  SparsityPattern pattern_;
};

TEST(Radau, SolvesALargeSparseSystem) {
  // The slowest mode sin(πi/(n+1)) decays with the rate 4(n+1)² sin²(π/2(n+1)) of the difference
  // operator.
  constexpr std::int64_t n = 300;
  const Heat system(n);
  const double angle = std::numbers::pi / static_cast<double>(n + 1);
  const double rate =
      4.0 * static_cast<double>((n + 1) * (n + 1)) * std::pow(std::sin(angle / 2), 2);
  std::vector<double> x(n);
  std::vector<double> xp(n);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::sin(angle * static_cast<double>(i + 1));
    xp[i] = -rate * x[i];
  }
  for (const char* name : {"radau", "gauss"}) {
    daedal::Run run;
    const auto stepper =
        find_integrator(name).make_implicit(system, {.rtol = 1e-8, .atol = 1e-8, .log = {}}, {});
    stepper->start(0.0, x, xp, run, 0.3);
    ASSERT_EQ(test::run_to(*stepper, 0.3).status, Status::success) << name;
    EXPECT_NEAR(stepper->x()[n / 2], x[n / 2] * std::exp(-0.3 * rate), 1e-6) << name;
  }
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
  const FunctionOde system = test::oscillator();
  daedal::Run run;
  const auto stepper =
      find_integrator("radau").make_explicit(system, {.rtol = 1e-9, .atol = 1e-9, .log = {}}, {});
  stepper->start(0.0, std::vector{1.0, 0.0}, {}, run, 20.0);
  int highest = 0;
  test::run_to(*stepper, 20.0, [&](const StepReport& r) { highest = std::max(highest, r.order); });
  EXPECT_EQ(highest, 13);
  EXPECT_NEAR(stepper->x()[0], std::cos(20.0), 1e-7);
}

TEST(Radau, KeepsFewJacobiansAndFactorisationsOnALinearProblem) {
  const FunctionOde system(2, [](double, In x, Out xp) {
    xp[0] = -1000.0 * x[0] + x[1];
    xp[1] = -x[1];
  });
  daedal::Run run;
  const auto stepper = find_integrator("radau").make_explicit(
      system, {.rtol = 1e-7, .atol = 1e-7, .log = {}}, Radau{.stages = 3});
  stepper->start(0.0, std::vector{1.0, 1.0}, {}, run, 5.0);
  ASSERT_EQ(test::run_to(*stepper, 5.0).status, Status::success);
  Statistics statistics;
  stepper->count(statistics);
  EXPECT_EQ(statistics.jacobian_evaluations, 1);
  EXPECT_LT(statistics.factorizations, 2 * (statistics.steps + statistics.rejected));
}

}  // namespace
}  // namespace daedal::integration
