// SPDX-License-Identifier: BSD-3-Clause
/// An existing output file is replaced by the rows of a run, and by nothing else.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "app/program.hpp"

namespace daedal::test {
namespace {

using testing::HasSubstr;

const char* decay = R"(
  model Decay
    Real x(start = 1, fixed = true);
  equation
    der(x) = -x;
  end Decay;)";

class OutputFile : public testing::Test {
 protected:
  ScratchFolder scratch_;
  std::string model_ = scratch_.write("decay.mo", decay);
  std::string output_ = scratch_.write("out.csv", "what was here before");

  /// Starts a run that has no end in sight, sends it a signal once it has written its first rows,
  /// and waits for its end.
  void run_and_signal(const std::string& signal) {
    run_command("{ " + std::string(DAEDAL_PROGRAM) + " simulate " + model_ +
                " --stop-time 1e10 --max-step 1 --max-steps 1000000000000 --interval 1000 -o " +
                output_ + " & p=$!; until [ -s " + output_ + ".part ] || ! kill -0 $p; do sleep " +
                "0.1; done; kill -" + signal + " $p; wait $p; }");
  }
};

TEST_F(OutputFile, StaysWhereACallIsRefused) {
  for (const char* option : {"-p nosuch=1", "--rtol 7", "--method nosuch", "--stop-time 0",
                             "--interval -1", "--method ggl"}) {
    const auto r = run_program("simulate " + model_ + " " + option + " -o " + output_);
    EXPECT_NE(r.exit_code, 0) << option;
    EXPECT_EQ(scratch_.read("out.csv"), "what was here before") << option;
    EXPECT_FALSE(std::filesystem::exists(output_ + ".part")) << option;
  }
}

TEST_F(OutputFile, StaysWhereARunHasNoRows) {
  const std::string contradiction = scratch_.write("no.mo", R"(
    model No
      Real x(start = 1, fixed = true), y(start = 2, fixed = true);
    equation
      der(x) = -x;
      y = x;
    end No;)");
  const auto r = run_program("simulate " + contradiction + " -o " + output_);
  EXPECT_NE(r.exit_code, 0);
  EXPECT_EQ(scratch_.read("out.csv"), "what was here before");
}

TEST_F(OutputFile, IsReplacedByTheRowsOfARun) {
  const auto r = run_program("simulate " + model_ + " -o " + output_);
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(scratch_.read("out.csv"), HasSubstr("time,x\n"));
  EXPECT_FALSE(std::filesystem::exists(output_ + ".part"));
}

TEST_F(OutputFile, IsNeverTheModelItself) {
  const auto r = run_program("simulate " + model_ + " -o " + model_);
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("is the file that the model is read from"));
  EXPECT_EQ(scratch_.read("decay.mo"), decay);
}

TEST_F(OutputFile, HasTheFormatOfItsName) {
  ASSERT_EQ(run_program("simulate " + model_ + " -o " + scratch_.file("out.json")).exit_code, 0);
  const auto json = nlohmann::json::parse(scratch_.read("out.json"));
  EXPECT_EQ(json["columns"]["x"][0], 1.0);
  EXPECT_EQ(json["columns"]["x"].size(), json["columns"]["time"].size());
  ASSERT_EQ(run_program("simulate " + model_ + " -o " + scratch_.file("out.mat")).exit_code, 0);
  EXPECT_THAT(scratch_.read("out.mat"), HasSubstr("data_2"));
  ASSERT_EQ(run_program("simulate " + model_ + " -o " + scratch_.file("out")).exit_code, 0);
  EXPECT_THAT(scratch_.read("out"), HasSubstr("time,x\n"));
}

