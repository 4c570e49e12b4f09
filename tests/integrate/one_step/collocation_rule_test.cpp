// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/one_step/collocation_rule.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedal::integration {
namespace {

TEST(CollocationRule, ThreeStageRadauHasThePublishedNodesAndEigenvalues) {
  // Hairer, Wanner II, table IV.5.6 (nodes) and IV.8: γ, α ± iβ of A⁻¹ as in RADAU5.
  const auto& rule = radau_iia(3);
  EXPECT_NEAR(rule.c(0), (4.0 - std::sqrt(6.0)) / 10.0, 1e-16);
  EXPECT_NEAR(rule.c(1), (4.0 + std::sqrt(6.0)) / 10.0, 1e-16);
  EXPECT_EQ(rule.c(2), 1.0);
  const double cube9 = std::cbrt(9.0);
  const double cube81 = std::cbrt(81.0);
  // γ = 1/u1, u1 = (6 + 81^(1/3) - 9^(1/3))/30.
  EXPECT_NEAR(rule.real_gamma, 30.0 / (6.0 + cube81 - cube9), 1e-14);
  const double alpha = (12.0 - cube81 + cube9) / 60.0;
  const double beta = (cube81 + cube9) * std::sqrt(3.0) / 60.0;
  const double modulus = alpha * alpha + beta * beta;
  ASSERT_EQ(rule.modes.size(), 1U);
  EXPECT_NEAR(rule.modes[0].gamma.real(), alpha / modulus, 1e-14);
  EXPECT_NEAR(rule.modes[0].gamma.imag(), beta / modulus, 1e-14);
}

TEST(CollocationRule, TwoStageGaussIsHammerAndHollingsworth) {
  const auto& rule = gauss_legendre(2);
  const double s = std::sqrt(3.0) / 6.0;
  EXPECT_NEAR(rule.c(0), 0.5 - s, 1e-16);
  EXPECT_NEAR(rule.c(1), 0.5 + s, 1e-16);
  Matrix a(2, 2);
  a << 0.25, 0.25 - s, 0.25 + s, 0.25;
  EXPECT_LT((a * rule.d - Matrix::Identity(2, 2)).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_FALSE(rule.has_real_mode);
}

void expect_diagonalised(const CollocationRule& rule) {
  Matrix d = Matrix::Zero(rule.stages, rule.stages);
  const auto add = [&](const CollocationRule::Mode& mode, double times) {
    for (int i = 0; i < rule.stages; ++i) {
      for (int j = 0; j < rule.stages; ++j) {
        d(i, j) += times * (mode.right[to_size(i)] * mode.gamma * mode.left[to_size(j)]).real();
      }
    }
  };
  if (rule.has_real_mode) add(rule.real_mode, 1.0);
  for (const auto& mode : rule.modes) add(mode, 2.0);
  EXPECT_LT((d - rule.d).cwiseAbs().maxCoeff(), 1e-12 * rule.d.cwiseAbs().maxCoeff());
}

TEST(CollocationRule, ModesDiagonaliseTheInverseOfTheRungeKuttaMatrix) {
  for (const int s : {1, 2, 3, 4, 5}) {
    SCOPED_TRACE(s);
    expect_diagonalised(radau_iia(s));
    expect_diagonalised(gauss_legendre(s));
    EXPECT_EQ(radau_iia(s).has_real_mode, s % 2 == 1);
    EXPECT_EQ(gauss_legendre(s).has_real_mode, s % 2 == 1);
  }
}

TEST(CollocationRule, DifferentiatesPolynomialsOfItsDegreeExactly) {
  for (const int s : {1, 2, 3, 4, 5}) {
    const auto& rule = radau_iia(s);
    for (int k = 1; k <= s; ++k) {
      const Vector z = rule.c.array().pow(k);
      const Vector slopes = k * rule.c.array().pow(k - 1);
      EXPECT_LT((rule.d * z - slopes).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_NEAR(rule.start_slope.dot(z), k == 1 ? 1.0 : 0.0, 1e-12);
      EXPECT_NEAR(rule.end_slope.dot(z), k, 1e-12);
      EXPECT_NEAR(rule.end_value.dot(z), 1.0, 1e-13);
      const Vector coefficients = rule.monomials.transpose() * z;
      EXPECT_LT((coefficients - Vector::Unit(s, k - 1)).cwiseAbs().maxCoeff(), 1e-11);
    }
  }
}

/// ∫ θ^power over [0, 1] by one step of x' = θ^power: D Z = c^power, solved by the modes.
double quadrature(const CollocationRule& rule, int power) {
  const Vector rhs = rule.c.array().pow(power);
  Vector z = Vector::Zero(rule.stages);
  const auto add = [&](const CollocationRule::Mode& mode, double times) {
    std::complex<double> w = 0.0;
    for (int j = 0; j < rule.stages; ++j) w += mode.left[to_size(j)] * rhs(j);
    w /= mode.gamma;
    for (int i = 0; i < rule.stages; ++i) z(i) += times * (mode.right[to_size(i)] * w).real();
  };
  if (rule.has_real_mode) add(rule.real_mode, 1.0);
  for (const auto& mode : rule.modes) add(mode, 2.0);
  return rule.end_value.dot(z);
}

TEST(CollocationRule, IntegratesPolynomialsUpToItsOrderAndNotBeyond) {
  for (const int s : {1, 2, 3, 4, 5}) {
    for (const auto* rule : {&radau_iia(s), &gauss_legendre(s)}) {
      for (int k = 0; k < rule->order; ++k) EXPECT_NEAR(quadrature(*rule, k), 1.0 / (k + 1), 1e-14);
      // The smallest error of the next power is that of five-stage Gauss, 5!⁴/(11·10!²) = 1.4e-6.
      EXPECT_GT(std::abs(quadrature(*rule, rule->order) - 1.0 / (rule->order + 1)), 1e-7);
    }
  }
}

}  // namespace
}  // namespace daedal::integration
