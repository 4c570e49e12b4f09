// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/general/direct.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/solve.hpp>
#include <random>
#include <thread>

#include "formulation/formulation_support.hpp"
#include "formulation/frame/registry.hpp"
#include "formulation/frame/written_equations.hpp"

namespace daedal::formulation {
namespace {

using test::make;
using testing::HasSubstr;
using testing::Not;

Start start_of(const Formulation& formulation, double t0 = 0.0) {
  const auto run = formulation.system().make_run();
  return formulation.start(t0, *run);
}

TEST(Direct, StartsRobertsonWithoutMovingAFixedValue) {
  const auto formulation = make("direct", test::robertson());
  const auto start = start_of(formulation);
  ASSERT_EQ(start.status, Status::success) << start.message;
  EXPECT_EQ(start.x[0], 1.0);
  EXPECT_EQ(start.x[1], 0.0);
  EXPECT_NEAR(start.x[2], 0.0, 1e-15);
  EXPECT_NEAR(start.xp[0], -0.04, 1e-15);
  EXPECT_NEAR(start.xp[1], 0.04, 1e-15);
  // The derivative of the algebraic variable follows from the differentiated conservation law.
  EXPECT_NEAR(start.xp[2], 0.0, 1e-15);
  ASSERT_EQ(start.notices.size(), 1U);
  EXPECT_THAT(start.notices[0], HasSubstr("y3"));
}

TEST(Direct, StepsTheEquationsThatOthersCheckUnlessStartsAreItsOwn) {
  Request request;
  request.model = test::robertson();
  request.parameters = request.model.parameter_values();
  request.method = Method("direct");
  const auto& row = find_method("direct");
  const auto written = recognized(request).written();
  EXPECT_EQ(row.make(request).implicit_system, written);
  request.starts = {{"y1", 0.5}};
  EXPECT_NE(row.make(request).implicit_system, written);
}

/// F_x and F_x' against central differences at a point off the solution.
void expect_analytic_jacobian(const Model& model) {
  const auto formulation = make("direct", model);
  const auto& system = *formulation.implicit_system;
  const auto run = system.make_run();
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
  ASSERT_EQ(system.jacobian(0.3, x, xp, *run, f_x, f_xp), Evaluation::ok);
  for (const bool by_derivative : {false, true}) {
    auto& moved = by_derivative ? xp : x;
    const auto& entries = by_derivative ? f_xp : f_x;
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<double> high(n);
      std::vector<double> low(n);
      const double h = 0.25;  // residuals are quadratic in each unknown: no truncation error
      const double value = moved[j];
      moved[j] = value + h;
      system.residual(0.3, x, xp, *run, high);
      moved[j] = value - h;
      system.residual(0.3, x, xp, *run, low);
      moved[j] = value;
      std::vector<double> column(n, 0.0);
      for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p)
        column[to_size(pattern.row[to_size(p)])] = entries[to_size(p)];
      for (std::size_t i = 0; i < n; ++i) {
        const double difference = (high[i] - low[i]) / (2 * h);
        // Rounding of terms up to 1e8 remains.
        EXPECT_NEAR(column[i], difference, 1e-7 * (1.0 + std::abs(difference)))
            << "row " << i << ", column " << j << (by_derivative ? " of F_x'" : " of F_x");
      }
    }
  }
}

TEST(Direct, HasAnalyticJacobiansThatAgreeWithDifferences) {
  expect_analytic_jacobian(test::pendulum());
  expect_analytic_jacobian(test::pendulum_index_1());
  expect_analytic_jacobian(test::robertson());
}

TEST(Direct, KnowsWhichUnknownsAreDifferential) {
  const auto formulation = make("direct", test::robertson());
  const auto kinds = formulation.system().kinds();
  EXPECT_TRUE(kinds[0].differential);
  EXPECT_TRUE(kinds[1].differential);
  EXPECT_FALSE(kinds[2].differential);
}

