// SPDX-License-Identifier: BSD-3-Clause
// What a user reads after a typical mistake: the place, the line with a caret below, what was
// expected, and the nearest name.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/program.hpp"

namespace daedal::test {
namespace {

using ::testing::HasSubstr;

struct Mistake {
  const char* name;
  const char* line;     ///< the wrong line, the fifth of the text
  int column;           ///< where the message points
  const char* message;  ///< part of it
};

/// A model whose fifth line is the wrong one.
std::string text_with(const std::string& line) {
  return "model M\n  Real speed(start = 1, fixed = true);\n  Real force[3];\n  Integer n;\n" +
         line + "\nend M;\n";
}

const Mistake mistakes[] = {
    {"AMissingSemicolon", "equation der(speed) = 1 n = 2;", 25,
     "Expected ';' after the equation, but found 'n'"},
    {"AnAssignmentInAnEquation", "equation der(speed) := 1;", 21, "':=' belongs to algorithms"},
    {"AnEquationInAnAlgorithm", "algorithm n = 2;", 13, "an algorithm assigns"},
    {"AMisspeltVariable", "equation der(spede) = 1;", 14, "Did you mean 'speed'?"},
    {"AMisspeltFunction", "equation der(speed) = cosh2(1);", 23, "Did you mean 'cosh'?"},
    {"AMisspeltType", "  Reall x;", 3, "There is no type 'Reall'. Did you mean 'Real'?"},
    {"AMisspeltAttribute", "  Real x(strat = 1);", 10,
     "A Real has no attribute 'strat'. Did you mean 'start'?"},
    {"AWrongSize", "equation force = {1, 2};", 10,
     "an array of Real of size 3 on the left, an array of Integer of size 2 on the right"},
    {"ASubscriptOutOfRange", "equation force[4] = 1;", 16, "The subscript 4 is outside 1:3"},
    {"AMissingParenthesis", "equation speed = (1 + 2;", 24,
     "Expected ')' for the '(' of line 5, column 18"},
    {"ADerivativeOfADiscreteVariable", "equation der(n) = 1;", 10, "no derivative"},
    {"AProductWithoutAStar", "equation speed = 2n;", 19, "as in 2*n"},
    {"AnUnsupportedConstruct", "equation connect(a, b);", 10, "'connect'"},
};

class Messages : public ::testing::TestWithParam<Mistake> {};

TEST_P(Messages, PointAtTheMistakeAndSayWhatWasExpected) {
  const Mistake& mistake = GetParam();
  const ScratchFolder scratch;
  const std::string model = scratch.write("M.mo", text_with(mistake.line));
  const auto r = run_program("simulate " + model);
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_THAT(r.err, HasSubstr(fmt::format("{}:5:{}: error: ", model, mistake.column)));
  EXPECT_THAT(r.err, HasSubstr(mistake.message));
  const std::string caret(static_cast<std::size_t>(mistake.column) - 1, ' ');
  EXPECT_THAT(r.err, HasSubstr(fmt::format("     5 | {}\n       | {}^\n", mistake.line, caret)));
}

INSTANTIATE_TEST_SUITE_P(Typical, Messages, ::testing::ValuesIn(mistakes),
                         [](const auto& suite) { return std::string(suite.param.name); });

TEST(Messages, NameTheVariableWithoutAnEquationWhereItIsDeclared) {
  const ScratchFolder scratch;
  const std::string model =
      scratch.write("M.mo", "model M\n  Real x;\n  Real y;\nequation\n  der(x) = -x;\nend M;\n");
  const auto r = run_program("simulate " + model);
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_THAT(r.err, HasSubstr(model + ":3:8: error: "));
  EXPECT_THAT(r.err, HasSubstr("nothing determines 'y'"));
  EXPECT_THAT(r.err, HasSubstr("     3 |   Real y;\n       |        ^\n"));
}

TEST(Messages, ShowThePartOfALongLineThatMatters) {
  const ScratchFolder scratch;
  const std::string sum = "equation der(x) = " + std::string(200, '-') + "oops;";
  const std::string model = scratch.write("M.mo", "model M\n  Real x;\n" + sum + "\nend M;\n");
  const auto r = run_program("simulate " + model);
  EXPECT_THAT(r.err, HasSubstr("     3 | ..."));
  EXPECT_THAT(r.err, HasSubstr("oops;\n       | " + std::string(53, ' ') + "^\n"));
}

// Columns count characters, not bytes: the caret stands below the word.
TEST(Messages, CountCharactersNotBytes) {
  const ScratchFolder scratch;
  const std::string model =
      scratch.write("M.mo", "model M\n  Real x;\nequation /* größe */ der(x) = oops;\nend M;\n");
  const auto r = run_program("simulate " + model);
  EXPECT_THAT(r.err, HasSubstr(model + ":3:31: error: "));
  EXPECT_THAT(r.err, HasSubstr("       | " + std::string(30, ' ') + "^\n"));
}

TEST(Messages, OfStandardInputShowItsLineToo) {
  const ScratchFolder scratch;
  const std::string model =
      scratch.write("M.mo", "model M\n  Real x;\nequation\n  der(x) = oops;\nend M;\n");
  const auto r = run_program("simulate - < " + model);
  EXPECT_THAT(r.err, HasSubstr("<stdin>:4:12: error: "));
  EXPECT_THAT(r.err, HasSubstr("     4 |   der(x) = oops;\n       |            ^\n"));
}

TEST(Messages, WarnOfVariablesLeftOutOfTheOutput) {
  const ScratchFolder scratch;
  const std::string model = scratch.write(
      "M.mo",
      "model M\n  Real x(start = 1, fixed = true);\n  Real shown = 'Lib.colour'(x);\nequation\n  "
      "der(x) = -x;\nend M;\n");
  const auto r = run_program("simulate " + model + " --json");
  EXPECT_EQ(r.exit_code, 0) << r.out;
  const auto json = r.json();
  ASSERT_EQ(json["warnings"].size(), 1U);
  EXPECT_THAT(json["warnings"][0].get<std::string>(), HasSubstr("left out: 'shown'"));
  EXPECT_THAT(json["warnings"][0].get<std::string>(), HasSubstr("M.mo:3:"));
  EXPECT_FALSE(json["final"]["values"].contains("shown"));
}

TEST(Messages, RefuseAParameterThatTheExportingToolHasFolded) {
  const ScratchFolder scratch;
  const std::string model = scratch.write(
      "M.mo",
      "model M\n  parameter Real k = 2;\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = "
      "-2*x;\nend M;\n");
  const auto r = run_program("simulate " + model + " -p k=3");
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_THAT(r.err, HasSubstr("'k'"));
  EXPECT_THAT(r.err, HasSubstr("folded into the equations"));
}

}  // namespace
}  // namespace daedal::test
