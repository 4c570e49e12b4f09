// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/dense/independent_columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace daedal::linalg {
namespace {

using testing::ElementsAre;

Matrix rows_of(std::initializer_list<std::initializer_list<double>> rows) {
  Matrix a(to_index(rows.size()), to_index(rows.begin()->size()));
  Index i = 0;
  for (const auto& row : rows) {
    Index j = 0;
    for (const double value : row) a(i, j++) = value;
    ++i;
  }
  return a;
}

TEST(PivotColumns, TakesTheGreatestPivotsFirst) {
  // The pivot 4 leaves (1, 3) of the second row, which has no entry below it.
  const auto chosen = choose_pivot_columns(rows_of({{4, 2, 1}, {0, 1, 3}}));
  EXPECT_THAT(chosen.columns, ElementsAre(0, 2));
  EXPECT_DOUBLE_EQ(chosen.smallest_pivot, 3.0);
}

TEST(PivotColumns, NamesARowThatDependsOnTheOthers) {
  const auto chosen = choose_pivot_columns(rows_of({{4, 2, 1}, {8, 4, 2}}));
  EXPECT_EQ(chosen.smallest_pivot, 0.0);
  EXPECT_EQ(chosen.dependent_row, 0);  // the greater one was eliminated with
}

}  // namespace
}  // namespace daedal::linalg
