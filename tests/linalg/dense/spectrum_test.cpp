// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/dense/spectrum.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

namespace daedal::linalg {
namespace {

using Complex = std::complex<double>;

/// In the order of their real parts, then of their imaginary ones.
std::vector<Complex> sorted(std::vector<Complex> values) {
  std::sort(values.begin(), values.end(), [](const Complex& a, const Complex& b) {
    return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
  });
  return values;
}

void expect_spectrum(const Matrix& a, const std::vector<Complex>& expected, double tolerance) {
  const auto found = eigenvalues(a);
  ASSERT_EQ(found.size(), expected.size());
  // Round-off may change the order of equal real parts: each is compared with its nearest.
  for (const Complex& value : expected) {
    double nearest = infinity;
    for (const Complex& other : found) nearest = std::min(nearest, std::abs(other - value));
    EXPECT_LE(nearest, tolerance) << value;
  }
}

TEST(Spectrum, OfATriangularMatrixIsItsDiagonal) {
  Matrix a(3, 3);
  a << 1, 5, -7, 0, -2, 3, 0, 0, 4;
  const auto found = sorted(eigenvalues(a));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_NEAR(found[0].real(), -2.0, 1e-14);
  EXPECT_NEAR(found[1].real(), 1.0, 1e-14);
  EXPECT_NEAR(found[2].real(), 4.0, 1e-14);
}

TEST(Spectrum, HasThePairsOfARotation) {
  Matrix a(2, 2);
  a << 3, -4, 4, 3;
  expect_spectrum(a, {{3, 4}, {3, -4}}, 1e-14);
}

TEST(Spectrum, HasTheRootsOfACompanionMatrix) {
  // (s − 1)(s − 2)(s² + 1) = s⁴ − 3s³ + 3s² − 3s + 2.
  Matrix a = Matrix::Zero(4, 4);
  a.row(0) << 3, -3, 3, -2;
  a.diagonal(-1).setOnes();
  expect_spectrum(a, {{1, 0}, {2, 0}, {0, 1}, {0, -1}}, 1e-12);
}

TEST(Spectrum, OfADefectiveMatrixIsAsGoodAsItCanBe) {
  // A Jordan block of size 3: the eigenvalue is perturbed by the cube root of round-off.
  Matrix a = 2.0 * Matrix::Identity(3, 3);
  a.diagonal(1).setOnes();
  expect_spectrum(a, {{2, 0}, {2, 0}, {2, 0}}, 1e-4);
}

TEST(Spectrum, OfGradedMatricesIsThatOfAnotherCode) {
  std::mt19937 random(20261119);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 300; ++k) {
    const Index n = 1 + k % 30;
    Matrix a(n, n);
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i) {
        const auto grade = static_cast<double>(k % 7 * (i - j)) / static_cast<double>(n);
        a(i, j) = normal(random) * std::exp2(grade);
      }
    }
    const auto other = a.eigenvalues();
    const std::vector<Complex> expected(other.begin(), other.end());
    SCOPED_TRACE(k);
    expect_spectrum(a, expected, 1e-10 * a.norm());
  }
}

TEST(Spectrum, OfASecondOrderSystemHasItsFrequencies) {
  // x'' = -K x of a chain between walls: ω = 2 sin(jπ/(2(n + 1))).
  constexpr Index n = 12;
  Matrix a = Matrix::Zero(2 * n, 2 * n);
  a.topRightCorner(n, n).setIdentity();
  a.bottomLeftCorner(n, n).diagonal().setConstant(-2.0);
  a.bottomLeftCorner(n, n).diagonal(1).setOnes();
  a.bottomLeftCorner(n, n).diagonal(-1).setOnes();
  std::vector<Complex> expected;
  for (int j = 1; j <= n; ++j) {
    const double frequency = 2.0 * std::sin(j * std::numbers::pi / (2.0 * (n + 1)));
    expected.insert(expected.end(), {{0.0, frequency}, {0.0, -frequency}});
  }
  expect_spectrum(a, expected, 1e-13);
}

TEST(Spectrum, IsFoundWhereTheShiftsOfTheLastRowsGoInCircles) {
  // A cyclic permutation, which a QR step with the shift 0 leaves as it is: roots of 1.
  constexpr Index n = 5;
  Matrix a = Matrix::Zero(n, n);
  a.diagonal(-1).setOnes();
  a(0, n - 1) = 1.0;
  std::vector<Complex> expected;
  for (int j = 0; j < n; ++j) expected.push_back(std::polar(1.0, 2.0 * std::numbers::pi * j / n));
  expect_spectrum(a, expected, 1e-13);
}

TEST(Spectrum, IsEmptyForNothingAndForWhatIsNotFinite) {
  EXPECT_TRUE(eigenvalues(Matrix(0, 0)).empty());
  Matrix a = Matrix::Identity(2, 2);
  a(0, 1) = std::nan("");
  EXPECT_TRUE(eigenvalues(a).empty());
}

}  // namespace
}  // namespace daedal::linalg
