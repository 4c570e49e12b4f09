// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <daedal/solve.hpp>

#include "formulation/regularized/support.hpp"
#include "formulation/srm/srm_context.hpp"
#include "formulation/srm/srm_system.hpp"
#include "problems/problems.hpp"
#include "support/order_fit.hpp"

// Ascher, Lin: orders of the theorems, the chain of iterates and its start.

namespace daedal {
namespace {

using problems::ascher_lin_comparison;
using problems::ascher_lin_line;
using test::Exact;
using test::max_error;

/// The solution of Examples 1 to 3 in our sign: x₂' = −By₂ = cos t.
const Exact line_motion{{"x1", [](double t) { return std::exp(-t); }},
                        {"x2", [](double t) { return std::sin(t); }}};
const Exact line_force{{"By(x2)", [](double t) { return -std::cos(t); }}};

SolveOptions resolved(FieldValues parameters) {
  return {.method = Method("srm", std::move(parameters)),
          .integrator = "dop853",
          .rtol = 1e-12,
          .atol = 1e-12,
          .dense_output = false};
}

Solution run(const Model& model, const FieldValues& parameters, double stop = 1.0) {
  Solution solution = solve(model, {0.0, stop}, resolved(parameters));
  EXPECT_EQ(solution.status, Status::success) << solution.message;
  return solution;
}

/// Orders in ε of the greatest errors of x and By over the run.
std::array<double, 2> epsilon_orders(const Model& model, FieldValues parameters,
                                     const std::vector<double>& epsilons) {
  std::vector<double> x, by;
  for (const double epsilon : epsilons) {
    parameters["epsilon"] = epsilon;
    const Solution solution = run(model, parameters);
    x.push_back(max_error(solution, line_motion));
    by.push_back(max_error(solution, line_force));
  }
  return {test::fit_slope(epsilons, x), test::fit_slope(epsilons, by)};
}

class SrmIterations : public testing::TestWithParam<int> {};

TEST_P(SrmIterations, GainOnePowerOfEpsilonEachAwayFromTheStart) {
  const int s = GetParam();
  std::vector<double> x, by;
  const std::vector<double> epsilons{0.01, 0.005};
  for (const double epsilon : epsilons) {
    const Solution solution = run(
        ascher_lin_line(), {{"epsilon", epsilon}, {"iterations", s}, {"start_order", 0}, {"E", 1}});
    x.push_back(std::max(std::abs(solution.final_value("x1") - std::exp(-1.0)),
                         std::abs(solution.final_value("x2") - std::sin(1.0))));
    by.push_back(std::abs(solution.final_value("By(x2)") + std::cos(1.0)));
  }
  EXPECT_NEAR(test::fit_slope(epsilons, x), s, 0.25);
  EXPECT_NEAR(test::fit_slope(epsilons, by), s, 0.25);
}

TEST_P(SrmIterations, HaveTheLayersOfTheStartingIterate) {
  // Theorem 3.1: min(s, M + 2) in x and min(s, M + 1) in By, layers included.
  const int s = GetParam();
  for (const int start_order : {-1, 0, 1, 2}) {
    const auto orders =
        epsilon_orders(ascher_lin_line(),
                       {{"iterations", s}, {"start_order", start_order}, {"E", 1}}, {0.004, 0.002});
    EXPECT_NEAR(orders[0], std::min(s, start_order + 2), 0.25) << "M = " << start_order;
    EXPECT_NEAR(orders[1], std::min(s, start_order + 1), 0.25) << "M = " << start_order;
  }
}

TEST_P(SrmIterations, HaveNoLayerWithTheDerivativeOfRegularConstraints) {
  // Theorem 3.2: order s from any starting iterate where α₁ ≠ 0.
  const int s = GetParam();
  const auto orders = epsilon_orders(
      ascher_lin_line(0.0, false),
      {{"iterations", s}, {"start_order", -1}, {"E", 1}, {"alpha1", 1.0}}, {0.02, 0.01});
  EXPECT_NEAR(orders[0], s, 0.25);
  EXPECT_NEAR(orders[1], s, 0.25);
}

INSTANTIATE_TEST_SUITE_P(OneToThree, SrmIterations, testing::Values(1, 2, 3));

TEST(Srm, HasOrderOneByBackwardEulerWhereEpsilonIsFarBelowTheStep) {
  // (4.8) for k = 1 Radau point, with ε² far below the errors.
  std::vector<double> x, by;
  const std::vector<double> steps{0.01, 0.005, 0.0025};
  for (const double h : steps) {
    const Solution solution =
        solve(ascher_lin_comparison(), {0.0, 1.0},
              {.method = Method("srm", {{"epsilon", 1e-6}, {"iterations", 2}, {"E", 1}}),
               .integrator = "euler-backward",
               .fixed_step = h,
               .dense_output = false});
    ASSERT_EQ(solution.status, Status::success) << solution.message;
    x.push_back(std::abs(solution.final_value("x1") - std::exp(1.0)));
    by.push_back(std::abs(solution.final_value("By(x1)") + 0.5 * std::exp(1.0)));
  }
  EXPECT_NEAR(test::fit_slope(steps, x), 1.0, 0.1);
  EXPECT_NEAR(test::fit_slope(steps, by), 1.0, 0.1);
}

TEST(Srm, RunsWithEveryOneStepSchemeFixedAndControlled) {
  for (const char* scheme : {"euler-forward", "euler-backward", "gauss", "radau", "dop853"}) {
    for (const double step : {0.0, 5e-4}) {
      const std::string name = scheme;
      if (step == 0.0 && name.starts_with("euler")) continue;
      const Solution solution =
          solve(ascher_lin_line(), {0.0, 1.0},
                {.method = "srm", .integrator = name, .fixed_step = step, .dense_output = false});
      ASSERT_EQ(solution.status, Status::success) << name << ": " << solution.message;
      // First-order schemes with this step; ε by the step where explicit ones need it.
      EXPECT_LE(max_error(solution, line_motion), name.starts_with("euler") ? 1e-3 : 2e-5) << name;
    }
  }
}

TEST(Srm, GivesByAtASingularTimeWhereYDoesNotExist) {
  SolveOptions options = resolved({{"epsilon", 0.01}, {"iterations", 3}, {"E", 1}});
  options.integrator = "gauss";
  options.fixed_step = 0.01;
  const Solution solution = solve(ascher_lin_line(), {0.0, 1.0}, options);
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  ASSERT_NEAR(solution.times[50], 0.5, 1e-12);
  EXPECT_NEAR(solution.row(50)[solution.column("By(x2)")], -std::cos(0.5), 1e-4);
  EXPECT_TRUE(std::isnan(solution.row(50)[solution.column("y")]));
  EXPECT_NEAR(solution.row(40)[solution.column("y")], std::cos(0.4) / 0.2, 1e-3);
}

TEST(Srm, SeesTheAssumptionsHoldAcrossASingularTime) {
  SolveOptions options = resolved({{"epsilon", 0.01}, {"iterations", 3}, {"E", 1}});
  options.integrator = "gauss";
  options.fixed_step = 0.04;
  const Solution solution = solve(ascher_lin_line(), {0.0, 1.0}, options);
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_THAT(solution.warnings,
              testing::Contains(testing::HasSubstr("assumptions H1 and H2 hold")));
}

TEST(Srm, DenseOutputKnowsTheStartingIterate) {
  SolveOptions options = resolved({{"epsilon", 0.01}, {"iterations", 3}, {"E", 1}});
  options.dense_output = true;
  const Solution solution = solve(ascher_lin_line(), {0.0, 1.0}, options);
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(solution.at(0.777, "By(x2)"), -std::cos(0.777), 1e-4);
}

TEST(Srm, RunsBackwardsInTime) {
  SolveOptions options = resolved({{"epsilon", 0.004}, {"iterations", 3}, {"E", 1}});
  options.start_values = {{"x1", std::exp(-1.0)}, {"x2", std::sin(1.0)}};
  for (const double alpha1 : {0.0, 1e-3}) {
    options.method.set("alpha1", alpha1);
    const Solution solution = solve(ascher_lin_line(0.0, alpha1 == 0.0), {1.0, 0.0}, options);
    ASSERT_EQ(solution.status, Status::success) << solution.message;
    EXPECT_LE(max_error(solution, line_motion), 1e-4) << alpha1;
    EXPECT_NEAR(solution.final_value("By(x2)"), -1.0, 1e-4) << alpha1;
  }
}

TEST(Srm, RestartsItsIteratesAtEvents) {
  ModelBuilder b("Switched");
  const Expr t = b.time();
  const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
  const Expr y = b.variable("y");
  b.equation(der(x) == if_else(t < 0.5, Expr(0.0), Expr(3.0)) - y);
  b.equation(x - sin(t) == 0, "path");
  const Solution solution =
      solve(b.build(), {0.0, 1.0}, {.method = "srm", .rtol = 1e-8, .atol = 1e-10});
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.events.size(), 1U);
  // y has the error of x divided by ε.
  EXPECT_NEAR(solution.at(0.49, "y"), -std::cos(0.49), 3e-4);
  EXPECT_NEAR(solution.at(0.51, "y"), 3.0 - std::cos(0.51), 3e-4);
  EXPECT_NEAR(solution.final_value("x"), std::sin(1.0), 1e-5);
}

TEST(Srm, MeetsTheToleranceByItself) {
  // Global errors grow along the run: a hundred tolerances are allowed for.
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    const Solution solution =
        solve(ascher_lin_line(), {0.0, 1.0}, {.method = "srm", .rtol = rtol, .atol = rtol / 100});
    ASSERT_EQ(solution.status, Status::success) << solution.message;
    EXPECT_LE(max_error(solution, line_motion), 20 * rtol);
    const Exact motion = test::pendulum_motion(1.0);
    ModelBuilder b("Pendulum");
    const Expr x = b.variable("x", {.start = 1.0, .fixed = true}), y = b.variable("y");
    const Expr u = b.variable("u"), v = b.variable("v", {.start = 0.0, .fixed = true});
    const Expr lambda = b.variable("lambda");
    b.equation(der(x) == u);
    b.equation(der(y) == v);
    b.equation(der(u) == -x * lambda);
    b.equation(der(v) == -y * lambda - 9.8);
    b.equation((x * x + y * y - 1) / 2 == 0, "rod");
    const Solution pendulum =
        solve(b.build(), {0.0, 1.0}, {.method = "srm", .rtol = rtol, .atol = rtol / 100});
    ASSERT_EQ(pendulum.status, Status::success) << pendulum.message;
    EXPECT_LE(max_error(pendulum, motion), 100 * rtol);
  }
}

}  // namespace
}  // namespace daedal

