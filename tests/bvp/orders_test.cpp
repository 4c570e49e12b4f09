// SPDX-License-Identifier: BSD-3-Clause
/// Orders of collocation at mesh points: index 1 Gauss 2k, Radau 2k − 1, Lobatto 2k − 2; index 2
/// with Gauss points plain k + 1 (k odd) or k (k even), projected 2k, algebraic unknowns k.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <daedal/bvp.hpp>
#include <ostream>
#include <string>

#include "support/order_fit.hpp"

namespace daedal {
namespace {

/// Errors on a uniform mesh of n intervals.
struct Errors {
  double x = 0.0;  ///< differential variables at mesh points
  double y = 0.0;  ///< the algebraic one
};

BvpSolution solve_on(const Model& model, std::int64_t n, const std::string& scheme, int k,
                     bool project = true) {
  BvpOptions options;
  options.scheme = scheme;
  options.points = k;
  options.intervals = n;
  options.adapt = false;
  options.project = project;
  options.rtol = 1e-13;
  options.atol = 1e-13;
  return solve_bvp(model, {0.0, 1.0}, options);
}

/// u = sin 2t, v = u', y = e^(-t); nonlinear through u·y.
Model index_one() {
  ModelBuilder b("IndexOne");
  const Expr t = b.time();
  const Expr u = b.variable("u"), v = b.variable("v"), y = b.variable("y", {.start = 1.0});
  b.equation(der(u) == v);
  b.equation(der(v) == -4.0 * u + 3.0 * (y - exp(-t)));
  b.equation(y + u * y == exp(-t) * (1.0 + sin(2.0 * t)));
  b.boundary_equation(u == 0.0);
  b.boundary_equation(b.final_value(u) == std::sin(2.0));
  return b.build();
}

Errors index_one_errors(std::int64_t n, const std::string& scheme, int k) {
  const BvpSolution s = solve_on(index_one(), n, scheme, k);
  EXPECT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.index, 1);
  Errors errors;
  for (std::size_t i = 0; i < s.n_rows(); ++i) {
    const double t = s.times[i];
    const auto row = s.row(i);
    errors.x = std::max({errors.x, std::abs(row[0] - std::sin(2.0 * t)),
                         std::abs(row[1] - 2.0 * std::cos(2.0 * t))});
    errors.y = std::max(errors.y, std::abs(row[2] - std::exp(-t)));
  }
  return errors;
}

double fitted(const std::vector<double>& n, const std::vector<double>& errors) {
  return -test::fit_slope(n, errors);
}

struct Case {
  std::string scheme;
  int k;
  double order;
};

void PrintTo(const Case& tested, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << tested.scheme << tested.k;
}

class IndexOneOrders : public testing::TestWithParam<Case> {};

TEST_P(IndexOneOrders, AreThoseOfTheQuadrature) {
  const auto& [scheme, k, order] = GetParam();
  const std::vector<double> n = k == 1 ? std::vector<double>{40, 80} : std::vector<double>{8, 16};
  std::vector<double> x, y;
  for (const double intervals : n) {
    const Errors errors = index_one_errors(static_cast<std::int64_t>(intervals), scheme, k);
    x.push_back(errors.x);
    y.push_back(errors.y);
  }
  EXPECT_NEAR(fitted(n, x), order, 0.2);
  // Algebraic unknowns come from the equations with x: they have its order.
  EXPECT_NEAR(fitted(n, y), order, 0.2);
}

INSTANTIATE_TEST_SUITE_P(Schemes, IndexOneOrders,
                         testing::Values(Case{"gauss", 1, 2}, Case{"gauss", 2, 4},
                                         Case{"gauss", 3, 6}, Case{"radau", 1, 1},
                                         Case{"radau", 2, 3}, Case{"radau", 3, 5},
                                         Case{"lobatto", 2, 2}, Case{"lobatto", 3, 4}),
                         [](const auto& tested) {
                           return tested.param.scheme + std::to_string(tested.param.k);
                         });

/// x = (e^(-t), sin t), y = cos t / (1 + t)  with the constraint C(t) x = C(t) x_e, C = (1 + t, 2)
/// and B = (t, 1 + t)ᵀ: both turn with time, so that nothing is superconvergent by accident.
Model index_two() {
  ModelBuilder b("IndexTwo");
  const Expr t = b.time();
  const Expr x1 = b.variable("x1"), x2 = b.variable("x2"), y = b.variable("y");
  const Expr ye = cos(t) / (1.0 + t);
  b.equation(der(x1) == -x1 + (x2 - sin(t)) + t * (y - ye));
  b.equation(der(x2) == (1.0 + t) * y + 0.5 * (x1 - exp(-t)));
  b.equation((1.0 + t) * x1 + 2.0 * x2 == (1.0 + t) * exp(-t) + 2.0 * sin(t));
  b.boundary_equation(b.final_value(x1) + x2 == std::exp(-1.0));
  return b.build();
}

Errors index_two_errors(std::int64_t n, const std::string& scheme, int k, bool project) {
  const BvpSolution s = solve_on(index_two(), n, scheme, k, project);
  EXPECT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.index, 2);
  Errors errors;
  for (std::size_t i = 0; i < s.n_rows(); ++i) {
    const double t = s.times[i];
    const auto row = s.row(i);
    errors.x =
        std::max({errors.x, std::abs(row[0] - std::exp(-t)), std::abs(row[1] - std::sin(t))});
    errors.y = std::max(errors.y, std::abs(row[2] - std::cos(t) / (1.0 + t)));
  }
  return errors;
}

