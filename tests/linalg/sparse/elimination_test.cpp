// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse/elimination.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "linalg/linalg_support.hpp"
#include "linalg/sparse/rook_pivots.hpp"
#include "linalg/sparse/sparsity.hpp"

namespace daedal::linalg {
namespace {

struct Sample {
  SparsityPattern pattern;
  std::vector<double> values;
  [[nodiscard]] Matrix dense() const { return to_dense(pattern, values); }
};

Sample sparse_of(const Matrix& a) {
  Sample sample{{.rows = a.rows(), .columns = a.cols(), .column_start = {0}, .row = {}}, {}};
  for (Index j = 0; j < a.cols(); ++j) {
    for (Index i = 0; i < a.rows(); ++i) {
      if (a(i, j) == 0.0) continue;
      sample.pattern.row.push_back(i);
      sample.values.push_back(a(i, j));
    }
    sample.pattern.column_start.push_back(sample.pattern.nonzeros());
  }
  return sample;
}

/// Rows of `rank` random sparse ones, and combinations of them.
Matrix random_of_rank(std::mt19937& random, Index rows, Index columns, Index rank) {
  std::uniform_int_distribution<Index> pick(0, 3);
  Matrix a = random_dense(random, rows, columns);
  for (double& value : a.reshaped()) {
    if (pick(random) != 0) value = 0.0;
  }
  for (Index i = 0; i < rank; ++i) a(i, i) += 2.0;
  for (Index i = rank; i < rows; ++i) {
    a.row(i) = a.row(i % rank) - 0.5 * a.row((i + 1) % rank);
  }
  return a;
}

TEST(SparseElimination, SolvesConsistentSystemsOfAnyShapeAndRank) {
  std::mt19937 random(11);
  const Index shapes[][3] = {{6, 6, 6}, {6, 9, 6}, {9, 6, 6}, {10, 12, 7}, {12, 10, 3}, {1, 1, 1}};
  for (const auto& [rows, columns, rank] : shapes) {
    const Sample a = sparse_of(random_of_rank(random, rows, columns, rank));
    SparseElimination elimination(a.pattern);
    EXPECT_EQ(elimination.choose_pivots(a.values).rank, rank);
    ASSERT_TRUE(elimination.is_ready());
    const Vector b = a.dense() * as_vector(random_vector<double>(random, columns));
    std::vector<double> right(b.begin(), b.end()), x(to_size(columns));
    elimination.solve(right, x);
    EXPECT_LE((a.dense() * as_vector(x) - b).cwiseAbs().maxCoeff(), 1e-11 * (1.0 + b.norm()));
    Matrix null(rows, rows - rank);
    elimination.left_null_space(null);
    EXPECT_LE((null.transpose() * a.dense()).norm(), 1e-11);
    EXPECT_LE((null.transpose() * null - Matrix::Identity(rows - rank, rows - rank)).norm(), 1e-13);
  }
}

TEST(SparseElimination, RepeatsTheOrderForNewValuesWithoutAllocating) {
  std::mt19937 random(5);
  Sample a = sparse_of(random_of_rank(random, 20, 24, 17));
  SparseElimination elimination(a.pattern);
  ASSERT_EQ(elimination.choose_pivots(a.values).rank, 17);
  ASSERT_TRUE(elimination.is_ready());
  // Columns scaled anew keep rank and order.
  Vector factors(24);
  for (Index j = 0; j < 24; ++j) factors(j) = 1.0 + 0.02 * static_cast<double>(j);
  for (Index j = 0; j < 24; ++j) {
    for (Index p = a.pattern.column_start[to_size(j)]; p < a.pattern.column_start[to_size(j + 1)];
         ++p) {
      a.values[to_size(p)] *= factors(j);
    }
  }
  const Vector b = a.dense() * Vector::Ones(24);
  std::vector<double> right(b.begin(), b.end()), x(24);
  Matrix null(20, 3);
  const AllocationCount allocations;
  ASSERT_TRUE(elimination.factor(a.values));
  elimination.solve(right, x);
  elimination.left_null_space(null);
  EXPECT_EQ(allocations.so_far(), 0);
  EXPECT_LE((a.dense() * as_vector(x) - b).norm(), 1e-11 * b.norm());
}

TEST(SparseElimination, RefusesPivotsThatHaveBecomeSmall) {
  Matrix a(2, 2);
  a << 4.0, 1.0, 1.0, 3.0;
  const Sample sample = sparse_of(a);
  SparseElimination elimination(sample.pattern);
  ASSERT_EQ(elimination.choose_pivots(sample.values).rank, 2);
  // Both diagonals vanish: whichever pivot came first is gone.
  EXPECT_FALSE(elimination.factor(std::vector{1e-9, 1.0, 1.0, 1e-9}));
  EXPECT_FALSE(elimination.factor(std::vector<double>{4.0, NAN, 1.0, 3.0}));
  EXPECT_TRUE(elimination.factor(sample.values));
}

TEST(SparseElimination, RefusesARankThatGrows) {
  Matrix a(2, 2);
  a << 2.0, 1.0, 4.0, 2.0;
  const Sample sample = sparse_of(a);
  SparseElimination elimination(sample.pattern);
  ASSERT_EQ(elimination.choose_pivots(sample.values).rank, 1);
  ASSERT_TRUE(elimination.is_ready());
  EXPECT_FALSE(elimination.factor(std::vector{2.0, 4.0, 1.0, 2.001}));
}

TEST(SparseElimination, IsNotReadyWithoutAClearGap) {
  Matrix a = Matrix::Identity(3, 3);
  a(1, 1) = 3e-10;  // just above the tolerance
  a(2, 2) = 5e-11;  // just below
  const Sample sample = sparse_of(a);
  SparseElimination elimination(sample.pattern);
  EXPECT_EQ(elimination.choose_pivots(sample.values).rank, 2);
  EXPECT_FALSE(elimination.is_ready());
}

TEST(RookPivots, FollowTheSingularValuesOnGradedMatrices) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 20; ++trial) {
    Matrix a = random_dense(random, 12, 12);
    for (Index i = 0; i < 12; ++i) a.row(i) *= std::pow(10.0, -static_cast<double>(i));
    a = random_dense(random, 12, 12) * a / 12.0;
    const Sample sample = sparse_of(a);
    const auto pivots = choose_rook_pivots(sample.pattern, sample.values, 1e-6);
    const auto exact = decide_rank(a, 1e-6);
    EXPECT_NEAR(static_cast<double>(pivots.decision.rank), static_cast<double>(exact.rank), 1.0);
    EXPECT_LE(pivots.decision.largest_dropped, 1e-6 * pivots.decision.largest);
  }
}

TEST(RookPivots, TakeTheSparsestOfEqualPivots) {
  // An arrow pointing up left fills in when its tip is eliminated first.
  Matrix a = Matrix::Identity(6, 6) * 2.0;
  a.row(0).setOnes();
  a.col(0).setOnes();
  a(0, 0) = 8.0;
  const Sample sample = sparse_of(a);
  const auto rows = choose_rook_pivots(sample.pattern, sample.values).rows;
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NE(rows[k], 0);
  SparseElimination elimination(sample.pattern);
  elimination.choose_pivots(sample.values);
  EXPECT_EQ(elimination.n_operations(), 5);
}

TEST(RookPivots, NotFiniteIsNoDecision) {
  const SparsityPattern pattern = full_pattern(2, 2);
  const auto pivots = choose_rook_pivots(
      pattern, std::vector{1.0, std::numeric_limits<double>::infinity(), 1.0, 2.0});
  EXPECT_TRUE(std::isnan(pivots.decision.largest));
  EXPECT_FALSE(pivots.decision.is_clear());
  EXPECT_EQ(choose_rook_pivots({.rows = 0, .columns = 0, .column_start = {0}, .row = {}}, {})
                .decision.rank,
            0);
}

}  // namespace
}  // namespace daedal::linalg
