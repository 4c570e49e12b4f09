// SPDX-License-Identifier: BSD-3-Clause
// Series of whole programs: against values, differences, solutions and each other.
#include "kernel/taylor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <daedal/error.hpp>
#include <random>

#include "kernel/jacobian_program.hpp"
#include "kernel/taylor_support.hpp"
#include "support/finite_differences.hpp"
#include "support/random_graph.hpp"

namespace daedal::kernel {
namespace {

using test::binomial;
using test::expand;
using test::expect_series;
using test::GraphOptions;
using test::order;
using test::RandomGraph;
using test::Series;
using test::Variables;

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
  TaylorEvaluator series(program, order);
  Series x(n * (order + 1), 0.0);
  std::copy(start.begin(), start.end(), x.begin());
  for (int k = 0; k < order; ++k) {
    const SeriesBlock block{x.data(), to_index(n), k + 1};
    Series f(n * static_cast<std::size_t>(k + 1));
    series.evaluate(k, {&block, 1}, f);
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
    TaylorEvaluator series(program, k_max);
    Series out(static_cast<std::size_t>(program.n_outputs()) * (k_max + 1));
    series.evaluate(k_max, blocks, out);
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
  TaylorEvaluator series(program, 9);
  const Series x{0.1, 0.2, 0.3, 1.0, -1.0, 0.5};
  const SeriesBlock block{x.data(), 3, 2};
  Series high(n_outputs * 10);
  series.evaluate(9, {&block, 1}, high);
  for (int k = 8; k >= 0; --k) {
    high.resize(n_outputs * static_cast<std::size_t>(k + 1));
    Series low(high.size());
    series.evaluate(k, {&block, 1}, low);
    EXPECT_EQ(low, high) << "order " << k;
  }
}

TEST(Taylor, RefusesAnOrderBeyondTheWorkspaceAndANegativeOne) {
  Variables v(1);
  const Program program = v.compile(v.ids);
  TaylorEvaluator series(program, 2);
  const double x = 1.0;
  const SeriesBlock block{&x, 1, 1};
  Series out(4);
  EXPECT_THROW(series.evaluate(3, {&block, 1}, out), Error);
  EXPECT_THROW(TaylorEvaluator(program, -1), Error);
}

}  // namespace
}  // namespace daedal::kernel
