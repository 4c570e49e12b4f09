// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/dense/damped_least_squares.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "linalg/linalg_support.hpp"

namespace daedal::linalg {
namespace {

std::span<const double> view(const Vector& x) {
  return {x.data(), to_size(x.size())};
}
std::span<double> view(Vector& x) {
  return {x.data(), to_size(x.size())};
}

TEST(OneSidedJacobi, RebuildsTheMatrixFromItsTriplets) {
  std::mt19937 random(41);
  for (const auto& [rows, columns] : {std::pair{4, 4}, {6, 3}, {3, 6}, {1, 1}, {1, 5}}) {
    const Matrix a = random_dense(random, rows, columns);
    OneSidedJacobi svd(rows, columns);
    EXPECT_EQ(svd.factor(a).rank, std::min(rows, columns));
    Matrix rebuilt = Matrix::Zero(rows, columns);
    for (Index k = 0; k < svd.singular_values().size(); ++k) {
      Vector u = Vector::Zero(rows);
      Vector v = Vector::Zero(columns);
      for (Index i = 0; i < rows; ++i) {
        const Vector unit = Vector::Unit(rows, i);
        u(i) = svd.project_left(k, view(unit));
      }
      svd.add_right(k, 1.0, view(v));
      EXPECT_NEAR(u.norm(), 1.0, 1e-14);
      EXPECT_NEAR(v.norm(), 1.0, 1e-14);
      rebuilt += svd.singular_values()(k) * u * v.transpose();
    }
    EXPECT_LT((rebuilt - a).norm(), 1e-14 * a.norm() * 10.0);
  }
}

TEST(OneSidedJacobi, FindsTinySingularValuesToFullRelativePrecision) {
  // Columns that are orthogonal but of very different lengths: the values are the lengths.
  Matrix a(3, 3);
  a << 3.0, 4e-150, 0.0, 4.0, -3e-150, 0.0, 0.0, 0.0, 7e120;
  OneSidedJacobi svd(3, 3);
  svd.factor(a);
  Vector s = svd.singular_values();
  std::sort(s.begin(), s.end());
  EXPECT_DOUBLE_EQ(s(1), 5.0);
  EXPECT_DOUBLE_EQ(s(2), 7e120);
}

/// The gradient of ‖Ay − r‖² + ε‖y‖² vanishes at the minimum.
double gradient(const Matrix& a, const Vector& r, const Vector& y, double epsilon) {
  return (a.transpose() * (a * y - r) + epsilon * y).norm();
}

TEST(DampedLeastSquares, MinimisesTheDampedSumByBothRoads) {
  std::mt19937 random(42);
  for (const auto& [rows, columns] : {std::pair{5, 5}, {7, 4}, {4, 7}}) {
    const Matrix a = random_dense(random, rows, columns);
    const Vector r = random_dense(random, rows, 1);
    for (const double epsilon : {1e-8, 1e-2, 10.0}) {
      Vector y(columns);
      DampedQr qr(rows, columns);
      ASSERT_TRUE(qr.factor(a, epsilon));
      qr.solve(view(r), view(y));
      EXPECT_LT(gradient(a, r, y, epsilon), 1e-13 * a.squaredNorm() * (1.0 + y.norm()));
      TrustRegionLeastSquares svd(rows, columns);
      svd.factor(a);
      svd.solve(epsilon, view(r), view(y));
      EXPECT_LT(gradient(a, r, y, epsilon), 1e-13 * a.squaredNorm() * (1.0 + y.norm()));
    }
  }
}

TEST(DampedLeastSquares, DoesNotSquareTheCondition) {
  // σ = (1, 1e-7), ε = 1e-16: y₂ = σ/(σ² + ε) = 1e-7 / 1.01e-14. Normal equations hold σ₂² + ε only
  // to 1e-16 absolutely: one percent. Rotations by 1 rad mix the columns and the rows.
  const double c = std::cos(1.0);
  const double s = std::sin(1.0);
  Matrix rotation(2, 2);
  rotation << c, -s, s, c;
  const Matrix a =
      rotation * Vector((Vector(2) << 1.0, 1e-7).finished()).asDiagonal() * rotation.transpose();
  const Vector r = rotation.col(1);
  Vector y(2);
  DampedQr qr(2, 2);
  ASSERT_TRUE(qr.factor(a, 1e-16));
  qr.solve(view(r), view(y));
  const double expected = 1e-7 / 1.01e-14;
  // A itself is known to 1e-16 absolutely, σ₂ so to 1e-9 relatively.
  EXPECT_NEAR(rotation.col(1).dot(y) / expected, 1.0, 1e-7);
  TrustRegionLeastSquares svd(2, 2);
  svd.factor(a);
  svd.solve(1e-16, view(r), view(y));
  EXPECT_NEAR(rotation.col(1).dot(y) / expected, 1.0, 1e-7);
}

TEST(DampedLeastSquares, GivesTheLeastNormWithoutDamping) {
  std::mt19937 random(43);
  const Matrix a = random_dense(random, 5, 2) * random_dense(random, 2, 4);
  const Vector r = random_dense(random, 5, 1);
  const Vector expected = min_norm_least_squares(a, r);
  Vector y(4);
  DampedQr qr(5, 4);
  ASSERT_TRUE(qr.factor(a, 0.0));
  qr.solve(view(r), view(y));
  EXPECT_LT((y - expected).norm(), 1e-12 * expected.norm());
  TrustRegionLeastSquares svd(5, 4);
  EXPECT_EQ(svd.factor(a).rank, 2);
  svd.solve(0.0, view(r), view(y));
  EXPECT_LT((y - expected).norm(), 1e-12 * expected.norm());
}

TEST(TrustRegion, HitsTheRadiusAndStaysAMinimum) {
  std::mt19937 random(44);
  const Matrix a = random_dense(random, 5, 5);
  const Vector r = random_dense(random, 5, 1);
  TrustRegionLeastSquares svd(5, 5);
  svd.factor(a);
  const double full = min_norm_least_squares(a, r).norm();
  for (const double share : {0.999, 0.5, 1e-2, 1e-6}) {
    Vector y(5);
    const double epsilon = svd.solve_within(share * full, view(r), view(y));
    EXPECT_GT(epsilon, 0.0);
    EXPECT_NEAR(y.norm() / (share * full), 1.0, 1e-13);
    EXPECT_LT(gradient(a, r, y, epsilon), 1e-12 * (a.transpose() * r).norm());
  }
}

TEST(TrustRegion, SolvesTheSecularEquationOfAScalar) {
  // y(ε) = σr/(σ² + ε) = δ  ⇒  ε = σr/δ − σ²: with σ = 2, r = 3, δ = 0.1: 56.
  TrustRegionLeastSquares svd(1, 1);
  svd.factor(Matrix::Constant(1, 1, 2.0));
  const Vector r = Vector::Constant(1, 3.0);
  Vector y(1);
  EXPECT_NEAR(svd.solve_within(0.1, view(r), view(y)), 56.0, 1e-12);
  EXPECT_EQ(svd.solve_within(2.0, view(r), view(y)), 0.0) << "inside: nothing is damped";
  EXPECT_DOUBLE_EQ(y(0), 1.5);
}

TEST(TrustRegion, GivesZeroForTheZeroMatrixAndForEmptyOnes) {
  TrustRegionLeastSquares svd(2, 3);
  EXPECT_EQ(svd.factor(Matrix::Zero(2, 3)).rank, 0);
  const Vector r = Vector::Ones(2);
  Vector y = Vector::Ones(3);
  EXPECT_EQ(svd.solve_within(1.0, view(r), view(y)), 0.0);
  EXPECT_EQ(y, Vector(Vector::Zero(3)));
  TrustRegionLeastSquares empty(0, 3);
  empty.factor(Matrix(0, 3));
  empty.solve(1.0, {}, view(y));
  EXPECT_EQ(y, Vector(Vector::Zero(3)));
}

TEST(DampedLeastSquares, SaysWhenAnEntryIsNotFinite) {
  Matrix a = Matrix::Identity(2, 2);
  a(0, 1) = std::numeric_limits<double>::infinity();
  DampedQr qr(2, 2);
  EXPECT_FALSE(qr.factor(a, 1.0));
  TrustRegionLeastSquares svd(2, 2);
  EXPECT_FALSE(svd.factor(a).is_clear());
  const Vector r = Vector::Ones(2);
  Vector y(2);
  svd.solve(1.0, view(r), view(y));
  EXPECT_TRUE(y.hasNaN());
}

TEST(DampedLeastSquares, AllocatesNothingInTheLoop) {
  std::mt19937 random(45);
  const Matrix a = random_dense(random, 6, 6);
  const Vector r = random_dense(random, 6, 1);
  Vector y(6);
  DampedQr qr(6, 6);
  TrustRegionLeastSquares svd(6, 6);
  const AllocationCount count;
  for (int repeat = 0; repeat < 3; ++repeat) {
    qr.factor(a, 1e-3);
    qr.solve(view(r), view(y));
    svd.factor(a);
    svd.solve(1e-3, view(r), view(y));
    svd.solve_within(0.01, view(r), view(y));
  }
  EXPECT_EQ(count.so_far(), 0);
}

}  // namespace
}  // namespace daedal::linalg
