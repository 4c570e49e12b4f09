// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/scaling.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "linalg/dense/rank.hpp"
#include "linalg/linalg_support.hpp"
#include "linalg/sparse/sparsity.hpp"

namespace daedal::linalg {
namespace {

bool is_power_of_two(double x) {
  int exponent = 0;
  return std::frexp(x, &exponent) == 0.5;
}

TEST(ReciprocalPowerOfTwo, BringsNumbersIntoOneBinade) {
  for (const double x : {1.0, 1.999, 2.0, 0.3, 7e100, 3e-200, 1e307}) {
    const double p = reciprocal_power_of_two(x);
    EXPECT_TRUE(is_power_of_two(p));
    EXPECT_GE(p * x, 1.0);
    EXPECT_LT(p * x, 2.0);
  }
}

TEST(ReciprocalPowerOfTwo, StaysFiniteAtTheEndsOfTheRange) {
  EXPECT_EQ(reciprocal_power_of_two(0.0), 1.0);
  for (const double x :
       {std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max()}) {
    EXPECT_TRUE(std::isnormal(reciprocal_power_of_two(x)));
  }
}

Matrix badly_scaled(std::mt19937& random) {
  Matrix a = random_dense(random, 5, 7);
  for (Index j = 0; j < 7; ++j) {
    for (Index i = 0; i < 5; ++i) a(i, j) *= std::pow(10.0, static_cast<double>(4 * i - 5 * j));
  }
  a.row(2).setZero();
  a.col(3).setZero();
  return a;
}

TEST(Equilibrate, BringsTheLargestEntryOfEveryRowAndColumnToOne) {
  std::mt19937 random(21);
  Matrix a = badly_scaled(random);
  apply(equilibrate(a), a);
  for (Index i = 0; i < 5; ++i) {
    const double largest = a.row(i).cwiseAbs().maxCoeff();
    if (i == 2) {
      EXPECT_EQ(largest, 0.0);
      continue;
    }
    EXPECT_GE(largest, 1.0);
    EXPECT_LT(largest, 2.0);
  }
  for (Index j = 0; j < 7; ++j) {
    const double largest = a.col(j).cwiseAbs().maxCoeff();
    if (j == 3) {
      EXPECT_EQ(largest, 0.0);
      continue;
    }
    EXPECT_GE(largest, 1.0);
    EXPECT_LT(largest, 2.0);
  }
}

TEST(Equilibrate, UsesPowersOfTwoOnly) {
  std::mt19937 random(22);
  const Equilibration scales = equilibrate(badly_scaled(random));
  for (const double s : scales.row) EXPECT_TRUE(is_power_of_two(s));
  for (const double s : scales.column) EXPECT_TRUE(is_power_of_two(s));
}

TEST(Equilibrate, GivesTheSameForSparseStorage) {
  std::mt19937 random(23);
  Matrix dense = badly_scaled(random);
  const SparsityPattern pattern = full_pattern(5, 7);
  std::vector<double> values(dense.data(), dense.data() + dense.size());
  const Equilibration scales = equilibrate(pattern, values);
  EXPECT_EQ(scales.row, equilibrate(dense).row);
  EXPECT_EQ(scales.column, equilibrate(dense).column);
  apply(scales, pattern, values);
  apply(scales, dense);
  EXPECT_EQ(to_dense(pattern, values), dense);
}

TEST(Equilibrate, RestoresTheRankOfAMatrixInBadUnits) {
  Matrix a(2, 2);
  a << 1.0, 1.0, 1e-14, 2e-14;  // det = 1e-14: rank 2, and 1 by the unscaled singular values
  EXPECT_EQ(decide_rank(a).rank, 1);
  apply(equilibrate(a), a);
  EXPECT_EQ(decide_rank(a).rank, 2);
}

TEST(Equilibrate, TakesEmptyMatrices) {
  EXPECT_EQ(equilibrate(Matrix(0, 3)).column, Vector(Vector::Ones(3)));
  EXPECT_EQ(equilibrate(Matrix(3, 0)).row, Vector(Vector::Ones(3)));
}

// D₁ M D₂ for any diagonal D₁, D₂ has the scales of M, but for powers of two: what is balanced has
// the condition of M.
TEST(Balance, TakesTheUnitsOutOfAMatrix) {
  Matrix m(3, 3);
  m << 2.0, 1.0, 0.0, 1.0, 3.0, 1.0, 0.0, 1.0, 2.0;
  Matrix other = m;
  const double rows[] = {1e-12, 3.0, 1e9};
  const double columns[] = {1e7, 1e-15, 5.0};
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 3; ++j) other(i, j) *= rows[i] * columns[j];
  }
  SparsityPattern pattern{.rows = 3, .columns = 3, .column_start = {0}, .row = {}};
  std::vector<double> values;
  for (Index j = 0; j < 3; ++j) {
    for (Index i = 0; i < 3; ++i) {
      if (other(i, j) == 0.0) continue;
      pattern.row.push_back(i);
      values.push_back(other(i, j));
    }
    pattern.column_start.push_back(static_cast<std::int64_t>(values.size()));
  }
  const Equilibration scales = balance(pattern, values);
  apply(scales, pattern, values);
  for (const double value : values) {
    EXPECT_GE(std::abs(value), 0.2);
    EXPECT_LE(std::abs(value), 5.0);
  }
  for (const double scale : scales.row) EXPECT_TRUE(is_power_of_two(scale));
}

}  // namespace
}  // namespace daedal::linalg