class IndexTwoOrders : public testing::TestWithParam<int> {};

TEST_P(IndexTwoOrders, ProjectedGaussPointsKeepOrderTwoK) {
  const int k = GetParam();
  const std::vector<double> n = k == 1 ? std::vector<double>{40, 80} : std::vector<double>{8, 16};
  std::vector<double> x, y;
  for (const double intervals : n) {
    const Errors e = index_two_errors(static_cast<std::int64_t>(intervals), "gauss", k, true);
    x.push_back(e.x);
    y.push_back(e.y);
  }
  EXPECT_NEAR(fitted(n, x), 2.0 * k, 0.2);
  EXPECT_NEAR(fitted(n, y), k, 0.25);
}

TEST_P(IndexTwoOrders, PlainGaussPointsLoseIt) {
  const int k = GetParam();
  const std::vector<double> n{40, 80, 160};
  std::vector<double> x;
  for (const double intervals : n) {
    x.push_back(index_two_errors(static_cast<std::int64_t>(intervals), "gauss", k, false).x);
  }
  EXPECT_NEAR(fitted(n, x), k % 2 == 1 ? k + 1.0 : k, 0.25);
}

TEST_P(IndexTwoOrders, RadauPointsNeedNoProjection) {
  const int k = GetParam();
  const std::vector<double> n = k == 1 ? std::vector<double>{40, 80} : std::vector<double>{8, 16};
  std::vector<double> x, y;
  for (const double intervals : n) {
    const Errors e = index_two_errors(static_cast<std::int64_t>(intervals), "radau", k, true);
    x.push_back(e.x);
    y.push_back(e.y);
  }
  EXPECT_NEAR(fitted(n, x), 2.0 * k - 1.0, 0.2);
  EXPECT_NEAR(fitted(n, y), k, 0.25);
}

INSTANTIATE_TEST_SUITE_P(Points, IndexTwoOrders, testing::Values(1, 2, 3));

/// The highest numbers of points reach rounding on coarse meshes.
TEST(CollocationOrders, FourAndFivePointsReachRounding) {
  for (const int k : {4, 5}) {
    EXPECT_LT(index_one_errors(10, "gauss", k).x, 1e-12);
    EXPECT_LT(index_two_errors(10, "gauss", k, true).x, 1e-11);
    EXPECT_LT(index_two_errors(10, "radau", k, true).x, 1e-9);
  }
}

/// On the circle, turned by θ = t²: x = (cos t², sin t²), w = 2t, y = e^t.
TEST(CollocationOrders, NonlinearIndexTwoProblemsConvergeAsWell) {
  ModelBuilder b("Circle");
  const Expr t = b.time();
  const Expr x1 = b.variable("x1", {.start = 1.0}), x2 = b.variable("x2");
  const Expr w = b.variable("w"), y = b.variable("y");
  b.equation(der(x1) == -w * x2 + x1 * (exp(t) - y));
  b.equation(der(x2) == w * x1 + x2 * (exp(t) - y));
  b.equation(der(w) == 2.0 + (x1 - cos(t * t)));
  b.equation(x1 * x1 + x2 * x2 == 1.0, "circle");
  b.boundary_equation(x2 == 0.0);
  b.boundary_equation(b.final_value(w) == 2.0);
  const Model model = b.build();
  std::vector<double> x;
  const std::vector<double> n{8, 16};
  for (const double intervals : n) {
    const BvpSolution s = solve_on(model, static_cast<std::int64_t>(intervals), "gauss", 2);
    ASSERT_EQ(s.status, Status::success) << s.message;
    double error = 0.0;
    for (std::size_t i = 0; i < s.n_rows(); ++i) {
      const double angle = s.times[i] * s.times[i];
      error = std::max({error, std::abs(s.row(i)[0] - std::cos(angle)),
                        std::abs(s.row(i)[1] - std::sin(angle)),
                        std::abs(s.row(i)[2] - 2.0 * s.times[i])});
    }
    x.push_back(error);
    ASSERT_EQ(s.constraints.size(), 1U);
    EXPECT_LT(s.constraints[0].max_residual, 1e-13);
  }
  EXPECT_NEAR(fitted(n, x), 4.0, 0.3);
}

}  // namespace
}  // namespace daedal
