// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "program.hpp"

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

}  // namespace
}  // namespace daedal::test
