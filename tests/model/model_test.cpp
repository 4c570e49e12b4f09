// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedal/model.hpp>
#include <limits>

#include "expr/pool.hpp"
#include "model/balance.hpp"
#include "model/labels.hpp"
#include "support/errors.hpp"

namespace daedal {
namespace {

using test::error_of;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Model pendulum() {
  ModelBuilder b("Pendulum", "a mass on a rod");
  const Expr g = b.parameter("g", 9.81);
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y");
  const Expr lambda = b.variable("lambda");
  b.equation(der(x, 2) == -lambda * x, "horizontal");
  b.equation(der(y, 2) == -lambda * y - g, "vertical");
  b.equation(x * x + y * y == 1, "rod");
  return b.build();
}

TEST(Model, HoldsWhatWasBuilt) {
  const Model model = pendulum();
  EXPECT_EQ(model.name(), "Pendulum");
  EXPECT_EQ(model.description(), "a mass on a rod");
  ASSERT_EQ(model.variables().size(), 3U);
  EXPECT_EQ(model.variables()[0].name, "x");
  EXPECT_TRUE(model.variables()[0].fixed);
  EXPECT_EQ((*model.pool())[model.variables()[0].start].value, 1.0);
  EXPECT_EQ(model.variables()[1].start, no_node);
  EXPECT_EQ(model.equations()[2].name, "rod");
  EXPECT_TRUE(model.pool()->is_frozen());
}

TEST(Model, IsEmptyUntilBuilt) {
  const Model model;
  EXPECT_TRUE(model.variables().empty());
  EXPECT_TRUE(model.parameter_values().empty());
  EXPECT_EQ(model.pool()->size(), 0);
}

TEST(Model, RefusesOneNameForTwoThings) {
  ModelBuilder b("M");
  b.variable("x");
  const Error error = error_of<ModelError>(
      [&] { b.parameter("x", 1.0, {.where = {.file = "m.mo", .line = 7, .column = 3}}); });
  EXPECT_EQ(error.code(), ErrorCode::duplicate_name);
  EXPECT_THAT(error.what(), HasSubstr("'x'"));
  EXPECT_EQ(error.where().line, 7);
}

TEST(Model, RefusesABuilderThatIsUsedUp) {
  ModelBuilder b("M");
  const Model model = b.build();
  EXPECT_THROW(b.variable("x"), ModelError);
  EXPECT_THROW(b.build(), ModelError);
}

TEST(Model, RefusesStartValuesThatAreNotParameters) {
  ModelBuilder b("M");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y", {.start = 2 * x});
  b.equation(der(x) == y);
  b.equation(y == x);
  const Error error = error_of<ModelError>([&] { b.build(); });
  EXPECT_EQ(error.code(), ErrorCode::invalid_value);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("'y'"), HasSubstr("'x'")));
}

TEST(Model, RefusesNumbersThatAreNotFinite) {
  ModelBuilder b("M");
  EXPECT_THAT(error_of<ModelError>([&] { b.parameter("p", nan); }).what(), HasSubstr("'p'"));
  EXPECT_THAT(error_of<ModelError>([&] { b.variable("x", {.start = nan}); }).what(),
              HasSubstr("'x'"));
}

TEST(Model, RefusesSenselessNominalAndBounds) {
  ModelBuilder nominal("M");
  nominal.equation(nominal.variable("x", {.nominal = 0.0}) == 1);
  EXPECT_EQ(error_of<ModelError>([&] { nominal.build(); }).code(), ErrorCode::invalid_value);
  ModelBuilder bounds("M");
  bounds.equation(bounds.variable("x", {.min = 2.0, .max = 1.0}) == 1);
  EXPECT_EQ(error_of<ModelError>([&] { bounds.build(); }).code(), ErrorCode::invalid_value);
}

