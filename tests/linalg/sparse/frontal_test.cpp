// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse/frontal.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <memory>
#include <random>
#include <utility>

#include "linalg/linalg_support.hpp"
#include "linalg/sparse/klu.hpp"

namespace daedal::linalg {
namespace {

using Complex = std::complex<double>;
using Entries = std::map<std::pair<Index, Index>, double>;  // by column, then row

template <class Scalar = double>
SparseMatrix<Scalar> matrix_of(const Entries& entries, Index n) {
  SparseMatrix<Scalar> a;
  a.pattern = {.rows = n, .columns = n, .column_start = {0}, .row = {}};
  for (const auto& [place, value] : entries) {
    while (to_index(a.pattern.column_start.size()) <= place.first) {
      a.pattern.column_start.push_back(to_index(a.pattern.row.size()));
    }
    a.pattern.row.push_back(place.second);
    a.values.push_back(Scalar(value));
  }
  a.pattern.column_start.resize(to_size(n + 1), to_index(a.pattern.row.size()));
  return a;
}

/// c I plus the five-point Laplacian of an m by m grid.
SparseMatrix<double> grid(Index m, double c) {
  Entries entries;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < m; ++j) {
      const Index k = i * m + j;
      entries[{k, k}] = c + 4.0;
      if (i > 0) entries[{k - m, k}] = -1.0;
      if (i < m - 1) entries[{k + m, k}] = -1.0;
      if (j > 0) entries[{k - 1, k}] = -1.0;
      if (j < m - 1) entries[{k + 1, k}] = -1.0;
    }
  }
  return matrix_of(entries, m * m);
}

/// A step of the Stokes equations on a staggered grid: velocities on the faces of m by m cells, and
/// pressures, on whose diagonal there is nothing, in the cells. One pressure is given.
SparseMatrix<double> stokes(Index m) {
  Entries entries;
  const Index n_faces = (m - 1) * m;
  const auto pressure = [&](Index i, Index j) { return 2 * n_faces + i * m + j; };
  const auto face = [&](Index i, Index j, bool is_turned) {
    return is_turned ? n_faces + j * (m - 1) + i : i * m + j;
  };
  const Index n = 2 * n_faces + m * m;
  for (const bool is_turned : {false, true}) {
    for (Index i = 0; i < m - 1; ++i) {
      for (Index j = 0; j < m; ++j) {
        const Index k = face(i, j, is_turned);
        entries[{k, k}] = 7.0;
        if (i > 0) entries[{face(i - 1, j, is_turned), k}] = -1.0;
        if (i < m - 2) entries[{face(i + 1, j, is_turned), k}] = -1.0;
        if (j > 0) entries[{face(i, j - 1, is_turned), k}] = -1.0;
        if (j < m - 1) entries[{face(i, j + 1, is_turned), k}] = -1.0;
        for (const Index side : {0, 1}) {
          const Index p = is_turned ? pressure(j, i + side) : pressure(i + side, j);
          const double sign = side == 0 ? -1.0 : 1.0;
          entries[{p, k}] = sign;
          if (p != 2 * n_faces) entries[{k, p}] = -sign;
        }
      }
    }
  }
  entries[{2 * n_faces, 2 * n_faces}] = 1.0;
  return matrix_of(entries, n);
}

template <class Scalar>
std::vector<Scalar> product_with(const SparseMatrix<Scalar>& a, const std::vector<Scalar>& x) {
  std::vector<Scalar> b(x.size());
  a.for_each([&](Index i, Index j, Scalar v) { b[to_size(i)] += v * x[to_size(j)]; });
  return b;
}

template <class Scalar>
double distance(const std::vector<Scalar>& x, const std::vector<Scalar>& y) {
  double worst = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - y[i]));
  return worst;
}

template <class Scalar>
BlockOrder order_of(const SparseMatrix<Scalar>& a, bool moves_rows = true) {
  return KluSolver<Scalar>(a.pattern, moves_rows).order();
}

