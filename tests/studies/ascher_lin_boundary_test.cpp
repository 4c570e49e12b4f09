// SPDX-License-Identifier: BSD-3-Clause
/// Tables 5.1 and 5.2 of Ascher and Lin against the printed numbers.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "ascher_lin/ascher_lin.hpp"

namespace daedal::studies {
namespace {

std::vector<Entry> entries_of(const std::string& table) {
  std::vector<Entry> all;
  add_boundary_value_tables(all);
  std::erase_if(all, [&](const Entry& entry) { return entry.table != table; });
  return all;
}

bool is_within(const Entry& entry, double share) {
  return std::abs(entry.ours - *entry.paper) <= share * *entry.paper;
}

TEST(AscherLinBoundaryValues, Table51IsReproduced) {
  const auto entries = entries_of("Table 5.1");
  ASSERT_EQ(entries.size(), 225U);
  int n_near = 0;
  int n_compared = 0;
  for (const Entry& entry : entries) {
    if (*entry.paper == 0.0) {
      EXPECT_LE(entry.ours, 1e-14) << entry.row;
      continue;
    }
    ++n_compared;
    n_near += is_within(entry, 0.1) ? 1 : 0;
  }
  EXPECT_EQ(n_compared, 210);
  EXPECT_GE(n_near, 200);
}

/// The nine numbers that an independent computation has otherwise than the print.
TEST(AscherLinBoundaryValues, LikelyMisprintsHaveTheValuesOfAnotherComputation) {
  const std::map<std::string, double> expected{
      {"epsilon 0.1, iteration 1, ey t = 0.3", 2.28e-2},
      {"epsilon 0.1, iteration 1, ey t = 0.5", 4.56e-2},
      {"epsilon 0.1, iteration 1, drift t = 0.3", 3.74e-2},
      {"epsilon 0.05, iteration 1, ey t = 0.3", 1.84e-2},
      {"epsilon 0.05, iteration 2, ey t = 1", 1.02e-3},
      {"epsilon 0.05, iteration 3, drift t = 0.1", 1.77e-4},
      {"epsilon 0.05, iteration 3, drift t = 0.3", 7.54e-4},
      {"epsilon 1e-06, iteration 2, drift t = 0.01", 2.43e-5},
      {"epsilon 1e-06, iteration 2, drift t = 1", 1.85e-5}};
  std::size_t n_found = 0;
  for (const Entry& entry : entries_of("Table 5.1")) {
    const auto found = expected.find(entry.row + " " + entry.column);
    if (found == expected.end()) continue;
    ++n_found;
    EXPECT_NEAR(entry.ours, found->second, 0.05 * found->second) << found->first;
    EXPECT_EQ(entry.note, "likely misprint");
  }
  EXPECT_EQ(n_found, expected.size());
}

TEST(AscherLinBoundaryValues, Table52IsReproduced) {
  const auto entries = entries_of("Table 5.2");
  ASSERT_EQ(entries.size(), 32U);
  for (const Entry& entry : entries) {
    EXPECT_TRUE(is_within(entry, 0.1))
        << entry.row << " " << entry.column << ": " << entry.ours << " for " << *entry.paper;
  }
}

}  // namespace
}  // namespace daedal::studies
