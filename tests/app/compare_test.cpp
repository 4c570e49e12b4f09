// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "app/program.hpp"

namespace daedal::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string pendulum() {
  return std::string(DAEDAL_SOURCE_DIR) + "/problems/pendulum.mo";
}

TEST(CompareCommand, WritesEveryLevelAndCounterAsJson) {
  const auto r = run_program("compare " + pendulum() +
                             " --methods index1,ggl+radau --tolerances 1e-5,1e-7 --json");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const auto document = r.json();
  ASSERT_EQ(document["rows"].size(), 4U);
  EXPECT_EQ(document["reference"]["status"], "success");
  for (const auto& row : document["rows"]) {
    EXPECT_EQ(row["status"], "success");
    EXPECT_GT(row["error"], 0.0);
    for (const char* level : {"0", "1", "2"}) EXPECT_GT(row["constraints"][level], 0.0);
    EXPECT_TRUE(row["energy_drift"].is_null());  // the text states none
    EXPECT_GT(row["statistics"]["steps"], 0);
    EXPECT_GT(row["statistics"]["residual_evaluations"], 0);
  }
}

// The parameter is for the method that has it; one that gives its own keeps it.
TEST(CompareCommand, GivesMethodOptionsToTheMethodsThatHaveThem) {
  const auto statistics = [](const std::string& methods) {
    const auto r = run_program("compare " + pendulum() + " --json --methods " + methods);
    EXPECT_EQ(r.exit_code, 0) << r.err;
    auto document = r.json();
    for (auto& row : document["rows"]) row["statistics"].erase("wall_seconds");
    return document["rows"];
  };
  const auto written = statistics("ggl,baumgarte:alpha=3,beta=5,baumgarte:alpha=9,beta=5");
  const auto given =
      statistics("ggl,baumgarte:beta=5,baumgarte:alpha=9,beta=5 --method-option alpha=3");
  ASSERT_EQ(given.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(given[i]["statistics"], written[i]["statistics"]);
  EXPECT_NE(given[1]["statistics"], given[2]["statistics"]);
  const auto r = run_program("compare " + pendulum() + " --methods ggl --method-option alpha=3");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, testing::HasSubstr("None of the methods has a parameter 'alpha'"));
}

TEST(CompareCommand, WritesOneLineAMethodAndToleranceAsCsv) {
  const ScratchFolder scratch;
  const auto r = run_program("compare " + pendulum() + " --methods index1,ggl --energy y -o " +
                             scratch.file("table.csv"));
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, testing::HasSubstr("level 2"));
  std::istringstream lines(scratch.read("table.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_THAT(line, testing::StartsWith("method,integrator,rtol,status,error,constraint_0,"
                                        "constraint_1,constraint_2,energy_drift,steps,"
                                        "evaluations,wall_seconds"));
  for (const char* method : {"index1,", "ggl,"}) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_THAT(line, testing::StartsWith(method));
    // y goes from 0 to -1 and back: as an "energy" it changes by 1.
    EXPECT_THAT(line, testing::AnyOf(testing::HasSubstr(",1,"), testing::HasSubstr(",0.99"),
                                     testing::HasSubstr(",1.0")));
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(CompareCommand, ShowsNoFiguresOfRunsThatDidNotBegin) {
  const auto r = run_program("compare " + example("linkage.mo") + " --methods ggl --stop-time 0.1");
  EXPECT_THAT(r.out, HasSubstr("singular-iteration-matrix"));
  EXPECT_THAT(r.out, Not(HasSubstr("nan")));
  EXPECT_THAT(r.out, Not(HasSubstr("0.0e+00")));
}

TEST(CompareCommand, SaysOnceWhyAMethodFailsAtEveryTolerance) {
  const auto r = run_program("compare " + example("linkage.mo") +
                             " --methods ggl --tolerances 1e-4,1e-6 --stop-time 0.1");
  const std::string reason = "depends on the others";
  const auto first = r.out.find(reason);
  ASSERT_NE(first, std::string::npos) << r.out;
  EXPECT_EQ(r.out.find(reason, first + 1), std::string::npos) << r.out;
  // The text states no energy.
  EXPECT_THAT(r.out, Not(HasSubstr("energy")));
}

}  // namespace
}  // namespace daedal::test
