// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/dense/rank.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "linalg/dense/qr.hpp"
#include "linalg/linalg_support.hpp"

namespace daedal::linalg {
namespace {

/// An orthogonal matrix as a product of reflections of random vectors.
Matrix random_orthogonal(std::mt19937& random, Index n) {
  Matrix q = Matrix::Identity(n, n);
  for (Index k = 0; k < n; ++k) {
    const Vector v = random_dense(random, n, 1).normalized();
    q -= 2.0 * v * (v.transpose() * q);
  }
  return q;
}

Matrix with_singular_values(std::mt19937& random, Index rows, Index columns, const Vector& s) {
  Matrix middle = Matrix::Zero(rows, columns);
  middle.diagonal().head(s.size()) = s;
  return random_orthogonal(random, rows) * middle * random_orthogonal(random, columns);
}

Vector values(std::initializer_list<double> list) {
  Vector s(static_cast<Index>(list.size()));
  std::copy(list.begin(), list.end(), s.begin());
  return s;
}

TEST(Svd, FindsPrescribedSingularValuesAndOrthogonalFactors) {
  std::mt19937 random(11);
  const Vector s = values({5.0, 2.0, 1.0, 1e-3, 1e-9});
  for (const auto& [rows, columns] : {std::pair{5, 5}, {9, 5}, {5, 9}}) {
    const Matrix a = with_singular_values(random, rows, columns, s);
    const Svd result = svd(a);
    ASSERT_EQ(result.u.cols(), rows);
    ASSERT_EQ(result.v.cols(), columns);
    // Singular values move by at most the norm of the perturbation: round-off times σ₁.
    EXPECT_LT((result.s - s).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LT((result.u.transpose() * result.u - Matrix::Identity(rows, rows)).norm(), 1e-13);
    EXPECT_LT((result.v.transpose() * result.v - Matrix::Identity(columns, columns)).norm(), 1e-13);
    Matrix middle = Matrix::Zero(rows, columns);
    middle.diagonal() = result.s;
    EXPECT_LT((result.u * middle * result.v.transpose() - a).norm(), 1e-13);
  }
}

TEST(DecideRank, CountsSingularValuesAboveTheToleranceAndReportsTheGap) {
  const RankDecision decision = decide_rank(values({4.0, 1.0, 1e-3, 1e-12, 0.0}));
  EXPECT_EQ(decision.rank, 3);
  EXPECT_EQ(decision.largest, 4.0);
  EXPECT_EQ(decision.smallest_kept, 1e-3);
  EXPECT_EQ(decision.largest_dropped, 1e-12);
  EXPECT_DOUBLE_EQ(decision.gap(), 1e9);
  EXPECT_TRUE(decision.is_clear());
}

TEST(DecideRank, IsUnclearWithoutAGapAroundTheTolerance) {
  EXPECT_FALSE(decide_rank(values({1.0, 5e-10, 5e-11})).is_clear());
  EXPECT_TRUE(decide_rank(values({1.0, 6e-8, 5e-11})).is_clear());
}

TEST(DecideRank, DropsNothingOfARegularMatrix) {
  const RankDecision decision = decide_rank(values({3.0, 2.0}));
  EXPECT_EQ(decision.rank, 2);
  EXPECT_EQ(decision.largest_dropped, 0.0);
  EXPECT_EQ(decision.gap(), infinity);
}

TEST(DecideRank, GivesZeroForZeroAndForEmptyMatrices) {
  EXPECT_EQ(decide_rank(Matrix(Matrix::Zero(3, 4))).rank, 0);
  EXPECT_EQ(decide_rank(Matrix(0, 4)).rank, 0);
  EXPECT_EQ(decide_rank(Matrix(4, 0)).rank, 0);
  EXPECT_EQ(decide_rank(Matrix(0, 4)).smallest_kept, infinity);
  EXPECT_TRUE(decide_rank(Matrix(0, 4)).is_clear());
}

TEST(DecideRank, IsUnclearWhenAnEntryIsNotFinite) {
  Matrix a = Matrix::Identity(3, 3);
  a(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(decide_rank(a).is_clear());
  EXPECT_TRUE(std::isnan(decide_rank(a).largest));
  EXPECT_TRUE(svd(a).s.hasNaN());
  EXPECT_TRUE(null_space(a).hasNaN());
  EXPECT_TRUE(min_norm_least_squares(a, Vector::Ones(3)).hasNaN());
}

TEST(NullSpace, IsOrthonormalAndOfTheRightDimension) {
  std::mt19937 random(12);
  const Matrix a = with_singular_values(random, 6, 8, values({3.0, 1.0, 0.5, 1e-2}));
  const Matrix right = null_space(a);
  ASSERT_EQ(right.cols(), 4);
  EXPECT_LT((a * right).norm(), 1e-13);
  EXPECT_LT((right.transpose() * right - Matrix::Identity(4, 4)).norm(), 1e-13);
  const Matrix left = left_null_space(a);
  ASSERT_EQ(left.cols(), 2);
  EXPECT_LT((left.transpose() * a).norm(), 1e-13);
  EXPECT_LT((left.transpose() * left - Matrix::Identity(2, 2)).norm(), 1e-13);
}

TEST(NullSpace, IsEverythingForAnEmptyMatrix) {
  EXPECT_EQ(null_space(Matrix(0, 3)), Matrix(Matrix::Identity(3, 3)));
  EXPECT_EQ(left_null_space(Matrix(0, 3)).cols(), 0);
  EXPECT_EQ(left_null_space(Matrix(3, 0)), Matrix(Matrix::Identity(3, 3)));
}

/// The matrix of the map b → argmin, column by column.
Matrix pseudo_inverse(const Matrix& a) {
  Matrix x(a.cols(), a.rows());
  for (Index j = 0; j < a.rows(); ++j) {
    x.col(j) = min_norm_least_squares(a, Vector::Unit(a.rows(), j));
  }
  return x;
}

TEST(MinNormLeastSquares, SatisfiesTheMoorePenroseConditions) {
  std::mt19937 random(13);
  for (const auto& [rows, columns] : {std::pair{6, 6}, {8, 5}, {5, 8}}) {
    for (const Index rank : {1, 3, 5}) {
      const Matrix a = random_dense(random, rows, rank) * random_dense(random, rank, columns);
      const Matrix x = pseudo_inverse(a);
      const double scale = a.norm() * x.norm();  // the condition number up to a factor
      EXPECT_LT((a * x * a - a).norm(), 1e-14 * scale * a.norm());
      EXPECT_LT((x * a * x - x).norm(), 1e-14 * scale * x.norm());
      EXPECT_LT((a * x - (a * x).transpose()).norm(), 1e-14 * scale);
      EXPECT_LT((x * a - (x * a).transpose()).norm(), 1e-14 * scale);
    }
  }
}

TEST(MinNormLeastSquares, IsZeroWhereNothingIsAsked) {
  EXPECT_EQ(min_norm_least_squares(Matrix(0, 3), Vector(0)), Vector(Vector::Zero(3)));
  EXPECT_EQ(min_norm_least_squares(Matrix::Zero(2, 3), Vector::Ones(2)), Vector(Vector::Zero(3)));
  EXPECT_EQ(min_norm_least_squares(Matrix(2, 0), Vector::Ones(2)).size(), 0);
}

TEST(DenseQr, FactorsSolvesAndTransposesOfEveryRank) {
  std::mt19937 random(14);
  for (const auto& [rows, columns] : {std::pair{7, 7}, {9, 4}, {4, 9}, {1, 5}, {5, 1}}) {
    for (const Index rank : {1, 3, 4}) {
      if (rank > std::min(rows, columns)) continue;
      const Matrix a = random_dense(random, rows, rank) * random_dense(random, rank, columns);
      DenseQr qr(rows, columns);
      qr.matrix() = a;
      EXPECT_EQ(qr.factor().rank, rank);
      EXPECT_TRUE(qr.decision().is_clear());
      const Matrix inverse = pseudo_inverse(a);
      const auto b = random_vector<double>(random, columns);
      std::vector<double> x(to_size(rows));
      qr.solve_transposed(b, x);
      // (Aᵀ)⁺ = (A⁺)ᵀ
      const Vector expected = inverse.transpose() * as_vector(std::span<const double>(b));
      EXPECT_LT((as_vector(std::span<const double>(x)) - expected).norm(),
                1e-13 * a.norm() * inverse.norm() * expected.norm());
    }
  }
}

TEST(DenseQr, ListsTheDependentColumnsLast) {
  Matrix a(3, 4);
  a << 1, 0, 10, 0,  //
      0, 0, 0, 5,    //
      0, 0, 0, 0;
  DenseQr qr(3, 4);
  qr.matrix() = a;
  EXPECT_EQ(qr.factor().rank, 2);
  EXPECT_EQ(qr.column_order()[0], 2);
  EXPECT_EQ(qr.column_order()[1], 3);
  EXPECT_THAT(qr.column_order().subspan(2), testing::UnorderedElementsAre(0, 1));
}

TEST(DenseQr, AllocatesNothingWhenItIsUsedAgain) {
  std::mt19937 random(15);
  const Matrix a = random_dense(random, 12, 3) * random_dense(random, 3, 9);
  DenseQr qr(12, 9);
  const auto b = random_vector<double>(random, 12);
  std::vector<double> x(9);
  const AllocationCount count;
  for (int repeat = 0; repeat < 3; ++repeat) {
    qr.matrix() = a;
    qr.factor();
    qr.solve(b, x);
  }
  EXPECT_EQ(count.so_far(), 0);
}

TEST(DenseQr, NullVectorsSpanTheNullSpace) {
  std::mt19937 random(4);
  const Matrix a = with_singular_values(random, 6, 9, values({3.0, 2.0, 1.0, 0.5}));
  DenseQr qr(6, 9);
  qr.matrix() = a;
  ASSERT_EQ(qr.factor().rank, 4);
  Matrix basis(9, 5);
  for (Index k = 0; k < 5; ++k) qr.null_vector(k, {basis.col(k).data(), 9});
  EXPECT_LE((a * basis).norm(), 1e-14);
  EXPECT_LE((basis.transpose() * basis - Matrix::Identity(5, 5)).norm(), 1e-14);
}

TEST(RankDecision, SaysInWordsHowFarItIsFromAnother) {
  using enum Confidence;
  EXPECT_EQ(decide_rank(values({2.0, 1.0, 1e-15})).confidence(), certain);
  EXPECT_EQ(decide_rank(values({2.0, 1.0})).confidence(), certain);
  // Six decades, but the lower end within a thousandth of the tolerance 1e-10.
  EXPECT_EQ(decide_rank(values({1.0, 1e-3, 1e-12})).confidence(), clear);
  EXPECT_EQ(decide_rank(values({1.0, 1e-8, 1e-12})).confidence(), clear);
  // Less than a decade from the tolerance, below or above.
  EXPECT_EQ(decide_rank(values({1.0, 1e-1, 5e-11})).confidence(), weak);
  EXPECT_EQ(decide_rank(values({1.0, 5e-10})).confidence(), weak);
  EXPECT_EQ(decide_rank(values({1.0, 1e-9, 1e-11})).confidence(), weak);
  EXPECT_EQ(decide_rank(values({0.0, 0.0})).confidence(), certain);
  EXPECT_EQ(decide_rank(values({1.0, 1e-8, 1e-12})).confidence(1e-4), weak);
  EXPECT_EQ(decide_rank(values({std::nan(""), 1.0})).confidence(), weak);
  EXPECT_EQ(to_string(clear), "clear");
}

TEST(RankDecision, IsThatOfTheSingularValuesForAnyShape) {
  std::mt19937 random(8);
  const Vector s = values({5.0, 2.0, 1e-4, 3e-11, 0.0});
  for (const auto& [rows, columns] : {std::pair{5, 5}, {9, 5}, {5, 9}}) {
    const RankDecision decision = decide_rank(with_singular_values(random, rows, columns, s));
    EXPECT_EQ(decision.rank, 3);
    EXPECT_NEAR(decision.largest, 5.0, 1e-13);
    EXPECT_NEAR(decision.smallest_kept, 1e-4, 1e-15);
    EXPECT_NEAR(decision.largest_dropped, 3e-11, 1e-14);
  }
  EXPECT_EQ(decide_rank(Matrix(Matrix::Zero(3, 4))).rank, 0);
}

}  // namespace
}  // namespace daedal::linalg
