// SPDX-License-Identifier: BSD-3-Clause
// The command sweep: what it varies, what it writes, and that nothing is lost or run twice when it
// is killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <set>
#include <thread>

#include "app/program.hpp"

namespace daedal::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* decay = R"(model Decay
  parameter Real k = 1;
  parameter Real b = 0;
  Real x(start = 1, fixed = true);
equation
  der(x) = b - k*x;
end Decay;
)";

std::vector<std::vector<std::string>> table(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::istringstream fields(line);
    auto& row = rows.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
  }
  return rows;
}

TEST(SweepCommand, SolvesEveryCombination) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("m.mo", decay);
  const auto r = run_program("sweep --json --rtol 1e-8 -p k=0.5:0.5:1.5 -p b=0,1 --start x=2 -o " +
                             scratch.file("out") + " " + model);
  ASSERT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_EQ(r.json()["members"], 6);
  EXPECT_EQ(r.json()["solved"], 6);
  const auto rows = table(scratch.read("out/results.csv"));
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"member", "k", "b", "status", "x"}));
  for (std::size_t i = 1; i < 7; ++i) {
    const double k = std::stod(rows[i][1]);
    const double b = std::stod(rows[i][2]);
    EXPECT_EQ(rows[i][3], "success");
    EXPECT_NEAR(std::stod(rows[i][4]), b / k + (2.0 - b / k) * std::exp(-k), 1e-6);
  }
  EXPECT_EQ(rows[6][1], "1.5");
  EXPECT_EQ(table(scratch.read("out/failures.csv")).size(), 1U);
}

TEST(SweepCommand, DrawsTheSameWithAnyNumberOfThreads) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("m.mo", decay);
  const std::string members = scratch.write("members.csv", "b,x\n0,1\n1,2\n");
  const std::string sweep =
      "sweep --quiet --random 'k~normal(1,0.1)' --samples 40 --seed 5 "
      "--members " +
      members + " " + model + " -o ";
  ASSERT_EQ(run_program(sweep + scratch.file("one") + " -j 1").exit_code, 0);
  ASSERT_EQ(run_program(sweep + scratch.file("four") + " -j 4").exit_code, 0);
  EXPECT_EQ(table(scratch.read("one/results.csv")).size(), 81U);
  for (const std::string name : {"/results.csv", "/statistics.csv", "/failures.csv"}) {
    EXPECT_EQ(scratch.read("one" + name), scratch.read("four" + name));
  }
  EXPECT_THAT(scratch.read("one/results.csv"), HasSubstr("member,b,k,start(x),status,x"));
}

TEST(SweepCommand, EnginesWriteTheSameTables) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("m.mo", decay);
  const auto sweep = [&](const std::string& folder, const std::string& rest) {
    return run_program("sweep --json --random 'k~normal(1,0.1)' --interval 0.25 -j 2 " + model +
                       " -o " + scratch.file(folder) + " " + rest);
  };
  const auto by_threads = sweep("threads", "--samples 50 --engine threads");
  ASSERT_EQ(by_threads.exit_code, 0) << by_threads.err;
  EXPECT_EQ(by_threads.json()["in_lanes"], 0);
  EXPECT_EQ(sweep("lanes", "--samples 50 --engine lanes").json()["in_lanes"], 50);
  // Begun by one engine, another goes on.
  ASSERT_EQ(sweep("both", "--samples 20 --engine threads").exit_code, 0);
  const auto rest = sweep("both", "--samples 50 --engine lanes");
  EXPECT_EQ(rest.json()["known"], 20);
  EXPECT_EQ(rest.json()["in_lanes"], 30);
  for (const std::string name : {"/results.csv", "/statistics.csv", "/failures.csv"}) {
    EXPECT_EQ(scratch.read("lanes" + name), scratch.read("threads" + name));
    EXPECT_EQ(scratch.read("both" + name), scratch.read("threads" + name));
  }
  // Taylor series, which auto takes at this tolerance, have no lanes: another method, and other
  // bits.
  const std::string sharp = "--samples 16 --rtol 1e-9 --engine ";
  const auto series = sweep("sharp", sharp + "threads");
  EXPECT_EQ(series.json()["notices"].size(), 1U);  // of the stop time
  EXPECT_EQ(sweep("sharp", sharp + "lanes").exit_code, 2);
  const auto explicit_steps = sweep("sharp_lanes", sharp + "lanes");
  EXPECT_EQ(explicit_steps.json()["in_lanes"], 16);
  EXPECT_THAT(explicit_steps.json()["notices"].dump(), HasSubstr("Taylor series"));
  const auto refused = sweep("no", "--samples 5 --engine gpu");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.json()["message"].get<std::string>(), HasSubstr("auto, threads or lanes"));
}