TEST(Frontal, SolvesGridsLikeKlu) {
  std::mt19937 random(1);
  for (const Index m : {3, 10, 41}) {
    const auto a = grid(m, 0.01);
    const auto x = random_vector<double>(random, m * m);
    const auto b = product_with(a, x);
    FrontalSolver<double> frontal(a.pattern, order_of(a));
    KluSolver<double> klu(a.pattern);
    ASSERT_TRUE(frontal.factor(a.values).ok);
    ASSERT_TRUE(klu.factor(a.values).ok);
    EXPECT_EQ(frontal.n_delays(), 0);
    auto by_fronts = b;
    auto by_klu = b;
    frontal.solve(by_fronts);
    klu.solve(by_klu);
    // The condition number is at most 8/0.01.
    EXPECT_LT(distance(by_fronts, x), 1e-12) << m;
    EXPECT_LT(distance(by_fronts, by_klu), 1e-12) << m;
    EXPECT_NEAR(frontal.reciprocal_condition() / klu.reciprocal_condition(), 1.0, 1e-6) << m;
  }
}

TEST(Frontal, SolvesComplexGridsAndTheirAdjoint) {
  std::mt19937 random(2);
  const auto real = grid(23, 0.5);
  SparseMatrix<Complex> a{real.pattern, {}};
  for (const double v : real.values) a.values.push_back(v * Complex(1.0, 0.1) + Complex(0.0, 0.2));
  FrontalSolver<Complex> solver(a.pattern, order_of(a));
  ASSERT_TRUE(solver.factor(a.values).ok);
  const auto x = random_vector<Complex>(random, 23 * 23);
  auto solution = product_with(a, x);
  solver.solve(solution);
  EXPECT_LT(distance(solution, x), 1e-12);
  std::vector<Complex> adjoint(x.size());
  a.for_each(
      [&](Index i, Index j, Complex v) { adjoint[to_size(j)] += std::conj(v) * x[to_size(i)]; });
  solver.solve_adjoint(adjoint);
  EXPECT_LT(distance(adjoint, x), 1e-12);
}

TEST(Frontal, LetsColumnsWithoutPivotsWait) {
  std::mt19937 random(3);
  const auto a = stokes(20);
  const auto x = random_vector<double>(random, a.pattern.columns);
  for (const bool moves_rows : {false, true}) {
    FrontalSolver<double> solver(a.pattern, order_of(a, moves_rows));
    ASSERT_TRUE(solver.factor(a.values).ok);
    EXPECT_GT(solver.n_delays(), 0);
    auto solution = product_with(a, x);
    solver.solve(solution);
    // Pressures have a condition number of about (2 m)² · 7.
    EXPECT_LT(distance(solution, x), 1e-10);
  }
}

TEST(Frontal, AndKluFindTheSameMatricesSingular) {
  // One unknown twice, and an equation for it that says nothing new.
  const Index m = 30, n = m * m + 1, twin = 437;
  const auto regular = grid(m, 0.5);
  Entries entries;
  regular.for_each([&](Index i, Index j, double v) {
    entries[{j, i}] = v;
    if (j == twin) entries[{n - 1, i}] = v;
  });
  entries[{twin, n - 1}] = entries[{n - 1, n - 1}] = 0.3;
  // No pressure given: one too few.
  auto stokes_without = stokes(20);
  stokes_without.for_each_value([&](Index i, Index j, double& v) {
    if (i == j && i == 2 * 19 * 20) v = 0.0;
  });
  const auto twice = matrix_of(entries, n);
  const FactorReport by_fronts =
      FrontalSolver<double>(twice.pattern, order_of(twice)).factor(twice.values);
  const FactorReport by_klu = KluSolver<double>(twice.pattern).factor(twice.values);
  EXPECT_FALSE(by_fronts.ok);
  EXPECT_FALSE(by_klu.ok);
  EXPECT_THAT(by_fronts.singular_column, testing::AnyOf(twin, n - 1));
  EXPECT_THAT(by_klu.singular_column, testing::AnyOf(twin, n - 1));

  const auto& a = stokes_without;
  EXPECT_FALSE(FrontalSolver<double>(a.pattern, order_of(a)).factor(a.values).ok);
  EXPECT_FALSE(KluSolver<double>(a.pattern).factor(a.values).ok);
}

