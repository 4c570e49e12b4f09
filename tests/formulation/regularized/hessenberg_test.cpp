// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <daedal/error.hpp>

#include "formulation/regularized/hessenberg_ode.hpp"
#include "formulation/regularized/support.hpp"
#include "support/order_fit.hpp"

// Petzold, Ren, Maly's index-2 examples and theorems; errors by tests/oracles/regularization.py.

namespace daedal {
namespace {

using test::Exact;
using test::max_error;

SolveOptions options(const std::string& method, double gamma, double epsilon) {
  return {.method = Method(method, {{"gamma", gamma}, {"epsilon", epsilon}}),
          .integrator = "dop853",
          .rtol = 1e-9,
          .atol = 1e-9,
          .dense_output = false};
}

double family_error(int k, const std::string& method, double epsilon, double cap = 1e-3) {
  SolveOptions with_cap = options(method, 1e3, epsilon);
  with_cap.max_step = cap;
  const Solution solution = solve(test::singular_family(k), {-1.0, 1.0}, with_cap);
  EXPECT_EQ(solution.status, Status::success) << solution.message;
  return max_error(solution, {{"x", [](double t) { return t + 1; }}});
}

TEST(Example51, HasTheErrorsOfTheRegularisations) {
  EXPECT_NEAR(family_error(1, "direct-regularization", 1e-6, 1e-4), 1.575e-3, 0.03 * 1.575e-3);
  EXPECT_NEAR(family_error(1, "trust-region", 1e-6, 1e-4), 3.045e-2, 0.03 * 3.045e-2);
  EXPECT_NEAR(family_error(1, "trust-region", 1e-9, 1e-4), 7.36e-3, 0.03 * 7.36e-3);
}

double epsilon_order(int k, const std::string& method) {
  std::vector<double> sizes, errors;
  for (const double epsilon : {1e-4, 1e-6, 1e-8, 1e-10}) {
    sizes.push_back(epsilon);
    errors.push_back(family_error(k, method, epsilon, 2e-4));
  }
  return test::fit_slope(sizes, errors);
}

TEST(Example51, ConvergesWithTheOrdersOfTheRegularisations) {
  const double trust = epsilon_order(1, "trust-region");
  EXPECT_GE(trust, 0.18);
  EXPECT_LE(trust, 0.27);
  const double direct = epsilon_order(1, "direct-regularization");
  EXPECT_GE(direct, 0.32);
  EXPECT_LE(direct, 0.48);
}

TEST(DirectRegularization, ChangesTheSignOfYWhereGBIsNegative) {
  SolveOptions with_cap = options("direct-regularization", 1e3, 1e-6);
  with_cap.max_step = 1e-4;
  const Solution solution = solve(test::singular_family(1, -1.0), {-1.0, 1.0}, with_cap);
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(max_error(solution, {{"x", [](double t) { return t + 1; }}}), 1.575e-3,
              0.03 * 1.575e-3);
  // y = −1/t for this sign, away from the singularity.
  EXPECT_NEAR(solution.final_value("y"), -1.0, 1e-5);
}

TEST(DirectRegularization, RefusesAnIndefiniteGB) {
  ModelBuilder b("Indefinite");
  const Expr x1 = b.variable("x1", {.start = 0.0}), x2 = b.variable("x2", {.start = 0.0});
  const Expr y1 = b.variable("y1"), y2 = b.variable("y2");
  b.equation(der(x1) == 1 - y1);
  b.equation(der(x2) == 1 + y2);
  b.equation(x1 == 0, "first");
  b.equation(x2 == 0, "second");
  const Solution solution =
      solve(b.build(), {0.0, 1.0}, options("direct-regularization", 10, 1e-6));
  EXPECT_EQ(solution.status, Status::singular_iteration_matrix);
  EXPECT_NE(solution.message.find("both signs"), std::string::npos) << solution.message;
}

TEST(Baumgarte, TakesHessenbergSystemsAndReportsASingularity) {
  SolveOptions regular = options("baumgarte", 10, 1.0);
  regular.method = Baumgarte{.gamma = 10.0};
  const Solution left = solve(test::singular_family(1), {-1.0, -0.1}, regular);
  ASSERT_EQ(left.status, Status::success) << left.message;
  EXPECT_NEAR(left.final_value("x"), 0.9, 1e-7);
  EXPECT_NEAR(left.final_value("y"), -10.0, 1e-5);
  // Forced to evaluate at the singular position itself.
  regular.stop_times = {0.0};
  EXPECT_EQ(solve(test::singular_family(1), {-1.0, 1.0}, regular).status,
            Status::singular_iteration_matrix);
}

double rank_deficient_error(const std::string& method, bool is_transposed, double epsilon) {
  SolveOptions tight = options(method, 50, epsilon);
  tight.rtol = tight.atol = 1e-12;
  const Solution solution = solve(test::rank_deficient(is_transposed), {0.0, 3.0}, tight);
  EXPECT_EQ(solution.status, Status::success) << solution.message;
  return max_error(solution, test::rank_deficient_solution());
}

TEST(Theorem31, GivesOrderOneInEpsilonForConstantRank) {
  struct Case {
    const char* method;
    bool is_transposed;
    double factor;
  };
  for (const Case& c :
       {Case{"direct-regularization", true, 1.124e-2}, Case{"trust-region", true, 1.26e-3},
        Case{"trust-region", false, 6.76e-4}}) {
    std::vector<double> sizes, errors;
    for (const double epsilon : {1e-3, 1e-4, 1e-5}) {
      sizes.push_back(epsilon);
      errors.push_back(rank_deficient_error(c.method, c.is_transposed, epsilon));
    }
    EXPECT_NEAR(test::fit_slope(sizes, errors), 1.0, 0.05) << c.method;
    EXPECT_NEAR(errors[1] / sizes[1], c.factor, 0.05 * c.factor) << c.method;
  }
}

TEST(Theorem32, GivesOrderOneToTheLeftOfTheSingularity) {
  for (const char* method : {"trust-region", "direct-regularization"}) {
    std::vector<double> sizes, errors;
    for (const double epsilon : {1e-4, 1e-5, 1e-6}) {
      SolveOptions tight = options(method, 1e3, epsilon);
      tight.rtol = tight.atol = 1e-12;
      const Solution solution = solve(test::singular_family(1), {-1.0, -0.5}, tight);
      ASSERT_EQ(solution.status, Status::success) << solution.message;
      sizes.push_back(epsilon);
      errors.push_back(max_error(solution, {{"x", [](double t) { return t + 1; }}}));
    }
    EXPECT_NEAR(test::fit_slope(sizes, errors), 1.0, 0.05) << method;
  }
}

TEST(Theorem32, BoundsTheOrdersOfItsFamily) {
  for (const int k : {2, 3}) {
    const double m = 2.0 * k;
    const double trust = epsilon_order(k, "trust-region");
    EXPECT_GE(trust, 1.0 / (2.0 * m + 1.0) - 0.02) << "k = " << k;
    EXPECT_LE(trust, 1.0 / (2.0 * m) + 0.02) << "k = " << k;
    const double direct = epsilon_order(k, "direct-regularization");
    EXPECT_GE(direct, 1.0 / (m + 1.0) - 0.03) << "k = " << k;
    EXPECT_LE(direct, 1.0 / m + 0.03) << "k = " << k;
  }
}

/// x⁽ᵐ⁾ = −x + cos(x) − y₁ − 2y₂ + q(t) in both of two components, with the constraint
/// x₁ + x₂ = 2 sin t written twice. The solution is x₁ = sin t + e^{−t}, x₂ = sin t − e^{−t}.
Model chain(int order) {
  ModelBuilder b("Chain");
  const Expr t = b.time();
  const Expr l1 = b.variable("l1"), l2 = b.variable("l2");
  Expr heads[2];
  for (int component = 0; component < 2; ++component) {
    const double sign = component == 0 ? 1.0 : -1.0;
    std::vector<Expr> x;
    for (int k = 0; k < order; ++k) {
      // (sin)⁽ᵏ⁾(0) and (±e^{−t})⁽ᵏ⁾(0).
      const double sine[] = {0.0, 1.0, 0.0, -1.0};
      x.push_back(b.variable(
          "x" + std::to_string(component + 1) + "_" + std::to_string(k),
          {.start = sine[k % 4] + sign * (k % 2 == 0 ? 1.0 : -1.0), .fixed = component == 0}));
    }
    for (int k = 0; k + 1 < order; ++k)
      b.equation(der(x[static_cast<std::size_t>(k)]) == x[static_cast<std::size_t>(k + 1)]);
    const Expr sines[] = {sin(t), cos(t), -sin(t), -cos(t)};
    const Expr top = sines[order % 4] + sign * (order % 2 == 0 ? 1.0 : -1.0) * exp(-t);
    const Expr exact = sin(t) + sign * exp(-t);
    // Known multipliers cos 3t and its half are balanced by the forcing.
    const Expr forcing = top + exact - cos(exact) + 2 * cos(3 * t);
    b.equation(der(x.back()) == -x[0] + cos(x[0]) + forcing - l1 - 2 * l2);
    heads[component] = x[0];
  }
  b.equation(heads[0] + heads[1] - 2 * sin(t) == 0, "sum");
  b.equation(2 * (heads[0] + heads[1] - 2 * sin(t)) == 0, "sum again");
  return b.build();
}

TEST(TrustRegion, SolvesChainsOfOrderThreeFourAndFiveWithARedundantConstraint) {
  for (const int order : {3, 4, 5}) {
    SolveOptions automatic = options("trust-region", 10, 1.0);
    automatic.method = TrustRegion{.gamma = 10.0};
    const Solution solution = solve(chain(order), {0.0, 2.0}, automatic);
    ASSERT_EQ(solution.status, Status::success) << solution.message;
    EXPECT_LE(max_error(solution, {{"x1_0", [](double t) { return std::sin(t) + std::exp(-t); }},
                                   {"x2_0", [](double t) { return std::sin(t) - std::exp(-t); }}}),
              1e-7)
        << "order " << order;
    // Of all l1 + 2 l2 = 2 cos 3t the shortest.
    EXPECT_NEAR(solution.final_value("l1"), 0.4 * std::cos(6.0), 1e-4);
    EXPECT_NEAR(solution.final_value("l2"), 0.8 * std::cos(6.0), 1e-4);
  }
}

TEST(ConstraintWeights, ArePublishedOnesUpToOrderTwoAndBinomialBeyond) {
  using formulation::constraint_weights;
  EXPECT_EQ(constraint_weights(1, 3.0, false), (std::vector<double>{3.0}));
  EXPECT_EQ(constraint_weights(2, 3.0, false), (std::vector<double>{18.0, 6.0}));
  EXPECT_EQ(constraint_weights(3, 2.0, false), (std::vector<double>{8.0, 12.0, 6.0}));
  EXPECT_EQ(constraint_weights(3, 2.0, true), (std::vector<double>{48.0, 24.0, 6.0}));
}

}  // namespace
}  // namespace daedal