TEST(SweepCommand, HasStatisticsOverTime) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("m.mo", decay);
  ASSERT_EQ(run_program("sweep --quiet --rtol 1e-8 -p k=1,2,3 --interval 0.5 -o " +
                        scratch.file("out") + " " + model)
                .exit_code,
            0);
  const auto rows = table(scratch.read("out/statistics.csv"));
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0][0], "time");
  EXPECT_EQ(rows[2][0], "0.5");
  // time, variable, count, mean, deviation, min, q05, q25, median, ...
  EXPECT_NEAR(std::stod(rows[2][8]), std::exp(-1.0), 1e-6);
  EXPECT_NEAR(std::stod(rows[3][5]), std::exp(-3.0), 1e-6);
}

TEST(SweepCommand, FailuresEndNothing) {
  const ScratchFolder scratch;
  const std::string model = scratch.write(
      "m.mo",
      "model Pole\n parameter Real a = 1;\n Real x(start = 1, fixed = true);\nequation\n"
      " der(x) = a*x^2;\nend Pole;\n");
  const auto r =
      run_program("sweep --json -p a=0.5,2,0.25 -o " + scratch.file("out") + " " + model);
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.json()["failed"], 1);
  EXPECT_EQ(r.json()["failures"][0]["member"], 2);
  EXPECT_EQ(table(scratch.read("out/failures.csv")).size(), 2U);
  EXPECT_EQ(run_program("sweep --quiet -p a=2,3 " + model).exit_code, 1);
}

TEST(SweepCommand, ASharedReasonIsSaidOnce) {
  const ScratchFolder scratch;
  const std::string model = scratch.write(
      "m.mo",
      "model Pinned\n parameter Real a = 1;\n Real x(start = 1, fixed = true);\nequation\n"
      " x^2 = a^2;\nend Pinned;\n");
  const auto r = run_program("sweep -p a=2,3 " + model);
  EXPECT_THAT(r.out, HasSubstr("x = 1")) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("a = 3: inconsistent-start: as before")) << r.out << r.err;
}

/// Values of the members of the journal that are complete, in the order in which they were written.
std::vector<std::string> journal_members(const std::string& text) {
  std::vector<std::string> members;
  std::istringstream in(text.substr(0, text.find_last_of('\n') + 1));
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    members.push_back(nlohmann::json::parse(line)["given"].dump());
  }
  return members;
}

