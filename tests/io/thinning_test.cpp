// SPDX-License-Identifier: BSD-3-Clause
#include "report/thinning.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace daedal::app {
namespace {

using testing::ElementsAre;

std::vector<double> wave(std::size_t n) {
  std::vector<double> column;
  for (std::size_t i = 0; i < n; ++i) column.push_back(std::sin(0.01 * static_cast<double>(i)));
  return column;
}

TEST(Thinning, KeepsAllOfAShortColumn) {
  EXPECT_THAT(thinned(std::vector{3.0, 1.0, 2.0}, 10), ElementsAre(0, 1, 2));
  EXPECT_TRUE(thinned({}, 10).empty());
}

TEST(Thinning, KeepsEndsAndASingleSpike) {
  std::vector<double> column = wave(100'000);
  column[54'321] = 7.0;
  column[54'322] = -7.0;
  const auto kept = thinned(column, 100);
  EXPECT_LE(kept.size(), 202U);
  EXPECT_EQ(kept.front(), 0U);
  EXPECT_EQ(kept.back(), column.size() - 1);
  EXPECT_TRUE(std::ranges::binary_search(kept, 54'321U));
  EXPECT_TRUE(std::ranges::binary_search(kept, 54'322U));
  EXPECT_TRUE(std::ranges::is_sorted(kept));
}

TEST(Thinning, KeepsWhereValuesAreMissing) {
  std::vector<double> column = wave(10'000);
  for (std::size_t i = 4'000; i < 4'100; ++i) {
    column[i] = std::numeric_limits<double>::quiet_NaN();
  }
  const auto kept = thinned(column, 20);
  for (const std::size_t edge : {3'999U, 4'000U, 4'099U, 4'100U}) {
    EXPECT_TRUE(std::ranges::binary_search(kept, edge)) << edge;
  }
}

}  // namespace
}  // namespace daedal::app
