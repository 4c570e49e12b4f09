// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "app/program.hpp"

// The papers' tables as the program prints them, against what a correct implementation reaches.

namespace daedal::test {
namespace {

/// The entries of a study, by table, row and column.
class Study {
 public:
  explicit Study(const std::string& paper) {
    const auto r = run_program("reproduce " + paper + " --json");
    EXPECT_EQ(r.exit_code, 0) << r.err;
    entries_ = r.json();
  }
  [[nodiscard]] double ours(const std::string& table, const std::string& row,
                            const std::string& column) const {
    for (const auto& entry : entries_) {
      if (entry["table"] == table && entry["row"] == row && entry["column"] == column) {
        return entry["ours"];
      }
    }
    ADD_FAILURE() << "no entry " << table << ", " << row << ", " << column;
    return 0.0;
  }

  [[nodiscard]] bool has_table(const std::string& table) const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const auto& entry) { return entry["table"] == table; });
  }

 private:
  nlohmann::json entries_;
};

TEST(Reproduce, FuehrerLeimkuhlersDifferentiatedConstraintCostsManyTimesTheSteps) {
  const Study study("fuehrer-leimkuhler");
  const double state_space = study.ours("1", "SSF", "steps");
  ASSERT_GT(state_space, 0.0);
  for (const char* row : {"(10)", "SSF", "(11)"}) {
    EXPECT_LE(study.ours("1", row, "error of x"), 9e-6) << row;
  }
  const double differentiated = study.ours("1", "(11)", "steps") / state_space;
  EXPECT_GE(differentiated, 8.0);
  EXPECT_LE(differentiated, 25.0);
  const double dae = study.ours("1", "(10)", "steps") / state_space;
  EXPECT_GE(dae, 0.6);
  EXPECT_LE(dae, 1.6);
}

// Figures of tests/oracles/pendulum_methods.py.
TEST(Reproduce, PoellHafnersMethodsOverAHundredSeconds) {
  const Study study("poell-hafner");
  const auto ours = [&](const std::string& row, const std::string& column) {
    return study.ours("h=.01 100 s", row, column);
  };
  const auto expect = [&](const std::string& row, const std::string& column, double value) {
    EXPECT_NEAR(ours(row, column), value, 0.03 * value) << row << ", " << column;
  };
  expect("index1, RK4", "|g|", 3.60e-3);
  expect("index1, RK4", "energy error", 4.80e-2);
  expect("index1, RK4", "position error", 9.81e-2);
  expect("baumgarte 5 5, RK4", "energy error", 1.90e-5);
  expect("baumgarte 5 5, RK4", "position error", 1.35e-4);
  expect("orthogonal-projection, RK4", "position error", 7.00e-5);
  expect("symmetric-projection, midpoint", "position error", 2.46e-2);
  expect("symmetric-projection, Gauss 4", "energy error", 1.30e-7);
  expect("symmetric-projection, Gauss 4", "position error", 1.97e-7);
  expect("ggl, Radau 5", "energy error", 9.30e-7);
  expect("ggl, Radau 5", "position error", 4.75e-6);
  for (const char* row :
       {"orthogonal-projection, RK4", "symmetric-projection, midpoint",
        "symmetric-projection, Gauss 4", "coordinate-partitioning, RK4", "tangent-space, RK4"}) {
    EXPECT_LE(ours(row, "|g|"), 1e-12) << row;
    EXPECT_LE(ours(row, "|Gv|"), 1e-12) << row;
  }
  // The comparison itself: every problem for a short and a long time.
  for (const char* table :
       {"pendulum 10 s", "pendulum 100 s", "four-bar 2 s", "four-bar 20 s", "squeezer 0.03 s",
        "squeezer 0.1 s", "chain of 10 0.5 s", "chain of 10 2 s"}) {
    EXPECT_TRUE(study.has_table(table)) << table;
  }
}

TEST(Reproduce, CampbellMooresTablesAreAllThere) {
  const auto r = run_program("reproduce campbell-moore --json");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  std::map<std::string, int> n_entries;
  int n_forced = 0;
  for (const auto& entry : r.json()) {
    const std::string table = entry["table"];
    ++n_entries[table];
    if (table != "Table 1") continue;
    const double ratio = entry["ours"].get<double>() / entry["paper"].get<double>();
    if (entry.contains("note")) {  // the paper's own schedule of partitions
      ++n_forced;
      EXPECT_NEAR(ratio, 1.0, 0.15) << entry;
    } else {
      EXPECT_LE(ratio, 1.0) << entry;
    }
  }
  EXPECT_EQ(n_entries.size(), 5U);
  EXPECT_EQ(n_entries["Table 1"], 21 + 7);
  EXPECT_EQ(n_forced, 7);
  EXPECT_EQ(n_entries["Table 2"], 9);
}

TEST(Reproduce, PrintsTablesAsThePaperDoes) {
  const std::string command = "reproduce campbell-moore";
  const std::size_t n_entries = run_program(command + " --json").json().size();
  const ProgramResult markdown = run_program(command + " --format markdown");
  EXPECT_THAT(markdown.out, ::testing::HasSubstr(
                                "### Table 1\n\n|  | h = 0.1 | h = 0.05 | h = 0.01 |\n|---|--:|"));
  const ProgramResult latex = run_program(command + " --format latex");
  EXPECT_THAT(latex.out, ::testing::HasSubstr("\\caption{Table 1}\n\\begin{tabular}{lrrr}"));
  EXPECT_THAT(latex.out, ::testing::HasSubstr("\\end{tabular}"));
  EXPECT_THAT(run_program(command).out, ::testing::HasSubstr("Table 1\n"));
  const ProgramResult csv = run_program(command + " --format csv");
  EXPECT_THAT(csv.out, ::testing::StartsWith("study,table,row,column,paper,ours,note\n"));
  EXPECT_EQ(std::ranges::count(csv.out, '\n'), static_cast<std::ptrdiff_t>(n_entries) + 1);
  // Every figure of the paper stands in brackets in a cell of its own.
  std::size_t n_figures = 0;
  std::istringstream lines(markdown.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| "))
      n_figures += static_cast<std::size_t>(std::ranges::count(line, '('));
  }
  std::size_t n_printed = 0;
  for (const auto& entry : run_program(command + " --json").json()) {
    if (!entry["paper"].is_null()) ++n_printed;
  }
  EXPECT_EQ(n_figures, n_printed);
  const ProgramResult wrong = run_program(command + " --format html");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, ::testing::HasSubstr("{text,csv,markdown,latex}"));
}

}  // namespace
}  // namespace daedal::test