TEST(Direct, RefusesAPendulumOfIndexThreeNamingTheRod) {
  const auto formulation = make("direct", test::pendulum());
  const auto start = start_of(formulation);
  EXPECT_EQ(start.status, Status::index_too_high);
  EXPECT_THAT(start.message, HasSubstr("'rod'"));
  EXPECT_THAT(start.message, HasSubstr("'lambda'"));
  EXPECT_THAT(start.message, Not(HasSubstr("'vertical'")));
}

TEST(Direct, SaysWhenNothingDeterminesTheSolution) {
  ModelBuilder b("Twice");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  b.equation(der(x) == y, "first");
  b.equation(2.0 * der(x) == 2.0 * y, "again");
  const auto start = start_of(make("direct", b.build()));
  EXPECT_EQ(start.status, Status::no_unique_solution);
  EXPECT_THAT(start.message, HasSubstr("'first' and 'again'"));
}

TEST(Direct, NamesContradictoryFixedValuesAndTheirEquation) {
  ModelBuilder b("Contradiction");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y", {.start = 3.0, .fixed = true});
  b.equation(der(x) == -x, "decay");
  b.equation(y == 2.0 * x, "double", {.file = "m.mo", .line = 7, .column = 3});
  const auto start = start_of(make("direct", b.build()));
  EXPECT_EQ(start.status, Status::inconsistent_start);
  EXPECT_THAT(start.message, HasSubstr("'double' (line 7)"));
  EXPECT_THAT(start.message, HasSubstr("x = 1"));
  EXPECT_THAT(start.message, HasSubstr("y = 3"));
}

TEST(Direct, MovesAGuessThatAFixedAlgebraicValueContradicts) {
  ModelBuilder b("Guess");
  const Expr x = b.variable("x", {.start = 1.0});
  const Expr y = b.variable("y", {.start = 3.0, .fixed = true});
  b.equation(der(x) == -x);
  b.equation(y == 2.0 * x);
  const auto start = start_of(make("direct", b.build()));
  ASSERT_EQ(start.status, Status::success) << start.message;
  EXPECT_NEAR(start.x[0], 1.5, 1e-12);
  EXPECT_NEAR(start.xp[0], -1.5, 1e-12);
  ASSERT_EQ(start.notices.size(), 1U);
  EXPECT_THAT(start.notices[0], HasSubstr("x from 1 to 1.5"));
}

TEST(Direct, TakesStartValuesOfTheRunAsFixed) {
  const auto formulation = make("direct", test::robertson(), {{"y2", 0.25}});
  const auto start = start_of(formulation);
  ASSERT_EQ(start.status, Status::success);
  EXPECT_EQ(start.x[1], 0.25);
  EXPECT_NEAR(start.x[2], -0.25, 1e-12);
  EXPECT_THROW(make("direct", test::robertson(), {{"y4", 0.25}}), ModelError);
}

// der(x) = 0 at the start: x = 4/3 from 0 = 4 − 3x, whatever the guess.
TEST(Direct, SolvesInitialEquationsForASteadyState) {
  ModelBuilder b("Steady");
  const Expr x = b.variable("x", {.start = 10.0});
  b.equation(der(x) == 4.0 - 3.0 * x);
  b.initial_equation(der(x) == 0.0, "steady");
  const auto start = start_of(make("direct", b.build()));
  ASSERT_EQ(start.status, Status::success) << start.message;
  EXPECT_NEAR(start.x[0], 4.0 / 3.0, 1e-13);
  EXPECT_NEAR(start.xp[0], 0.0, 1e-12);
}

