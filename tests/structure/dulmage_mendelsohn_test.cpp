// SPDX-License-Identifier: BSD-3-Clause
#include "structure/dulmage_mendelsohn.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <daedal/error.hpp>
#include <random>
#include <vector>

#include "structure/brute_force.hpp"

namespace daedal::structure {
namespace {

Incidence incidence_of(Index n_columns, const std::vector<std::vector<Index>>& rows) {
  Incidence incidence(n_columns);
  for (const auto& row : rows) incidence.add_row(row);
  return incidence;
}

unsigned bits(const std::vector<Index>& members) {
  unsigned set = 0;
  for (const Index i : members) set |= 1U << i;
  return set;
}

Incidence random_incidence(std::mt19937& random, Index n_rows, Index n_columns, double density) {
  return test::random_signature(random, n_rows, n_columns, density, 0).incidence();
}

/// A violator of Hall's condition none of whose proper subsets is one.
void expect_minimal_violator(const Incidence& incidence, const Part& part) {
  const unsigned set = bits(part.rows);
  ASSERT_TRUE(test::violates_hall(incidence, set));
  EXPECT_EQ(test::neighbours(incidence, set), bits(part.columns));
  EXPECT_EQ(part.rows.size(), part.columns.size() + 1);
  for (unsigned subset = (set - 1) & set; subset != 0; subset = (subset - 1) & set) {
    EXPECT_FALSE(test::violates_hall(incidence, subset));
  }
}

TEST(Incidence, RefusesColumnsThatDoNotExistAndTransposes) {
  EXPECT_THROW(incidence_of(2, {{2}}), Error);
  EXPECT_THROW(incidence_of(2, {{-1}}), Error);
  const Incidence transposed = incidence_of(3, {{2, 0, 2}, {}, {1, 2}}).transposed();
  ASSERT_EQ(transposed.n_rows(), 3);
  ASSERT_EQ(transposed.n_columns(), 3);
  const std::vector<std::vector<Index>> expected = {{0}, {2}, {0, 2}};
  for (Index i = 0; i < 3; ++i) {
    const auto row = transposed.row(i);
    EXPECT_EQ(std::vector<Index>(row.begin(), row.end()), expected[to_size(i)]);
  }
}

TEST(Matching, IsAsLargeAsHallsTheoremAllowsOnRandomGraphs) {
  std::mt19937 random(30);
  for (int trial = 0; trial < 2000; ++trial) {
    const Index n_rows = 1 + trial % 7;
    const Index n_columns = 1 + trial / 7 % 7;
    const Incidence incidence =
        random_incidence(random, n_rows, n_columns, 0.1 + 0.08 * (trial % 9));
    const Matching matching = maximum_matching(incidence);
    EXPECT_EQ(matching.size, test::matching_size(incidence));
    Index n_matched = 0;
    for (Index i = 0; i < n_rows; ++i) {
      const Index j = matching.column_of_row[to_size(i)];
      if (j == unmatched) continue;
      ++n_matched;
      EXPECT_EQ(matching.row_of_column[to_size(j)], i);
      const auto row = incidence.row(i);
      EXPECT_TRUE(std::binary_search(row.begin(), row.end(), j));
    }
    EXPECT_EQ(n_matched, matching.size);
  }
}

TEST(SurplusEquations, OfEmptyRowsIsOneOfThem) {
  const Incidence nothing(0);
  EXPECT_TRUE(surplus_equations(nothing, maximum_matching(nothing)).rows.empty());
  const Incidence hollow = incidence_of(1, {{}, {}});
  EXPECT_EQ(surplus_equations(hollow, maximum_matching(hollow)).rows, (std::vector<Index>{0}));
}

TEST(OffendingSubset, NamesADoubledEquationAlone) {
  // A chain of six, and once more its second equation.
  const Incidence incidence =
      incidence_of(6, {{0}, {0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 1}});
  const Part part = surplus_equations(incidence, maximum_matching(incidence));
  EXPECT_EQ(part.rows, (std::vector<Index>{0, 1, 6}));
  EXPECT_EQ(part.columns, (std::vector<Index>{0, 1}));
}

TEST(OffendingSubset, NamesUnknownsThatNothingDetermines) {
  const Incidence incidence = incidence_of(4, {{0}, {0, 1}, {1, 2, 3}, {0, 1}});
  const Part part = undetermined_unknowns(incidence, maximum_matching(incidence));
  EXPECT_EQ(part.columns, (std::vector<Index>{2, 3}));
  EXPECT_EQ(part.rows, (std::vector<Index>{2}));
}

TEST(OffendingSubset, IsMinimalOnRandomGraphs) {
  std::mt19937 random(32);
  int n_singular = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const Index n = 2 + trial % 6;
    const Incidence incidence = random_incidence(random, n, n, 0.15 + 0.06 * (trial % 7));
    const Matching matching = maximum_matching(incidence);
    const Part surplus = surplus_equations(incidence, matching);
    const Part undetermined = undetermined_unknowns(incidence, matching);
    EXPECT_EQ(surplus.rows.empty(), matching.is_perfect());
    EXPECT_EQ(undetermined.columns.empty(), matching.is_perfect());
    if (matching.is_perfect()) continue;
    ++n_singular;
    expect_minimal_violator(incidence, surplus);
    expect_minimal_violator(incidence.transposed(), {undetermined.columns, undetermined.rows});
  }
  EXPECT_GT(n_singular, 300);
}

}  // namespace
}  // namespace daedal::structure
