// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/array/numerical_index.hpp"

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

/// 0 = x − sin t, x' = y, y' = z, a' = −k(a − z): index 3 and one state, a, whatever k.
Model chain_with_fast_filter(double k) {
  ModelBuilder b("Filtered");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  const Expr z = b.variable("z");
  const Expr a = b.variable("a");
  b.equation(der(x) == y);
  b.equation(der(y) == z);
  b.equation(x == sin(b.time()));
  b.equation(der(a) == -k * (a - z));
  return b.build();
}

TEST(NumericalIndex, AFastEquationIsNoConstraint) {
  for (double k = 1.0; k < 1e17; k *= 10.0) {
    const NumericalIndex found = index_of(chain_with_fast_filter(k), {0.1, 1.0, -0.1, 0.2});
    if (k < 3e4) {
      EXPECT_TRUE(found.found()) << k << ' ' << found.message;
    }
    // Beyond, the decision may be refused, or be marked as one that cannot be trusted.
    if (!found.found() || found.has_distant_scales) continue;
    EXPECT_EQ(found.index, 3) << k;
    EXPECT_EQ(found.n_states, 1) << k;
  }
}

TEST(NumericalIndex, SingularValuesAtTheToleranceAreNoDecision) {
  // x' + y' = −x and x' + (1 − δ) y' = −y: the singular values of F_x' have the product δ and
  // the greatest is 2, so that the least is δ/4 of it.
  const auto model = [](double delta) {
    ModelBuilder b("Nearly");
    const Expr x = b.variable("x");
    const Expr y = b.variable("y");
    b.equation(der(x) + der(y) == -x);
    b.equation(der(x) + (1.0 - delta) * der(y) == -y);
    return b.build();
  };
  const NumericalIndex weak = index_of(model(1e-9), {0.3, 0.4});
  EXPECT_EQ(weak.outcome, IndexOutcome::unclear);
  EXPECT_NE(weak.message.find("not clear"), std::string::npos);
  const ArrayLevel& level = weak.levels.back();
  EXPECT_NEAR(level.derivatives.smallest_kept / level.derivatives.largest, 2.5e-10, 1e-15);
  EXPECT_EQ(level.confidence(), linalg::Confidence::weak);
  const NumericalIndex clear = index_of(model(1e-5), {0.3, 0.4});
  ASSERT_TRUE(clear.found());
  EXPECT_EQ(clear.index, 0);
  EXPECT_EQ(clear.levels.back().confidence(), linalg::Confidence::certain);
}

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