// The parameter k is to make x'(0) = −6 at x = 2: k = 3, and the run uses it: x(1) = 2·exp(−3).
TEST(Direct, FindsAParameterByAnInitialEquation) {
  ModelBuilder b("Calibrated");
  const Expr k = b.parameter("k", Expr(1.0), {.fixed = false});
  const Expr x = b.variable("x", {.start = 2.0, .fixed = true});
  b.equation(der(x) == -k * x);
  b.initial_equation(der(x) == -6.0);
  const Solution s =
      solve(b.build(), {0.0, 1.0}, {.method = "direct", .rtol = 1e-9, .atol = 1e-12});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("x"), 2.0 * std::exp(-3.0), 1e-8);
}

// x(0) = 2p and p·x(0) = 8: p = 2, x(1) = 4·exp(−2). The start values 1 and 2 are guesses only.
TEST(Direct, FindsAFixedStartWithTheParameterThatItDependsOn) {
  ModelBuilder b("Linked");
  const Expr p = b.parameter("p", Expr(1.0), {.fixed = false});
  const Expr q = b.parameter("q", 2.0 * p);
  const Expr x = b.variable("x", {.start = q, .fixed = true});
  b.equation(der(x) == -p * x);
  b.initial_equation(p * x == 8.0);
  const Model model = b.build();
  for (const char* method : {"auto", "direct", "dummy-derivatives"}) {
    const Solution s = solve(model, {0.0, 1.0}, {.method = method, .rtol = 1e-9, .atol = 1e-12});
    ASSERT_EQ(s.status, Status::success) << method << ": " << s.message;
    EXPECT_NEAR(s.final_value("x"), 4.0 * std::exp(-2.0), 1e-7) << method;  // 100 rtol
  }
}

TEST(Direct, NamesTheEquationThatIsNotFiniteAtTheStart) {
  ModelBuilder b("Domain");
  const Expr x = b.variable("x", {.start = -1.0, .fixed = true});
  const Expr y = b.variable("y");
  b.equation(der(x) == y);
  b.equation(y == log(x), "logarithm", {.file = "m.mo", .line = 4, .column = 1});
  const auto start = start_of(make("direct", b.build()));
  EXPECT_EQ(start.status, Status::non_finite_value);
  EXPECT_THAT(start.message, HasSubstr("'logarithm' (line 4)"));
}

TEST(Direct, ReportsARowThatIsNotFiniteAsRecoverable) {
  ModelBuilder b("Root");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y", {.start = 1.0, .fixed = true});
  b.equation(der(x) == 1.0);
  b.equation(der(y) == sqrt(x), "root");
  const auto formulation = make("direct", b.build());
  const auto& system = *formulation.implicit_system;
  const auto run = system.make_run();
  std::vector<double> values(2);
  const std::vector x_bad{-1.0, 0.0};
  const std::vector xp{0.0, 0.0};
  EXPECT_EQ(system.residual(0.0, x_bad, xp, *run, values), Evaluation::recoverable);
  EXPECT_EQ(run->failure.row, 1);
  EXPECT_THAT(run->failure.detail, HasSubstr("'root'"));
}

// x1' + x2' = 2, x1 = x2: index 1 although both derivatives appear; x1' = x2' = 1.
TEST(Direct, FindsDerivativesThatOnlyTheDifferentiatedEquationGives) {
  ModelBuilder b("Sum");
  const Expr x1 = b.variable("x1", {.start = 3.0, .fixed = true});
  const Expr x2 = b.variable("x2", {.start = 0.0});
  b.equation(der(x1) + der(x2) == 2.0);
  b.equation(x1 == x2 * 1.5);
  const auto start = start_of(make("direct", b.build()));
  ASSERT_EQ(start.status, Status::success) << start.message;
  EXPECT_NEAR(start.x[1], 2.0, 1e-13);
  EXPECT_NEAR(start.xp[0], 1.2, 1e-12);
  EXPECT_NEAR(start.xp[1], 0.8, 1e-12);
}

