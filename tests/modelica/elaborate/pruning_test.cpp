// SPDX-License-Identifier: BSD-3-Clause
/// What nothing needs is left out if the text does not define a function for it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>

#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::check;
using test::ExportedModel;
using ::testing::HasSubstr;

TEST(Pruning, VariablesThatOnlyUndefinedFunctionsDetermineAreLeftOut) {
  std::vector<Diagnostic> warnings;
  const Model model = parse_model(R"(
    model M
      Real x, angle, degrees;
    equation
      x = time;
      angle = Modelica.Somewhere.unknown(x);
      degrees = 57.3 * angle;
    end M;)",
                                  "m.mo", {.warnings = &warnings});
  ASSERT_EQ(model.variables().size(), 1U);
  EXPECT_EQ(model.variables()[0].name, "x");
  EXPECT_EQ(model.equations().size(), 1U);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0].message, HasSubstr("'Modelica.Somewhere.unknown' is not defined"));
  EXPECT_THAT(warnings[0].message, HasSubstr("2 of 3 variables"));
  EXPECT_THAT(warnings[0].message, HasSubstr("'angle', 'degrees'"));
}

// u and v need the unknown function together, w and the discrete n depend on them; x does not, and
// neither does the clause that counts its crossings.
TEST(Pruning, WhatDependsOnAnUndefinedFunctionIsLeftOutAndTheRestRuns) {
  const ExportedModel model{
      "Real 'x'(start = 1.0, fixed = true); Real 'u'; Real 'v'(start = 0.0, fixed = true); Real "
      "'w'; "
      "Integer 'n'(start = 0, fixed = true); Integer 'm'(start = 0, fixed = true); Real 'a'[2]; "
      "equation der('x') = -'x'; 'u' + 'v' = 'Lib.f'('u', 'x'); der('v') = 'u' - 'v'; 'w' = "
      "sin('v'); "
      "when 'w' > 0.5 then 'n' = pre('n') + 1; end when; when 'x' < 0.5 then 'm' = pre('m') + 1; "
      "end "
      "when; 'a' = {'x', 'w'}; assert('w' < 2.0, \"large\"); algorithm assert('Lib.g'('x') > 0.0, "
      "\"negative\");"};
  std::vector<Diagnostic> warnings;
  const Model parsed = parse_model(model.text(), "m.bmo", {.warnings = &warnings});
  EXPECT_EQ(parsed.variables().size(), 1U);
  EXPECT_EQ(parsed.discretes().size(), 1U);
  check({{model, {{"x", std::exp(-2.0)}, {"m", 1.0}}}});
}

// One clause of an algorithm fills a memory, another needs an unknown function.
TEST(Pruning, AClauseOfAnAlgorithmIsLeftOutAlone) {
  const ExportedModel model{
      "Integer 'n'(start = 0, fixed = true); Real 'r'(start = 0.0, fixed = true); Real 's'; "
      "algorithm "
      "when sample(0.5, 0.5) then 'n' := pre('n') + 1; end when; when time > 1.0 then 'r' := "
      "'Lib.f'('n'); end when; equation 's' = 2.0 * 'r';"};
  const Model parsed = parse_model(model.text());
  EXPECT_TRUE(parsed.variables().empty());
  ASSERT_EQ(parsed.discretes().size(), 1U);
  check({{model, {{"n", 4.0}}}});
}

// x has no start value without the initial equation, and y follows from x.
TEST(Pruning, WithoutItsInitialEquationAVariableIsLeftOut) {
  const Model model = parse_model(ExportedModel{
      "Real 'x'; Real 'y'; Real 'z'(start = 1.0, fixed = true); initial equation 'x' = "
      "'Lib.f'(2.0); equation der('x') = -'x'; 'y' = 2.0 * 'x'; der('z') = 1.0;"}
                                      .text());
  ASSERT_EQ(model.variables().size(), 1U);
  EXPECT_EQ(model.variables()[0].name, "z");
}

TEST(Pruning, AnUndefinedFunctionThatIsNeededIsAnError) {
  try {
    parse_model(R"(
    model M
      Real x, y;
    equation
      der(x) = y;
      y = Modelica.Somewhere.unknown(x);
    end M;)");
    FAIL() << "accepted";
  } catch (const ParseError& error) {
    EXPECT_EQ(error.code(), ErrorCode::unknown_name);
    EXPECT_EQ(error.where().line, 6);
  }
}

TEST(Pruning, ParametersOfUndefinedFunctionsAreLeftOutIfNothingNeedsThem) {
  const std::string parameters =
      "parameter Real 'p' = 'Lib.largest'(2.0); parameter Real 'q' = 2.0 * 'p'; parameter Real 'k' "
      "= 3.0; Real 'x'(start = 1.0, fixed = true); equation ";
  const ExportedModel unused{parameters + "der('x') = 'k';"};
  check({{unused, {{"x", 7.0}}}});
  std::vector<Diagnostic> warnings;
  const Model model = parse_model(unused.text(), "P.bmo", {.warnings = &warnings});
  EXPECT_EQ(warnings.size(), 2U);
  EXPECT_EQ(model.parameters().size(), 1U);
  try {
    parse_model(ExportedModel{parameters + "der('x') = 'q';"}.text());
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("'Lib.largest' is not defined"));
    EXPECT_THAT(error.what(), HasSubstr("The parameter 'p' needs it"));
  }
}

// A guess may need a function that the text does not define; a fixed start value may not.
TEST(Pruning, GuessesOfUndefinedFunctionsAreLeftOut) {
  const auto text = [](const std::string& fixed) {
    return ExportedModel{"parameter Real 'p' = 'Lib.g'(1.0); Real 'x'(start = 'Lib.f'(2.0)" +
                             fixed + "); Real 'y'(start = 'p'); equation 'x' = 2.0; 'y' = 'x';",
                         "", 1.0}
        .text();
  };
  std::vector<Diagnostic> warnings;
  ParseOptions options;
  options.warnings = &warnings;
  const Model model = parse_model(text(""), "m.mo", options);
  EXPECT_EQ(model.variables().size(), 2U);
  EXPECT_EQ(warnings.size(), 3U);  // both guesses and the parameter
  EXPECT_THROW(parse_model(text(", fixed = true")), Error);
}

}  // namespace
}  // namespace daedal
