// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of the command simulate: after a kill the run goes on, and its rows are those of the
// run that was not killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "app/program.hpp"

namespace daedal::test {
namespace {

using ::testing::HasSubstr;

/// Some ten thousand steps, with an event in each turn.
constexpr const char* waves = R"(model Waves
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
  discrete Integer n(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -x;
  when x < 0 then
    n = pre(n) + 1;
  end when;
  annotation(experiment(StopTime = 6000, Tolerance = 1e-9));
end Waves;
)";

/// `arguments` as a shell would read them, in a process of its own.
pid_t start_program(const std::string& arguments) {
  const pid_t child = fork();
  if (child != 0) return child;
  const std::string command = std::string("exec ") + DAEDAL_PROGRAM + " " + arguments + " 2>&1";
  execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  _exit(127);
}

void wait_for(const std::string& file, pid_t child) {
  int status = 0;
  while (!std::filesystem::exists(file) && waitpid(child, &status, WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(CheckpointOption, ARunGoesOnAfterAKill) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("m.mo", waves);
  const std::string file = scratch.file("saved");
  const std::string run = "simulate --quiet " + model + " -o ";
  const pid_t child = start_program(run + scratch.file("killed.csv") + " --checkpoint " + file +
                                    " --checkpoint-every 0.01s > /dev/null");
  wait_for(file, child);
  int status = 0;
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_FALSE(std::filesystem::exists(scratch.file("killed.csv")));
  for (const char* name : {"one.csv", "two.csv"}) {
    const auto r = run_program(run + scratch.file(name) + " --resume " + file);
    ASSERT_EQ(r.exit_code, 0) << r.err;
  }
  const std::string one = scratch.read("one.csv");
  EXPECT_EQ(one, scratch.read("two.csv"));
  EXPECT_EQ(one.substr(0, one.find('\n')), "time,x,v,n");
  // x = cos t: below zero for the first time after every full turn and a quarter.
  std::istringstream last(one.substr(one.rfind('\n', one.size() - 2) + 1));
  double t = 0, x = 0, v = 0, n = 0;
  char comma = 0;
  last >> t >> comma >> x >> comma >> v >> comma >> n;
  EXPECT_EQ(t, 6000.0);
  EXPECT_NEAR(x, std::cos(6000.0), 1e-4);
  EXPECT_EQ(n, std::floor((6000.0 - 0.5 * M_PI) / (2.0 * M_PI)) + 1.0);
}

/// x = cos t, counted from the last row.
void expect_cosine(const std::string& rows) {
  std::istringstream last(rows.substr(rows.rfind('\n', rows.size() - 2) + 1));
  double t = 0, x = 0;
  char comma = 0;
  last >> t >> comma >> x;
  EXPECT_EQ(t, 6000.0);
  EXPECT_NEAR(x, std::cos(6000.0), 1e-4);
}

TEST(CheckpointOption, ARunThatIsInterruptedIsSavedWhereItStopped) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const ScratchFolder scratch;
    const std::string file = scratch.file("saved");
    const std::string run = "simulate " + scratch.write("m.mo", waves) + " -o ";
    const pid_t child = start_program(run + scratch.file("part.csv") + " --checkpoint " + file +
                                      " --checkpoint-every 0.01s > " + scratch.file("out"));
    wait_for(file, child);
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_THAT(scratch.read("out"), HasSubstr("goes on from there with --resume"));
    // The rows up to there, and then the others.
    const auto r = run_program(run + scratch.file("rows.csv") + " --resume " + file);
    ASSERT_EQ(r.exit_code, 0) << r.err;
    const std::string rows = scratch.read("rows.csv");
    EXPECT_THAT(rows, testing::StartsWith(scratch.read("part.csv")));
    expect_cosine(rows);
  }
}

TEST(CheckpointOption, ARunThatUsedUpItsStepsGoesOn) {
  const ScratchFolder scratch;
  const std::string run = "simulate --json " + scratch.write("m.mo", waves) + " -o " +
                          scratch.file("rows.csv") + " --checkpoint " + scratch.file("saved");
  const auto first = run_program(run + " --max-steps 1000");
  ASSERT_EQ(first.json()["status"], "max-steps-reached");
  EXPECT_THAT(first.json()["notices"].dump(), HasSubstr("--resume"));
  const auto second = run_program(run + " --resume " + scratch.file("saved"));
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(second.json()["warnings"].size(), 0U) << second.out;
  expect_cosine(scratch.read("rows.csv"));
}

TEST(CheckpointOption, ReplacesNoFileButACheckpoint) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("m.mo", waves);
  const std::string notes = scratch.write("notes.txt", "mine");
  const std::string run = "simulate --quiet " + model + " --max-steps 10 --checkpoint ";
  const auto foreign = run_program(run + notes);
  EXPECT_EQ(foreign.exit_code, 2);
  EXPECT_THAT(foreign.err, HasSubstr("is not a checkpoint"));
  EXPECT_EQ(scratch.read("notes.txt"), "mine");
  EXPECT_EQ(run_program(run + model).exit_code, 2);
  EXPECT_EQ(scratch.read("m.mo"), waves);
  for (const char* other : {"-o", "--report"}) {
    const std::string same = scratch.file(other == std::string("-o") ? "r.csv" : "r.html");
    const auto r = run_program(run + same + " " + other + " " + same);
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_THAT(r.err, HasSubstr(std::string(other) + " and --checkpoint both name"));
  }
  // An empty file holds nothing, and a checkpoint is there to be replaced.
  const std::string empty = scratch.write("empty", "");
  for (int i = 0; i < 2; ++i) {
    (void)run_program(run + empty);
    EXPECT_THAT(scratch.read("empty"), testing::StartsWith("daedal checkpoint "));
  }
}

TEST(CheckpointOption, TheRowsAreThoseOfTheWholeRun) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("m.mo", waves);
  const std::string file = scratch.file("saved");
  const std::string run = "simulate --quiet " + model + " -o ";
  // The last checkpoint stays when the run has come to its end.
  ASSERT_EQ(run_program(run + scratch.file("whole.csv") + " --checkpoint " + file +
                        " --checkpoint-every 0.01s")
                .exit_code,
            0);
  const auto r = run_program(run + scratch.file("again.csv") + " --resume " + file);
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(scratch.read("whole.csv"), scratch.read("again.csv"));
}

