// SPDX-License-Identifier: BSD-3-Clause
// Every kind of wrong input: its exit code, its message on standard error, and its JSON document.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/program.hpp"

namespace daedal::test {
namespace {

using ::testing::HasSubstr;

struct BadModel {
  const char* name;
  const char* text;
  int exit_code;
  const char* code;    ///< of the JSON document's error
  const char* phrase;  ///< in the message
};

const BadModel bad_models[] = {
    {"SyntaxError", "model A\n Real x;\nequation\n der(x = 1;\nend A;\n", 3, "syntax", "4:"},
    {"UnknownName", "model A\n Real x;\nequation\n der(x) = -kk*x;\nend A;\n", 3, "unknown-name",
     "kk"},
    {"MissingEquation", "model A\n Real x, y;\nequation\n der(x) = -x;\nend A;\n", 3, "unbalanced",
     "y"},
    {"SurplusEquation", "model A\n Real x;\nequation\n der(x) = -x;\n x = 1;\nend A;\n", 3,
     "unbalanced", "equation"},
    {"ContradictoryFixedValues",
     "model A\n Real x(start = 1, fixed = true);\n Real y(start = 1, fixed = true);\n Real z;\n"
     "equation\n der(z) = x;\n x + y = 1 + z;\n x - y = z^2;\ninitial equation\n z = 5;\nend A;\n",
     1, "inconsistent-start", "x"},
    {"NotANumber",
     "model A\n Real x(start = 1, fixed = true);\nequation\n der(x) = sqrt(-x);\nend A;\n", 1,
     "non-finite-value", "sqrt"},
    {"IndexTooHigh",
     "model A\n Real x, y, z;\nequation\n der(x) = y;\n der(y) = z;\n x = sin(time);\nend A;\n", 1,
     "index-too-high", "x"},
    {"SingularPencil",
     "model A\n Real x, y;\nequation\n der(x) + der(y) = 1;\n x + y = time;\nend A;\n", 1,
     "no-unique-solution", "y"},
};

class BadInput : public ::testing::TestWithParam<BadModel> {};

TEST_P(BadInput, IsNamedWithItsExitCode) {
  const BadModel& bad = GetParam();
  const ScratchFolder scratch;
  const std::string model = scratch.write("bad.mo", bad.text);
  const auto text = run_program("simulate --method direct " + model);
  EXPECT_EQ(text.exit_code, bad.exit_code) << text.err;
  EXPECT_THAT(text.out + text.err, HasSubstr(bad.phrase));
  const auto json = run_program("simulate --method direct --json " + model);
  EXPECT_EQ(json.exit_code, bad.exit_code);
  EXPECT_EQ(json.json()["error"]["code"], bad.code) << json.out;
}

INSTANTIATE_TEST_SUITE_P(Models, BadInput, ::testing::ValuesIn(bad_models),
                         [](const auto& suite) { return std::string(suite.param.name); });

TEST(BadOption, IsMisuse) {
  const std::string model = example("pendulum.mo");
  EXPECT_EQ(run_program("simulate no-such-file.mo").exit_code, 2);
  EXPECT_EQ(run_program("simulate " + model + " --rtol 0").exit_code, 2);
  EXPECT_EQ(run_program("simulate " + model + " --rtol -1e-3").exit_code, 2);
  EXPECT_EQ(run_program("simulate " + model + " --method no-such").exit_code, 2);
  EXPECT_EQ(run_program("simulate " + model + " --integrator no-such").exit_code, 2);
  EXPECT_EQ(run_program("simulate " + model + " --no-such-option").exit_code, 2);
  EXPECT_EQ(run_program("simulate " + model + " -p g").exit_code, 2);
  EXPECT_EQ(run_program("simulate " + model + " -p g=heavy").exit_code, 2);
  EXPECT_EQ(run_program("simulate " + model + " -o /no/such/folder/x.csv").exit_code, 2);
  EXPECT_EQ(run_program("simulate " + model + " --stop-time 0").exit_code, 2);
  EXPECT_EQ(run_program("").exit_code, 2);
  EXPECT_EQ(run_program("simulate " + model + " --interval 1e-300").exit_code, 2);
  EXPECT_THAT(run_program("simulate " + model + " --integrator rk4").err, HasSubstr("fixed step"));
  EXPECT_THAT(run_program("simulate /tmp").err, HasSubstr("folder"));
  EXPECT_NE(run_command(std::string(DAEDAL_PROGRAM) + " methods > /dev/full ; exit $?").exit_code,
            0);
}

TEST(BadOption, OfAComparisonSaysWhichOneCounts) {
  const std::string compare = "compare " + example("rlc.mo") + " --methods ode ";
  const auto method = run_program(compare + "--method direct");
  EXPECT_EQ(method.exit_code, 2);
  EXPECT_THAT(method.err, HasSubstr("--methods"));
  const auto twice = run_program(compare + "--rtol 1e-7 --tolerances 1e-6");
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("--tolerances"));
  const auto once = run_program(compare + "--rtol 1e-7 --json");
  ASSERT_EQ(once.exit_code, 0) << once.err;
  EXPECT_EQ(once.json()["rows"][0]["rtol"], 1e-7);
}

TEST(BadOption, AnswersInJsonWhenItIsAskedFor) {
  const auto r = run_program("simulate --json --no-such-option x.mo");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_EQ(r.json()["error"]["code"], "invalid-option");
}

TEST(BadParameter, SuggestsTheNearestName) {
  const auto r = run_program("simulate " + example("rlc.mo") + " -p amplitud=2");
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_THAT(r.err, HasSubstr("amplitude"));
}

TEST(FailingRun, SaysWhichDerivativeHasNoValue) {
  // x = 1 - t reaches zero, and y' = sqrt(x) ends with it.
  const ScratchFolder scratch;
  const std::string model = scratch.write("root.mo", R"(
    model Root
      Real x(start = 1, fixed = true);
      Real y(start = 0, fixed = true);
    equation
      der(x) = -1;
      der(y) = sqrt(x);
      annotation(experiment(StopTime = 2));
    end Root;)");
  const auto r = run_program("simulate " + model + " --method ode --json");
  const auto json = r.json();
  EXPECT_EQ(json["status"], "non-finite-value");
  EXPECT_THAT(json["message"].get<std::string>(), HasSubstr("der(y)"));
  EXPECT_NEAR(json["final"]["time"], 1.0, 1e-3);
}

TEST(FailingRun, KeepsAndWritesWhatItComputed) {
  const ScratchFolder scratch;
  // x = 1/(1 - t) blows up at t = 1.
  const std::string model = scratch.write(
      "blowup.mo",
      "model BlowUp\n Real x(start = 1, fixed = true);\nequation\n der(x) = x^2;\nend BlowUp;\n");
  const auto r = run_program("simulate " + model + " --stop-time 2 -o " + scratch.file("b.csv"));
  EXPECT_EQ(r.exit_code, 1);
  const std::string csv = scratch.read("b.csv");
  EXPECT_GT(std::count(csv.begin(), csv.end(), '\n'), 10);
}

}  // namespace
}  // namespace daedal::test
