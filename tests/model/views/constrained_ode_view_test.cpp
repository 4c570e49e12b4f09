// SPDX-License-Identifier: BSD-3-Clause
#include "model/views/constrained_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "model/symbolic_solve.hpp"
#include "support/model_point.hpp"

namespace daedal {
namespace {

using test::evaluate;
using test::Point;
using testing::ElementsAre;
using testing::HasSubstr;

Recognition<ConstrainedView> recognize(const Model& model) {
  const std::vector<double> parameters = model.parameter_values();
  return read_general(semi_explicit_form(model, parameters), parameters);
}

TEST(ConstrainedOdeView, DifferentiatesAlongTheEquationUntilItMeetsU) {
  // y' = y z, z' = u³ − z, 0 = y² − t: ġ = 2y²z − 1, g̈ = 4y²z² + 2y²(u³ − z).
  ModelBuilder b("General");
  const Expr y = b.variable("y", {.start = 1.0}), z = b.variable("z", {.start = 0.5});
  const Expr u = b.variable("u", {.start = 0.3});
  b.equation(der(y) == y * z);
  b.equation(der(z) == u * u * u - z);
  b.equation(sqr(y) - b.time() == 0, "path");
  const auto found = recognize(b.build());
  ASSERT_TRUE(found) << found.reason;
  const ConstrainedView& view = *found.view;
  EXPECT_EQ(view.index(), 3);
  EXPECT_THAT(view.depths, ElementsAre(2));
  EXPECT_FALSE(view.is_linear);
  std::mt19937 random(1);
  const Point point = test::random_point(random, 3, 0);
  const double Y = point.variables.at({0, 0}), Z = point.variables.at({1, 0});
  const double U = point.variables.at({2, 0});
  EXPECT_NEAR(evaluate(*view.pool, view.levels[0][0], point), Y * Y - point.time, 1e-14);
  EXPECT_NEAR(evaluate(*view.pool, view.levels[1][0], point), 2 * Y * Y * Z - 1, 1e-14);
  EXPECT_NEAR(evaluate(*view.pool, view.determining[0], point),
              4 * Y * Y * Z * Z + 2 * Y * Y * (U * U * U - Z), 1e-13);
}

TEST(ConstrainedOdeView, SeesThatTermsInUCancel) {
  // ġ of g = x + y is free of u, though both derivatives have it.
  ModelBuilder b("Cancelling");
  const Expr x = b.variable("x"), y = b.variable("y"), z = b.variable("z"), u = b.variable("u");
  b.equation(der(x) == z + u * cos(x));
  b.equation(der(y) == z * z - u * cos(x));
  b.equation(der(z) == u);
  b.equation(x + y == sin(b.time()));
  const auto found = recognize(b.build());
  ASSERT_TRUE(found) << found.reason;
  EXPECT_EQ(found.view->index(), 3);
  std::mt19937 random(2);
  Point point = test::random_point(random, 4, 0);
  const double Z = point.variables.at({2, 0});
  for (const double value : {-1.0, 2.0}) {
    point.variables[{3, 0}] = value;
    EXPECT_NEAR(evaluate(*found.view->pool, found.view->levels[1][0], point),
                Z + Z * Z - std::cos(point.time), 1e-13);
  }
}

TEST(ConstrainedOdeView, SolvesForDerivativesInTheOrderThatHasPivots) {
  // Neither equation has its own derivative alone, and the first diagonal entry is missing.
  ModelBuilder b("Coupled");
  const Expr x = b.variable("x"), y = b.variable("y"), u = b.variable("u");
  b.equation(3 * der(y) == u - x);
  b.equation(2 * der(x) + exp(x) * der(y) == y);
  b.equation(x == b.time());
  const auto found = recognize(b.build());
  ASSERT_TRUE(found) << found.reason;
  std::mt19937 random(3);
  const Point point = test::random_point(random, 3, 0);
  const double X = point.variables.at({0, 0}), Y = point.variables.at({1, 0});
  const double U = point.variables.at({2, 0});
  const double y_rate = (U - X) / 3;
  EXPECT_NEAR(evaluate(*found.view->pool, found.view->force[1], point), y_rate, 1e-14);
  EXPECT_NEAR(evaluate(*found.view->pool, found.view->force[0], point),
              (Y - std::exp(X) * y_rate) / 2, 1e-14);
}

TEST(ConstrainedOdeView, NamesWhatItCannotTake) {
  ModelBuilder ode("Ode");
  const Expr x = ode.variable("x");
  ode.equation(der(x) == -x);
  EXPECT_THAT(recognize(ode.build()).reason, HasSubstr("no constraint"));
  ModelBuilder implicit("Implicit");
  const Expr y = implicit.variable("y"), w = implicit.variable("w");
  implicit.equation(der(y) == w);
  implicit.equation(w + exp(w) == y, "balance");
  EXPECT_THAT(recognize(implicit.build()).reason, HasSubstr("'balance'"));
}

TEST(SymbolicSolve, AgreesWithNumbersAndReportsMissingPivots) {
  Pool pool;
  const auto c = [&](double value) { return pool.constant(value); };
  // [2 1 0; 4 5 1; 0 3 7] x = (4, 17, 27) has the solution (1, 2, 3).
  const std::vector<JacobianEntry> matrix{{0, 0, c(2)}, {1, 0, c(4)}, {0, 1, c(1)}, {1, 1, c(5)},
                                          {2, 1, c(3)}, {1, 2, c(1)}, {2, 2, c(7)}};
  const auto solution = solve_symbolically(pool, matrix, {c(4), c(17), c(27)});
  ASSERT_TRUE(solution);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(pool[(*solution)[i]].value, static_cast<double>(i + 1), 1e-14);
  }
  const std::vector<JacobianEntry> crossed{{1, 0, c(1)}, {0, 1, c(1)}};
  EXPECT_FALSE(solve_symbolically(pool, crossed, {c(1), c(2)}));
  EXPECT_THAT(pivot_order(crossed, std::vector<double>{1, 1}, 2), ElementsAre(1, 0));
  EXPECT_TRUE(pivot_order(crossed, std::vector<double>{1, 0}, 2).empty());
  // [1 2 0; 4 5 6; 0 8 9]: 4/6 > 1/2, then 8/9 > 0.75/2, and the first row has got an entry in the
  // last column.
  const std::vector<JacobianEntry> filled{{0, 0, c(1)}, {1, 0, c(4)}, {0, 1, c(2)}, {1, 1, c(5)},
                                          {2, 1, c(8)}, {1, 2, c(6)}, {2, 2, c(9)}};
  EXPECT_THAT(pivot_order(filled, std::vector<double>{1, 4, 2, 5, 8, 6, 9}, 3),
              ElementsAre(1, 2, 0));
}

}  // namespace
}  // namespace daedal
