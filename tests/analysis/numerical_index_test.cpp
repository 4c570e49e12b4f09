// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/numerical_index.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <daedal/model.hpp>

namespace daedal::analysis {
namespace {

NumericalIndex index_of(const Model& model, const std::vector<double>& x0, double scale = 0.3) {
  const GeneralView view = general_view(model);
  const DerivativeArray array(view, 7);
  std::vector<double> series(to_size(array.n_unknowns() * 9), 0.1);
  std::copy(x0.begin(), x0.end(), series.begin());
  return find_numerical_index(
      array,
      {.t = 0.1, .scale = scale, .series = series, .parameters = {}, .modes = {}, .discretes = {}},
      {.max_level = 7});
}

TEST(NumericalIndex, AnOrdinaryEquationHasIndexZero) {
  ModelBuilder b("Ode");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  b.equation(der(x) == y);
  b.equation(der(y) + 0.5 * der(x) == -sin(x));
  const NumericalIndex found = index_of(b.build(), {1.0, 0.5});
  ASSERT_TRUE(found.found());
  EXPECT_EQ(found.index, 0);
  EXPECT_EQ(found.n_states, 2);
}

TEST(NumericalIndex, ThePlanarPendulumHasIndexThreeAndTwoStates) {
  ModelBuilder b("Pendulum");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  const Expr u = b.variable("u");
  const Expr v = b.variable("v");
  const Expr lambda = b.variable("lambda");
  b.equation(der(x) == u);
  b.equation(der(y) == v);
  b.equation(der(u) == -lambda * x);
  b.equation(der(v) == -lambda * y - 9.81);
  b.equation(x * x + y * y == 1);
  const NumericalIndex found = index_of(b.build(), {0.6, -0.8, 0.4, 0.3, 2.0});
  ASSERT_TRUE(found.found()) << found.message;
  EXPECT_EQ(found.index, 3);
  EXPECT_EQ(found.n_states, 2);
  // Level 0: the rod; 1: its velocity; 2: its acceleration, which gives lambda.
  EXPECT_EQ(found.constraints, (std::vector<Index>{1, 1, 1, 0}));
}

/// 0 = x_1 − sin t, x_i' = x_(i+1): index n, no free initial value.
class HessenbergChain : public ::testing::TestWithParam<int> {};

TEST_P(HessenbergChain, HasTheIndexOfItsLength) {
  ModelBuilder b("Chain");
  const int n = GetParam();
  std::vector<Expr> x;
  for (int i = 0; i < n; ++i) x.push_back(b.variable("x" + std::to_string(i + 1)));
  for (int i = 0; i + 1 < n; ++i) {
    b.equation(der(x[static_cast<std::size_t>(i)]) == x[static_cast<std::size_t>(i) + 1]);
  }
  b.equation(x[0] == sin(b.time()));
  const Model model = b.build();
  for (const double scale : {0.01, 1.0, 30.0}) {
    const NumericalIndex found = index_of(model, std::vector<double>(to_size(n), 0.3), scale);
    ASSERT_TRUE(found.found()) << found.message;
    EXPECT_EQ(found.index, n);
    EXPECT_EQ(found.n_states, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, HessenbergChain, ::testing::Range(1, 7));

TEST(NumericalIndex, AMissingEquationIsAssumptionFour) {
  ModelBuilder b("Twice");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  b.equation(der(x) + der(y) == 1);
  b.equation(x + y == b.time());
  const NumericalIndex found = index_of(b.build(), {0.05, 0.05});
  EXPECT_FALSE(found.found());
  EXPECT_EQ(found.outcome, IndexOutcome::redundant);
  EXPECT_EQ(found.failed_assumption, "A4");
}

TEST(NumericalIndex, ASingularPointIsAssumptionThree) {
  // x y' = 1 at x = 0: the rank of F_x' drops there only.
  ModelBuilder b("Singular");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  b.equation(x * der(y) + y == 1);
  b.equation(x == b.time() - 0.1);
  const GeneralView view = general_view(b.build());
  const DerivativeArray array(view, 4);
  // The exact series of x; that of y is arbitrary.
  std::vector<double> series{0.0, 1.0, 1.0, 0.2, 0.0, 0.3, 0.0, 0.1, 0.0, 0.2, 0.0, 0.4};
  const NumericalIndex found = find_numerical_index(
      array,
      {.t = 0.1, .scale = 1.0, .series = series, .parameters = {}, .modes = {}, .discretes = {}},
      {.max_level = 1});
  EXPECT_EQ(found.outcome, IndexOutcome::rank_changes);
  EXPECT_EQ(found.failed_assumption, "A3");
}

TEST(NumericalIndex, AnIndexBeyondTheLimitIsAssumptionThree) {
  ModelBuilder b("Chain");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  const Expr z = b.variable("z");
  b.equation(der(x) == y);
  b.equation(der(y) == z);
  b.equation(x == sin(b.time()));
  const GeneralView view = general_view(b.build());
  const DerivativeArray array(view, 2);
  std::vector<double> series(12, 0.2);
  const NumericalIndex found = find_numerical_index(
      array,
      {.t = 0.0, .scale = 1.0, .series = series, .parameters = {}, .modes = {}, .discretes = {}},
      {.max_level = 2});
  EXPECT_FALSE(found.found());
  EXPECT_EQ(found.outcome, IndexOutcome::above_limit);
  EXPECT_EQ(found.failed_assumption, "A3");
  EXPECT_NE(found.message.find("above 2"), std::string::npos);
}

}  // namespace
}  // namespace daedal::analysis
