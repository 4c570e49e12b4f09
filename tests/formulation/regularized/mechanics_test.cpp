// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <daedal/error.hpp>
#include <daedal/modelica.hpp>

#include "formulation/regularized/support.hpp"
#include "support/order_fit.hpp"

// The errors of Petzold, Ren and Maly's formulas with γ = 1e3, by tests/oracles/regularization.py.

namespace daedal {
namespace {

using test::Exact;
using test::max_error;
using test::pi;

SolveOptions options(const std::string& method, FieldValues parameters, double rtol) {
  return {.method = Method(method, std::move(parameters)),
          .integrator = "dop853",
          .rtol = rtol,
          .atol = rtol,
          .dense_output = false};
}

double slider_crank_error(const std::string& method, const FieldValues& parameters) {
  static const Exact exact = test::slider_crank_branch(pi / 4, 0.0, 2.0);
  const Solution solution =
      solve(test::slider_crank(pi / 4), {0.0, 2.0}, options(method, parameters, 1e-11));
  EXPECT_EQ(solution.status, Status::success) << solution.message;
  return max_error(solution, exact);
}

TEST(TrustRegion, PassesTheSliderCranksBifurcationWithTheErrorOfTheRegularisation) {
  const std::vector<std::pair<double, double>> table{
      {1e-4, 1.125e-3}, {1e-5, 2.753e-4}, {1e-6, 6.81e-5}, {1e-7, 1.695e-5}, {1e-8, 4.225e-6}};
  std::vector<double> sizes, errors;
  for (const auto& [epsilon, expected] : table) {
    sizes.push_back(epsilon);
    errors.push_back(
        slider_crank_error("trust-region", {{"index", 2}, {"gamma", 1e3}, {"epsilon", epsilon}}));
    EXPECT_NEAR(errors.back(), expected, 0.05 * expected) << "epsilon " << epsilon;
  }
  EXPECT_NEAR(test::fit_slope(sizes, errors), 0.61, 0.06);
}

TEST(TrustRegion, PassesTheBifurcationInThePapersIndex3Form) {
  std::vector<double> sizes, errors;
  for (const double epsilon : {1e-5, 1e-6, 1e-7}) {
    sizes.push_back(epsilon);
    errors.push_back(slider_crank_error(
        "trust-region", {{"index", 3}, {"paper", 1}, {"gamma", 1e3}, {"epsilon", epsilon}}));
  }
  EXPECT_NEAR(errors[1], 1.012e-5, 0.05 * 1.012e-5);
  EXPECT_NEAR(test::fit_slope(sizes, errors), 0.51, 0.06);
}

// GM⁻¹Gᵀ is 4/mass for a pendulum of length 1, and GB the gain of the other model.
TEST(DirectRegularization, TellsWhereEpsilonIsNotSmall) {
  const auto check = [](const std::string& text, bool is_small) {
    const Solution s =
        solve(parse_model(text), {0.0, 0.1}, options("direct-regularization", {}, 1e-6));
    EXPECT_EQ(s.status, is_small ? Status::success : Status::check_failed) << s.message;
    const bool is_told = std::ranges::any_of(s.warnings, [](const std::string& warning) {
      return warning.find("epsilon = 1e-06 is not small") != std::string::npos;
    });
    EXPECT_NE(is_told, is_small) << text;
  };
  const auto pendulum = [](const std::string& mass) {
    return "model M Real x(start = 1, fixed = true), y, vx, vy(start = 0, fixed = true), f; "
           "equation der(x) = vx; der(y) = vy; " +
           mass + "*der(vx) = -2*x*f; " + mass + "*der(vy) = -2*y*f - " + mass +
           "*9.81; x^2 + y^2 = 1; end M;";
  };
  check(pendulum("2"), true);
  check(pendulum("2e9"), false);
  const auto driven = [](const std::string& gain) {
    return "model M Real x, y; equation der(x) = " + gain + "*y; x = sin(time); end M;";
  };
  check(driven("3"), true);
  check(driven("3e-9"), false);
}

TEST(DirectRegularization, DoesNotConvergeAtTheBifurcation) {
  const FieldValues coarse{{"index", 2}, {"gamma", 1e3}, {"epsilon", 1e-6}};
  const FieldValues fine{{"index", 2}, {"gamma", 1e3}, {"epsilon", 1e-8}};
  const double error = slider_crank_error("direct-regularization", coarse);
  EXPECT_NEAR(error, 1.57e-3, 0.05 * 1.57e-3);
  EXPECT_GT(slider_crank_error("direct-regularization", fine) / error, 0.4);
  // γ = 10 does not hold the branch: the motion jumps to the other one.
  const FieldValues weak{{"index", 2}, {"gamma", 10}, {"epsilon", 1e-6}};
  EXPECT_GT(slider_crank_error("direct-regularization", weak), 0.1);
}

TEST(TrustRegion, NineStartsStayOnTheBranchThroughThreeCrossings) {
  int direct_passes = 0;
  const std::vector<std::pair<double, double>> starts{{0.4, 0},     {0.6, 0},     {pi / 4, 0},
                                                      {1.0, 0},     {1.2, 0},     {1.4, 0},
                                                      {pi / 4, -1}, {pi / 4, -2}, {pi / 4, -4}};
  for (const auto& [angle, rate] : starts) {
    // Crossings of sin θ = 0 on the branch; the run ends half a gap past the third.
    const Exact long_run = test::slider_crank_branch(angle, rate, 12.0);
    std::vector<double> crossings;
    for (double t = 0.0; crossings.size() < 3 && t < 11.9; t += 1e-3) {
      const double before = std::sin(long_run[0].second(t));
      if (before * std::sin(long_run[0].second(t + 1e-3)) < 0.0) crossings.push_back(t);
    }
    ASSERT_EQ(crossings.size(), 3U);
    const double stop = crossings[2] + (crossings[2] - crossings[1]) / 2;
    const Exact exact = test::slider_crank_branch(angle, rate, stop);
    const FieldValues parameters{{"index", 2}, {"gamma", 1e3}, {"epsilon", 1e-6}};
    const Model model = test::slider_crank(angle, rate);
    const Solution trust = solve(model, {0.0, stop}, options("trust-region", parameters, 1e-7));
    ASSERT_EQ(trust.status, Status::success) << trust.message;
    EXPECT_LE(max_error(trust, exact), 2e-3) << "from " << angle << " with rate " << rate;
    const Solution direct =
        solve(model, {0.0, stop}, options("direct-regularization", parameters, 1e-7));
    if (is_success(direct.status) && max_error(direct, exact) < 0.1) ++direct_passes;
  }
  EXPECT_LE(direct_passes, 2);
}

TEST(TrustRegion, StaysOnTheBranchForTenSecondsAtThePapersTolerance) {
  const Solution solution =
      solve(test::slider_crank(pi / 4), {0.0, 10.0},
            options("trust-region", {{"index", 2}, {"gamma", 1e3}, {"epsilon", 1e-6}}, 1e-5));
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_LT(max_error(solution, test::slider_crank_branch(pi / 4, 0.0, 10.0)), 5e-2);
}

TEST(TrustRegion, AutomaticParametersFollowTheBranchForTenSeconds) {
  const Exact exact = test::slider_crank_branch(pi / 4, 0.0, 10.0);
  const Solution solution =
      solve(test::slider_crank(pi / 4), {0.0, 10.0}, options("trust-region", {}, 1e-8));
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_LE(max_error(solution, exact), 1e-5);
}

TEST(TrustRegion, IsBoundedByARadiusToo) {
  // λ of the motion stays below 100: a radius above it never brakes except at the crossing itself,
  // where the least-squares y of GB → 0 would leave all bounds.
  EXPECT_LE(slider_crank_error("trust-region", {{"index", 2}, {"gamma", 1e3}, {"radius", 200}}),
            1e-3);
}

double doubled_pendulum_error(const std::string& method, double epsilon) {
  static const Exact exact = test::pendulum_motion(3.0);
  const Solution solution =
      solve(test::doubled_pendulum(), {0.0, 3.0},
            options(method, {{"index", 2}, {"gamma", 1e3}, {"epsilon", epsilon}}, 1e-11));
  EXPECT_EQ(solution.status, Status::success) << solution.message;
  return max_error(solution, exact);
}

TEST(Regularization, IsOfOrderEpsilonForAConstraintWrittenTwice) {
  EXPECT_NEAR(doubled_pendulum_error("trust-region", 1e-3) / 1e-3, 2.79e-3, 0.05 * 2.79e-3);
  EXPECT_NEAR(doubled_pendulum_error("trust-region", 1e-4) / 1e-4, 2.79e-3, 0.05 * 2.79e-3);
  EXPECT_NEAR(doubled_pendulum_error("direct-regularization", 1e-3) / 1e-3, 1.39e-2,
              0.05 * 1.39e-2);
  EXPECT_NEAR(doubled_pendulum_error("direct-regularization", 1e-4) / 1e-4, 1.39e-2,
              0.05 * 1.39e-2);
}

TEST(TrustRegion, AutomaticParametersDoNotSeeAConstraintWrittenTwice) {
  const Solution solution =
      solve(test::doubled_pendulum(), {0.0, 3.0}, options("trust-region", {}, 1e-10));
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_LE(max_error(solution, test::pendulum_motion(3.0)), 1e-8);
}

TEST(TrustRegion, SettlesBesideTheConstraintInThePapersIndex3Form) {
  // Without z = g_qq(v, v) = v² the damped constraint g̈ + 2γ ġ + 2γ² g = z rests at g = z/(2γ²),
  // whatever ε is; at the lowest point v² = 2·9.8.
  const auto offset = [](const FieldValues& parameters) {
    const Solution s =
        solve(test::doubled_pendulum(), {0.0, 1.0}, options("trust-region", parameters, 1e-10));
    EXPECT_EQ(s.status, Status::success) << s.message;
    double greatest = 0.0;
    for (std::size_t i = 0; i < s.n_rows(); ++i) {
      const double x = s.row(i)[s.column("x")], y = s.row(i)[s.column("y")];
      greatest = std::max(greatest, std::abs(x * x + y * y - 1.0) / 2.0);
    }
    return greatest;
  };
  for (const double epsilon : {1e-8, 1e-10}) {
    const FieldValues paper{{"paper", 1}, {"gamma", 1e3}, {"epsilon", epsilon}};
    EXPECT_NEAR(offset(paper), 9.8e-6, 1e-3 * 9.8e-6) << epsilon;
    FieldValues full = paper;
    full["paper"] = 0;
    full["projection"] = 0;
    EXPECT_LE(offset(full), 1e-9) << epsilon;
  }
}

TEST(Baumgarte, ReportsAConstraintWrittenTwiceAsSingular) {
  const Solution solution =
      solve(test::doubled_pendulum(), {0.0, 3.0}, options("baumgarte", {}, 1e-8));
  EXPECT_EQ(solution.status, Status::singular_iteration_matrix);
}

double parallelogram_error(int copies, const FieldValues& parameters) {
  SolveOptions with_cap = options("trust-region", parameters, 1e-9);
  with_cap.max_step = 1e-3;
  // The error of a singular position is a narrow peak: it is looked for on 1000 points.
  with_cap.interval = 3e-3;
  const Solution solution = solve(test::parallelogram(copies), {0.0, 3.0}, with_cap);
  EXPECT_EQ(solution.status, Status::success) << solution.message;
  return max_error(solution, test::parallelogram_motion());
}

TEST(TrustRegion, CarriesTheParallelogramThroughThreeFlatPositions) {
  const FieldValues parameters{{"index", 2}, {"gamma", 1e3}, {"epsilon", 1e-6}};
  EXPECT_NEAR(parallelogram_error(1, parameters), 3.452e-4, 0.02 * 3.452e-4);
  EXPECT_NEAR(parallelogram_error(2, parameters), 1.247e-4, 0.02 * 1.247e-4);
}

TEST(TrustRegion, SeesCopiesOfAConstraintAsASmallerEpsilon) {
  // Copies wᵢg of one constraint have GB = a wwᵀ and r = ρw, with a and ρ those of g alone. Then
  // y = w aW ρ/(a²W² + ε) with W = |w|², and the force wᵀy = aρ/(a² + ε/W²): the copies act like g
  // alone with ε/W². For g, 2g that is ε/25 (for g twice it would be ε/4, with another error).
  const auto error = [](int copies, double epsilon) {
    return parallelogram_error(copies, {{"index", 2}, {"gamma", 1e3}, {"epsilon", epsilon}});
  };
  const double alone = error(1, 1e-6 / 25.0);
  EXPECT_NEAR(error(2, 1e-6), alone, 0.01 * alone);
  EXPECT_NEAR(error(1, 1e-6 / 4.0), 2.239e-4, 0.02 * 2.239e-4);
}

/// q = (u1, u2, y) with x = u1 + u2: M = JᵀJ is singular, but only where nothing acts.
Model split_pendulum(bool constrains_one_part) {
  ModelBuilder b("SplitPendulum");
  const Expr u1 = b.variable("u1", {.start = 0.5, .fixed = true});
  const Expr u2 = b.variable("u2", {.start = 0.5, .fixed = true});
  const Expr y = b.variable("y", {.start = 0.0});
  const Expr v1 = b.variable("v1", {.start = 0.0, .fixed = true});
  const Expr v2 = b.variable("v2", {.start = 0.0, .fixed = true});
  const Expr w = b.variable("w", {.start = 0.0, .fixed = true});
  const Expr l = b.variable("l");
  b.equation(der(u1) == v1);
  b.equation(der(u2) == v2);
  b.equation(der(y) == w);
  Expr on_first = 0.0;
  if (constrains_one_part) {
    on_first = b.variable("k");
    b.equation(u1 - 0.5 - sqr(y) / 4 == 0, "guide");
  }
  b.equation(der(v1) + der(v2) == -(u1 + u2) * l - on_first, "first");
  b.equation(der(v1) + der(v2) == -(u1 + u2) * l, "second");
  const Expr on_height = constrains_one_part ? y / 2 * on_first : Expr(0.0);
  b.equation(der(w) == -y * l - 9.8 + on_height, "height");
  b.equation((sqr(u1 + u2) + sqr(y) - 1) / 2 == 0, "rod");
  return b.build();
}

TEST(TrustRegion, TakesASingularMassMatrix) {
  for (const double shift : {1e-3, 1e-4}) {
    const Solution solution =
        solve(split_pendulum(false), {0.0, 3.0},
              options("trust-region",
                      {{"index", 2}, {"gamma", 1e3}, {"epsilon", 1e-10}, {"singular_mass", shift}},
                      1e-10));
    ASSERT_EQ(solution.status, Status::success) << solution.message;
    const Exact exact = test::pendulum_motion(3.0);
    double greatest = 0.0;
    for (std::size_t i = 0; i < solution.n_rows(); ++i) {
      const auto row = solution.row(i);
      const double t = solution.times[i];
      const double x = row[solution.column("u1")] + row[solution.column("u2")];
      greatest = std::max({greatest, std::abs(x - exact[0].second(t)),
                           std::abs(row[solution.column("y")] - exact[1].second(t))});
    }
    EXPECT_NEAR(greatest / shift, 4.92, 0.05 * 4.92);
  }
}

TEST(TrustRegion, RefusesAMasslessDirectionThatAConstraintPushes) {
  const Solution solution =
      solve(split_pendulum(true), {0.0, 1.0},
            options("trust-region", {{"index", 2}, {"singular_mass", 1e-4}}, 1e-8));
  EXPECT_EQ(solution.status, Status::singular_iteration_matrix);
  EXPECT_NE(solution.message.find("u1"), std::string::npos) << solution.message;
}

TEST(TrustRegion, RefusesParametersThatContradictEachOther) {
  const Model model = test::doubled_pendulum();
  for (const FieldValues& wrong :
       {FieldValues{{"epsilon", 1e-6}, {"radius", 1.0}}, FieldValues{{"index", 1}},
        FieldValues{{"epsilon", 0.0}}, FieldValues{{"gamma", -1.0}},
        FieldValues{{"paper", 1}, {"index", 2}}}) {
    EXPECT_THROW(solve(model, {0.0, 1.0}, options("trust-region", wrong, 1e-6)), OptionError);
  }
}

}  // namespace
}  // namespace daedal