TEST(CheckpointOption, TheSameCommandStartsAndGoesOn) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("m.mo", waves);
  const std::string command = "simulate --json " + model + " --checkpoint " +
                              scratch.file("saved") + " --checkpoint-every 0.01s --resume " +
                              scratch.file("saved");
  const auto first = run_program(command);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.json()["notices"].dump(), Not(HasSubstr("checkpoint")));
  const auto second = run_program(command);
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_THAT(second.json()["notices"].dump(), HasSubstr("goes on from a checkpoint"));
}

TEST(CheckpointOption, WhatIsWrongIsNamed) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("m.mo", waves);
  const std::string file = scratch.file("saved");
  ASSERT_EQ(run_program("simulate --quiet " + model + " --stop-time 600 --checkpoint " + file +
                        " --checkpoint-every 0.001s")
                .exit_code,
            0);
  scratch.write("other", "no checkpoint");
  struct Case {
    std::string arguments;
    const char* phrase;
  };
  const Case cases[] = {
      {"--resume " + file, "from 0 to 600"},
      {"--resume " + file + " --stop-time 600 --rtol 1e-3", "its options were others"},
      {"--resume " + file + " --stop-time 600 --start x=2", "its options were others"},
      {"--resume " + scratch.file("other"), "not a checkpoint"},
      {"--resume " + scratch.file("nowhere"), "cannot be read"},
      {"--checkpoint " + file + " --checkpoint-every soon", "60s"},
      {"--checkpoint " + file + " --checkpoint-every 0s", "60s"},
      {"--checkpoint-every 5s", "--checkpoint"},
      {"--checkpoint " + scratch.file("no/folder"), "cannot be written"},
      {"--resume " + file + " --stop-time 600 --report " + scratch.file("r.html"), "--report"},
  };
  for (const Case& one : cases) {
    const auto r = run_program("simulate " + model + " " + one.arguments);
    EXPECT_EQ(r.exit_code, 2) << one.arguments << r.out;
    EXPECT_THAT(r.err, HasSubstr(one.phrase)) << one.arguments;
  }
}

TEST(CheckpointOption, OtherEquationsOrInputsAreRefused) {
  const ScratchFolder scratch;
  const std::string text =
      "model Fed input Real u; Real x(start = 0, fixed = true); equation der(x) = u - x; end Fed;";
  const std::string model = scratch.write("m.mo", text);
  std::string changed = text;
  changed.replace(changed.find("u - x"), 5, "u + x");
  const std::string other = scratch.write("other.mo", changed);
  scratch.write("a.csv", "time,u\n0,0\n9000,1\n");
  scratch.write("b.csv", "time,u\n0,0\n9000,2\n");
  const auto call = [&](const std::string& file, const std::string& input) {
    return run_program("simulate --quiet " + file + " --stop-time 9000 --max-step 0.1 -i " + input);
  };
  for (const std::string& input : {std::string("'u=sin(time)'"), scratch.file("a.csv")}) {
    const std::string saved = scratch.file("saved");
    ASSERT_EQ(
        call(model, input + " --checkpoint " + saved + " --checkpoint-every 0.005s").exit_code, 0);
    EXPECT_EQ(call(model, input + " --resume " + saved).exit_code, 0);
    const std::string wrong_input =
        input == "'u=sin(time)'" ? "'u=cos(time)'" : scratch.file("b.csv");
    for (const auto& r : {call(other, input + " --resume " + saved),
                          call(model, wrong_input + " --resume " + saved)}) {
      EXPECT_EQ(r.exit_code, 2) << r.out;
      EXPECT_THAT(r.err, HasSubstr("were others"));
    }
  }
}

}  // namespace
}  // namespace daedal::test
