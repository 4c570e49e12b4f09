// SPDX-License-Identifier: BSD-3-Clause
/// daedal solve-bvp as a user runs it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "app/program.hpp"

namespace daedal::test {
namespace {

constexpr const char* eigenvalue = R"(
model Mode
  parameter Real lambda(fixed = false) = 8;
  Real u, v;
equation
  der(u) = v;
  der(v) = -lambda*u;
constraint
  u(startTime) = 0;
  v(startTime) = 1;
  u(finalTime) = 0;
end Mode;
)";

TEST(SolveBvp, PrintsOneJsonDocument) {
  const ScratchFolder folder;
  const auto result = run_program("solve-bvp --json " + folder.write("mode.mo", eigenvalue));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = result.json();
  EXPECT_EQ(json["status"], "success");
  EXPECT_NEAR(json["parameters"]["lambda"].get<double>(), M_PI * M_PI, 1e-5);
  EXPECT_LE(json["error_estimate"].get<double>(), 1.0);
  EXPECT_EQ(json["rounds"].back()["intervals"], json["intervals"]);
  EXPECT_EQ(json["index"], 1);
}

// The first eigenvalue falls with the square of the length.
TEST(SolveBvp, TakesItsSpanAsSimulateDoes) {
  const ScratchFolder folder;
  const std::string mode = "solve-bvp " + folder.write("mode.mo", eigenvalue);
  for (const std::string span : {" --start-time -1 --stop-time 1", " --interval -1 1"}) {
    const auto result = run_program(mode + span + " --json -p lambda=2");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NEAR(result.json()["parameters"]["lambda"].get<double>(), M_PI * M_PI / 4.0, 1e-5);
  }
  const auto both = run_program(mode + " --interval -1 1 --stop-time 2");
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, testing::HasSubstr("--stop-time"));
}

/// x1 = t, so u = 1 − x2, and x2(1) = 2 closes x2' = −x2: every method for x' = f − By takes it.
constexpr const char* on_a_line = R"(
model OnALine
  Real x1, x2, u;
equation
  der(x1) = x2 + u;
  der(x2) = -x2;
  x1 = time;
constraint
  x2(finalTime) = 2;
end OnALine;
)";

TEST(SolveBvp, NamesTheMethodAndTheSchemeThatWereAskedFor) {
  const ScratchFolder folder;
  const std::string model = folder.write("line.mo", on_a_line);
  const std::map<std::string, std::string> used{
      {"collocation", "collocation at 2 radau points"},
      {"srm", "srm with collocation at 2 radau points"},
      {"baumgarte", "baumgarte with collocation at 2 radau points"}};
  for (const auto& [method, described] : used) {
    const auto result =
        run_program("solve-bvp --json --scheme radau --points 2 --method " + method + " " + model);
    ASSERT_EQ(result.exit_code, 0) << method << ": " << result.out << result.err;
    const auto json = result.json();
    EXPECT_EQ(json["method"]["requested"], method);
    EXPECT_EQ(json["method"]["used"], described);
    // x1' = 1 = x2 + u, and x2 = 2 at the end.
    EXPECT_NEAR(json["final"]["values"]["u"].get<double>(), -1.0, 1e-4) << method;
  }
}

TEST(SolveBvp, SwingsThePendulumOfTheExampleUp) {
  const ScratchFolder folder;
  const auto result = run_program("solve-bvp " + example("swing_up.mo") +
                                  " --output-points 11 -o " + folder.file("out.csv"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("method       collocation at 3 gauss points, index 1"),
            std::string::npos);
  const std::string csv = folder.read("out.csv");
  EXPECT_EQ(csv.rfind("time,theta,omega,p,q,u", 0), 0U) << csv.substr(0, 40);
  const std::size_t last = csv.rfind('\n', csv.size() - 3);
  EXPECT_EQ(csv.rfind("6,3.14159265358979", last + 1), last + 1) << csv.substr(last);
}

// Mesh intervals are long where the order is high: rows of the mesh alone draw corners.
TEST(SolveBvp, RowsAreSmooth_AndThoseOfTheMeshAloneWhereAskedFor) {
  const ScratchFolder folder;
  const auto n_rows = [&](const std::string& options) {
    const auto result = run_program("solve-bvp " + example("swing_up.mo") + options + " -o " +
                                    folder.file("rows.csv"));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const std::string csv = folder.read("rows.csv");
    return std::count(csv.begin(), csv.end(), '\n') - 1;
  };
  EXPECT_GE(n_rows(""), 500);
  EXPECT_LT(n_rows(" --output-points 0"), 500);
}

TEST(SolveBvp, TakesASolutionAsGuess) {
  const ScratchFolder folder;
  const std::string model = folder.write("mode.mo", eigenvalue);
  ASSERT_EQ(
      run_program("solve-bvp " + model + " -p lambda=36 -o " + folder.file("g.csv")).exit_code, 0);
  const auto result = run_program("solve-bvp --json " + model + " --guess " + folder.file("g.csv") +
                                  " -p lambda=39");
  ASSERT_EQ(result.exit_code, 0) << result.out;
  EXPECT_NEAR(result.json()["parameters"]["lambda"].get<double>(), 4 * M_PI * M_PI, 1e-4);
}

TEST(SolveBvp, TooFewConditionsAreAModelError) {
  const ScratchFolder folder;
  const std::string model =
      folder.write("m.mo", "model M\n  Real x;\nequation\n  der(x) = -x;\nend M;\n");
  const auto result = run_program("solve-bvp --json " + model);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.json()["error"]["code"], "unbalanced");
}

TEST(SolveBvp, AMeshLimitWritesTheBestSolution) {
  const ScratchFolder folder;
  const std::string model = folder.write("layer.mo", R"(
model Layer
  Real u, w;
equation
  der(u) = w;
  1e-4*der(w) = -w;
constraint
  u(startTime) = 0;
  u(finalTime) = 1;
end Layer;
)");
  const auto result = run_program("solve-bvp --json --points 2 --tolerance 1e-10 --max-mesh 100 " +
                                  model + " -o " + folder.file("out.csv"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.json()["error"]["code"], "mesh-limit-reached");
  EXPECT_GT(folder.read("out.csv").size(), 1000U);
}

TEST(SolveBvp, MisuseIsNamed) {
  const ScratchFolder folder;
  const std::string model = folder.write("mode.mo", eigenvalue);
  EXPECT_EQ(run_program("solve-bvp --scheme chebyshev " + model).exit_code, 2);
  EXPECT_EQ(run_program("solve-bvp --method shooting " + model).exit_code, 2);
  EXPECT_EQ(run_program("solve-bvp --interval 1 0 " + model).exit_code, 2);
  const std::string bad = folder.write("bad.csv", "time,u\n0,1\n1,x\n");
  const auto result = run_program("solve-bvp --guess " + bad + " " + model);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("bad.csv:3: 'x' is not a number"), std::string::npos) << result.err;
}

TEST(SolveBvp, SimulateSaysWhatTheModelIs) {
  const ScratchFolder folder;
  const auto result = run_program("simulate " + folder.write("mode.mo", eigenvalue));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("boundary value problem"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace daedal::test
