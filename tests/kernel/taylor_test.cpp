// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/taylor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <daedal/error.hpp>
#include <numbers>
#include <random>

#include "kernel/fixture.hpp"
#include "kernel/jacobian_program.hpp"
#include "support/finite_differences.hpp"
#include "support/random_graph.hpp"

namespace daedal::kernel {
namespace {

using test::GraphOptions;
using test::RandomGraph;
using test::Variables;

constexpr int order = 20;
using Series = std::vector<double>;

/// Coefficients 0..K of `output`, variable i having the series inputs[i].
Series expand(const Variables& v, NodeId output, const std::vector<Series>& inputs,
              int up_to = order) {
  const Program program = v.compile(std::span(&output, 1));
  TaylorWorkspace workspace = program.make_taylor_workspace(up_to);
  const auto n = inputs.size();
  Series x(n * (static_cast<std::size_t>(up_to) + 1));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < inputs[i].size(); ++k) x[k * n + i] = inputs[i][k];
  }
  const SeriesBlock block{x.data(), to_index(n), up_to + 1};
  Series out(static_cast<std::size_t>(up_to) + 1);
  program.evaluate_taylor(up_to, {&block, 1}, out, workspace);
  return out;
}

/// Recurrences of 20 coefficients lose a few roundings each: 200 of them is ample, and far below
/// what a wrong term would change.
void expect_series(const Series& actual, const Series& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(actual[k], expected[k], 200.0 * round_off * (std::abs(expected[k]) + 1e-3))
        << "coefficient " << k;
  }
}

template <class Coefficient>
Series series_of(Coefficient coefficient) {
  Series result;
  for (int k = 0; k <= order; ++k) result.push_back(coefficient(k));
  return result;
}

double factorial(int n) {
  return std::tgamma(n + 1.0);
}

double binomial(double p, int k) {
  double result = 1.0;
  for (int i = 0; i < k; ++i) result *= (p - i) / (i + 1);
  return result;
}

/// A unary function at a + b·t.
Series of_line(Op op, double a, double b) {
  Variables v(1);
  return expand(v, v.pool.unary(op, v.ids[0]), {{a, b}});
}

