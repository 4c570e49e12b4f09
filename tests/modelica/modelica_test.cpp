// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedal/modelica.hpp>
#include <daedal/output_grid.hpp>
#include <daedal/solve.hpp>
#include <string>

#include "expr/pool.hpp"
#include "places.hpp"
#include "support/evaluate.hpp"

namespace daedal {
namespace {

using ::testing::HasSubstr;

TEST(ParseModel, ReadsThePendulumInCartesianCoordinates) {
  const Model model = parse_model(R"(
    model Pendulum "A point mass on a rod"
      parameter Real g(unit = "m/s2") = 9.81 "gravity";
      Real x(start = 1, fixed = true), y(nominal = 2, min = -5, max = 5);
      Real lambda "tension over mass";
    equation
      der(der(x)) = -lambda * x;
      der(der(y)) = -lambda * y - g;
      x ^ 2 + y ^ 2 = 1;
      annotation(experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-8, Interval = 0.1));
    end Pendulum;
  )");
  EXPECT_EQ(model.name(), "Pendulum");
  EXPECT_EQ(model.description(), "A point mass on a rod");
  ASSERT_EQ(model.variables().size(), 3U);
  EXPECT_EQ(model.variables()[0].name, "x");
  EXPECT_TRUE(model.variables()[0].fixed);
  EXPECT_EQ((*model.pool())[model.variables()[0].start].value, 1.0);
  EXPECT_EQ(model.variables()[1].nominal, 2.0);
  EXPECT_EQ(model.variables()[1].min, -5.0);
  EXPECT_EQ(model.variables()[1].max, 5.0);
  EXPECT_EQ(model.variables()[2].description, "tension over mass");
  EXPECT_EQ(model.variables()[2].where.line, 5);
  EXPECT_EQ(model.variables()[2].where.column, 12);
  ASSERT_EQ(model.equations().size(), 3U);
  EXPECT_EQ(model.equations()[2].where.line, 9);
  const Node left = (*model.pool())[model.equations()[0].lhs];
  EXPECT_EQ(left.op, Op::variable);
  EXPECT_EQ(left.order, 2);
  ASSERT_EQ(model.parameters().size(), 1U);
  EXPECT_EQ(model.parameters()[0].unit, "m/s2");
  EXPECT_EQ(model.parameter_values(), std::vector<double>{9.81});
  EXPECT_EQ(model.experiment().stop_time, 10.0);
  EXPECT_EQ(model.experiment().tolerance, 1e-8);
  EXPECT_EQ(model.experiment().interval, 0.1);
}

TEST(Modelica, TheIntervalOfAnExperimentIsTheOutputGrid) {
  const std::string text =
      "model M\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -x;\n"
      "  annotation(experiment(StopTime = 2, Interval = 0.125));\nend M;";
  const Solution grid = solve(parse_model(text), {0.0, 2.0});
  ASSERT_EQ(grid.n_rows(), 17U);
  EXPECT_EQ(grid.times[3], 0.375);
  EXPECT_EQ(solve(parse_model(text), {0.0, 2.0}, {.interval = 0.5}).n_rows(), 5U);
  const Solution steps = solve(parse_model(text), {0.0, 2.0}, {.interval = every_step});
  EXPECT_EQ(steps.n_rows(), static_cast<std::size_t>(steps.statistics.steps) + 1);
  EXPECT_EQ(steps.statistics.steps, grid.statistics.steps);
}

TEST(Modelica, ShapesOfTheAnimationStandInAnAnnotation) {
  for (const std::string name : {"daedal", "__daedal"}) {
    const Model model = parse_model(
        "model M\n  Real x(start = 1);\nequation\n  der(x) = -x;\n  annotation("
        "Icon(graphics = 3), " +
        name + "(animate = \"rod(0,0; x,0)\\n body(x,0)\"), experiment(StopTime = 2));\nend M;");
    EXPECT_EQ(model.experiment().animation, "rod(0,0; x,0)\n body(x,0)");
    EXPECT_EQ(model.experiment().stop_time, 2.0);
  }
  const auto message_of = [](const std::string& settings) -> std::string {
    try {
      parse_model("model M\n  Real x;\nequation\n  der(x) = -x;\n  annotation(daedal(" + settings +
                  "));\nend M;");
    } catch (const ParseError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message_of("animate = 3"), HasSubstr("'animate' must be a text in quotes"));
  EXPECT_THAT(message_of("animat = \"\""), HasSubstr("no setting 'animat'; there is 'animate'"));
}

TEST(ParseModel, SplitsArraysIntoScalarsNamedByTheirSubscripts) {
  const Model model = parse_model(R"(
    model Grid
      parameter Integer n = 2;
      Real a[n, n + 1];
    equation
      for i in 1:n, j in 1:n + 1 loop
        a[i, j] = i + 10 * j;
      end for;
    end Grid;
  )");
  std::vector<std::string> names;
  for (const Variable& variable : model.variables()) names.push_back(variable.name);
  EXPECT_THAT(names,
              ::testing::ElementsAre("a[1,1]", "a[1,2]", "a[1,3]", "a[2,1]", "a[2,2]", "a[2,3]"));
  EXPECT_EQ(model.equations().size(), 6U);
}

TEST(ParseModel, MakesAParameterThatSizesDependOnConstant) {
  const Model model = parse_model(
      "model M parameter Integer m = 1; parameter Integer n = m + 1; parameter Real k = 2;\n"
      "Real x[n]; equation x = fill(k, n); end M;");
  EXPECT_EQ(model.parameter_values({{"k", 3.0}}), (std::vector<double>{1.0, 2.0, 3.0}));
  EXPECT_THROW(model.parameter_values({{"n", 3.0}}), ModelError);
  EXPECT_THROW(model.parameter_values({{"m", 3.0}}), ModelError);
}

TEST(ParseModel, LeavesTheBalanceToTheModel) {
  try {
    parse_model("model M Real x; Real y; equation x = 1; end M;");
    FAIL() << "an unbalanced model was accepted";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.code(), ErrorCode::unbalanced);
    EXPECT_THAT(error.what(), HasSubstr("'y'"));
  }
}

TEST(LoadModel, NamesAFileThatIsNotThere) {
  try {
    load_model("/nowhere/at/all.mo");
    FAIL() << "a missing file was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::file_not_readable);
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/at/all.mo"));
  }
}

TEST(LoadModel, RefusesADirectory) {
  EXPECT_THROW(load_model(DAEDAL_SOURCE_DIR), Error);
}

}  // namespace
}  // namespace daedal