TEST(Parameters, FollowEachOtherInAnyOrderAndUnderOverrides) {
  ModelBuilder b("M");
  const Expr area = b.parameter("area");
  const Expr width = b.parameter("width", 2.0);
  const Expr height = b.parameter("height", width + 1);
  b.set_parameter(area, width * height);
  b.parameter("is_wide", if_else(width > height, Expr(1.0), Expr(0.0)));
  const Model model = b.build();
  EXPECT_THAT(model.parameter_values(), ElementsAre(6.0, 2.0, 3.0, 0.0));
  EXPECT_THAT(model.parameter_values({{"width", 4.0}}), ElementsAre(20.0, 4.0, 5.0, 0.0));
  EXPECT_THAT(model.parameter_values({{"height", 1.0}}), ElementsAre(2.0, 2.0, 1.0, 1.0));
  EXPECT_THAT(model.parameter_values({{"area", 7.0}}), ElementsAre(7.0, 2.0, 3.0, 0.0));
}

TEST(Parameters, SuggestTheNearestName) {
  ModelBuilder b("M");
  b.parameter("gravity", 9.81);
  b.equation(b.variable("x") == 0);
  const Model model = b.build();
  const Error error = error_of<ModelError>([&] { (void)model.parameter_values({{"gravty", 1}}); });
  EXPECT_EQ(error.code(), ErrorCode::unknown_name);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("'gravty'"), HasSubstr("'gravity'")));
  EXPECT_THAT(error_of<ModelError>([&] { (void)model.parameter_values({{"zz", 1}}); }).what(),
              testing::Not(HasSubstr("Did you mean")));
  EXPECT_THAT(error_of<ModelError>([&] { (void)model.parameter_values({{"x", 1}}); }).what(),
              HasSubstr("variable"));
}

TEST(Parameters, NameACircle) {
  ModelBuilder b("M");
  const Expr p = b.parameter("p");
  const Expr q = b.parameter("q", 2 * p);
  b.set_parameter(p, q + 1);
  b.parameter("r", p);
  const Model model = b.build();
  const Error error = error_of<ModelError>([&] { (void)model.parameter_values(); });
  EXPECT_THAT(error.what(), HasSubstr("circle"));
  EXPECT_THAT(error.variables(), ElementsAre("p", "q"));
  // An override cuts the circle open.
  EXPECT_THAT(model.parameter_values({{"q", 5.0}}), ElementsAre(6.0, 5.0, 6.0));
}

TEST(Parameters, NameWhatIsMissingOrNotFinite) {
  ModelBuilder b("M");
  const Expr given = b.parameter("given");
  b.parameter("root", sqrt(given));
  const Model model = b.build();
  EXPECT_THAT(error_of<ModelError>([&] { (void)model.parameter_values(); }).variables(),
              ElementsAre("given"));
  EXPECT_THAT(
      error_of<ModelError>([&] { (void)model.parameter_values({{"given", -1}}); }).variables(),
      ElementsAre("root"));
  EXPECT_THROW((void)model.parameter_values({{"given", nan}}), ModelError);
  EXPECT_THAT(model.parameter_values({{"given", 9.0}}), ElementsAre(9.0, 3.0));
}

TEST(Parameters, KeepConstantsAndTypes) {
  ModelBuilder b("M");
  b.parameter("pi", 3.14, {.constant = true});
  b.parameter("n", 3.0, {.type = ValueType::integer});
  b.parameter("on", 1.0, {.type = ValueType::boolean});
  b.parameter("unknown", {.fixed = false});
  const Model model = b.build();
  EXPECT_THAT(model.parameter_values(), ElementsAre(3.14, 3.0, 1.0, 0.0));
  EXPECT_THROW((void)model.parameter_values({{"pi", 3.0}}), ModelError);
  EXPECT_THROW((void)model.parameter_values({{"n", 2.5}}), ModelError);
  EXPECT_THROW((void)model.parameter_values({{"on", 2.0}}), ModelError);
}