TEST(SweepCommand, GoesOnAfterAKillWithoutRunningAnythingTwice) {
  const ScratchFolder scratch;
  // Each run takes some thousand steps, so that the kill comes in the middle of the sweep.
  const std::string model =
      scratch.write("m.mo",
                    "model Waves\n parameter Real w = 1;\n Real x(start = 1, fixed = true);\n"
                    " Real v(start = 0, fixed = true);\nequation\n der(x) = v;\n der(v) = -w^2*x;\n"
                    " annotation(experiment(StopTime = 400));\nend Waves;\n");
  const std::string sweep =
      "sweep --json -j 2 --rtol 1e-9 --random 'w~uniform(1,2)' "
      "--samples 300 " +
      model + " -o ";
  const auto whole = run_program(sweep + scratch.file("whole"));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;

  std::set<std::string> before;
  int n_kills = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const pid_t child = fork();
    if (child == 0) {
      const std::string command = std::string("exec ") + DAEDAL_PROGRAM + " " + sweep +
                                  scratch.file("killed") + " > /dev/null 2>&1";
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    const std::size_t wanted = before.size() + 20;
    int status = 0;
    bool has_ended = false;
    while (!has_ended && journal_members(scratch.read("killed/journal")).size() < wanted) {
      has_ended = waitpid(child, &status, WNOHANG) == child;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (!has_ended) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      n_kills += WIFSIGNALED(status) ? 1 : 0;
    }
    const auto members = journal_members(scratch.read("killed/journal"));
    const std::set<std::string> now(members.begin(), members.end());
    EXPECT_EQ(now.size(), members.size()) << "a member was run twice";
    for (const std::string& member : before) EXPECT_TRUE(now.contains(member)) << "lost";
    before = now;
  }
  EXPECT_EQ(n_kills, 3);
  ASSERT_LT(before.size(), 300U);
  // A line that a kill has cut off counts for nothing.
  {
    std::ofstream(scratch.file("killed/journal"), std::ios::app) << "{\"given\": [1.5], \"succ";
  }
  const auto rest = run_program(sweep + scratch.file("killed"));
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(rest.json()["known"], before.size());
  const auto members = journal_members(scratch.read("killed/journal"));
  EXPECT_EQ(members.size(), 300U);
  EXPECT_EQ(std::set<std::string>(members.begin(), members.end()).size(), 300U);
  for (const std::string name : {"/results.csv", "/statistics.csv", "/failures.csv"}) {
    EXPECT_EQ(scratch.read("killed" + name), scratch.read("whole" + name));
  }
  // Once more: nothing is left to run.
  EXPECT_EQ(run_program(sweep + scratch.file("killed")).json()["known"], 300);
}

TEST(SweepCommand, AJournalOfAnotherSweepIsRefused) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("m.mo", decay);
  const std::string out = " -o " + scratch.file("out") + " " + model;
  ASSERT_EQ(run_program("sweep --quiet -p k=1,2" + out).exit_code, 0);
  for (const char* other : {"-p b=1,2", "-p k=1,2 --rtol 1e-3", "-p k=1,2 -p b=1",
                            "-p k=1,2 --stop-time 2", "-p k=1,2 --interval 0.5"}) {
    const auto r = run_program("sweep --quiet " + std::string(other) + out);
    EXPECT_EQ(r.exit_code, 2) << other;
    EXPECT_THAT(r.err, HasSubstr("--restart")) << other;
  }
  // Other members of the same sweep: those that were run before are known.
  EXPECT_EQ(run_program("sweep --json -p k=1,3" + out).json()["known"], 1);
  EXPECT_EQ(run_program("sweep --json -p k=1,2,3" + out).json()["known"], 3);
  EXPECT_EQ(run_program("sweep --json -p k=1,3 --restart" + out).json()["known"], 0);
  scratch.write("m.mo", std::string(decay) + "// another text\n");
  EXPECT_EQ(run_program("sweep --quiet -p k=1,3" + out).exit_code, 2);
  scratch.write("out/journal", "no journal\n");
  EXPECT_THAT(run_program("sweep --quiet -p k=1,3" + out).err,
              HasSubstr("not a journal of a sweep"));
}

TEST(SweepCommand, MoreSamplesLeaveTheEarlierOnesAsTheyAre) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("m.mo", decay);
  const std::string sweep = "sweep --json --random 'k~uniform(1,2)' --seed 7 -p b=1,2 " + model;
  const auto with = [&](const std::string& samples, const std::string& folder) {
    return run_program(sweep + " --samples " + samples + " -o " + scratch.file(folder));
  };
  ASSERT_EQ(with("5", "out").exit_code, 0);
  const auto more = with("8", "out");
  ASSERT_EQ(more.exit_code, 0) << more.err;
  EXPECT_EQ(more.json()["known"], 10);
  EXPECT_EQ(more.json()["members"], 16);
  ASSERT_EQ(with("8", "fresh").exit_code, 0);
  EXPECT_EQ(scratch.read("out/results.csv"), scratch.read("fresh/results.csv"));
}

TEST(SweepCommand, TablesOfOthersStayAsTheyAre) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("m.mo", decay);
  std::filesystem::create_directory(scratch.file("out"));
  scratch.write("out/results.csv", "mine\n");
  const auto r = run_program("sweep -p k=1,2 -o " + scratch.file("out") + " " + model);
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("results.csv"));
  EXPECT_EQ(scratch.read("out/results.csv"), "mine\n");
}

