// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse/independent_columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "linalg/dense/independent_columns.hpp"
#include "support/allocation_count.hpp"

namespace daedal::linalg {
namespace {

using testing::ElementsAre;

void fill(const Matrix& a, ColumnPivoting& pivoting) {
  pivoting.start(a.rows(), a.cols());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j)
      if (a(i, j) != 0.0) pivoting.add(i, j, a(i, j));
}

Matrix random_sparse(Index rows, Index columns, std::mt19937& random) {
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::uniform_int_distribution<Index> column(0, columns - 1);
  Matrix a = Matrix::Zero(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    a(i, i) = value(random) + 2.0;
    for (int k = 0; k < 4; ++k) a(i, column(random)) = value(random);
  }
  return a;
}

TEST(ColumnPivoting, ChoosesWhatDenseEliminationChooses) {
  std::mt19937 random(3);
  ColumnPivoting pivoting;
  const Matrix a = random_sparse(5, 9, random);
  fill(a, pivoting);
  const auto report = pivoting.run();
  const auto expected = choose_pivot_columns(a);
  EXPECT_FALSE(pivoting.is_approximate());
  EXPECT_NEAR(report.smallest_pivot, expected.smallest_pivot, 1e-12);
  EXPECT_THAT(pivoting.columns(), testing::ElementsAreArray(expected.columns));
}

// Pivots within a factor of 2 of the greatest ones: the columns are nearly as good.
TEST(ColumnPivoting, ChoosesNearlyAsWellInLists) {
  std::mt19937 random(3);
  ColumnPivoting pivoting;
  const Matrix a = random_sparse(60, 90, random);
  fill(a, pivoting);
  const auto report = pivoting.run();
  EXPECT_TRUE(pivoting.is_approximate());
  const double best = choose_pivot_columns(a).smallest_pivot;
  EXPECT_GE(report.smallest_pivot, 0.5 * best);
  EXPECT_GE(smallest_pivot(a, pivoting.columns()), 0.5 * best);
}

// So many operations that offers are renewed on the way.
TEST(ColumnPivoting, ChoosesNearlyAsWellAfterManyOperations) {
  std::mt19937 random(4);
  ColumnPivoting pivoting;
  const Matrix a = random_sparse(160, 200, random);
  fill(a, pivoting);
  const auto report = pivoting.run();
  const double best = choose_pivot_columns(a).smallest_pivot;
  EXPECT_GE(report.smallest_pivot, 0.25 * best);
  EXPECT_GE(smallest_pivot(a, pivoting.columns()), 0.25 * best);
}

// A triangular matrix whose determinant is the product of its diagonal; every exchange of rows
// changes the sign.
TEST(ColumnPivoting, KnowsTheSignOfTheDeterminant) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  ColumnPivoting pivoting;
  for (const Index n : {1, 2, 3, 4, 5, 50, 51}) {
    Matrix a = Matrix::Zero(n, n);
    int sign = 1;
    for (Index i = 0; i < n; ++i) {
      a(i, i) = i % 3 == 0 ? -2.0 : 3.0;
      if (i % 3 == 0) sign = -sign;
      for (Index j = i + 1; j < std::min(n, i + 4); ++j) a(i, j) = value(random);
    }
    for (Index i = 0; i + 2 < n; i += 5) {
      a.row(i).swap(a.row(i + 2));
      sign = -sign;
    }
    fill(a, pivoting);
    EXPECT_EQ(pivoting.run().sign, sign) << n;
  }
  pivoting.start(0, 0);
  EXPECT_EQ(pivoting.run().sign, 1);
}

TEST(ColumnPivoting, NamesARowThatDependsOnTheOthers) {
  ColumnPivoting pivoting;
  Matrix a(2, 3);
  a << 4, 2, 1, 8, 4, 2;
  fill(a, pivoting);
  const auto report = pivoting.run();
  EXPECT_EQ(report.smallest_pivot, 0.0);
  EXPECT_EQ(report.dependent_row, 0);  // the greater one was eliminated with
  EXPECT_EQ(report.sign, 0);
}

TEST(ColumnPivoting, TakesDemandedColumnsFirstHoweverSmallTheyAre) {
  ColumnPivoting pivoting;
  Matrix a(2, 3);
  a << 4, 2, 0.01, 0, 1, 0.02;
  fill(a, pivoting);
  pivoting.demand(2);
  const auto report = pivoting.run();
  EXPECT_THAT(pivoting.columns(), ElementsAre(2, 0));
  EXPECT_DOUBLE_EQ(report.smallest_pivot, 0.02);
}

TEST(ColumnPivoting, NamesADemandThatCannotBeMet) {
  ColumnPivoting pivoting;
  Matrix a(2, 3);
  a << 4, 2, 0, 0, 1, 3;
  a(1, 2) = 0.0;
  fill(a, pivoting);
  pivoting.demand(2);
  EXPECT_EQ(pivoting.run().unmet_column, 2);
  // More demands than rows.
  Matrix b(1, 2);
  b << 1, 2;
  fill(b, pivoting);
  pivoting.demand(0);
  pivoting.demand(1);
  EXPECT_EQ(pivoting.run().unmet_column, 0);
}

TEST(ColumnPivoting, AllocatesNothingForASecondMatrixOfTheSameKind) {
  std::mt19937 random(7);
  ColumnPivoting pivoting;
  const Matrix small = random_sparse(5, 9, random);
  const Matrix large = random_sparse(60, 90, random);
  for (const Matrix& a : {small, large}) {
    fill(a, pivoting);
    (void)pivoting.run();
    const long before = test::n_allocations();
    fill(a, pivoting);
    (void)pivoting.run();
    EXPECT_EQ(test::n_allocations(), before);
  }
}

}  // namespace
}  // namespace daedal::linalg