namespace daedal::formulation {
namespace {

Request request_of(Model model) {
  Request request;
  request.parameters = model.parameter_values();
  request.model = std::move(model);
  return request;
}

struct Chain {
  Chain(const Model& model, const SrmSettings& settings)
      : context(std::make_shared<const SrmContext>(request_of(model),
                                                   hessenberg_view(request_of(model)), settings)),
        system(context),
        base(system.make_run()),
        run(&run_of<SrmRun>(*base)) {
    start = SrmStart(*context).find(0.0, *run);
  }
  std::shared_ptr<const SrmContext> context;
  SrmOde system;
  std::unique_ptr<Run> base;
  SrmRun* run;
  Start start;
};

TEST(SrmStart, HasTheExactDerivativesOfY) {
  const Chain chain(problems::ascher_lin_line(),
                    {.gain = SrmGain::inverse, .epsilon = 0.1, .iterations = 2, .start_order = 4});
  ASSERT_EQ(chain.start.status, Status::success) << chain.start.message;
  // y = cos t/(1 − 2t) = (1 − t²/2 + t⁴/24)(1 + 2t + 4t² + 8t³ + 16t⁴) + ...
  const std::vector<double> expected{1.0, 2.0, 3.5, 7.0, 14.0 + 1.0 / 24.0};
  const auto found = chain.context->memory(*chain.run).coefficients();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << i;
}

TEST(SrmStart, ExpandsNonlinearSystemsOfSecondOrder) {
  // A pendulum released at (1, 0): x = cos a, y = sin a with a'' = −cos a, so λ = a'² − sin a
  // and a = −t²/2 + O(t⁶): λ = t² + t²/2 + O(t⁴).
  ModelBuilder b("Pendulum");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true}), y = b.variable("y");
  const Expr u = b.variable("u"), v = b.variable("v", {.start = 0.0, .fixed = true});
  const Expr lambda = b.variable("lambda");
  b.equation(der(x) == u);
  b.equation(der(y) == v);
  b.equation(der(u) == -x * lambda);
  b.equation(der(v) == -y * lambda - 1.0);
  b.equation((x * x + y * y - 1) / 2 == 0, "rod");
  const Chain chain(b.build(),
                    {.gain = SrmGain::identity, .epsilon = 0.1, .iterations = 1, .start_order = 3});
  ASSERT_EQ(chain.start.status, Status::success) << chain.start.message;
  const auto found = chain.context->memory(*chain.run).coefficients();
  const std::vector<double> expected{0.0, 0.0, 1.5, 0.0};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << i;
}

