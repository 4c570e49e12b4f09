// SPDX-License-Identifier: BSD-3-Clause
#include "structure/tearing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <daedal/error.hpp>
#include <random>
#include <set>
#include <vector>

#include "structure/block_triangular.hpp"
#include "structure/brute_force.hpp"

namespace daedal::structure {
namespace {

/// Every step's row must have all its columns known but the one it gives; rows and columns are
/// used once each.
void expect_valid(const Incidence& block, const std::vector<bool>& is_solvable,
                  const Tearing& tearing) {
  std::set<Index> known(tearing.tears.begin(), tearing.tears.end());
  std::set<Index> rows(tearing.residuals.begin(), tearing.residuals.end());
  EXPECT_EQ(known.size(), tearing.tears.size());
  for (const TearingStep& step : tearing.sequence) {
    EXPECT_TRUE(rows.insert(step.row).second);
    const auto columns = block.row(step.row);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (columns[k] != step.column) {
        EXPECT_TRUE(known.contains(columns[k]));
      } else if (!is_solvable.empty()) {
        EXPECT_TRUE(is_solvable[to_size(block.row_start(step.row)) + k]);
      }
    }
    EXPECT_TRUE(std::binary_search(columns.begin(), columns.end(), step.column));
    EXPECT_TRUE(known.insert(step.column).second);
  }
  EXPECT_EQ(to_index(known.size()), block.n_columns());
  EXPECT_EQ(to_index(rows.size()), block.n_rows());
}

/// The fewest tears by trying every set of columns: with these known, rows with one unknown left
/// determine the others.
int fewest_tears(const Incidence& block) {
  int fewest = static_cast<int>(block.n_columns());
  for (unsigned tears = 0; tears < 1U << block.n_columns(); ++tears) {
    unsigned known = tears;
    for (bool is_new = true; is_new;) {
      is_new = false;
      for (Index i = 0; i < block.n_rows(); ++i) {
        const unsigned unknown = test::neighbours(block, 1U << i) & ~known;
        if (test::count(unknown) != 1) continue;
        known |= unknown;
        is_new = true;
      }
    }
    if (test::count(known) == block.n_columns()) fewest = std::min(fewest, test::count(tears));
  }
  return fewest;
}

TEST(Tearing, OfATriangularSystemNeedsNoTears) {
  Incidence block(3);
  block.add_row(std::vector<Index>{0, 1, 2});
  block.add_row(std::vector<Index>{0});
  block.add_row(std::vector<Index>{0, 1});
  const Tearing tearing = tear(block);
  EXPECT_TRUE(tearing.tears.empty());
  EXPECT_EQ(tearing.sequence, (std::vector<TearingStep>{{1, 0}, {2, 1}, {0, 2}}));
  EXPECT_TRUE(tearing.residuals.empty());
}

TEST(Tearing, CutsALongLoopOnce) {
  constexpr Index n = 100000;
  Incidence loop(n);
  for (Index i = 0; i < n; ++i) loop.add_row(std::vector<Index>{i, (i + 1) % n});
  const Tearing tearing = tear(loop);
  EXPECT_EQ(tearing.tears.size(), 1U);
  EXPECT_EQ(tearing.residuals.size(), 1U);
  EXPECT_EQ(to_index(tearing.sequence.size()), n - 1);
}

TEST(Tearing, OfATridiagonalSystemNeedsOneTear) {
  constexpr Index n = 1000;
  Incidence block(n);
  for (Index i = 0; i < n; ++i) {
    std::vector<Index> columns = {i};
    if (i > 0) columns.push_back(i - 1);
    if (i + 1 < n) columns.push_back(i + 1);
    block.add_row(columns);
  }
  const Tearing tearing = tear(block);
  expect_valid(block, {}, tearing);
  // x_0 gives x_1, both give x_2, ...; the last equation is the residual.
  EXPECT_EQ(tearing.tears.size(), 1U);
}

TEST(Tearing, OfAFullSystemLeavesOneStep) {
  Incidence block(5);
  for (int i = 0; i < 5; ++i) block.add_row(std::vector<Index>{0, 1, 2, 3, 4});
  const Tearing tearing = tear(block);
  expect_valid(block, {}, tearing);
  EXPECT_EQ(tearing.tears.size(), 4U);
}

TEST(Tearing, SolvesOnlyForWhatIsSolvable) {
  Incidence block(2);
  block.add_row(std::vector<Index>{0, 1});
  block.add_row(std::vector<Index>{0, 1});
  // Only the second row can be solved, for column 1.
  const std::vector<bool> is_solvable = {false, false, false, true};
  const Tearing tearing = tear(block, is_solvable);
  EXPECT_EQ(tearing.tears, (std::vector<Index>{0}));
  EXPECT_EQ(tearing.sequence, (std::vector<TearingStep>{{1, 1}}));
  EXPECT_EQ(tearing.residuals, (std::vector<Index>{0}));
  const Tearing nothing_solvable = tear(block, {false, false, false, false});
  EXPECT_EQ(nothing_solvable.tears.size(), 2U);
  EXPECT_EQ(nothing_solvable.residuals.size(), 2U);
  EXPECT_THROW(static_cast<void>(tear(block, {true})), Error);
}

TEST(Tearing, IsValidAndSeldomWorseThanTheOptimumOnRandomLoops) {
  std::mt19937 random(50);
  int n_loops = 0;
  int n_optimal = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Index n = 2 + trial % 7;
    const Incidence block =
        test::random_signature(random, n, n, 0.25 + 0.07 * (trial % 6), 0).incidence();
    const Matching matching = maximum_matching(block);
    if (!matching.is_perfect()) continue;
    std::vector<bool> is_solvable(to_size(block.n_entries()));
    for (std::size_t k = 0; k < is_solvable.size(); ++k) is_solvable[k] = random() % 3 != 0;
    expect_valid(block, is_solvable, tear(block, is_solvable));
    const Tearing tearing = tear(block);
    expect_valid(block, {}, tearing);
    EXPECT_EQ(tearing.tears.size(), tearing.residuals.size());
    if (block_triangular_form(block, matching).n_blocks() > 1) continue;
    ++n_loops;
    const int fewest = fewest_tears(block);
    ASSERT_GE(static_cast<int>(tearing.tears.size()), fewest);
    EXPECT_LE(static_cast<int>(tearing.tears.size()), fewest + 2);
    n_optimal += static_cast<int>(tearing.tears.size()) == fewest ? 1 : 0;
  }
  EXPECT_GT(n_loops, 300);
  EXPECT_GT(n_optimal, n_loops * 8 / 10);
}

}  // namespace
}  // namespace daedal::structure
