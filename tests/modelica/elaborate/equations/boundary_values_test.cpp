// SPDX-License-Identifier: BSD-3-Clause
/// x(startTime) and x(finalTime), as Optimica writes boundary values.

#include <gtest/gtest.h>

#include <daedal/model.hpp>
#include <daedal/modelica.hpp>
#include <string>

#include "expr/pool.hpp"
#include "model/labels.hpp"
#include "model/simplify/simplify.hpp"

namespace daedal {
namespace {

std::string problem(const std::string& conditions) {
  return "model M\n  Real x[2];\n  Real y;\nequation\n  der(x[1]) = x[2];\n  der(x[2]) = -y;\n"
         "  y = x[1];\n" +
         conditions + "end M;\n";
}

std::string message_of(const std::string& text) {
  try {
    (void)parse_model(text, "m.mo");
  } catch (const ParseError& error) {
    return error.what();
  }
  return "";
}

std::string side(const Model& model, NodeId node) {
  return leaf_name(model, node);
}

TEST(BoundaryValues, StartTimeIsTheVariableInAnInitialEquation) {
  const Model model = parse_model(problem("initial equation\n  y(startTime) = 1;\n"), "m.mo");
  ASSERT_EQ(model.initial_equations().size(), 1U);
  EXPECT_TRUE(model.boundary_equations().empty());
  EXPECT_EQ(side(model, model.initial_equations()[0].lhs), "y");
}

TEST(BoundaryValues, FinalTimeMakesABoundaryEquation) {
  const Model model =
      parse_model(problem("initial equation\n  x[1] = 0;\n  y(finalTime) = 1;\n"), "m.mo");
  EXPECT_EQ(model.initial_equations().size(), 1U);
  ASSERT_EQ(model.boundary_equations().size(), 1U);
  EXPECT_EQ(side(model, model.boundary_equations()[0].lhs), "y(finalTime)");
  EXPECT_EQ(model.boundary_equations()[0].where.line, 10);
}

TEST(BoundaryValues, AnOptimicaConstraintSectionHoldsThem) {
  const Model model =
      parse_model(problem("constraint\n  x(finalTime)[2] = 1;\n  x(startTime)[1] = 0;\n"), "m.mo");
  ASSERT_EQ(model.boundary_equations().size(), 1U);
  EXPECT_EQ(side(model, model.boundary_equations()[0].lhs), "x[2](finalTime)");
  EXPECT_EQ(model.initial_equations().size(), 1U);
}

TEST(BoundaryValues, ConstraintStaysANameElsewhere) {
  const Model model =
      parse_model("model M\n  Real constraint;\nequation\n  constraint = time;\nend M;\n", "m.mo");
  EXPECT_EQ(model.equations().size(), 1U);
}

TEST(BoundaryValues, AreRefusedInEquationsOfEveryInstant) {
  const std::string text =
      message_of("model M\n  Real y;\nequation\n  y(finalTime) = 1;\nend M;\n");
  EXPECT_NE(text.find("belongs to an 'initial equation' or 'constraint' section"),
            std::string::npos)
      << text;
}

TEST(BoundaryValues, AreOfContinuousVariablesOnly) {
  const std::string text = message_of(
      "model M\n  parameter Real p = 1;\n  Real y;\nequation\n  y = p;\ninitial equation\n"
      "  p(finalTime) = 1;\nend M;\n");
  EXPECT_NE(text.find("not a continuous variable"), std::string::npos) << text;
}

TEST(BoundaryValues, FollowAliasesThroughSimplification) {
  const Model model = parse_model(
      "model M\n  Real x, v, minus_x;\nequation\n  der(x) = v;\n  der(v) = -x;\n"
      "  minus_x = -x;\ninitial equation\n  x(startTime) = 0;\n  minus_x(finalTime) = 1;\nend M;\n",
      "m.mo");
  const Model simple = simplify(model).model;
  ASSERT_EQ(simple.boundary_equations().size(), 1U);
  const Node node = (*simple.pool())[simple.boundary_equations()[0].lhs];
  ASSERT_EQ(node.op, Op::neg);
  EXPECT_EQ(side(simple, node.a), "x(finalTime)");
}

TEST(BoundaryValues, TakeAVariableInCppOnly) {
  ModelBuilder b("M");
  const Expr x = b.variable("x");
  EXPECT_THROW((void)b.final_value(x + 1.0), ModelError);
  EXPECT_THROW((void)b.final_value(der(x)), ModelError);
}

}  // namespace
}  // namespace daedal
