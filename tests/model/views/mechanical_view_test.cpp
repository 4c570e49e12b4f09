// SPDX-License-Identifier: BSD-3-Clause
#include "model/views/constrained_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "model/simplify/simplify.hpp"
#include "support/model_point.hpp"

namespace daedal {
namespace {

using test::evaluate;
using test::Point;
using testing::AllOf;
using testing::HasSubstr;

Recognition<ConstrainedView> recognize(const Model& model) {
  return mechanical_view(model, model.parameter_values());
}

std::string refusal(ModelBuilder& b) {
  const auto found = recognize(b.build());
  EXPECT_FALSE(found);
  return found.reason;
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

/// lhs − rhs of a model's dynamic equation where q, v, v' and λ have the values of the point, and
/// intermediate variables follow from them.
double residual_of_model(const ConstrainedView& view, std::size_t row, Point point) {
  const std::vector<double> all = evaluate(*view.pool, view.outputs, point);
  for (std::size_t i = 0; i < all.size(); ++i) {
    point.variables[{static_cast<SymbolId>(i), 0}] = all[i];
  }
  const Equation& equation =
      view.model.equations()[static_cast<std::size_t>(view.dynamic_equations[row])];
  return evaluate(*view.pool, equation.lhs, point) - evaluate(*view.pool, equation.rhs, point);
}

/// The row of M v' − f + GᵀSλ at the same point.
double residual_of_view(const ConstrainedView& view, std::size_t row, const Point& point) {
  const auto i = static_cast<int>(row);
  double sum = -evaluate(*view.pool, view.force[row], point);
  for (std::size_t j = 0; j < view.states[1].size(); ++j) {
    sum += entry(view, view.mass, {i, static_cast<int>(j)}, point) *
           point.variables.at({view.states[1][j], 1});
  }
  for (const SparseEntry& s : view.forces->scale) {
    const std::int32_t lambda = view.algebraic[static_cast<std::size_t>(s.column)];
    sum +=
        entry(view, view.jacobian, {s.row, i}, point) * s.value * point.variables.at({lambda, 0});
  }
  return sum;
}

/// Every row of the view is the model's own equation times one constant factor: the ratio of the
/// two residuals is the same at unrelated points.
void expect_same_dynamics(const ConstrainedView& view, unsigned seed) {
  std::mt19937 random(seed);
  const auto n = static_cast<SymbolId>(view.model.variables().size());
  for (std::size_t row = 0; row < view.states[0].size(); ++row) {
    double factor = 0.0;
    for (int trial = 0; trial < 5; ++trial) {
      Point point = test::random_point(random, n, 1);
      point.parameters = view.model.parameter_values();
      const double ours = residual_of_view(view, row, point);
      const double theirs = residual_of_model(view, row, point);
      if (trial == 0) factor = ours / theirs;
      EXPECT_NEAR(ours, factor * theirs, 1e-11 * (1 + std::abs(ours)));
    }
    EXPECT_NE(factor, 0.0);
  }
}

TEST(MechanicalView, FindsThePendulumWithHalfItsMultiplier) {
  ModelBuilder b("Pendulum");
  const Expr x = b.variable("x", {.start = 1.0});
  const Expr y = b.variable("y");
  const Expr lambda = b.variable("lambda");
  b.equation(der(x, 2) == -lambda * x, "horizontal");
  b.equation(der(y, 2) == -lambda * y - 9.81, "vertical");
  b.equation(x * x + y * y == 1, "rod");
  const auto found = recognize(b.build());
  ASSERT_TRUE(found) << found.reason;
  const ConstrainedView& view = *found.view;
  EXPECT_EQ(view.model.variables()[static_cast<std::size_t>(view.states[1][1])].name, "der(y)");
  ASSERT_EQ(view.forces->scale.size(), 1U);
  EXPECT_EQ(view.forces->scale[0].value, 0.5);
  double lambda_of_model = 0.0;
  const double ours = 3.0;
  multipliers_of_model(view, std::span(&ours, 1), std::span(&lambda_of_model, 1));
  EXPECT_DOUBLE_EQ(lambda_of_model, 6.0);
  expect_same_dynamics(view, 11);
}

/// The car axis of the IVP test set, as the problem states it.
Model car_axis() {
  ModelBuilder b("CarAxis");
  const double L = 1.0, L0 = 0.5, eps = 0.01, M = 10.0, r = 0.1, w = 10.0;
  std::vector<Expr> p, v;
  const char* names[] = {"xl", "yl", "xr", "yr"};
  const double start[] = {0.0, 0.5, 1.0, 0.5};
  for (int i = 0; i < 4; ++i) p.push_back(b.variable(names[i], {.start = start[i]}));
  for (const char* name : names) v.push_back(b.variable(std::string("v") + name));
  const Expr l1 = b.variable("lambda1"), l2 = b.variable("lambda2");
  const Expr yb = r * sin(w * b.time());
  const Expr xb = sqrt(L * L - yb * yb);
  const Expr Ll = sqrt(sqr(p[0]) + sqr(p[1]));
  const Expr Lr = sqrt(sqr(p[2] - xb) + sqr(p[3] - yb));
  const double k = eps * eps * M / 2;
  for (std::size_t i = 0; i < 4; ++i) b.equation(der(p[i]) == v[i]);
  b.equation(k * der(v[0]) == (L0 - Ll) * p[0] / Ll + l1 * xb + 2 * l2 * (p[0] - p[2]));
  b.equation(k * der(v[1]) == (L0 - Ll) * p[1] / Ll + l1 * yb + 2 * l2 * (p[1] - p[3]) - k);
  b.equation(k * der(v[2]) == (L0 - Lr) * (p[2] - xb) / Lr - 2 * l2 * (p[0] - p[2]));
  b.equation(k * der(v[3]) == (L0 - Lr) * (p[3] - yb) / Lr - 2 * l2 * (p[1] - p[3]) - k);
  b.equation(p[0] * xb + p[1] * yb == 0, "road");
  b.equation(sqr(p[0] - p[2]) + sqr(p[1] - p[3]) == L * L, "axle");
  return b.build();
}

TEST(MechanicalView, FindsTheCarAxisWithTheOtherSign) {
  const auto found = recognize(car_axis());
  ASSERT_TRUE(found) << found.reason;
  ASSERT_EQ(found.view->forces->scale.size(), 2U);
  for (const SparseEntry& s : found.view->forces->scale) {
    EXPECT_EQ(s.row, s.column);
    EXPECT_EQ(s.value, -1.0);
  }
  EXPECT_TRUE(found.view->mass_is_constant);
  expect_same_dynamics(*found.view, 12);
}

TEST(MechanicalView, SubstitutesAccelerationsAndForces) {
  ModelBuilder b("Pendulum");
  const Expr m = b.parameter("m", 3.0), L = b.parameter("L", 2.0);
  const Expr x = b.variable("x", {.start = 1.0}), y = b.variable("y");
  const Expr vx = b.variable("vx"), vy = b.variable("vy");
  const Expr ax = b.variable("ax"), ay = b.variable("ay");
  const Expr fx = b.variable("fx"), fy = b.variable("fy"), f = b.variable("F");
  const Expr spring = b.variable("spring");
  b.equation(der(x) == vx);
  b.equation(der(y) == vy);
  b.equation(der(vx) == ax);
  b.equation(der(vy) == ay);
  b.equation(m * ax == fx + spring);
  b.equation(m * ay == fy - m * 9.81);
  b.equation(L * fx == -f * x);
  b.equation(fy == -f * y / L);
  b.equation(spring == -2 * x - 0.1 * vx);
  b.equation(x * x + y * y == L * L);
  const Model model = b.build();
  const auto found = recognize(simplify(model).model);
  ASSERT_TRUE(found) << found.reason;
  const ConstrainedView& view = *found.view;
  ASSERT_EQ(view.algebraic.size(), 1U);
  // fx = −F x/L and G = 2(x, y): S = 1/(2L).
  EXPECT_NEAR(view.forces->scale[0].value, 0.25, 1e-14);
  expect_same_dynamics(view, 13);
  std::mt19937 random(14);
  Point point = test::random_point(random, static_cast<SymbolId>(view.model.variables().size()), 1);
  point.parameters = {3.0, 2.0};
  const double X = point.variables.at({view.states[0][0], 0});
  const double U = point.variables.at({view.states[1][0], 0});
  EXPECT_NEAR(evaluate(*view.pool, view.force[0], point), -2 * X - 0.1 * U, 1e-14);
}

TEST(MechanicalView, OrdersRowsForASymmetricMass) {
  // M = [2 c; c 1] with c = cos(b − a), rows swapped, one of them multiplied by −1.
  ModelBuilder bld("Crank");
  const Expr a = bld.variable("a", {.start = 0.8}), b = bld.variable("b", {.start = 2.3});
  const Expr va = bld.variable("va"), vb = bld.variable("vb"), l = bld.variable("l");
  const Expr c = cos(b - a);
  bld.equation(der(a) == va);
  bld.equation(der(b) == vb);
  bld.equation(c * der(va) + der(vb) == -sin(b) * l, "second");
  bld.equation(-sin(a) * l == 2 * der(va) + c * der(vb), "first");
  bld.equation(cos(a) + cos(b) == 0);
  const auto found = recognize(bld.build());
  ASSERT_TRUE(found) << found.reason;
  const ConstrainedView& view = *found.view;
  EXPECT_TRUE(view.is_mechanical());
  EXPECT_EQ(view.dynamic_equations[0], 3);
  expect_same_dynamics(view, 15);
  std::mt19937 random(16);
  const Point point = test::random_point(random, 5, 1);
  EXPECT_NEAR(entry(view, view.mass, {0, 1}, point), entry(view, view.mass, {1, 0}, point), 1e-15);
  EXPECT_GT(entry(view, view.mass, {0, 0}, point), 0.0);
}

TEST(MechanicalView, ScalesRowsForASymmetricMass) {
  ModelBuilder bld("Crank");
  const Expr a = bld.variable("a", {.start = 0.8}), b = bld.variable("b", {.start = 2.3});
  const Expr l = bld.variable("l");
  const Expr c = cos(b - a);
  bld.equation(2 * der(a, 2) + c * der(b, 2) == -sin(a) * l);
  bld.equation(der(b, 2) * 3 + 3 * c * der(a, 2) == -3 * sin(b) * l);
  bld.equation(cos(a) + cos(b) == 0);
  const auto found = recognize(bld.build());
  ASSERT_TRUE(found) << found.reason;
  EXPECT_TRUE(found.view->is_mechanical());
  expect_same_dynamics(*found.view, 19);
}

TEST(MechanicalView, FindsTheMassesOfRowsThatWereDividedByThem) {
  // Two masses on a rod, each row divided by its mass: only m_i-fold rows have forces Gᵀλ.
  ModelBuilder b("Dumbbell");
  const Expr m1 = b.parameter("m1", 2.0), m2 = b.parameter("m2", 5.0);
  std::vector<Expr> p, v;
  for (const char* name : {"x1", "y1", "x2", "y2"}) p.push_back(b.variable(name));
  for (const char* name : {"u1", "v1", "u2", "v2"}) v.push_back(b.variable(name));
  const Expr l = b.variable("l");
  for (std::size_t i = 0; i < 4; ++i) b.equation(der(p[i]) == v[i]);
  b.equation(der(v[0]) == -l * (p[0] - p[2]) / m1);
  b.equation(der(v[1]) == -l * (p[1] - p[3]) / m1 - 9.81);
  b.equation(der(v[2]) == l * (p[0] - p[2]) / m2);
  b.equation(der(v[3]) == l * (p[1] - p[3]) / m2 - 9.81);
  b.equation(sqr(p[0] - p[2]) + sqr(p[1] - p[3]) == 1);
  const auto found = recognize(b.build());
  ASSERT_TRUE(found) << found.reason;
  const ConstrainedView& view = *found.view;
  const Point point;
  const double first = entry(view, view.mass, {0, 0}, point);
  EXPECT_NEAR(entry(view, view.mass, {1, 1}, point) / first, 1.0, 1e-12);
  EXPECT_NEAR(entry(view, view.mass, {2, 2}, point) / first, 2.5, 1e-12);
  expect_same_dynamics(view, 17);
}

TEST(MechanicalView, KeepsMultipliersOfARepeatedConstraintApart) {
  ModelBuilder b("Pendulum");
  const Expr x = b.variable("x", {.start = 1.0}), y = b.variable("y");
  const Expr l1 = b.variable("l1"), l2 = b.variable("l2");
  b.equation(der(x, 2) == -(l1 + 2 * l2) * x);
  b.equation(der(y, 2) == -(l1 + 2 * l2) * y - 9.81);
  b.equation((x * x + y * y - 1) / 2 == 0);
  b.equation(x * x + y * y - 1 == 0);
  const auto found = recognize(b.build());
  ASSERT_TRUE(found) << found.reason;
  ASSERT_EQ(found.view->forces->scale.size(), 2U);
  EXPECT_EQ(found.view->forces->scale[0].value, 1.0);
  EXPECT_EQ(found.view->forces->scale[1].value, 1.0);
}

TEST(MechanicalView, FindsFactorsOfRowsWhereConstraintsRepeatEachOther) {
  ModelBuilder b("Dumbbell");
  std::vector<Expr> p;
  for (const char* name : {"x1", "y1", "x2", "y2"}) p.push_back(b.variable(name));
  const Expr l = b.variable("l"), k = b.variable("k");
  const Expr pull = l + 3 * k;
  b.equation(der(p[0], 2) == -pull * (p[0] - p[2]) / 2);
  b.equation(1e6 * der(p[1], 2) == -1e6 * pull * (p[1] - p[3]) / 2 - 9.81e6);
  b.equation(der(p[2], 2) == pull * (p[0] - p[2]) / 5);
  b.equation(1e-6 * der(p[3], 2) == 1e-6 * pull * (p[1] - p[3]) / 5 - 9.81e-6);
  b.equation(sqr(p[0] - p[2]) + sqr(p[1] - p[3]) == 1);
  b.equation(3 * sqr(p[0] - p[2]) + 3 * sqr(p[1] - p[3]) == 3);
  const auto found = recognize(b.build());
  ASSERT_TRUE(found) << found.reason;
  const double first = entry(*found.view, found.view->mass, {0, 0}, {});
  EXPECT_NEAR(entry(*found.view, found.view->mass, {1, 1}, {}) / first, 1.0, 1e-9);
  EXPECT_NEAR(entry(*found.view, found.view->mass, {3, 3}, {}) / first, 2.5, 1e-9);
}

TEST(MechanicalView, SeesForcesThatDoNotFitInCoordinatesOfSmallSlope) {
  // The slope by x, 1e-6 (1.6 + 0.2 cos x), varies; the force on x does not.
  ModelBuilder b("Mixed");
  const Expr x = b.variable("x", {.nominal = 1e6}), y = b.variable("y", {.nominal = 1e-3});
  const Expr l = b.variable("l");
  b.equation(der(x, 2) == 1.8e-6 * l);
  b.equation(der(y, 2) == 0.8e3 * l);
  b.equation(1.6e-6 * x + 0.8e3 * y + 0.2 * sin(1e-6 * x) == sin(b.time()));
  EXPECT_THAT(refusal(b), HasSubstr("the forces of 'l' are not those of the constraints"));
}

TEST(MechanicalView, FindsAFullScaleMatrix) {
  // Forces of one multiplier spread over two constraints: S = [1 1; 0 1].
  ModelBuilder b("Mixed");
  const Expr x = b.variable("x"), y = b.variable("y"), z = b.variable("z");
  const Expr l = b.variable("l"), k = b.variable("k");
  const Expr g1x = 2 * x, g1y = 2 * y, g2y = z, g2z = y;
  b.equation(der(x, 2) == -g1x * (l + k));
  b.equation(der(y, 2) == -g1y * (l + k) - g2y * k);
  b.equation(der(z, 2) == -g2z * k);
  b.equation(x * x + y * y == 1);
  b.equation(y * z == 0.3);
  const auto found = recognize(b.build());
  ASSERT_TRUE(found) << found.reason;
  EXPECT_EQ(found.view->forces->scale.size(), 3U);
  expect_same_dynamics(*found.view, 18);
  const double ours[] = {5.0, 2.0};  // l + k, k
  double model[2];
  multipliers_of_model(*found.view, ours, model);
  EXPECT_NEAR(model[0], 3.0, 1e-13);
  EXPECT_NEAR(model[1], 2.0, 1e-13);
}

TEST(MechanicalView, ReadsTheSameViewFromTheSimplifiedModel) {
  const auto found = recognize(simplify(car_axis()).model);
  ASSERT_TRUE(found) << found.reason;
  EXPECT_EQ(found.view->states[0].size(), 4U);
}

TEST(MechanicalView, SaysWhyAModelIsNotMechanical) {
  {
    ModelBuilder b("Decay");
    const Expr x = b.variable("x");
    b.equation(der(x) == -x);
    EXPECT_THAT(refusal(b), AllOf(HasSubstr("'x'"), HasSubstr("neither a position")));
  }
  {
    ModelBuilder b("Skate");
    const Expr x = b.variable("x"), y = b.variable("y"), l = b.variable("l");
    const Expr u = b.variable("u"), v = b.variable("v");
    b.equation(der(x) == u);
    b.equation(der(y) == v);
    b.equation(der(u) == l * sin(x));
    b.equation(der(v) == -l);
    b.equation(u * sin(x) == v, "blade");
    EXPECT_THAT(refusal(b), AllOf(HasSubstr("'blade'"), HasSubstr("velocity")));
  }
  {
    ModelBuilder b("Quadratic");
    const Expr x = b.variable("x"), l = b.variable("l");
    b.equation(der(x, 2) == -l * l, "motion");
    b.equation(x == sin(b.time()));
    EXPECT_THAT(refusal(b), AllOf(HasSubstr("'motion'"), HasSubstr("'l'"), HasSubstr("linear")));
  }
  {
    ModelBuilder b("Wrong force");
    const Expr x = b.variable("x"), y = b.variable("y"), l = b.variable("l");
    b.equation(der(x, 2) == -l);
    b.equation(der(y, 2) == -l * x * x - 9.81);
    b.equation(x * x + y * y == 1);
    EXPECT_THAT(refusal(b), HasSubstr("forces of 'l'"));
  }
  {
    ModelBuilder b("Implicit");
    const Expr x = b.variable("x"), w = b.variable("w");
    b.equation(der(x, 2) == 2 * w - x);
    b.equation(w + exp(w) == x, "valve");
    EXPECT_THAT(refusal(b), AllOf(HasSubstr("'valve'"), HasSubstr("'w'")));
  }
}

}  // namespace
}  // namespace daedal
