// SPDX-License-Identifier: BSD-3-Clause
// Inputs on the command line: numbers, expressions, files, and every way to get them wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/program.hpp"

namespace daedal::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* integrator = R"(model M
  parameter Real a = 2;
  input Real u;
  output Real x(start = 0, fixed = true);
equation
  der(x) = u;
  annotation(experiment(StopTime = 2));
end M;
)";

double final_x(const ProgramResult& result) {
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  return result.json()["final"]["values"]["x"];
}

TEST(InputOption, TakesNumbersExpressionsAndFiles) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("m.mo", integrator);
  const std::string run = "simulate --json --rtol 1e-8 " + model;
  EXPECT_NEAR(final_x(run_program(run + " -i u=3")), 6.0, 1e-6);
  EXPECT_NEAR(final_x(run_program(run + " -i 'u = a*time'")), 4.0, 1e-6);
  EXPECT_NEAR(final_x(run_program(run + " -i 'u = a*time' -p a=3")), 6.0, 1e-6);
  const std::string file = scratch.write("in.csv", "time,u\n0,1\n1,3\n2,3\n");
  EXPECT_NEAR(final_x(run_program(run + " -i " + file)), 5.0, 1e-6);
  EXPECT_NEAR(final_x(run_program(run + " --interpolation hold -i " + file)), 4.0, 1e-6);
  // Of a value and a file the later one counts, and a column that is no input is told.
  const std::string more =
      scratch.write("more.csv", "\xEF\xBB\xBFtime, u, z\r\n0, 1, 5\r\n2, 1, 5\r\n");
  const auto both = run_program(run + " -i u=9 -i " + more);
  EXPECT_NEAR(final_x(both), 2.0, 1e-6);
  EXPECT_THAT(both.json()["notices"].dump(), HasSubstr("z"));
  EXPECT_EQ(both.json()["inputs"], nlohmann::json({"u"}));
  EXPECT_EQ(both.json()["outputs"], nlohmann::json({"x"}));
}

TEST(InputOption, BelongsToEveryCommandThatSolves) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("m.mo", integrator);
  EXPECT_EQ(run_program("analyze -i u=1 " + model).exit_code, 0);
  EXPECT_EQ(run_program("compare --methods direct,ode -i 'u=sin(time)' " + model).exit_code, 0);
  const auto info = run_program("info --json " + model);
  EXPECT_EQ(info.json()["variables"][0]["causality"], "input");
  EXPECT_EQ(info.json()["variables"][1]["causality"], "output");
  EXPECT_THAT(run_program("info " + model).out, HasSubstr("Inputs, -i name=value"));
  const std::string bvp =
      scratch.write("b.mo",
                    "model B\n input Real u;\n Real x, v;\nequation\n der(x) = v;\n der(v) = u;\n"
                    "initial equation\n x = 0;\n x(finalTime) = 1;\nend B;\n");
  const auto solved = run_program("solve-bvp --json -i u=2 " + bvp);
  // x = t^2 meets both ends.
  ASSERT_EQ(solved.exit_code, 0) << solved.out << solved.err;
  EXPECT_NEAR(solved.json()["final"]["values"]["v"], 2.0, 1e-6);
}

struct BadInputs {
  const char* name;
  const char* arguments;  ///< FILE stands for the file
  const char* file;
  int exit_code;
  const char* phrase;
};

const BadInputs bad_inputs[] = {
    {"NotGiven", "", "", 3, "Nothing gives a value to 'u'"},
    {"NoSuchInput", "-i w=1", "", 2, "no input 'w'"},
    {"NoInput", "-i x=1", "", 2, "is not an input"},
    {"NoName", "-i =1", "", 2, "name=value"},
    {"NoExpression", "-i 'u=2*'", "", 2, "cannot be read"},
    {"EmptyExpression", "-i u=", "", 2, "empty"},
    {"Twice", "-i u=1 -i u=2", "", 2, "'u' is given twice"},
    {"TwoFiles", "-i FILE -i FILE", "time,u\n0,1\n2,1\n", 2, "'u' is given twice"},
    {"AsParameter", "-i u=1 -p u=3", "", 3, "-i u="},
    {"NotFinite", "-i u=nan", "", 2, "not a finite number"},
    {"NoFile", "-i nowhere.csv", "", 2, "nowhere.csv"},
    {"NoInterpolation", "-i u=1 --interpolation cubic", "", 2, "linear, hold or smooth"},
    {"EmptyFile", "-i FILE", "", 2, "empty"},
    {"NoRows", "-i FILE", "time,u\n", 2, "in.csv:1:1: error: The file has no rows"},
    {"NoTime", "-i FILE", "t,u\n0,1\n", 2,
     "in.csv:1:1: error: A file of inputs needs a column 'time'"},
    {"Semicolons", "-i FILE", "time;u\n0;1\n", 2, "separated by commas"},
    {"MissingColumn", "-i FILE -i v=1", "time,V,w\n0,1,1\n", 2, "has the name of an input"},
    {"MisspeltColumn", "-i FILE", "time,v,uu\n0,1,1\n2,1,1\n", 2, "in.csv:1:1: error: "},
    {"TwoColumns", "-i FILE", "time,u,u\n0,1,1\n", 2, "two columns 'u'"},
    {"NotANumber", "-i FILE", "time,u\n0,1\n1,one\n", 2, "in.csv:3"},
    {"NaN", "-i FILE", "time,u\n0,1\n1,nan\n2,1\n", 2, "in.csv:3:3: error: The value of 'u'"},
    {"MissingField", "-i FILE", "time,u\n0,1\n1\n", 2, "in.csv:3"},
    {"EmptyField", "-i FILE", "time,u\n0,1\n1,\n", 2, "in.csv:3"},
    {"NotAscending", "-i FILE", "time,u\n0,1\n1,1\n0.5,1\n2,1\n", 2,
     "in.csv:4:1: error: The time 0.5"},
    {"ThreeTimes", "-i FILE", "time,u\n0,1\n1,1\n1,2\n1,3\n2,1\n", 2, "in.csv:5:1"},
    {"BeginsLate", "-i FILE", "time,u\n0.5,1\n2,1\n", 2, "in.csv:2:1: error: The run begins at 0"},
    {"EndsEarly", "-i FILE", "time,u\n0,1\n1,1\n", 2, "in.csv:3:1: error: The run ends at 2"},
};

class BadInputOption : public ::testing::TestWithParam<BadInputs> {};

TEST_P(BadInputOption, IsNamedWithItsPlace) {
  const BadInputs& bad = GetParam();
  const ScratchFolder scratch;
  const std::string model = scratch.write("m.mo", integrator);
  const std::string file = scratch.write("in.csv", bad.file);
  std::string arguments = bad.arguments;
  for (auto at = arguments.find("FILE"); at != std::string::npos; at = arguments.find("FILE")) {
    arguments.replace(at, 4, file);
  }
  const auto text = run_program("simulate " + model + " " + arguments);
  EXPECT_EQ(text.exit_code, bad.exit_code) << text.out << text.err;
  EXPECT_THAT(text.err, HasSubstr(bad.phrase));
  const auto json = run_program("simulate --json " + model + " " + arguments);
  EXPECT_EQ(json.exit_code, bad.exit_code);
  EXPECT_EQ(json.json()["status"], "error");
}

INSTANTIATE_TEST_SUITE_P(Files, BadInputOption, ::testing::ValuesIn(bad_inputs),
                         [](const auto& suite) { return std::string(suite.param.name); });

}  // namespace
}  // namespace daedal::test
