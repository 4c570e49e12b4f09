// SPDX-License-Identifier: BSD-3-Clause
/// Sequential regularisation of boundary value problems (Ascher, Lin 1993).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <daedal/bvp.hpp>
#include <daedal/error.hpp>

#include "support/order_fit.hpp"

namespace daedal {
namespace {

/// Example 1: x = (e^-t, sin t); y is infinite at t = 1/2, By = (0, cos t) in the paper's sign.
Model example() {
  ModelBuilder b("Example1");
  const Expr t = b.time();
  const Expr x1 = b.variable("x1"), x2 = b.variable("x2"), y = b.variable("y");
  b.equation(der(x1) == -x1 + x2 - sin(t));
  b.equation(der(x2) == (1.0 - 2.0 * t) * y);
  b.equation((1.0 - 2.0 * t) * (x1 + x2 - exp(-t) - sin(t)) == 0.0);
  b.boundary_equation(b.final_value(x1) + x2 == std::exp(-1.0));
  return b.build();
}

BvpOptions srm(const FieldValues& parameters, int points, std::int64_t intervals) {
  BvpOptions options;
  options.method = BvpMethod("srm", parameters);
  options.points = points;
  options.intervals = intervals;
  options.max_intervals = 100'000;
  options.adapt = false;
  options.rtol = 1e-13;
  options.atol = 1e-13;
  return options;
}

double error_of_x(const BvpSolution& s, double from = 0.0) {
  double error = 0.0;
  for (std::size_t i = 0; i < s.n_rows(); ++i) {
    if (s.times[i] < from) continue;
    error = std::max({error, std::abs(s.row(i)[0] - std::exp(-s.times[i])),
                      std::abs(s.row(i)[1] - std::sin(s.times[i]))});
  }
  return error;
}

TEST(BoundarySrm, PassesTheSingularityToTheTolerance) {
  BvpOptions options;
  options.method = "srm";
  const BvpSolution s = solve_bvp(example(), {0.0, 1.0}, options);
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_LT(error_of_x(s), 1e-6);
  for (const double t : {0.0, 0.1, 0.5, 0.9}) {
    EXPECT_NEAR(-s.at(t, "By(x2)"), std::cos(t), 1e-3) << t;
  }
  // y itself, away from the singularity.
  EXPECT_NEAR(s.at(0.2, "y"), std::cos(0.2) / 0.6, 1e-3);
}

/// Theorem 3.1: O(ε^s) away from the initial layer.
TEST(BoundarySrm, GainsAPowerOfEpsilonPerIteration) {
  const std::vector<double> epsilons{1e-2, 5e-3};
  for (const int iterations : {1, 2, 3}) {
    std::vector<double> errors;
    for (const double epsilon : epsilons) {
      const auto s = solve_bvp(example(), {0.0, 1.0},
                               srm({{"epsilon", epsilon},
                                    {"iterations", static_cast<double>(iterations)},
                                    {"shoot_back", 0.0}},
                                   3, 2000));
      ASSERT_EQ(s.status, Status::success) << s.message;
      errors.push_back(error_of_x(s, 1.0));
    }
    EXPECT_NEAR(test::fit_slope(epsilons, errors), iterations, 0.25);
  }
}

/// Gauss points on [0, 1].
std::vector<double> gauss_points(int k) {
  if (k == 1) return {0.5};
  if (k == 2) return {0.5 - std::sqrt(3.0) / 6.0, 0.5 + std::sqrt(3.0) / 6.0};
  return {0.5 - std::sqrt(15.0) / 10.0, 0.5, 0.5 + std::sqrt(15.0) / 10.0};
}

/// The greatest difference of By(x2) to `exact` at the collocation points from `from` on.
template <class Exact>
double error_of_by(const BvpSolution& s, int k, double from, Exact&& exact) {
  double error = 0.0;
  for (std::size_t i = 0; i + 1 < s.mesh.size(); ++i) {
    for (const double c : gauss_points(k)) {
      const double t = s.mesh[i] + c * (s.mesh[i + 1] - s.mesh[i]);
      if (t >= from) error = std::max(error, std::abs(s.at(t, "By(x2)") - exact(t)));
    }
  }
  return error;
}

class SrmOrders : public testing::TestWithParam<int> {};

/// (4.4): 2k and k + 1 towards the solution of the regularised problem, here on a fine mesh.
TEST_P(SrmOrders, AreThoseOfCollocationWhereEpsilonIsLarge) {
  const int k = GetParam();
  const auto run = [&](std::int64_t n, int points) {
    return solve_bvp(example(), {0.0, 1.0},
                     srm({{"epsilon", 0.3}, {"iterations", 2.0}, {"shoot_back", 0.0}}, points, n));
  };
  const BvpSolution fine = run(400, 4);
  const std::vector<double> n{6, 12};
  std::vector<double> x, by;
  for (const double intervals : n) {
    const BvpSolution s = run(static_cast<std::int64_t>(intervals), k);
    ASSERT_EQ(s.status, Status::success) << s.message;
    x.push_back(std::max(std::abs(s.final_value("x1") - fine.final_value("x1")),
                         std::abs(s.final_value("x2") - fine.final_value("x2"))));
    by.push_back(error_of_by(s, k, 0.0, [&](double t) { return fine.at(t, "By(x2)"); }));
  }
  EXPECT_NEAR(-test::fit_slope(n, x), 2.0 * k, 0.4);
  EXPECT_NEAR(-test::fit_slope(n, by), k + 1.0, 0.4);
}

/// (4.6) for ε ≪ h: x has order k + l towards the solution of the DAE, l = 1 for odd k on a uniform
/// mesh. For odd k By has order k; for even k the errors of x at mesh points, which lie off the
/// constraint, add up to O(h^k), and slopes inside an interval see them divided by h.
TEST_P(SrmOrders, AreLowerWhereEpsilonIsSmall) {
  const int k = GetParam();
  const std::vector<double> n{6, 12, 24};
  std::vector<double> x, by;
  for (const double intervals : n) {
    const BvpSolution s =
        solve_bvp(example(), {0.0, 1.0},
                  srm({{"epsilon", 1e-9}, {"iterations", 2.0}, {"shoot_back", 0.0}}, k,
                      static_cast<std::int64_t>(intervals)));
    ASSERT_EQ(s.status, Status::success) << s.message;
    x.push_back(error_of_x(s, 0.3));
    by.push_back(error_of_by(s, k, 0.3, [](double t) { return -std::cos(t); }));
  }
  const bool is_odd = k % 2 == 1;
  EXPECT_NEAR(-test::fit_slope(n, x), is_odd ? k + 1.0 : k, 0.3);
  EXPECT_NEAR(-test::fit_slope(n, by), is_odd ? k : k - 1.0, 0.3);
}

INSTANTIATE_TEST_SUITE_P(Points, SrmOrders, testing::Values(2, 3));

/// The midpoint rule: 2 and 2 for ε ≫ h, 2 and 1 for ε ≪ h.
TEST(BoundarySrm, MidpointOrdersAreThoseOfThePaper) {
  const std::vector<double> n{40, 80};
  const auto orders = [&](double epsilon, auto&& exact) {
    std::vector<double> x, by;
    for (const double intervals : n) {
      const BvpSolution s =
          solve_bvp(example(), {0.0, 1.0},
                    srm({{"epsilon", epsilon}, {"iterations", 2.0}, {"shoot_back", 0.0}}, 1,
                        static_cast<std::int64_t>(intervals)));
      x.push_back(std::abs(s.final_value("x2") - exact(1.0, "x2")));
      by.push_back(error_of_by(s, 1, 0.3, [&](double t) { return exact(t, "By(x2)"); }));
    }
    return std::pair(-test::fit_slope(n, x), -test::fit_slope(n, by));
  };
  const BvpSolution fine =
      solve_bvp(example(), {0.0, 1.0},
                srm({{"epsilon", 0.3}, {"iterations", 2.0}, {"shoot_back", 0.0}}, 4, 400));
  const auto large =
      orders(0.3, [&](double t, const std::string& name) { return fine.at(t, name); });
  EXPECT_NEAR(large.first, 2.0, 0.1);
  EXPECT_NEAR(large.second, 2.0, 0.1);
  const auto small = orders(1e-9, [](double t, const std::string& name) {
    return name == "x2" ? std::sin(t) : -std::cos(t);
  });
  EXPECT_NEAR(small.first, 2.0, 0.1);
  EXPECT_NEAR(small.second, 1.0, 0.1);
}

TEST(BoundarySrm, ShootingBackRemovesTheInitialLayer) {
  const auto without =
      solve_bvp(example(), {0.0, 1.0}, srm({{"epsilon", 0.01}, {"shoot_back", 0.0}}, 3, 200));
  const auto with = solve_bvp(example(), {0.0, 1.0}, srm({{"epsilon", 0.01}}, 3, 200));
  ASSERT_EQ(with.status, Status::success) << with.message;
  const double t = 0.0025;  // the first midpoint, inside the layer
  EXPECT_GT(std::abs(-without.at(t, "By(x2)") - std::cos(t)), 0.1);
  EXPECT_LT(std::abs(-with.at(t, "By(x2)") - std::cos(t)), 1e-3);
}

TEST(BoundarySrm, EveryGainSolvesAProblemWithoutSingularity) {
  ModelBuilder b("Regular");
  const Expr t = b.time();
  const Expr x1 = b.variable("x1"), x2 = b.variable("x2"), y = b.variable("y");
  b.equation(der(x1) == -x1 + x2 - sin(t));
  b.equation(der(x2) == cos(t) - (y - 1.0));
  b.equation(x1 + x2 == exp(-t) + sin(t));
  b.boundary_equation(b.final_value(x1) + x2 == std::exp(-1.0));
  const Model model = b.build();
  for (const double gain : {1.0, 2.0, 3.0, 4.0}) {
    const auto s = solve_bvp(model, {0.0, 1.0}, srm({{"epsilon", 1e-3}, {"E", gain}}, 3, 200));
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_LT(error_of_x(s), 1e-6) << gain;
    EXPECT_NEAR(s.at(0.5, "y"), 1.0, 1e-5) << gain;
  }
}

TEST(BoundarySrm, MovesCollocationPointsOffTheSingularInstant) {
  // With an odd number of intervals t = 1/2 is a midpoint.
  const auto s = solve_bvp(example(), {0.0, 1.0}, srm({{"epsilon", 0.01}}, 1, 101));
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_LT(error_of_x(s), 1e-3);
}

TEST(BoundarySrm, RefusesWhatItDoesNotTake) {
  EXPECT_THROW((void)solve_bvp(example(), {0.0, 1.0}, srm({{"alpha", 1.0}}, 1, 10)), OptionError);
  EXPECT_THROW((void)solve_bvp(example(), {0.0, 1.0}, srm({{"E", 5.0}}, 1, 10)), OptionError);
  EXPECT_THROW((void)solve_bvp(example(), {0.0, 1.0}, srm({{"epsilon", 0.0}}, 1, 10)), OptionError);
  ModelBuilder b("Ode");
  const Expr x = b.variable("x");
  b.equation(der(x) == -x);
  b.boundary_equation(b.final_value(x) == 1.0);
  EXPECT_THROW((void)solve_bvp(b.build(), {0.0, 1.0}, srm({}, 1, 10)), ModelError);
}

}  // namespace
}  // namespace daedal
