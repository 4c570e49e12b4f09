// SPDX-License-Identifier: BSD-3-Clause
// Reports of what was written before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "app/program.hpp"

namespace daedal::test {
namespace {

using ::testing::HasSubstr;

TEST(ReportCommand, MakesAPageOfRows) {
  const ScratchFolder scratch;
  for (const std::string name : {"run.json", "run.csv"}) {
    const std::string rows = scratch.file(name);
    ASSERT_EQ(run_program("simulate " + example("rlc.mo") + " --quiet -o " + rows).exit_code, 0);
    const ProgramResult made = run_program("report " + rows);
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(made.out, "Report: " + scratch.file("run.html") + "\n");
    EXPECT_THAT(scratch.read("run.html"), HasSubstr("u_C"));
    const std::string other = scratch.file("other.html");
    EXPECT_EQ(run_program("report " + rows + " --quiet -o " + other).out, "");
    EXPECT_EQ(scratch.read("other.html"), scratch.read("run.html"));
  }
}

TEST(ReportCommand, RefusesWhatIsNoDocument) {
  const ScratchFolder scratch;
  const std::string rows = scratch.write("rows.csv", "time,x\n0,1\n1,2\n");
  const auto refused = [&](const std::string& arguments, const std::string& says) {
    const ProgramResult r = run_program("report " + arguments);
    EXPECT_EQ(r.exit_code, 2) << arguments;
    EXPECT_THAT(r.err, HasSubstr(says));
  };
  refused(scratch.file("none.json"), "cannot be read");
  refused(scratch.write("list.json", "[1, 2]"), "neither a JSON document nor");
  refused(scratch.write("broken.json", "{\"a\": "), "neither a JSON document nor");
  refused(scratch.write("strange.json", "{\"a\": 1}"), "not a document of daedal");
  refused(scratch.write("words.csv", "time,x\n0,one\n"), "'one'");
  refused(rows + " -o page.txt", "should end in .html");
  std::size_t n_pages = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.file(""))) {
    if (entry.path().string().find(".html") != std::string::npos) ++n_pages;
  }
  EXPECT_EQ(n_pages, 0U);
}

}  // namespace
}  // namespace daedal::test