TEST_F(OutputFile, OfAnUnknownFormatIsRefused) {
  for (const std::string command : {"simulate ", "solve-bvp ", "compare --methods auto "}) {
    const auto r = run_program(command + model_ + " -o " + scratch_.file("out.xlsx"));
    EXPECT_EQ(r.exit_code, 2) << command;
    EXPECT_THAT(r.err, HasSubstr("ends in '.xlsx'")) << command;
    EXPECT_FALSE(std::filesystem::exists(scratch_.file("out.xlsx"))) << command;
  }
}

TEST_F(OutputFile, OfAReportIsAPage) {
  for (const std::string command : {"simulate ", "analyze ", "compare --methods auto "}) {
    const auto standard = run_program(command + model_ + " --report -");
    EXPECT_EQ(standard.exit_code, 2) << command;
    EXPECT_THAT(standard.err, HasSubstr("not for standard output")) << command;
    const auto other = run_program(command + model_ + " --report " + scratch_.file("run.pdf"));
    EXPECT_EQ(other.exit_code, 2) << command;
    EXPECT_THAT(other.err, HasSubstr("should end in .html")) << command;
    EXPECT_FALSE(std::filesystem::exists(scratch_.file("run.pdf"))) << command;
  }
}

// A run that is killed has left its rows in NAME.part, whole lines of them, and NAME alone.
TEST_F(OutputFile, KeepsTheRowsOfARunThatIsKilled) {
  run_and_signal("KILL");
  EXPECT_EQ(scratch_.read("out.csv"), "what was here before");
  const std::string rows = scratch_.read("out.csv.part");
  EXPECT_THAT(rows, HasSubstr("time,x\n0,1\n1000,"));
  EXPECT_EQ(rows.back(), '\n');
}

TEST_F(OutputFile, IsReplacedByTheRowsOfARunThatIsInterrupted) {
  run_and_signal("TERM");
  EXPECT_THAT(scratch_.read("out.csv"), HasSubstr("time,x\n0,1\n1000,"));
  EXPECT_FALSE(std::filesystem::exists(output_ + ".part"));
}

TEST_F(OutputFile, TellsThatTheDiskIsFull) {
  const auto r = run_program("simulate " + model_ + " -o /dev/full");
  EXPECT_NE(r.exit_code, 0);
  EXPECT_THAT(r.err, HasSubstr("the disk is full"));
}

// Files may grow to one block of 512 or 1024 bytes: what fits is kept, in whole rows.
TEST_F(OutputFile, KeepsWholeRowsWhereNoMoreFit) {
  const auto r =
      run_command("sh -c \"trap '' XFSZ; ulimit -f 1; " + std::string(DAEDAL_PROGRAM) +
                  " simulate " + model_ + " --interval 0.001 --quiet -o " + output_ + "\"");
  EXPECT_NE(r.exit_code, 0);
  EXPECT_EQ(scratch_.read("out.csv"), "what was here before");
  const std::string rows = scratch_.read("out.csv.part");
  EXPECT_THAT(rows, HasSubstr("time,x\n0,1\n0.001,"));
  EXPECT_EQ(rows.back(), '\n');
}

// The rows are not lost in a file that replaces the pipe.
TEST_F(OutputFile, MayBeAPipe) {
  const std::string pipe = scratch_.file("pipe");
  run_command("{ mkfifo " + pipe + " && { cat " + pipe + " > " + scratch_.file("copy") + " & " +
              std::string(DAEDAL_PROGRAM) + " simulate " + model_ + " -o " + pipe + "; wait; }; }");
  EXPECT_THAT(scratch_.read("copy"), HasSubstr("time,x\n0,1\n"));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST_F(OutputFile, IsNotTheReport) {
  for (const std::string command : {"simulate ", "compare --methods auto "}) {
    const auto r = run_program(command + example("rlc.mo") + " -o " + scratch_.file("a.html") +
                               " --report " + scratch_.file("./a.html"));
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_THAT(r.err, HasSubstr("-o and --report both name"));
    EXPECT_FALSE(std::filesystem::exists(scratch_.file("a.html")));
  }
}

}  // namespace
}  // namespace daedal::test