// End values of SUNDIALS' Robertson example at t = 4e10. y3 = 1 − y1 − y2 carries rounding errors
// of 1e-16, so that the absolute tolerance stays above them; y2 has its own by its nominal value.
TEST(Direct, SolvesRobertsonsKineticsOverElevenDecades) {
  const double rtol = 1e-7;
  const Solution s = solve(test::robertson(), {0.0, 4e10},
                           {.method = "direct", .integrator = "bdf", .rtol = rtol, .atol = 1e-15});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("y1") / 5.20834518e-8, 1.0, 100 * rtol);
  EXPECT_NEAR(s.final_value("y2") / 2.08333818e-13, 1.0, 100 * rtol);
}

// Energy v²/2 + g·y is zero from rest at y = 0, and the quarter period from horizontal to the
// lowest point is K(sin 45°)/√g with K = 1.854074677301372.
TEST(Direct, SwingsThePendulumOfIndexOne) {
  const double quarter = 1.854074677301372 / std::sqrt(9.81);
  const Solution s = solve(test::pendulum_index_1(), {0.0, quarter},
                           {.method = "direct", .integrator = "bdf", .rtol = 1e-9, .atol = 1e-11});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("x"), 0.0, 1e-6);
  EXPECT_NEAR(s.final_value("y"), -1.0, 1e-6);
  EXPECT_NEAR(s.final_value("lambda"), 3 * 9.81, 1e-4);
}

TEST(Direct, ReportsTheResidualOfAlgebraicEquationsAsLevelZero) {
  const auto formulation = make("direct", test::robertson());
  ASSERT_EQ(formulation.levels.n, 1);
  const auto run = formulation.system().make_run();
  const std::vector x{0.5, 0.25, 0.5};
  const std::vector xp{0.0, 0.0, 0.0};
  EXPECT_DOUBLE_EQ(formulation.levels.residual(0.0, x, xp, 0, *run), 0.25);
}

// A heat chain of 50,000 cells with 50,000 algebraic fluxes.
TEST(Direct, StartsAHundredThousandEquations) {
  ModelBuilder b("Chain");
  const int n = 50'000;
  std::vector<Expr> x;
  std::vector<Expr> flux;
  for (int i = 0; i < n; ++i) {
    x.push_back(b.variable("x" + std::to_string(i), {.start = i == 0 ? 1.0 : 0.0, .fixed = true}));
    flux.push_back(b.variable("f" + std::to_string(i)));
  }
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    b.equation(flux[k] == (i + 1 < n ? x[k] - x[k + 1] : x[k]));
    b.equation(der(x[k]) == (i > 0 ? flux[k - 1] : Expr(0.0)) - flux[k]);
  }
  const auto start = start_of(make("direct", b.build()));
  ASSERT_EQ(start.status, Status::success) << start.message;
  EXPECT_NEAR(start.xp[0], -1.0, 1e-14);
  EXPECT_NEAR(start.xp[2], 1.0, 1e-14);
  EXPECT_NEAR(start.x[1], 1.0, 1e-14);
}

TEST(Direct, SolvesOneModelInTwoThreadsAtOnce) {
  const Model model = test::pendulum_index_1();
  std::vector<double> results(2);
  const auto work = [&](std::size_t i) {
    const Solution s = solve(model, {0.0, 1.0}, {.method = "direct", .integrator = "bdf"});
    results[i] = s.final_value("x");
  };
  std::thread first(work, 0);
  std::thread second(work, 1);
  first.join();
  second.join();
  EXPECT_EQ(results[0], results[1]);
  EXPECT_TRUE(std::isfinite(results[0]));
}

TEST(Registry, SuggestsTheNearestMethod) {
  try {
    (void)find_method("direkt");
    FAIL() << "no error";
  } catch (const OptionError& error) {
    EXPECT_EQ(error.code(), ErrorCode::unknown_method);
    EXPECT_THAT(error.what(), HasSubstr("Did you mean 'direct'?"));
  }
}

}  // namespace
}  // namespace daedal::formulation
