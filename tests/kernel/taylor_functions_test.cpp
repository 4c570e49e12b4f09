// SPDX-License-Identifier: BSD-3-Clause
// Every elementary operation against its closed form.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kernel/taylor_support.hpp"

namespace daedal::kernel {
namespace {

using test::binomial;
using test::expand;
using test::expect_series;
using test::factorial;
using test::order;
using test::Series;
using test::series_of;
using test::Variables;

/// A unary function at a + b·t.
Series of_line(Op op, double a, double b) {
  Variables v(1);
  return expand(v, v.pool.unary(op, v.ids[0]), {{a, b}});
}

TEST(TaylorFunctions, ExponentialAndTrigonometricFunctionsOfALineMatchTheirClosedForms) {
  constexpr double a = 0.7;
  constexpr double b = -1.3;
  constexpr double quarter = std::numbers::pi / 2.0;
  expect_series(of_line(Op::exp, a, b),
                series_of([](int k) { return std::exp(a) * std::pow(b, k) / factorial(k); }));
  expect_series(of_line(Op::sin, a, b), series_of([](int k) {
                  return std::sin(a + k * quarter) * std::pow(b, k) / factorial(k);
                }));
  expect_series(of_line(Op::cos, a, b), series_of([](int k) {
                  return std::cos(a + k * quarter) * std::pow(b, k) / factorial(k);
                }));
  expect_series(of_line(Op::sinh, a, b), series_of([](int k) {
                  const double value = k % 2 == 0 ? std::sinh(a) : std::cosh(a);
                  return value * std::pow(b, k) / factorial(k);
                }));
  expect_series(of_line(Op::cosh, a, b), series_of([](int k) {
                  const double value = k % 2 == 0 ? std::cosh(a) : std::sinh(a);
                  return value * std::pow(b, k) / factorial(k);
                }));
}

/// max(h, 0) below 0 is 0 for a while, and so is any power of it; at 0 itself there is no series.
TEST(TaylorFunctions, PowersOfWhatVanishesVanish) {
  Variables v(1);
  const NodeId part = v.pool.binary(Op::max, v.ids[0], v.pool.constant(0.0));
  const NodeId power = v.pool.binary(Op::pow, part, v.pool.constant(1.5));
  expect_series(expand(v, power, {{-1.0, 1.0}}), Series(order + 1, 0.0));
  EXPECT_TRUE(std::isnan(expand(v, power, {{0.0, 1.0}})[2]));
}

TEST(TaylorFunctions, SineAndCosineTogetherMatchTheirClosedForms) {
  Variables v(1);
  const std::array outputs{v.pool.unary(Op::sin, v.ids[0]), v.pool.unary(Op::cos, v.ids[0])};
  const Program program = v.compile(outputs);
  ASSERT_EQ(program.n_instructions(), 1);
  TaylorEvaluator series(program, order);
  const std::array line{0.3, 2.0};
  const SeriesBlock block{line.data(), 1, 2};
  Series out(2 * (order + 1));
  series.evaluate(order, {&block, 1}, out);
  for (int k = 0; k <= order; ++k) {
    const double scale = std::pow(2.0, k) / factorial(k);
    const double angle = 0.3 + k * std::numbers::pi / 2.0;
    EXPECT_NEAR(out[static_cast<std::size_t>(2 * k)], std::sin(angle) * scale, 1e-14);
    EXPECT_NEAR(out[static_cast<std::size_t>(2 * k + 1)], std::cos(angle) * scale, 1e-14);
  }
}

TEST(TaylorFunctions, LogarithmAndRootsMatchTheBinomialSeries) {
  expect_series(of_line(Op::log, 1.0, 1.0),
                series_of([](int k) { return k == 0 ? 0.0 : (k % 2 == 0 ? -1.0 : 1.0) / k; }));
  expect_series(of_line(Op::sqrt, 1.0, 1.0), series_of([](int k) { return binomial(0.5, k); }));
}

TEST(TaylorFunctions, InverseFunctionsMatchTheirClosedForms) {
  const auto arcsine = [](int k) {
    if (k % 2 == 0) return 0.0;
    const int n = k / 2;  // binom(2n, n)/(4^n (2n+1))
    return binomial(2.0 * n, n) / (std::pow(4.0, n) * k);
  };
  expect_series(of_line(Op::asin, 0.0, 1.0), series_of(arcsine));
  expect_series(of_line(Op::acos, 0.0, 1.0),
                series_of([&](int k) { return k == 0 ? std::numbers::pi / 2.0 : -arcsine(k); }));
  // d^k/dx^k atan(x) = (k-1)! cos^k φ sin(k(φ + π/2)), φ = atan x
  constexpr double a = 0.4;
  const double phi = std::atan(a);
  expect_series(of_line(Op::atan, a, 1.0), series_of([&](int k) {
                  if (k == 0) return phi;
                  return std::pow(std::cos(phi), k) * std::sin(k * (phi + std::numbers::pi / 2.0)) /
                         k;
                }));
}

TEST(TaylorFunctions, TangentsMatchTheTangentNumbers) {
  // OEIS A000182
  constexpr std::array tangent_numbers{
      1.0,      2.0,        16.0,         272.0,          7936.0,
      353792.0, 22368256.0, 1903757312.0, 209865342976.0, 29088885112832.0};
  const auto coefficient = [&](int k) {
    return k % 2 == 0 ? 0.0 : tangent_numbers[static_cast<std::size_t>(k / 2)] / factorial(k);
  };
  expect_series(of_line(Op::tan, 0.0, 1.0), series_of(coefficient));
  expect_series(of_line(Op::tanh, 0.0, 1.0),
                series_of([&](int k) { return (k % 4 == 3 ? -1.0 : 1.0) * coefficient(k); }));
}

TEST(TaylorFunctions, TangentsElsewhereAreQuotientsOfTheirSines) {
  Variables v(1);
  const NodeId x = v.ids[0];
  const Series line{0.6, -0.4};
  expect_series(expand(v, v.pool.unary(Op::tan, x), {line}),
                expand(v, v.pool.div(v.pool.unary(Op::sin, x), v.pool.unary(Op::cos, x)), {line}));
  expect_series(
      expand(v, v.pool.unary(Op::tanh, x), {line}),
      expand(v, v.pool.div(v.pool.unary(Op::sinh, x), v.pool.unary(Op::cosh, x)), {line}));
}

TEST(TaylorFunctions, TheAngleOfAPointOnACircleIsTheLineItCameFrom) {
  // In the second quadrant, where atan alone would not do.
  Variables v(1);
  const NodeId angle =
      v.pool.binary(Op::atan2, v.pool.unary(Op::sin, v.ids[0]), v.pool.unary(Op::cos, v.ids[0]));
  Series expected(order + 1, 0.0);
  expected[0] = 2.5;
  expected[1] = 0.8;
  expect_series(expand(v, angle, {{2.5, 0.8}}), expected);
}

TEST(TaylorFunctions, QuotientsAndPowersMatchTheBinomialSeries) {
  Variables v(2);
  auto& p = v.pool;
  const NodeId t = v.ids[0];
  const NodeId exponent = v.ids[1];
  expect_series(expand(v, p.div(p.constant(1.0), p.sub(p.constant(1.0), t)), {{0, 1}, {0}}),
                Series(order + 1, 1.0));
  const NodeId one_plus_t = p.add(p.constant(1.0), t);
  for (const double power : {0.5, -1.5, 2.0, 3.25, -4.0, 7.0}) {
    expect_series(expand(v, p.binary(Op::pow, one_plus_t, exponent), {{0, 1}, {power}}),
                  series_of([&](int k) { return binomial(power, k); }));
  }
  for (const int n : {-7, -2, -1, 2, 3, 7, 19, 32, 33, 60}) {
    expect_series(expand(v, p.power(one_plus_t, n), {{0, 1}, {0}}),
                  series_of([&](int k) { return binomial(n, k); }));
  }
}

TEST(TaylorFunctions, WholePowersAreRightWhereTheBaseIsZero) {
  Variables v(2);
  // (t² + t³)^n = t^(2n) (1 + t)^n
  const Series base{0, 0, 1, 1};
  for (const int n : {2, 3, 5, 8, 40}) {
    const Series expected =
        series_of([&](int k) { return k < 2 * n ? 0.0 : binomial(n, k - 2 * n); });
    expect_series(expand(v, v.pool.power(v.ids[0], n), {base, {0}}), expected);
    expect_series(
        expand(v, v.pool.binary(Op::pow, v.ids[0], v.ids[1]), {base, {static_cast<double>(n)}}),
        expected);
  }
  Series one(order + 1, 0.0);
  one[0] = 1.0;
  expect_series(expand(v, v.pool.binary(Op::pow, v.ids[0], v.ids[1]), {base, {0}}), one);
}

TEST(TaylorFunctions, PowersWithAVaryingExponentMatchTheirClosedForms) {
  Variables v(2);
  // 2^t = Σ (log 2)^k t^k / k!
  expect_series(expand(v, v.pool.binary(Op::pow, v.ids[0], v.ids[1]), {{2}, {0, 1}}),
                series_of([](int k) { return std::pow(std::numbers::ln2, k) / factorial(k); }));
  // (e^t)^t = e^(t²)
  Variables w(1);
  const NodeId power = w.pool.binary(Op::pow, w.pool.unary(Op::exp, w.ids[0]), w.ids[0]);
  expect_series(expand(w, power, {{0, 1}}),
                series_of([](int k) { return k % 2 == 0 ? 1.0 / factorial(k / 2) : 0.0; }));
}

TEST(TaylorFunctions, FusedOperationsMultiplyPolynomialsExactly) {
  Variables v(5);
  auto& p = v.pool;
  const auto [a, b, c, d, e] = std::array{v.ids[0], v.ids[1], v.ids[2], v.ids[3], v.ids[4]};
  // a = 1 + t, b = 2 - t, c = 3 + t², d = 5, e = t
  const std::vector<Series> x{{1, 1}, {2, -1}, {3, 0, 1}, {5}, {0, 1}};
  const auto check = [&](NodeId node, const Series& expected) {
    EXPECT_EQ(v.compile(std::span(&node, 1)).n_instructions(), 1);
    EXPECT_EQ(expand(v, node, x, 4), expected);
  };
  check(p.add(p.mul(a, b), c), {5, 1, 0, 0, 0});
  check(p.sub(p.mul(a, b), c), {-1, 1, -2, 0, 0});
  check(p.sub(c, p.mul(a, b)), {1, -1, 2, 0, 0});
  check(p.mul(p.mul(a, b), c), {6, 3, -1, 1, -1});
  check(p.add(p.mul(a, b), p.mul(c, e)), {2, 4, -1, 1, 0});
  check(p.sub(p.mul(a, b), p.mul(c, d)), {-13, 1, -6, 0, 0});
  check(p.add(p.add(a, b), c), {6, 0, 1, 0, 0});
  check(p.neg(a), {-1, -1, 0, 0, 0});
  check(p.div(a, d), {0.2, 0.2, 0, 0, 0});
}

TEST(TaylorFunctions, PiecesAreThoseToTheRightOfTheExpansionPoint) {
  Variables v(2);
  auto& p = v.pool;
  const NodeId x = v.ids[0];
  const NodeId y = v.ids[1];
  EXPECT_EQ(expand(v, p.unary(Op::abs, x), {{0, -2, 1}, {0}}, 3), (Series{0, 2, -1, 0}));
  EXPECT_EQ(expand(v, p.unary(Op::abs, x), {{0, 0, 3}, {0}}, 3), (Series{0, 0, 3, 0}));
  EXPECT_EQ(expand(v, p.unary(Op::abs, x), {{-1, 5}, {0}}, 2), (Series{1, -5, 0}));
  EXPECT_EQ(expand(v, p.binary(Op::min, x, y), {{1, 2}, {1, 0, 4}}, 2), (Series{1, 0, 4}));
  EXPECT_EQ(expand(v, p.binary(Op::max, x, y), {{1, 2}, {1, 0, 4}}, 2), (Series{1, 2, 0}));
  EXPECT_EQ(expand(v, p.binary(Op::max, x, y), {{1, 2}, {3, 0, 4}}, 2), (Series{3, 0, 4}));
  EXPECT_EQ(expand(v, p.unary(Op::sign, x), {{-3, 2}, {0}}, 2), (Series{-1, 0, 0}));
  EXPECT_EQ(expand(v, p.unary(Op::floor, x), {{2.5, 2}, {0}}, 2), (Series{2, 0, 0}));
  const NodeId choice = p.if_else(p.immediate_relation(Op::less, x, y), x, p.mul(y, y));
  EXPECT_EQ(expand(v, choice, {{1, 7}, {2, 1}}, 2), (Series{1, 7, 0}));
  EXPECT_EQ(expand(v, choice, {{3, 7}, {2, 1}}, 2), (Series{4, 4, 1}));
}

TEST(TaylorFunctions, AConstantArgumentGivesAConstantEvenWhereTheFunctionIsNotSmooth) {
  Variables v(1);
  Series expected(order + 1, 0.0);
  for (const Op op : {Op::sqrt, Op::abs, Op::asin}) {
    EXPECT_EQ(expand(v, v.pool.unary(op, v.ids[0]), {{0}}), expected);
  }
}

TEST(TaylorFunctions, IsNotFiniteWhereTheFunctionIsNotAnalytic) {
  Variables v(1);
  EXPECT_FALSE(std::isfinite(expand(v, v.pool.unary(Op::sqrt, v.ids[0]), {{0, 1}})[1]));
  EXPECT_FALSE(std::isfinite(expand(v, v.pool.unary(Op::log, v.ids[0]), {{0, 1}})[1]));
  EXPECT_FALSE(std::isfinite(expand(v, v.pool.unary(Op::asin, v.ids[0]), {{1, -1}})[1]));
}

}  // namespace
}  // namespace daedal::kernel
