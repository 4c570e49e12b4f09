// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/error.hpp>
#include <daedal/solve.hpp>

#include "formulation/regularized/support.hpp"
#include "problems/problems.hpp"
#include "support/errors.hpp"

// Sequential regularisation of singular and redundant constraints, and what it refuses.

namespace daedal {
namespace {

using problems::ascher_lin_line;
using test::error_of;
using test::max_error;
using testing::HasSubstr;

SolveOptions options(FieldValues parameters) {
  return {.method = Method("srm", std::move(parameters)), .dense_output = false};
}

TEST(SrmSingular, PassesTheBifurcationOfTheSliderCrank) {
  // The reduction Gv + γg = 0, γ = 10, from y₀ = y(0): 1.05e-4 by
  // tests/oracles/sequential_regularization.py.
  SolveOptions run =
      options({{"E", 3}, {"epsilon", 1e-4}, {"iterations", 3}, {"gamma", 10}, {"start_order", 0}});
  run.rtol = 1e-8;
  run.atol = 1e-10;
  run.max_step = 0.01;
  const Solution solution = solve(test::slider_crank(test::pi / 4), {0.0, 2.0}, run);
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(max_error(solution, test::slider_crank_branch(test::pi / 4, 0.0, 2.0)), 1.05e-4,
              0.05 * 1.05e-4);
  EXPECT_THAT(solution.warnings, testing::Contains(HasSubstr("the matrix CB is singular")));
}

TEST(SrmSingular, StopsWithTheInverseWhereBranchesMeet) {
  for (const double epsilon : {1e-2, 1e-3, 1e-4}) {
    const Solution solution = solve(test::slider_crank(test::pi / 4), {0.0, 2.0},
                                    options({{"E", 1}, {"epsilon", epsilon}, {"iterations", 3}}));
    EXPECT_EQ(solution.status, Status::bifurcation) << epsilon << ": " << solution.message;
    EXPECT_THAT(solution.message, HasSubstr("E = (CB)^-1")) << epsilon;
    // What was computed up to there is kept, and is good.
    ASSERT_GT(solution.n_rows(), 5U);
    EXPECT_GT(solution.times.back(), 0.9) << epsilon;
    EXPECT_LT(solution.times.back(), 1.05) << epsilon;
  }
}

TEST(SrmSingular, TakesRedundantConstraints) {
  const Solution solution = solve(test::doubled_pendulum(), {0.0, 1.0}, options({}));
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_LE(max_error(solution, test::pendulum_motion(1.0)), 1e-4);
}

TEST(SrmSingular, StopsWhereAnEigenvalueOfCBChangesItsSign) {
  const Solution solution =
      solve(ascher_lin_line(0.0, false), {0.0, 1.0}, options({{"E", 3}, {"epsilon", 0.05}}));
  EXPECT_EQ(solution.status, Status::rank_change) << solution.message;
  EXPECT_THAT(solution.message, HasSubstr("changed its sign"));
  EXPECT_NEAR(solution.times.back(), 0.5, 0.1);
}

TEST(SrmSingular, WarnsWhenPerturbationsGrow) {
  // x₂ grows like e^(20t) along the constraint.
  ModelBuilder b("Unstable");
  const Expr t = b.time();
  const Expr x1 = b.variable("x1", {.start = 0.0, .fixed = true});
  const Expr x2 = b.variable("x2", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y");
  b.equation(der(x1) == -y);
  b.equation(der(x2) == 20 * (x2 - cos(t)) - sin(t));
  b.equation(x1 - sin(t) == 0, "path");
  const Solution solution = solve(b.build(), {0.0, 0.8}, options({}));
  EXPECT_THAT(solution.warnings, testing::Contains(HasSubstr("assumption H3")));
}

TEST(SrmRefuses, RedundantConstraintsWithTheInverse) {
  const Solution solution = solve(test::doubled_pendulum(), {0.0, 1.0}, options({{"E", 1}}));
  EXPECT_EQ(solution.status, Status::singular_iteration_matrix);
  EXPECT_THAT(solution.message, HasSubstr("E = (CB)^-1 does not exist"));
}

TEST(SrmRefuses, AnIndefiniteCBWithTheIdentity) {
  ModelBuilder b("Indefinite");
  const Expr x1 = b.variable("x1", {.start = 0.0}), x2 = b.variable("x2", {.start = 0.0});
  const Expr y1 = b.variable("y1"), y2 = b.variable("y2");
  b.equation(der(x1) == 1 - y1);
  b.equation(der(x2) == 1 + y2);
  b.equation(x1 == 0, "first");
  b.equation(x2 == 0, "second");
  const Model model = b.build();
  const Solution refused = solve(model, {0.0, 1.0}, options({{"E", 3}}));
  EXPECT_EQ(refused.status, Status::singular_iteration_matrix);
  EXPECT_THAT(refused.message, HasSubstr("both signs"));
  for (const double gain : {0.0, 1.0, 2.0}) {
    const Solution solution = solve(model, {0.0, 1.0}, options({{"E", gain}}));
    ASSERT_EQ(solution.status, Status::success) << solution.message;
    EXPECT_NEAR(solution.final_value("y1"), 1.0, 1e-6);
    EXPECT_NEAR(solution.final_value("y2"), -1.0, 1e-6);
  }
}

TEST(SrmRefuses, WrongParameters) {
  const std::vector<std::pair<FieldValues, std::string>> wrong{
      {{{"E", 7}}, "'E'"},
      {{{"E", 1.5}}, "whole number"},
      {{{"epsilon", 0.0}}, "'epsilon'"},
      {{{"epsilon", -1.0}}, "'epsilon'"},
      {{{"iterations", 0}}, "'iterations'"},
      {{{"iterations", 2.5}}, "whole number"},
      {{{"start_order", -2}}, "'start_order'"},
      {{{"alpha1", -1}}, "'alpha1'"},
      {{{"alpha1", 0}, {"alpha2", 0}}, "both 0"},
      {{{"delta", 1}, {"E", 1}}, "'delta'"},
      {{{"gamma", 0}}, "'gamma'"}};
  for (const auto& [parameters, text] : wrong) {
    const Error error = error_of<OptionError>(
        [&, &given = parameters] { (void)solve(ascher_lin_line(), {0.0, 1.0}, options(given)); });
    EXPECT_EQ(error.code(), ErrorCode::invalid_option) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(text));
  }
  SolveOptions staggered = options({});
  staggered.method = ParkChiou{.gain = SrmGain::transpose};
  const Error error =
      error_of<OptionError>([&] { (void)solve(ascher_lin_line(), {0.0, 1.0}, staggered); });
  EXPECT_THAT(error.what(), HasSubstr("park-chiou"));
}

TEST(SrmRefuses, ModelsThatAreNoHessenbergSystem) {
  ModelBuilder b("Index1");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true}), z = b.variable("z");
  b.equation(der(x) == -z);
  b.equation(z * z * z + z == x);
  const Model model = b.build();
  for (const char* method : {"srm", "penalty", "park-chiou"}) {
    const Error error =
        error_of<ModelError>([&] { (void)solve(model, {0.0, 1.0}, {.method = method}); });
    EXPECT_EQ(error.code(), ErrorCode::not_recognized) << method;
    EXPECT_THAT(error.what(), HasSubstr("Hessenberg")) << method;
  }
}

