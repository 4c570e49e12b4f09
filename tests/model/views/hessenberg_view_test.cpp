// SPDX-License-Identifier: BSD-3-Clause
#include "model/views/constrained_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/model_point.hpp"

namespace daedal {
namespace {

using test::evaluate;
using test::Point;
using testing::HasSubstr;

Recognition<ConstrainedView> recognize(const Model& model) {
  return hessenberg_view(model, model.parameter_values());
}

double entry(const ConstrainedView& view, const std::vector<JacobianEntry>& matrix,
             std::pair<int, int> place, const Point& point) {
  for (const JacobianEntry& e : matrix) {
    if (e.row == place.first && e.column == place.second) {
      return evaluate(*view.pool, e.value, point);
    }
  }
  return 0.0;
}

TEST(HessenbergView, FindsOrderOne) {
  // Petzold, Ren & Maly, Example 5.1 with B = t: x' = 2 − t y, 0 = t (x − t − 1).
  ModelBuilder b("Example");
  const Expr x = b.variable("x"), y = b.variable("y");
  const Expr t = b.time();
  b.equation(der(x) == 2 - t * y);
  b.equation(t * (x - t - 1) == 0);
  const auto found = recognize(b.build());
  ASSERT_TRUE(found) << found.reason;
  const ConstrainedView& view = *found.view;
  EXPECT_EQ(view.order(), 1);
  EXPECT_TRUE(view.mass_is_identity);
  std::mt19937 random(1);
  const Point point = test::random_point(random, 2, 1);
  const double T = point.time, X = point.variables.at({0, 0});
  EXPECT_EQ(evaluate(*view.pool, view.force[0], point), 2.0);
  EXPECT_EQ(entry(view, view.coefficient, {0, 0}, point), T);
  EXPECT_EQ(entry(view, view.jacobian, {0, 0}, point), T);
  // g_t = (x − t − 1) − t.
  EXPECT_NEAR(evaluate(*view.pool, view.remainder[0], point), X - 2 * T - 1, 1e-15);
}

TEST(HessenbergView, FindsOrderTwoInChains) {
  ModelBuilder b("Pendulum");
  const Expr x = b.variable("x", {.start = 1.0}), y = b.variable("y");
  const Expr vx = b.variable("vx"), vy = b.variable("vy"), l = b.variable("l");
  b.equation(der(x) == vx);
  b.equation(der(vx) == -l * x * exp(y));  // forces need not be those of the constraint
  b.equation(der(y) == vy);
  b.equation(der(vy) == -l * y - 9.81);
  b.equation(x * x + y * y == 1);
  const auto found = recognize(b.build());
  ASSERT_TRUE(found) << found.reason;
  const ConstrainedView& view = *found.view;
  EXPECT_EQ(view.order(), 2);
  ASSERT_EQ(view.levels.size(), 2U);
  std::mt19937 random(2);
  const Point point = test::random_point(random, 5, 1);
  const auto at = [&](SymbolId i) { return point.variables.at({i, 0}); };
  EXPECT_NEAR(entry(view, view.coefficient, {0, 0}, point), at(0) * std::exp(at(1)), 1e-15);
  EXPECT_NEAR(evaluate(*view.pool, view.levels[1][0], point), 2 * (at(0) * at(2) + at(1) * at(3)),
              1e-15);
  EXPECT_NEAR(evaluate(*view.pool, view.remainder[0], point), 2 * (at(2) * at(2) + at(3) * at(3)),
              1e-15);
}

TEST(HessenbergView, TakesVelocityConstraintsAsOrderOne) {
  ModelBuilder b("Pendulum");
  const Expr x = b.variable("x", {.start = 1.0}), y = b.variable("y");
  const Expr vx = b.variable("vx"), vy = b.variable("vy"), l = b.variable("l");
  b.equation(der(x) == vx);
  b.equation(der(y) == vy);
  b.equation(der(vx) == -l * x);
  b.equation(der(vy) == -l * y - 9.81);
  b.equation(x * vx + y * vy == 0);
  const auto found = recognize(b.build());
  ASSERT_TRUE(found) << found.reason;
  EXPECT_EQ(found.view->order(), 1);
  EXPECT_EQ(found.view->states[0].size(), 4U);
}

TEST(HessenbergView, FindsOrderFourAndItsLevels) {
  // x⁗ = −y, 0 = x − sin t: index 5, levels sin t's derivatives.
  ModelBuilder b("Chain");
  const Expr x = b.variable("x"), y = b.variable("y");
  b.equation(der(x, 4) == -y);
  b.equation(x == sin(b.time()));
  const auto found = recognize(b.build());
  ASSERT_TRUE(found) << found.reason;
  const ConstrainedView& view = *found.view;
  EXPECT_EQ(view.order(), 4);
  std::mt19937 random(3);
  const Point point =
      test::random_point(random, static_cast<SymbolId>(view.model.variables().size()), 1);
  const double T = point.time;
  const double third = point.variables.at({view.states[3][0], 0});
  EXPECT_NEAR(evaluate(*view.pool, view.levels[3][0], point), third + std::cos(T), 1e-15);
  EXPECT_NEAR(evaluate(*view.pool, view.remainder[0], point), -std::sin(T), 1e-15);
}

TEST(HessenbergView, KeepsTheMassMatrix) {
  ModelBuilder b("Crank");
  const Expr x = b.variable("x"), z = b.variable("z"), y = b.variable("y");
  b.equation(2 * der(x) + sin(z) * der(z) == x - y);
  b.equation(sin(z) * der(x) + der(z) == z - y * x);
  b.equation(x + z * z == 1);
  const auto found = recognize(b.build());
  ASSERT_TRUE(found) << found.reason;
  EXPECT_FALSE(found.view->mass_is_identity);
  std::mt19937 random(4);
  const Point point = test::random_point(random, 3, 1);
  EXPECT_EQ(entry(*found.view, found.view->mass, {0, 1}, point),
            std::sin(point.variables.at({1, 0})));
}

TEST(HessenbergView, SaysWhyAModelHasNotTheForm) {
  {
    ModelBuilder b("Ode");
    const Expr x = b.variable("x");
    b.equation(der(x) == -x);
    EXPECT_THAT(recognize(b.build()).reason, HasSubstr("no constraint"));
  }
  {
    ModelBuilder b("Algebraic");
    const Expr x = b.variable("x");
    b.equation(x * x == 2);
    EXPECT_FALSE(recognize(b.build()));
  }
  {
    ModelBuilder b("Quadratic");
    const Expr x = b.variable("x"), y = b.variable("y");
    b.equation(der(x) == y * y, "motion");
    b.equation(x == 1 + b.time());
    EXPECT_THAT(recognize(b.build()).reason, HasSubstr("'motion' is not linear in 'y'"));
  }
  {
    // y enters only the second derivative of the constraint, but x' = z² + z is no chain.
    ModelBuilder b("Index 3");
    const Expr x = b.variable("x"), z = b.variable("z"), y = b.variable("y");
    b.equation(der(x) == z * z + z);
    b.equation(der(z) == y);
    b.equation(x == 1 + b.time());
    EXPECT_THAT(recognize(b.build()).reason, HasSubstr("differentiated more than 1"));
  }
}

}  // namespace
}  // namespace daedal