TEST(Balance, NamesTheVariableThatNothingDetermines) {
  ModelBuilder b("M");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y", {.where = {.file = "m.mo", .line = 3, .column = 8}});
  const Expr z = b.variable("z");
  b.variable("lost", {.where = {.file = "m.mo", .line = 4, .column = 8}});
  b.equation(der(x) == y);
  b.equation(y == z);
  b.equation(z == sin(x));
  const Error error = error_of<ModelError>([&] { b.build(); });
  EXPECT_EQ(error.code(), ErrorCode::unbalanced);
  EXPECT_THAT(error.what(),
              HasSubstr("3 equations for 4 unknowns: nothing determines 'lost' (line 4)"));
  EXPECT_THAT(error.variables(), ElementsAre("lost"));
  EXPECT_EQ(error.where().line, 4);
}

TEST(Balance, NamesTheSurplusEquation) {
  ModelBuilder b("M");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  b.equation(der(x) == y, "motion");
  b.equation(y == 1, "drive");
  b.equation(x == 0, {}, {.file = "m.mo", .line = 12, .column = 3});
  const Error error = error_of<ModelError>([&] { b.build(); });
  EXPECT_EQ(error.code(), ErrorCode::unbalanced);
  EXPECT_THAT(error.what(), HasSubstr("3 equations for 2 unknowns"));
  EXPECT_THAT(error.what(), HasSubstr("equation 3 (line 12) has no unknown left"));
  EXPECT_EQ(error.where().line, 12);
}

TEST(Balance, NamesBothSidesOfAMismatch) {
  ModelBuilder b("M");
  const Expr x = b.variable("x");
  b.variable("y");
  b.variable("z");
  b.equation(x == 1);
  b.equation(x == 2, "again");
  const Error error = error_of<ModelError>([&] { b.build(); });
  EXPECT_THAT(error.variables(), ElementsAre("y", "z"));
  EXPECT_THAT(error.equations(), ElementsAre("again"));
}

TEST(Balance, RefusesADiscreteVariableAssignedTwice) {
  ModelBuilder b("M");
  const Expr n = b.discrete("n");
  const Expr condition = b.time() > 1.0;
  WhenClause clause;
  clause.branches.push_back(
      {condition.in(b.pool()), {{.target = 0, .value = Expr(1.0).in(b.pool())}}});
  b.when(clause);
  b.discrete_equation(n, 2.0);
  const Error error = error_of<ModelError>([&] { b.build(); });
  EXPECT_EQ(error.code(), ErrorCode::unbalanced);
  EXPECT_THAT(error.variables(), ElementsAre("n"));
}

TEST(Balance, AllowsBranchesOfOneClauseToAssignTheSameVariable) {
  ModelBuilder b("M");
  b.discrete("n");
  WhenClause clause;
  for (const double instant : {1.0, 2.0}) {
    const Expr condition = b.time() > instant;
    clause.branches.push_back(
        {condition.in(b.pool()), {{.target = 0, .value = Expr(instant).in(b.pool())}}});
  }
  b.when(clause);
  EXPECT_EQ(b.build().when_clauses().size(), 1U);
}

TEST(Matching, FindsTheLargestOnAChainThatDefeatsGreedyChoice) {
  // Row i may take column i or i+1, the last row only column 0: every row must move on by one.
  constexpr std::int32_t n = 50'000;
  Incidence rows;
  for (std::int32_t i = 0; i + 1 < n; ++i) rows.push_back({i, i + 1});
  rows.push_back({0});
  const Matching matching = maximum_matching(rows, n);
  for (std::int32_t i = 0; i + 1 < n; ++i) {
    ASSERT_EQ(matching.column_of_row[static_cast<std::size_t>(i)], i + 1);
  }
  EXPECT_EQ(matching.column_of_row.back(), 0);
}

TEST(Labels, SpeakOfEquationsByNameOrNumber) {
  EXPECT_EQ(equation_label(pendulum(), 2), "'rod'");
  EXPECT_EQ(equation_label(Equation{.where = {.file = "m.mo", .line = 12, .column = 1}}, 2),
            "equation 3 (line 12)");
  EXPECT_EQ(join_words({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(join_words({"a", "b", "c", "d"}, 2), "a, b and 2 more");
}

}  // namespace
}  // namespace daedal
