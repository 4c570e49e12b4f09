// SPDX-License-Identifier: BSD-3-Clause
#include "structure/block_triangular.hpp"

#include <gtest/gtest.h>

#include <daedal/error.hpp>
#include <random>
#include <vector>

#include "structure/brute_force.hpp"
#include "structure/systems.hpp"

namespace daedal::structure {
namespace {

/// The block of every row.
std::vector<Index> block_of_rows(const BlockTriangularForm& form, Index n) {
  std::vector<Index> block(to_size(n), -1);
  for (Index b = 0; b < form.n_blocks(); ++b) {
    for (const Index i : form.rows(b)) {
      EXPECT_EQ(block[to_size(i)], -1);
      block[to_size(i)] = b;
    }
  }
  return block;
}

/// reaches[i][k]: does row i need row k, directly or through others?
std::vector<std::vector<bool>> needs(const Incidence& incidence, const Matching& matching) {
  const std::size_t n = to_size(incidence.n_rows());
  std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n));
  for (std::size_t i = 0; i < n; ++i) {
    reaches[i][i] = true;
    for (const Index j : incidence.row(to_index(i))) {
      reaches[i][to_size(matching.row_of_column[to_size(j)])] = true;
    }
  }
  for (std::size_t via = 0; via < n; ++via) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        if (reaches[i][via] && reaches[via][k]) reaches[i][k] = true;
      }
    }
  }
  return reaches;
}

TEST(BlockTriangularForm, SolvesBlockAfterBlockWithTheSmallestBlocks) {
  std::mt19937 random(40);
  int n_regular = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const Index n = 1 + trial % 12;
    const double density = std::min(1.0, 1.3 / static_cast<double>(n) + 0.05 * (trial % 4));
    const Incidence incidence = test::random_signature(random, n, n, density, 0).incidence();
    const Matching matching = maximum_matching(incidence);
    if (!matching.is_perfect()) continue;
    ++n_regular;
    const BlockTriangularForm form = block_triangular_form(incidence, matching);
    const std::vector<Index> block = block_of_rows(form, n);
    const auto reaches = needs(incidence, matching);
    for (std::size_t i = 0; i < to_size(n); ++i) {
      for (std::size_t k = 0; k < to_size(n); ++k) {
        EXPECT_TRUE(!reaches[i][k] || block[k] <= block[i]);
        // Together exactly if each needs the other: no block could be split.
        EXPECT_EQ(block[i] == block[k], reaches[i][k] && reaches[k][i]);
      }
    }
    for (Index b = 0; b < form.n_blocks(); ++b) {
      ASSERT_EQ(form.rows(b).size(), form.columns(b).size());
      for (std::size_t k = 0; k < form.rows(b).size(); ++k) {
        EXPECT_EQ(matching.column_of_row[to_size(form.rows(b)[k])], form.columns(b)[k]);
      }
    }
  }
  EXPECT_GT(n_regular, 300);
}

TEST(BlockTriangularForm, OrdersALongChainAndKeepsALongLoopTogether) {
  constexpr Index n = 100000;
  const Incidence chain = test::shifted_chain(n, 0).incidence();
  const BlockTriangularForm form = block_triangular_form(chain, maximum_matching(chain));
  ASSERT_EQ(form.n_blocks(), n);
  // x_0 from the last equation, then x_1 from the first, and so on.
  EXPECT_EQ(form.rows(0).front(), n - 1);
  for (Index b = 1; b < n; ++b) ASSERT_EQ(form.columns(b).front(), b);
  Incidence loop(n);
  for (Index i = 0; i < n; ++i) loop.add_row(std::vector<Index>{i, (i + 1) % n});
  EXPECT_EQ(block_triangular_form(loop, maximum_matching(loop)).n_blocks(), 1);
}

TEST(BlockTriangularForm, NeedsAPerfectMatching) {
  Incidence incidence(2);
  incidence.add_row(std::vector<Index>{0});
  incidence.add_row(std::vector<Index>{0});
  EXPECT_THROW(static_cast<void>(block_triangular_form(incidence, maximum_matching(incidence))),
               Error);
  const Incidence nothing(0);
  EXPECT_EQ(block_triangular_form(nothing, maximum_matching(nothing)).n_blocks(), 0);
}

}  // namespace
}  // namespace daedal::structure