TEST(SweepCommand, InputsAreNotVariedAsStartValues) {
  const ScratchFolder scratch;
  const std::string model = scratch.write(
      "m.mo",
      "model M\n parameter Real k = 1;\n input Real u;\n Real x(start = 0, fixed = true);\n"
      "equation\n der(x) = u;\nend M;\n");
  const std::string members = scratch.write("members.csv", "k,u\n1,2\n");
  const auto r = run_program("sweep -i u=1 --members " + members + " " + model);
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("is an input of 'M'"));
  // x(1) = u = k.
  const auto follows = run_program("sweep --json -i u=k -p k=1,2,6 " + model);
  ASSERT_EQ(follows.exit_code, 0) << follows.err;
  const auto document = follows.json();
  for (const auto& one : document["statistics"]) {
    if (one["variable"] != "x") continue;
    EXPECT_NEAR(one["mean"], 3.0, 1e-6);
  }
}

TEST(SweepCommand, SeveralProcessesNeedMpi) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("m.mo", decay);
  // Elsewhere the program does not find the plug-in of MPI, whether it was built or not.
  std::filesystem::copy_file(DAEDAL_PROGRAM, scratch.file("daedal"));
  const auto rank = [&](const std::string& size, const std::string& number) {
    return run_command("OMPI_COMM_WORLD_SIZE=" + size + " OMPI_COMM_WORLD_RANK=" + number + " " +
                       scratch.file("daedal") + " sweep -p k=1,2 " + model);
  };
  const auto first = rank("4", "0");
  EXPECT_EQ(first.exit_code, 2);
  EXPECT_THAT(first.err, HasSubstr("4 processes"));
  EXPECT_THAT(first.err, HasSubstr("built without MPI"));
  // Said once, and run by none.
  const auto other = rank("4", "1");
  EXPECT_EQ(other.exit_code, 0);
  EXPECT_EQ(other.out + other.err, "");
  EXPECT_EQ(rank("1", "0").exit_code, 0);
}

TEST(SweepCommand, WhatIsWrongIsNamed) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("m.mo", decay);
  const std::string members = scratch.write("members.csv", "k,zz\n1,2\n");
  struct Case {
    std::string arguments;
    const char* phrase;
  };
  const Case cases[] = {
      {"", "needs something that changes"},
      {"-p k=1:2", "from:step:to"},
      {"-p k=1:0:2", "never arrives"},
      {"-p k=2:1:1", "never arrives"},
      {"-p k=0:1e-9:1", "more than"},
      {"-p k=1,two", "'two'"},
      {"-p k=1,,2", "not a number"},
      {"-p k=1,nan", "not a finite number"},
      {"--random 'k~normal(1,1)' --samples 2 --seed -1", "--seed"},
      {"--random 'k~normal(1,1)' --samples -2", "--samples"},
      {"-p zz=1,2", "zz"},
      {"-p k=1,2 -p zz=1", "'zz'"},
      {"-p k=1,2 --start zz=1", "'zz'"},
      {"-p k=1,2 -p k=3,4", "varied twice"},
      {"-p k=1,2 --samples 3", "--random"},
      {"--random 'k~normal(1,1)'", "--samples"},
      {"--random 'k~normal(1)' --samples 2", "2 numbers"},
      {"--random 'k normal(1,1)' --samples 2", "name~distribution"},
      {"--random 'zz~normal(1,1)' --samples 2", "zz"},
      {"--members " + members, "zz"},
      {"--members nowhere.csv", "nowhere.csv"},
      {"-p k=1,2 --interval -1", "--interval"},
      {"-p k=1,2 -j 0", "--jobs"},
      {"-p k=1,2 -o " + model, "folder"},
      {"-p k=1,2 --variables nothing", "nothing"},
  };
  for (const Case& one : cases) {
    const auto r = run_program("sweep " + model + " " + one.arguments);
    EXPECT_NE(r.exit_code, 0) << one.arguments;
    EXPECT_THAT(r.err, HasSubstr(one.phrase)) << one.arguments;
  }
}

}  // namespace
}  // namespace daedal::test