TEST(SrmRefuses, StepsTooLongForAnExplicitIntegrator) {
  SolveOptions run = options({{"epsilon", 0.001}, {"E", 1}});
  run.integrator = "euler-forward";
  run.fixed_step = 0.0025;  // −h/ε = −2.5 is outside [−2, 0]
  const Error error =
      error_of<OptionError>([&] { (void)solve(ascher_lin_line(), {0.0, 1.0}, run); });
  EXPECT_EQ(error.code(), ErrorCode::illegal_combination);
  EXPECT_THAT(error.what(), HasSubstr("unstable"));
  run.integrator = "rk4";  // which bears 2.785
  EXPECT_EQ(solve(ascher_lin_line(), {0.0, 1.0}, run).status, Status::success);
}

TEST(PenaltyMethod, IsOneIterationFromZero) {
  SolveOptions one = options({{"epsilon", 0.01}, {"iterations", 1}, {"start_order", -1}, {"E", 1}});
  one.integrator = "radau";
  one.fixed_step = 0.02;
  SolveOptions penalty = one;
  penalty.method = "penalty";
  penalty.method = Penalty{.epsilon = 0.01, .gain = SrmGain::inverse};
  const Solution a = solve(ascher_lin_line(), {0.0, 0.4}, one);
  const Solution b = solve(ascher_lin_line(), {0.0, 0.4}, penalty);
  ASSERT_EQ(b.status, Status::success) << b.message;
  EXPECT_EQ(a.values, b.values);
}

TEST(ParkChiou, ConvergesWithEpsilonWhereNothingIsSingular) {
  // y' = −(y − y_e)/ε for A = 1: an error of ε y_e', and no layer from the exact start.
  ModelBuilder b("Path");
  const Expr t = b.time();
  const Expr x = b.variable("x", {.start = 0.0, .fixed = true}), y = b.variable("y");
  b.equation(der(x) == -y);
  b.equation(x - sin(t) == 0, "path");
  const Model model = b.build();
  for (const double gain : {1.0, 3.0}) {
    SolveOptions run = options({});
    run.method = Method("park-chiou", {{"epsilon", 1e-3}, {"E", gain}});
    const Solution solution = solve(model, {0.0, 1.0}, run);
    ASSERT_EQ(solution.status, Status::success) << solution.message;
    // y_e = −cos t; y − y_e = −ε y_e' + O(ε²) = −ε sin t.
    EXPECT_NEAR(solution.final_value("y") + std::cos(1.0), -1e-3 * std::sin(1.0), 2e-5);
    EXPECT_NEAR(solution.final_value("By(x)"), solution.final_value("y"), 1e-12);
  }
}

}  // namespace
}  // namespace daedal