/// ∂x'/∂x by central differences against the chain's own.
double jacobian_error(Chain& chain, double t) {
  std::vector<double> x = chain.start.x;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += 0.01 * std::sin(3.0 + static_cast<double>(i));
  const std::size_t n = x.size();
  std::vector<double> f_x(n * n), above(n), below(n);
  EXPECT_EQ(chain.system.jacobian(t, x, *chain.run, f_x), Evaluation::ok)
      << chain.run->failure.detail;
  double worst = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    const double step = 1e-6, old = x[j];
    x[j] = old + step;
    EXPECT_EQ(chain.system.rhs(t, x, *chain.run, above), Evaluation::ok);
    x[j] = old - step;
    EXPECT_EQ(chain.system.rhs(t, x, *chain.run, below), Evaluation::ok);
    x[j] = old;
    for (std::size_t i = 0; i < n; ++i) {
      const double difference = (above[i] - below[i]) / (2 * step);
      worst = std::max(worst, std::abs(f_x[j * n + i] - difference));
    }
  }
  return worst;
}

TEST(SrmJacobian, IsExactWhereEDoesNotDependOnTheStates) {
  // Differences are good to about 1e-16/1e-6 times 1/ε.
  for (const double alpha1 : {0.0, 0.5}) {
    for (const SrmGain gain : {SrmGain::inverse, SrmGain::transpose}) {
      Chain line(
          problems::ascher_lin_line(),
          {.gain = gain, .epsilon = 0.1, .iterations = 3, .start_order = 1, .alpha1 = alpha1});
      EXPECT_LE(jacobian_error(line, 0.2), 1e-7);
    }
    // At the singular time both are limits from two sides.
    Chain singular(problems::ascher_lin_line(),
                   {.gain = SrmGain::inverse, .epsilon = 0.1, .iterations = 2, .start_order = 1});
    EXPECT_LE(jacobian_error(singular, 0.5), 1e-7);
  }
}

TEST(SrmJacobian, IsExactForMechanicsWithTheIdentity) {
  Chain crank(test::slider_crank(0.7), {.gain = SrmGain::identity,
                                        .epsilon = 0.1,
                                        .iterations = 2,
                                        .start_order = 1,
                                        .gamma = 10.0});
  ASSERT_EQ(crank.start.status, Status::success) << crank.start.message;
  EXPECT_LE(jacobian_error(crank, 0.0), 2e-6);
}

}  // namespace
}  // namespace daedal::formulation
