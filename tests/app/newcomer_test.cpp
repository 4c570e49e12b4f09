// SPDX-License-Identifier: BSD-3-Clause
// What somebody tries who has never used the program: starter models, what a model holds, what a
// method is, and slips of the keyboard.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/program.hpp"

namespace daedal::test {
namespace {

using ::testing::HasSubstr;

ProgramResult run_in(const ScratchFolder& folder, const std::string& arguments) {
  return run_command("cd " + folder.file("") + " && " + DAEDAL_PROGRAM + " " + arguments);
}

TEST(Newcomer, EveryStarterModelRunsAsItsMessageSays) {
  const ScratchFolder folder;
  for (const std::string name : {"pendulum", "linkage", "mechanism", "circuit", "ball", "path"}) {
    const ProgramResult made = run_in(folder, "new " + name);
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const std::string advice = made.out.substr(made.out.find("daedal ") + 7);
    EXPECT_EQ(run_in(folder, advice.substr(0, advice.find('\n'))).exit_code, 0) << advice;
    EXPECT_THAT(folder.read(name + ".csv"), HasSubstr("time"));
  }
}

TEST(Newcomer, AStarterModelReplacesNothing) {
  const ScratchFolder folder;
  folder.write("ball.mo", "mine");
  const ProgramResult result = run_in(folder, "new ball");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("'ball.mo' exists already"));
  EXPECT_EQ(folder.read("ball.mo"), "mine");
}

TEST(Newcomer, StarterModelsAreListedAndSuggested) {
  EXPECT_THAT(run_program("new").out, HasSubstr("circuit"));
  const ProgramResult result = run_program("new pendlum");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("Did you mean 'pendulum'?"));
}

TEST(Newcomer, InfoShowsParametersWithUnitsAndValues) {
  const ProgramResult result = run_program("info " + example("linkage.mo"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("12 variables, 12 equations"));
  EXPECT_THAT(result.out, HasSubstr("9.81  m/s2  gravity"));
  EXPECT_THAT(result.out, HasSubstr("xA        0.8  m    start fixed"));
  const auto json = run_program("info --json " + example("linkage.mo")).json();
  EXPECT_EQ(json["parameters"][0]["name"], "g");
  EXPECT_EQ(json["parameters"][0]["value"], 9.81);
  EXPECT_EQ(json["variables"].size(), 12U);
  EXPECT_EQ(json["variables"][3]["start"], -0.6);
  EXPECT_TRUE(json["variables"][5]["start"].is_null());
}

TEST(Newcomer, OneMethodIsShownAlone) {
  const ProgramResult result = run_program("methods baumgarte");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("alpha"));
  EXPECT_THAT(result.out, HasSubstr("For a fixed step in real time"));
  const auto listed = run_program("methods --json").json();
  for (const auto& method : listed["methods"]) {
    EXPECT_FALSE(method["use"].get<std::string>().empty()) << method["name"];
  }
  EXPECT_THAT(result.out, ::testing::Not(HasSubstr("trust-region")));
  const ProgramResult unknown = run_program("methods baumgart");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("Did you mean 'baumgarte'?"));
}

TEST(Newcomer, SlipsOfTheKeyboardAreAnswered) {
  const ProgramResult command = run_program("simulat x.mo");
  EXPECT_EQ(command.exit_code, 2);
  EXPECT_THAT(command.err, HasSubstr("There is no command 'simulat'. Did you mean 'simulate'?"));
  EXPECT_THAT(run_program("").err, HasSubstr("To begin: 'daedal new pendulum'"));
  EXPECT_THAT(run_program("simulate " + example("pendulm.mo")).err,
              HasSubstr("Did you mean 'pendulum.mo'?"));
  const ProgramResult option = run_program("simulate x.mo --rtoll=1e-6");
  EXPECT_EQ(option.exit_code, 2);
  const std::string answer = "There is no option '--rtoll' of 'simulate'. Did you mean '--rtol'?";
  EXPECT_THAT(option.err, HasSubstr(answer));
  EXPECT_THAT(run_program("simulate --rtoll 1e-6 x.mo").err, HasSubstr(answer));
}

}  // namespace
}  // namespace daedal::test
