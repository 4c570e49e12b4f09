// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/structural_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedal/error.hpp>
#include <daedal/modelica.hpp>

namespace daedal::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Model pendulum_of_second_order() {
  ModelBuilder b("Pendulum");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  const Expr lambda = b.variable("lambda");
  b.equation(der(x, 2) == -lambda * x);
  b.equation(der(y, 2) == -lambda * y - 9.81);
  b.equation(sqr(x) + sqr(y) == 1.0, "rod");
  return b.build();
}

Model pendulum_of_first_order() {
  ModelBuilder b("Pendulum");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  const Expr u = b.variable("u");
  const Expr v = b.variable("v");
  const Expr lambda = b.variable("lambda");
  b.equation(der(x) == u);
  b.equation(v == der(y));
  b.equation(der(u) == -lambda * x);
  b.equation(der(v) == -lambda * y - 9.81);
  b.equation(sqr(x) + sqr(y) == 1.0, "rod");
  return b.build();
}

// Pryce (2001), example 1: c = (0, 0, 2), d = (2, 2, 0), index 3, two degrees of freedom.
TEST(StructuralModel, GivesThePendulumThePublishedOffsets) {
  const auto report = structural_report(pendulum_of_second_order());
  EXPECT_THAT(report.offsets.c, ElementsAre(0, 0, 2));
  EXPECT_THAT(report.offsets.d, ElementsAre(2, 2, 0));
  EXPECT_EQ(report.index, 3);
  EXPECT_EQ(report.n_states, 2);
  EXPECT_EQ(report.blocks.n_blocks(), 1);
}

TEST(StructuralModel, SeesTheSameStructureWhereVelocitiesHaveNames) {
  const auto report = structural_report(pendulum_of_first_order());
  EXPECT_THAT(report.offsets.c, ElementsAre(0, 0, 2));
  EXPECT_THAT(report.offsets.d, ElementsAre(2, 2, 0));
  EXPECT_THAT(report.model.unknowns, ElementsAre(0, 1, 4));
  EXPECT_THAT(report.model.equations, ElementsAre(2, 3, 4));
  EXPECT_EQ(report.model.variables[2].unknown, 0);
  EXPECT_EQ(report.model.variables[2].order, 1);
}

// x'', y'' and λ are in two equations each: given any of them, the others follow.
TEST(StructuralModel, TearsThePendulumAtOneUnknown) {
  const auto report = structural_report(pendulum_of_first_order());
  EXPECT_EQ(torn_unknowns(report).size(), 1U);
}

TEST(StructuralModel, NamesDerivativesAfterTheNearestVariable) {
  const Model model = pendulum_of_first_order();
  const auto structural = structural_model(model);
  EXPECT_EQ(derivative_name(model, structural, {1, 0}), "y");
  EXPECT_EQ(derivative_name(model, structural, {1, 1}), "v");
  EXPECT_EQ(derivative_name(model, structural, {1, 2}), "der(v)");
  EXPECT_EQ(derivative_name(model, structural, {1, 3}), "der(v, 2)");
}

TEST(StructuralModel, KeepsOneOfTwoVariablesThatAreEachOthersDerivative) {
  ModelBuilder b("Circle");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  b.equation(der(x) == y);
  b.equation(der(y) == x);
  const auto report = structural_report(b.build());
  EXPECT_THAT(report.model.unknowns, ElementsAre(0));
  EXPECT_THAT(report.offsets.d, ElementsAre(2));
  EXPECT_EQ(report.n_states, 2);
  EXPECT_EQ(report.index, 0);
}

ModelError error_of(const Model& model) {
  try {
    (void)structural_report(model);
  } catch (const ModelError& error) {
    return error;
  }
  return {ErrorCode::internal, "no error"};
}

TEST(StructuralModel, NamesTheSurplusTheMissingAndWhereTheyStand) {
  const Model model = parse_model(R"(model Loose
  Real x(start = 1);
  Real y;
  Real z;
equation
  x + y = 1;
  der(x) = -y;
  x - y = time;
end Loose;
)");
  const ModelError error = error_of(model);
  EXPECT_EQ(error.code(), ErrorCode::structurally_singular);
  EXPECT_THAT(error.variables(), ElementsAre("z"));
  EXPECT_EQ(error.equations().size(), 3U);  // three equations for x and y
  EXPECT_THAT(
      error.what(),
      HasSubstr("'x + y = 1' (line 6), 'der(x) = -y' (line 7) and 'x - y = time' (line 8)"));
  EXPECT_THAT(error.what(), HasSubstr("'z' (line 4) occurs in no equation"));
  EXPECT_EQ(error.where().line, 6);
}

TEST(StructuralModel, NamesADoubledEquationAlone) {
  ModelBuilder b("Doubled");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  const Expr p = b.variable("p");
  const Expr q = b.variable("q");
  b.equation(der(x) == -x + y, "motion");
  b.equation(y == sin(b.time()), "drive");
  b.equation(2.0 * y == 2.0 * sin(b.time()), "drive again");
  b.equation(p + q == x, "split");
  const ModelError error = error_of(b.build());
  EXPECT_EQ(error.code(), ErrorCode::structurally_singular);
  EXPECT_THAT(error.equations(), ElementsAre("drive", "drive again"));
  EXPECT_THAT(error.variables(), ElementsAre("p", "q"));
  EXPECT_THAT(error.what(), HasSubstr("only 'y' to determine"));
  EXPECT_THAT(error.what(), HasSubstr("only in 'split'"));
}

// Problem description: index 2P + 1, 2P free initial values.
TEST(StructuralModel, FindsTheIndexOfChainedPendula) {
  for (int n = 1; n <= 6; ++n) {
    ModelBuilder b("Chained");
    Expr length = 10.0;
    for (int i = 0; i < n; ++i) {
      const std::string suffix = std::to_string(i + 1);
      const Expr x = b.variable("x" + suffix);
      const Expr y = b.variable("y" + suffix);
      const Expr lambda = b.variable("lambda" + suffix);
      b.equation(der(x, 2) == -lambda * x);
      b.equation(der(y, 2) == -lambda * y + 9.8);
      b.equation(sqr(x) + sqr(y) == sqr(length));
      length = 10.0 + 0.1 * lambda;
    }
    const auto report = structural_report(b.build());
    EXPECT_EQ(report.index, 2 * n + 1);
    EXPECT_EQ(report.n_states, 2 * n);
    EXPECT_EQ(report.blocks.n_blocks(), n);
  }
}

}  // namespace
}  // namespace daedal::analysis
