// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/pencil_solver.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "linalg/linalg_support.hpp"

namespace daedal::linalg {
namespace {

using Complex = std::complex<double>;

/// The largest |(γ E + A) x − b| over the rows, as a share of |γ E + A| |x| + |b| there.
double backward_error(const SparseMatrix<double>& e, const SparseMatrix<double>& a, Complex gamma,
                      const std::vector<Complex>& x, const std::vector<Complex>& b) {
  std::vector<Complex> residual = b;
  std::vector<double> size(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) size[i] = std::abs(b[i]);
  std::size_t k = 0;
  a.for_each([&](Index i, Index j, double v) {
    const Complex entry = gamma * e.values[k++] + v;
    residual[to_size(i)] -= entry * x[to_size(j)];
    size[to_size(i)] += std::abs(entry) * std::abs(x[to_size(j)]);
  });
  double worst = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i)
    worst = std::max(worst, std::abs(residual[i]) / size[i]);
  return worst;
}

/// Solves with every γ and returns the worst backward error. `numbers`: γ, the first of them real.
double solve_all(PencilSolver& solver, const SparseMatrix<double>& e, const SparseMatrix<double>& a,
                 std::span<const Complex> numbers, std::mt19937& random) {
  const auto n = to_size(a.pattern.columns);
  const FactorReport report =
      solver.factor(e.values, a.values,
                    {.has_real = true, .real = numbers[0].real(), .others = numbers.subspan(1)});
  EXPECT_TRUE(report.ok);
  std::vector<double> columns =
      random_vector<double>(random, to_index((2 * numbers.size() - 1) * n));
  const std::vector<double> given = columns;
  solver.solve(columns.data(), true);
  double worst = 0.0;
  std::vector<Complex> x(n), b(n);
  for (std::size_t m = 0; m < numbers.size(); ++m) {
    const std::size_t first = m == 0 ? 0 : (2 * m - 1) * n;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = {columns[first + i], m == 0 ? 0.0 : columns[first + n + i]};
      b[i] = {given[first + i], m == 0 ? 0.0 : given[first + n + i]};
    }
    worst = std::max(worst, backward_error(e, a, numbers[m], x, b));
  }
  std::vector<double> real(given.begin(), given.begin() + to_index(n));
  solver.solve_real(real);
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(real[i], columns[i], 1e-9 * std::abs(columns[i]));
  return worst;
}

const std::vector<Complex> numbers{{8.9, 0.0}, {8.0, 3.2}, {6.5, 6.5}, {4.1, 9.9}};

TEST(PencilSolver, SolvesWithEveryNumberToRoundOff) {
  std::mt19937 random(1);
  for (const Index n : {1, 2, 5, 11, 20, 40, 90}) {
    const auto a = random_matrix<double>(random, n, n < 10 ? 1.0 : 0.2);
    auto e = a;
    for (double& v : e.values) v = random_value<double>(random);
    const auto solver = make_pencil_solver(a.pattern, 3);
    for (const std::size_t count : {1, 2, 3, 4, 2}) {
      EXPECT_LT(solve_all(*solver, e, a, std::span(numbers).first(count), random), 1e-12)
          << n << ", " << count;
    }
  }
}

TEST(PencilSolver, FollowsNumbersOfAnySize) {
  std::mt19937 random(2);
  const auto a = random_matrix<double>(random, 12, 0.3);
  auto e = a;
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    e.values[k] = k % 3 == 0 ? random_value<double>(random) : 0.0;
  }
  const auto solver = make_pencil_solver(a.pattern, 3);
  for (int power = -9; power <= 9; power += 3) {
    std::vector<Complex> scaled = numbers;
    for (Complex& gamma : scaled) gamma *= std::pow(10.0, power);
    EXPECT_LT(solve_all(*solver, e, a, scaled, random), 1e-11) << power;
  }
}

TEST(PencilSolver, NamesTheColumnWithoutAPivotAndRecovers) {
  // γ E + A = diag(γ + 1, 0, γ + 3).
  const SparsityPattern pattern{3, 3, {0, 1, 2, 3}, {0, 1, 2}};
  const auto solver = make_pencil_solver(pattern, 1);
  const std::vector<double> e{1.0, 0.0, 1.0};
  const std::span<const Complex> others = std::span(numbers).subspan(1, 1);
  const FactorReport singular = solver->factor(e, std::vector{1.0, 0.0, 3.0}, {true, 2.0, others});
  EXPECT_FALSE(singular.ok);
  EXPECT_EQ(singular.singular_column, 1);
  ASSERT_TRUE(solver->factor(e, std::vector{1.0, 2.0, 3.0}, {true, 2.0, others}).ok);
  std::vector<double> x{3.0, 4.0, 10.0};
  solver->solve_real(x);
  EXPECT_DOUBLE_EQ(x[0], 1.0);
  EXPECT_DOUBLE_EQ(x[1], 2.0);
  EXPECT_DOUBLE_EQ(x[2], 2.0);
}

TEST(PencilSolver, FindsTheOneNumberForWhichItsMatrixIsSingular) {
  // γ E + A = [γ − 2, 1; 0, γ]: singular for γ = 2 alone.
  const SparsityPattern pattern{2, 2, {0, 1, 3}, {0, 0, 1}};
  const auto solver = make_pencil_solver(pattern, 1);
  const std::vector<double> e{1.0, 0.0, 1.0};
  const std::vector<double> a{-2.0, 1.0, 0.0};
  const std::span<const Complex> others = std::span(numbers).subspan(1, 1);
  EXPECT_FALSE(solver->factor(e, a, {true, 2.0, others}).ok);
  EXPECT_TRUE(solver->factor(e, a, {true, 2.5, others}).ok);
  EXPECT_TRUE(solver->factor(e, a, {false, 2.0, others}).ok) << "which nobody asks for";
}

// Pivots are chosen in the real matrix. γ E + A = [γ − 1, 1; 1, 1]: its best one is 1e-9 for
// another number, and would leave errors of 1e-7 there.
TEST(PencilSolver, LeavesPivotsOfTheRealMatrixThatSuitNoOther) {
  SparseMatrix<double> a{{2, 2, {0, 2, 4}, {0, 1, 0, 1}}, {-1.0, 1.0, 1.0, 1.0}};
  SparseMatrix<double> e = a;
  e.values = {1.0, 0.0, 0.0, 0.0};
  std::mt19937 random(3);
  const auto solver = make_pencil_solver(a.pattern, 3);
  const std::vector<Complex> near_one{{5.0, 0.0}, {1.0, 1e-9}, {4.0, 1.0}};
  EXPECT_LT(solve_all(*solver, e, a, near_one, random), 1e-14);
  EXPECT_LT(solve_all(*solver, e, a, std::span(near_one).first(2), random), 1e-14);
}

}  // namespace
}  // namespace daedal::linalg