TEST(Frontal, TakesOtherPivotsWhenValuesChange) {
  std::mt19937 random(4);
  auto a = grid(24, 1.0);
  FrontalSolver<double> solver(a.pattern, order_of(a));
  ASSERT_TRUE(solver.factor(a.values).ok);
  EXPECT_EQ(solver.n_delays(), 0);
  const Index entries = solver.n_entries();
  // Nothing left on the diagonal, and pairs of neighbours that are far larger than the others: the
  // pivots lie there now.
  a.for_each_value([&](Index i, Index j, double& v) {
    v = i == j ? 0.0 : (i / 2 == j / 2 ? 3.0 : 0.01 * random_value<double>(random));
  });
  ASSERT_TRUE(solver.factor(a.values).ok);
  EXPECT_GT(solver.n_delays(), 0);
  const auto x = random_vector<double>(random, 24 * 24);
  auto solution = product_with(a, x);
  solver.solve(solution);
  EXPECT_LT(distance(solution, x), 1e-13);
  // And back.
  a = grid(24, 1.0);
  ASSERT_TRUE(solver.factor(a.values).ok);
  EXPECT_EQ(solver.n_entries(), entries);
  solution = product_with(a, x);
  solver.solve(solution);
  EXPECT_LT(distance(solution, x), 1e-13);
}

TEST(Frontal, SolvesInAnyUnits) {
  std::mt19937 random(5);
  std::uniform_int_distribution<int> exponent(-40, 40);
  const auto a = stokes(12);
  const std::size_t n = to_size(a.pattern.columns);
  std::vector<int> row(n), column(n);
  for (auto* const units : {&row, &column}) {
    std::ranges::generate(*units, [&] { return exponent(random); });
  }
  auto scaled = a;
  scaled.for_each_value([&](Index i, Index j, double& v) {
    v = std::ldexp(v, row[to_size(i)] + column[to_size(j)]);
  });
  FrontalSolver<double> plain(a.pattern, order_of(a));
  FrontalSolver<double> other(a.pattern, order_of(a));
  ASSERT_TRUE(plain.factor(a.values).ok);
  ASSERT_TRUE(other.factor(scaled.values).ok);
  // Scales are found to within a factor of a few, and with them most of the pivots.
  EXPECT_LT(static_cast<double>(other.n_entries()), 1.2 * static_cast<double>(plain.n_entries()));
  const auto x = random_vector<double>(random, to_index(n));
  auto b = product_with(a, x);
  for (std::size_t i = 0; i < n; ++i) b[i] = std::ldexp(b[i], row[i]);
  other.solve(b);
  for (std::size_t j = 0; j < n; ++j) b[j] = std::ldexp(b[j], column[j]);
  EXPECT_LT(distance(b, x), 1e-10);
}

TEST(Frontal, StopsWhereColumnsThatWaitFillTheFronts) {
  // Pairs of unknowns that are hard to tell apart, and one equation and unknown for all. The second
  // pivot of a pair is a thousandth of what is left in the last row: all of them wait for that one.
  std::mt19937 random(6);
  const Index n = 2000;
  Entries entries;
  for (Index k = 0; k < n; ++k) {
    entries[{k, k}] = k % 2 == 0 ? 1.0 : 1.001;
    entries[{k ^ 1, k}] = 1.0;
    entries[{n, k}] = random_value<double>(random);
    entries[{k, n}] = random_value<double>(random);
  }
  entries[{n, n}] = 1.0;
  const auto a = matrix_of(entries, n + 1);
  FrontalSolver<double> fronts(a.pattern, order_of(a));
  EXPECT_FALSE(fronts.factor(a.values).ok);
  EXPECT_TRUE(fronts.is_overfull());
  // Behind the interface KLU takes over.
  const auto solver = make_real_solver(a.pattern, Storage::frontal);
  ASSERT_TRUE(solver->factor(a.values).ok);
  const auto x = random_vector<double>(random, n + 1);
  auto solution = product_with(a, x);
  solver->solve(solution);
  EXPECT_LT(distance(solution, x), 1e-6);  // the condition number is about 1e6
}

}  // namespace
}  // namespace daedal::linalg
