// SPDX-License-Identifier: BSD-3-Clause
#include "model/views/general_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/model_point.hpp"

namespace daedal {
namespace {

using testing::ElementsAre;

TEST(GeneralView, ReducesDerivativesOfHigherOrder) {
  ModelBuilder b("M");
  const Expr k = b.parameter("k", 2.0);
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true, .nominal = 10.0});
  const Expr y = b.variable("y");
  b.equation(der(x, 3) == -k * der(x) + y, "third");
  b.equation(y == der(x, 2) * x, "product");
  b.initial_equation(der(x) == 3 * k);
  b.initial_equation(der(x, 2) == x);
  const GeneralView view = general_view(b.build());

  std::vector<std::string> names;
  for (const Variable& variable : view.model.variables()) names.push_back(variable.name);
  EXPECT_THAT(names, ElementsAre("x", "y", "der(x)", "der(x, 2)"));
  EXPECT_EQ(view.n_given, 2);
  EXPECT_THAT(view.is_differential, ElementsAre(true, false, true, true));
  EXPECT_EQ(view.model.variables()[3].nominal, 10.0);

  // der(x) = 3k is a start value, der(x, 2) = x stays an initial equation.
  test::Point point;
  point.parameters = {2.0};
  EXPECT_TRUE(view.model.variables()[2].fixed);
  EXPECT_EQ(test::evaluate(*view.pool, view.model.variables()[2].start, point), 6.0);
  EXPECT_EQ(view.model.initial_equations().size(), 1U);

  std::mt19937 random(21);
  point = test::random_point(random, 4, 1);
  point.parameters = {2.0};
  const auto value = [&](SymbolId i, int order) { return point.variables.at({i, order}); };
  const std::vector<double> residuals = test::evaluate(*view.pool, view.residuals, point);
  EXPECT_THAT(residuals,
              testing::Pointwise(testing::DoubleNear(1e-14),
                                 {value(3, 1) + 2 * value(2, 0) - value(1, 0),
                                  value(1, 0) - value(3, 0) * value(0, 0),
                                  value(0, 1) - value(2, 0), value(2, 1) - value(3, 0)}));
}

TEST(GeneralView, ListsOnlyRelationsInUse) {
  ModelBuilder b("M");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  b.equation(der(x) == no_event(if_else(x > 1, Expr(0.0), Expr(1.0))));
  b.equation(y == if_else(x > 2, Expr(0.0), Expr(1.0)));
  const GeneralView view = general_view(b.build());
  ASSERT_EQ(view.relations.size(), 1U);
  const Node& relation = (*view.pool)[view.pool->relation_node(view.relations[0])];
  const NodeId bounds[2] = {relation.a, relation.b};
  test::Point point;
  point.variables[{0, 0}] = 5.0;
  EXPECT_THAT(test::evaluate(*view.pool, bounds, point), testing::UnorderedElementsAre(5.0, 2.0));
}

TEST(GeneralView, LeavesFirstOrderModelsAlone) {
  ModelBuilder b("M");
  const Expr x = b.variable("x");
  b.equation(der(x) == -x);
  const Model model = b.build();
  EXPECT_EQ(general_view(model).model.pool(), model.pool());
}

}  // namespace
}  // namespace daedal
