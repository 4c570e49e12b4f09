// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "app/program.hpp"

namespace daedal::test {
namespace {

using ::testing::HasSubstr;

std::string problem(const std::string& name) {
  return std::string(DAEDAL_SOURCE_DIR) + "/problems/" + name;
}

nlohmann::json analysis_of(const std::string& name, int exit_code = 0) {
  const auto r = run_program("analyze " + problem(name) + " --json");
  EXPECT_EQ(r.exit_code, exit_code) << r.out << r.err;
  return r.json();
}

TEST(Analyze, ThePendulumHasIndexThreeTwoStatesAndOneDegreeOfFreedom) {
  const auto json = analysis_of("pendulum.mo");
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["index"], 3);
  EXPECT_EQ(json["states"], 2);
  EXPECT_EQ(json["mobility"], 1);
  EXPECT_EQ(json["structure"]["index"], 3);
  EXPECT_EQ(json["structure"]["states"], 2);
  EXPECT_EQ(json["structure"]["blocks"], 1);
  EXPECT_EQ(json["structure"]["largest_block"], 3);  // two of motion and the rod
  EXPECT_EQ(json["structure"]["possible_states"].size(), 4U);
  EXPECT_EQ(json["structure"]["torn"].size(), 1U);
  EXPECT_EQ(json["structure"]["differentiated"].size(), 1U);
  EXPECT_EQ(json["consistent_start"], true);
  ASSERT_EQ(json["hidden_constraints"].size(), 2U);
  EXPECT_EQ(json["hidden_constraints"][1]["level"], 2);
  EXPECT_EQ(json["hidden_constraints"][1]["count"], 1);
  EXPECT_THAT(json["hidden_constraints"][1]["equations"][0].get<std::string>(), HasSubstr("line"));
}

TEST(Analyze, TellsAssumptionsAndRanks) {
  const auto json = analysis_of("pendulum.mo");
  ASSERT_EQ(json["assumptions"].size(), 4U);
  for (const auto& assumption : json["assumptions"]) EXPECT_EQ(assumption["verdict"], "holds");
  EXPECT_EQ(json["assumptions"][2]["name"], "A3");
  ASSERT_EQ(json["ranks"].size(), 8U);
  // Level 3: 20 rows, of which the rod on three levels says something about x alone.
  EXPECT_EQ(json["ranks"][6]["matrix"], "[G_x' G_w]");
  EXPECT_EQ(json["ranks"][6]["rows"], 20);
  EXPECT_EQ(json["ranks"][6]["rank"], 17);
  EXPECT_EQ(json["ranks"][6]["confidence"], "certain");
  EXPECT_EQ(json["ranks"][7]["columns"], 25);
  EXPECT_EQ(json["ranks"][7]["rank"], 20);
  EXPECT_TRUE(json["ranks"][7]["gap"].is_null());
  const auto text = run_program("analyze -v " + problem("pendulum.mo"));
  EXPECT_THAT(text.out, HasSubstr("A4 ([G_x' G_w G_x] has full row rank) holds"));
  EXPECT_THAT(text.out, HasSubstr("17 of 20x20"));
}

TEST(Analyze, TheTorusHidesAllItsConstraints) {
  const auto json = analysis_of("torus.mo");
  EXPECT_EQ(json["states"], 4);
  EXPECT_TRUE(json["mobility"].is_null());
  // y1..y7 and d are algebraic variables of the text: their definitions are constraints in x' and
  // no constraints on x alone, but d's.
  EXPECT_EQ(json["index"], 3);
}

TEST(Analyze, FindsTheIndexOfArmsAndChains) {
  for (const int index : {4, 5, 6}) {
    const auto json = analysis_of("flexible_arm_" + std::to_string(index) + ".mo");
    EXPECT_EQ(json["index"], index);
    EXPECT_EQ(json["states"], 2);
  }
  const auto chain = analysis_of("hessenberg_chain.mo");
  EXPECT_EQ(chain["index"], 6);
  EXPECT_EQ(chain["states"], 0);
  EXPECT_EQ(chain["structure"]["index"], 6);
  EXPECT_EQ(chain["structure"]["states"], 0);
  EXPECT_TRUE(chain["free"].empty());
}

TEST(Analyze, NumbersCorrectAStructureThatMisleads) {
  const auto json = analysis_of("cancellation.mo");
  EXPECT_EQ(json["structure"]["index"], 1);
  EXPECT_EQ(json["structure"]["states"], 1);
  EXPECT_EQ(json["index"], 2);
  EXPECT_EQ(json["states"], 0);
  EXPECT_NEAR(json["start"]["x"].get<double>(), 0.0, 1e-12);  // cos 0 − 1
}

TEST(Analyze, AnInconsistentStartIsADiagnosis) {
  const auto r = run_program("analyze " + problem("pendulum.mo") + " --start x=2 --json");
  EXPECT_EQ(r.exit_code, 1);
  const auto json = r.json();
  EXPECT_EQ(json["consistent_start"], false);
  EXPECT_TRUE(json["index"].is_null());
  EXPECT_EQ(json["error"]["code"], "inconsistent-start");
  EXPECT_THAT(json["error"]["message"].get<std::string>(), HasSubstr("x = 2"));
}

TEST(Analyze, AMissingEquationIsADiagnosis) {
  const ScratchFolder scratch;
  const auto path = scratch.write("twice.mo",
                                  "model Twice\n  Real x;\n  Real y;\nequation\n"
                                  "  der(x) + der(y) = 1 \"rate\";\n  x + y = time \"sum\";\n"
                                  "end Twice;\n");
  const auto r = run_program("analyze " + path + " --json");
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_EQ(r.json()["error"]["code"], "no-unique-solution");
}

TEST(Analyze, ATimeLimitHoldsForTheAnalysisToo) {
  const auto r = run_program("analyze " + problem("pendulum.mo") + " --time-limit 1e-9 --json");
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_EQ(r.json()["error"]["code"], "time-limit-reached");
}

TEST(Analyze, AStructurallySingularModelIsAModelError) {
  const ScratchFolder scratch;
  const auto path = scratch.write("singular.mo",
                                  "model Singular\n  Real x;\n  Real y;\n  Real z;\nequation\n"
                                  "  der(x) = 1;\n  x = time;\n  y + z = x;\nend Singular;\n");
  const auto r = run_program("analyze " + path + " --json");
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_EQ(r.json()["error"]["code"], "structurally-singular");
}

TEST(Analyze, TheReportReadsAsText) {
  const auto r = run_program("analyze " + problem("squeezer.mo"));
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("index        3"));
  EXPECT_THAT(r.out, HasSubstr("states       2 free initial values"));
  EXPECT_THAT(r.out, HasSubstr("mobility     1"));
  EXPECT_THAT(r.out, HasSubstr("free         beta and v_beta"));
  EXPECT_THAT(run_program("analyze " + example("linkage.mo")).out, HasSubstr("xA = 0.8 m\n"));
}

}  // namespace
}  // namespace daedal::test