TEST(Taylor, ExponentialAndTrigonometricFunctionsOfALineMatchTheirClosedForms) {
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

TEST(Taylor, SineAndCosineTogetherMatchTheirClosedForms) {
  Variables v(1);
  const std::array outputs{v.pool.unary(Op::sin, v.ids[0]), v.pool.unary(Op::cos, v.ids[0])};
  const Program program = v.compile(outputs);
  ASSERT_EQ(program.n_instructions(), 1);
  TaylorWorkspace workspace = program.make_taylor_workspace(order);
  const std::array line{0.3, 2.0};
  const SeriesBlock block{line.data(), 1, 2};
  Series out(2 * (order + 1));
  program.evaluate_taylor(order, {&block, 1}, out, workspace);
  for (int k = 0; k <= order; ++k) {
    const double scale = std::pow(2.0, k) / factorial(k);
    const double angle = 0.3 + k * std::numbers::pi / 2.0;
    EXPECT_NEAR(out[static_cast<std::size_t>(2 * k)], std::sin(angle) * scale, 1e-14);
    EXPECT_NEAR(out[static_cast<std::size_t>(2 * k + 1)], std::cos(angle) * scale, 1e-14);
  }
}

TEST(Taylor, LogarithmAndRootsMatchTheBinomialSeries) {
  expect_series(of_line(Op::log, 1.0, 1.0),
                series_of([](int k) { return k == 0 ? 0.0 : (k % 2 == 0 ? -1.0 : 1.0) / k; }));
  expect_series(of_line(Op::sqrt, 1.0, 1.0), series_of([](int k) { return binomial(0.5, k); }));
}

TEST(Taylor, InverseFunctionsMatchTheirClosedForms) {
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

TEST(Taylor, TangentsMatchTheTangentNumbers) {
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

TEST(Taylor, TangentsElsewhereAreQuotientsOfTheirSines) {
  Variables v(1);
  const NodeId x = v.ids[0];
  const Series line{0.6, -0.4};
  expect_series(expand(v, v.pool.unary(Op::tan, x), {line}),
                expand(v, v.pool.div(v.pool.unary(Op::sin, x), v.pool.unary(Op::cos, x)), {line}));
  expect_series(
      expand(v, v.pool.unary(Op::tanh, x), {line}),
      expand(v, v.pool.div(v.pool.unary(Op::sinh, x), v.pool.unary(Op::cosh, x)), {line}));
}

TEST(Taylor, TheAngleOfAPointOnACircleIsTheLineItCameFrom) {
  // In the second quadrant, where atan alone would not do.
  Variables v(1);
  const NodeId angle =
      v.pool.binary(Op::atan2, v.pool.unary(Op::sin, v.ids[0]), v.pool.unary(Op::cos, v.ids[0]));
  Series expected(order + 1, 0.0);
  expected[0] = 2.5;
  expected[1] = 0.8;
  expect_series(expand(v, angle, {{2.5, 0.8}}), expected);
}

TEST(Taylor, QuotientsAndPowersMatchTheBinomialSeries) {
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

TEST(Taylor, WholePowersAreRightWhereTheBaseIsZero) {
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

TEST(Taylor, PowersWithAVaryingExponentMatchTheirClosedForms) {
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

TEST(Taylor, FusedOperationsMultiplyPolynomialsExactly) {
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

TEST(Taylor, PiecesAreThoseToTheRightOfTheExpansionPoint) {
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

TEST(Taylor, AConstantArgumentGivesAConstantEvenWhereTheFunctionIsNotSmooth) {
  Variables v(1);
  Series expected(order + 1, 0.0);
  for (const Op op : {Op::sqrt, Op::abs, Op::asin}) {
    EXPECT_EQ(expand(v, v.pool.unary(op, v.ids[0]), {{0}}), expected);
  }
}

TEST(Taylor, IsNotFiniteWhereTheFunctionIsNotAnalytic) {
  Variables v(1);
  EXPECT_FALSE(std::isfinite(expand(v, v.pool.unary(Op::sqrt, v.ids[0]), {{0, 1}})[1]));
  EXPECT_FALSE(std::isfinite(expand(v, v.pool.unary(Op::log, v.ids[0]), {{0, 1}})[1]));
  EXPECT_FALSE(std::isfinite(expand(v, v.pool.unary(Op::asin, v.ids[0]), {{1, -1}})[1]));
}

TEST(Taylor, LeadingCoefficientsAreTheValuesBitForBit) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Variables v(3);
    RandomGraph graph(v.pool, v.ids, seed, GraphOptions{.n_steps = 50, .smooth = false});
    const NodeId root = graph.roots(1).front();
    EXPECT_EQ(expand(v, root, {{0.3, 1}, {-1.1, 2}, {0.9, -1}}, 5)[0],
              v.evaluate(root, {0.3, -1.1, 0.9}));
  }
}

/// The coefficients of a polynomial about another point.
Series shifted(const Series& polynomial, double by) {
  Series result(polynomial.size(), 0.0);
  for (std::size_t j = 0; j < polynomial.size(); ++j) {
    for (std::size_t k = 0; k <= j; ++k) {
      result[k] += polynomial[j] * binomial(static_cast<double>(j), static_cast<int>(k)) *
                   std::pow(by, static_cast<double>(j - k));
    }
  }
  return result;
}

TEST(Taylor, CoefficientsAreFiniteDifferencesOfTheOnesBelowOnRandomGraphs) {
  // With f(τ + s) = Σ f_k(τ) s^k, d f_k/dτ = (k+1) f_{k+1}.
  constexpr int highest = 6;
  const std::vector<Series> path{{0.3, 0.5, -0.2}, {-0.4, 0.1, 0.3}, {0.6, -0.7, 0.1}};
  int n_checked = 0;
  for (unsigned seed = 100; seed < 130; ++seed) {
    Variables v(3);
    RandomGraph graph(v.pool, v.ids, seed, GraphOptions{.n_steps = 25, .leaf_bound = 1.0});
    const NodeId root = graph.roots(1).front();
    const auto at = [&](double tau) {
      std::vector<Series> moved;
      for (const Series& polynomial : path) moved.push_back(shifted(polynomial, tau));
      return expand(v, root, moved, highest);
    };
    const Series coefficients = at(0.0);
    for (std::size_t k = 0; k < highest; ++k) {
      const auto [slope, error] =
          test::differentiate([&](double tau) { return at(tau)[k]; }, 0.0, 0.02);
      const double scale = std::max(1.0, std::abs(slope));
      if (error > 1e-7 * scale) continue;  // too wild for differences to judge
      ++n_checked;
      EXPECT_NEAR((static_cast<double>(k) + 1.0) * coefficients[k + 1], slope, 1e-6 * scale)
          << "seed " << seed << ", coefficient " << k + 1;
    }
  }
  EXPECT_GT(n_checked, 120);  // of 30·6
}

/// The Taylor series of the solution of x' = f(x), coefficient by coefficient.
std::vector<Series> solve_series(const Variables& v, std::span<const NodeId> rhs,
                                 const std::vector<double>& start) {
  const std::size_t n = start.size();
  const Program program = v.compile(rhs);
  TaylorWorkspace workspace = program.make_taylor_workspace(order);
  Series x(n * (order + 1), 0.0);
  std::copy(start.begin(), start.end(), x.begin());
  for (int k = 0; k < order; ++k) {
    const SeriesBlock block{x.data(), to_index(n), k + 1};
    Series f(n * static_cast<std::size_t>(k + 1));
    program.evaluate_taylor(k, {&block, 1}, f, workspace);
    for (std::size_t i = 0; i < n; ++i) {
      x[static_cast<std::size_t>(k + 1) * n + i] = f[static_cast<std::size_t>(k) * n + i] / (k + 1);
    }
  }
  std::vector<Series> result(n, Series(order + 1));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k <= order; ++k) result[i][k] = x[k * n + i];
  }
  return result;
}

TEST(Taylor, TwoFormulationsOfThePendulumHaveOneSeries) {
  // θ'' = -sin θ as it stands, and as a polynomial system in θ, ω, s = sin θ, c = cos θ.
  Variables direct(2);
  const std::array direct_rhs{direct.ids[1],
                              direct.pool.neg(direct.pool.unary(Op::sin, direct.ids[0]))};
  Variables polynomial(4);
  auto& p = polynomial.pool;
  const auto [omega, s, c] = std::array{polynomial.ids[1], polynomial.ids[2], polynomial.ids[3]};
  const std::array polynomial_rhs{omega, p.neg(s), p.mul(c, omega), p.neg(p.mul(s, omega))};
  const auto one = solve_series(direct, direct_rhs, {1.1, 0.4});
  const auto other =
      solve_series(polynomial, polynomial_rhs, {1.1, 0.4, std::sin(1.1), std::cos(1.1)});
  expect_series(one[0], other[0]);
  expect_series(one[1], other[1]);
}

TEST(Taylor, SolvesTheLogisticEquationAsItsClosedFormDoes) {
  // x' = x(1 - x), x(0) = 1/2: x = (1 + tanh(t/2))/2.
  Variables v(1);
  const std::array rhs{v.pool.mul(v.ids[0], v.pool.sub(v.pool.constant(1.0), v.ids[0]))};
  Variables w(1);
  const NodeId closed = w.pool.mul(
      w.pool.constant(0.5), w.pool.add(w.pool.constant(1.0), w.pool.unary(Op::tanh, w.ids[0])));
  expect_series(solve_series(v, rhs, {0.5})[0], expand(w, closed, {{0, 0.5}}));
}

TEST(Taylor, FillsTheSeriesOfDerivatives) {
  // x = t³ and y = 2t⁴ + 1, interleaved; x'' = 6t, y'' = 24t².
  const Series x{0, 1, 0, 0, 0, 0, 1, 0, 0, 2};
  Series out(6, -1.0);
  fill_derivative_series({.x = x, .n = 2, .derivative = 2, .out = out});
  EXPECT_EQ(out, (Series{0, 0, 6, 0, 0, 24}));
  // Coefficients scaled by h = 1/2: x_j h^j in, (x'')_j h^j out.
  Series scaled = x;
  for (std::size_t k = 0; k < 5; ++k) {
    scaled[2 * k] *= std::pow(0.5, static_cast<double>(k));
    scaled[2 * k + 1] *= std::pow(0.5, static_cast<double>(k));
  }
  fill_derivative_series({.x = scaled, .n = 2, .derivative = 2, .scale = 0.5, .out = out});
  EXPECT_EQ(out, (Series{0, 0, 3, 0, 0, 6}));
  // More coefficients than are known: zero.
  Series longer(10, -1.0);
  fill_derivative_series({.x = x, .n = 2, .derivative = 1, .out = longer});
  EXPECT_EQ(longer, (Series{0, 0, 0, 0, 3, 0, 0, 8, 0, 0}));
}

TEST(Taylor, TheDerivativeArraysJacobianIsToeplitzInTheJacobiansSeries) {
  // F = (x' - y·sin x, x² + y·x' - 1): ∂r_i/∂x_j = A_{i-j} + j·E_{i-j+1}.
  constexpr int k_max = 4;
  Pool pool;
  const std::array x{pool.variable(0), pool.variable(1)};
  const std::array xp{pool.variable(0, 1), pool.variable(1, 1)};
  const std::array roots{
      pool.sub(xp[0], pool.mul(x[1], pool.unary(Op::sin, x[0]))),
      pool.sub(pool.add(pool.power(x[0], 2), pool.mul(x[1], xp[0])), pool.constant(1.0))};
  const std::array inputs{Input{x[0], 0, 0}, Input{x[1], 0, 1}, Input{xp[0], 1, 0},
                          Input{xp[1], 1, 1}};
  const Program residual = Program::compile(pool, roots, inputs);
  const JacobianProgram jacobian =
      JacobianProgram::compile(pool, {.roots = roots, .groups = {x, xp}, .inputs = inputs});

  const auto evaluate = [&](const Program& program, const Series& coefficients) {
    Series derivative(2 * (k_max + 1));
    fill_derivative_series({.x = coefficients, .n = 2, .derivative = 1, .out = derivative});
    const std::array blocks{SeriesBlock{coefficients.data(), 2, k_max + 1},
                            SeriesBlock{derivative.data(), 2, k_max + 1}};
    TaylorWorkspace workspace = program.make_taylor_workspace(k_max);
    Series out(static_cast<std::size_t>(program.n_outputs()) * (k_max + 1));
    program.evaluate_taylor(k_max, blocks, out, workspace);
    return out;
  };
  const Series start{0.5, 0.3, 0.2, -0.4, 0.7, 0.1, -0.3, 0.6, 0.2, 0.5, 0.1, -0.2};
  const Series entries = evaluate(jacobian.program(), start);
  const auto n_entries = static_cast<std::size_t>(jacobian.program().n_outputs());
  /// Coefficient k of ∂F_row/∂(leaf `column` of a group), 0 outside.
  const auto coefficient = [&](std::size_t group, int k, std::int64_t row, std::size_t column) {
    if (k < 0) return 0.0;
    const SparsityPattern& pattern = jacobian.pattern();
    const auto positions = jacobian.positions(group);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const Index at = positions[i];
      if (pattern.row[to_size(at)] != row || at < pattern.column_start[column] ||
          at >= pattern.column_start[column + 1]) {
        continue;
      }
      return entries[static_cast<std::size_t>(k) * n_entries +
                     to_size(jacobian.first_output(group)) + i];
    }
    return 0.0;
  };
  for (int i = 0; i < k_max; ++i) {
    for (int j = 0; j <= i + 1; ++j) {
      for (std::size_t row = 0; row < 2; ++row) {
        for (std::size_t column = 0; column < 2; ++column) {
          const auto r_i = [&](double value) {
            Series moved = start;
            moved[static_cast<std::size_t>(2 * j) + column] = value;
            return evaluate(residual, moved)[static_cast<std::size_t>(2 * i) + row];
          };
          const double here = start[static_cast<std::size_t>(2 * j) + column];
          const double expected = test::differentiate(r_i, here, 0.1).value;
          const auto row_number = static_cast<std::int64_t>(row);
          EXPECT_NEAR(coefficient(0, i - j, row_number, column) +
                          j * coefficient(1, i - j + 1, row_number, column),
                      expected, 1e-9)
              << "i " << i << " j " << j << " row " << row << " column " << column;
        }
      }
    }
  }
}

TEST(Taylor, ALowerOrderGivesTheFirstCoefficientsOfAHigherOne) {
  // Low orders have unrolled sweeps of their own: the same bits.
  constexpr std::size_t n_outputs = 8;
  Variables v(3);
  RandomGraph graph(v.pool, v.ids, 5, GraphOptions{.n_steps = 300, .smooth = false});
  const std::vector<NodeId> roots = graph.roots(n_outputs);
  const Program program = v.compile(roots);
  TaylorWorkspace workspace = program.make_taylor_workspace(9);
  const Series x{0.1, 0.2, 0.3, 1.0, -1.0, 0.5};
  const SeriesBlock block{x.data(), 3, 2};
  Series high(n_outputs * 10);
  program.evaluate_taylor(9, {&block, 1}, high, workspace);
  for (int k = 8; k >= 0; --k) {
    high.resize(n_outputs * static_cast<std::size_t>(k + 1));
    Series low(high.size());
    program.evaluate_taylor(k, {&block, 1}, low, workspace);
    EXPECT_EQ(low, high) << "order " << k;
  }
}

TEST(Taylor, RefusesAnOrderBeyondTheWorkspaceAndANegativeOne) {
  Variables v(1);
  const Program program = v.compile(v.ids);
  TaylorWorkspace workspace = program.make_taylor_workspace(2);
  const double x = 1.0;
  const SeriesBlock block{&x, 1, 1};
  Series out(4);
  EXPECT_THROW(program.evaluate_taylor(3, {&block, 1}, out, workspace), Error);
  EXPECT_THROW((void)program.make_taylor_workspace(-1), Error);
}

}  // namespace
}  // namespace daedal::kernel
