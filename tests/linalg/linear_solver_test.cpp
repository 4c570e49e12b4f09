// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/linear_solver.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <daedal/error.hpp>
#include <limits>
#include <random>

#include "linalg/linalg_support.hpp"
#include "linalg/sparse/klu.hpp"
#include "linalg/sparse/listed_lu.hpp"
#include "linalg/sparse/sparsity.hpp"

namespace daedal::linalg {
namespace {

template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> make_solver(const SparsityPattern& pattern, Storage storage) {
  if constexpr (std::is_same_v<Scalar, double>) {
    return make_real_solver(pattern, storage);
  } else {
    return make_complex_solver(pattern, storage);
  }
}

/// Every property below holds for the eight solvers alike.
template <class Type, Storage storage>
struct Kind {
  using Scalar = Type;
  static std::unique_ptr<LinearSolver<Scalar>> make(const SparsityPattern& pattern) {
    return make_solver<Scalar>(pattern, storage);
  }
};

template <class Kind>
class LinearSolverTest : public testing::Test {};

using Complex = std::complex<double>;
using Kinds = testing::Types<Kind<double, Storage::dense>, Kind<double, Storage::listed>,
                             Kind<double, Storage::sparse>, Kind<double, Storage::frontal>,
                             Kind<Complex, Storage::dense>, Kind<Complex, Storage::listed>,
                             Kind<Complex, Storage::sparse>, Kind<Complex, Storage::frontal>>;
TYPED_TEST_SUITE(LinearSolverTest, Kinds);

/// ‖Ax − b‖∞ / (‖A‖∞‖x‖∞ + ‖b‖∞): a few units of round-off for a backward stable solve.
template <class Scalar>
double backward_error(const SparseMatrix<Scalar>& a, const std::vector<Scalar>& x,
                      const std::vector<Scalar>& b) {
  const std::size_t n = b.size();
  std::vector<Scalar> residual = b;
  std::vector<double> row_sum(n, 0.0);
  double size_x = 0.0;
  double size_b = 0.0;
  a.for_each([&](Index i, Index j, Scalar v) {
    residual[to_size(i)] -= v * x[to_size(j)];
    row_sum[to_size(i)] += std::abs(v);
  });
  double worst = 0.0;
  double size_a = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    worst = std::max(worst, std::abs(residual[i]));
    size_a = std::max(size_a, row_sum[i]);
    size_x = std::max(size_x, std::abs(x[i]));
    size_b = std::max(size_b, std::abs(b[i]));
  }
  return worst / (size_a * size_x + size_b);
}

/// Rates x_i of their neighbours and of y_i, each y_i by x_i, unknowns x before y: matched row by
/// row, each row would look for its unknown through all before it. This takes minutes with n²
/// steps.
TEST(SparseLu, AnalysesLongChainsWithoutSquareWork) {
  constexpr Index n = 100'000;
  std::vector<std::vector<std::pair<Index, double>>> columns(to_size(2 * n));
  const auto enter = [&](Index row, Index column, double value) {
    columns[to_size(column)].emplace_back(row, value);
  };
  for (Index i = 0; i < n; ++i) {
    enter(2 * i, n + i, 1.0);
    enter(2 * i, i, -0.5);
    enter(2 * i + 1, i, 3.0);
    if (i > 0) enter(2 * i + 1, i - 1, -1.0);
    if (i + 1 < n) enter(2 * i + 1, i + 1, -1.0);
    enter(2 * i + 1, n + i, 1.0);
  }
  SparseMatrix<double> a;
  a.pattern = {.rows = 2 * n, .columns = 2 * n, .column_start = {0}, .row = {}};
  for (auto& column : columns) {
    std::ranges::sort(column);
    for (const auto& [row, value] : column) {
      a.pattern.row.push_back(row);
      a.values.push_back(value);
    }
    a.pattern.column_start.push_back(to_index(a.pattern.row.size()));
  }
  const std::vector<double> b(to_size(2 * n), 1.0);
  std::vector<double> x = b;
  KluSolver<double> solver(a.pattern);
  ASSERT_TRUE(solver.factor(a.values).ok);
  solver.solve(x);
  EXPECT_LT(backward_error(a, x, b), 1e-14);
}

TYPED_TEST(LinearSolverTest, SolvesRandomSystemsToRoundOff) {
  using Scalar = typename TypeParam::Scalar;
  std::mt19937 random(1);
  for (const Index n : {1, 2, 3, 7, 20, 65}) {
    const auto a = random_matrix<Scalar>(random, n, 0.4);
    const auto solver = TypeParam::make(a.pattern);
    const FactorReport report = solver->factor(a.values);
    ASSERT_TRUE(report.ok) << n;
    EXPECT_EQ(report.singular_column, -1);
    const auto b = random_vector<Scalar>(random, n);
    auto x = b;
    solver->solve(x);
    // Growth of partial pivoting stays below √n on random matrices; 1e-14 leaves room for it.
    EXPECT_LT(backward_error(a, x, b), 1e-14) << n;
  }
}

TYPED_TEST(LinearSolverTest, FollowsChangedValues) {
  using Scalar = typename TypeParam::Scalar;
  std::mt19937 random(2);
  auto a = random_matrix<Scalar>(random, 30, 0.15);
  const auto solver = TypeParam::make(a.pattern);
  for (int change = 0; change < 20; ++change) {
    for (Scalar& v : a.values) v = random_value<Scalar>(random);
    ASSERT_TRUE(solver->factor(a.values).ok);
    const auto b = random_vector<Scalar>(random, 30);
    auto x = b;
    solver->solve(x);
    EXPECT_LT(backward_error(a, x, b), 1e-12);  // kept pivots: growth up to 1e4 is allowed
  }
}

TYPED_TEST(LinearSolverTest, NamesEveryZeroColumnInTheGivenNumbering) {
  using Scalar = typename TypeParam::Scalar;
  std::mt19937 random(3);
  const Index n = 12;
  const auto regular = random_matrix<Scalar>(random, n, 0.3);
  const auto solver = TypeParam::make(regular.pattern);
  for (Index j = 0; j < n; ++j) {
    auto a = regular;
    a.for_each_value([&](Index, Index column, Scalar& v) {
      if (column == j) v = Scalar(0.0);
    });
    const FactorReport report = solver->factor(a.values);
    EXPECT_FALSE(report.ok);
    EXPECT_EQ(report.singular_column, j);
    ASSERT_TRUE(solver->factor(regular.values).ok) << "recovers after a singular matrix";
    const FactorReport again = solver->factor(a.values);
    EXPECT_FALSE(again.ok) << "a refactorisation finds it too";
    EXPECT_EQ(again.singular_column, j);
    ASSERT_TRUE(solver->factor(regular.values).ok);
  }
}

TYPED_TEST(LinearSolverTest, NamesAColumnThatThePatternLeavesEmpty) {
  using Scalar = typename TypeParam::Scalar;
  const SparsityPattern pattern{3, 3, {0, 2, 2, 4}, {0, 1, 1, 2}};
  const std::vector<Scalar> values{Scalar(2.0), Scalar(1.0), Scalar(1.0), Scalar(3.0)};
  const FactorReport report = TypeParam::make(pattern)->factor(values);
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.singular_column, 1);
}

TYPED_TEST(LinearSolverTest, NamesOneOfTwoEqualColumns) {
  using Scalar = typename TypeParam::Scalar;
  std::mt19937 random(4);
  auto a = random_matrix<Scalar>(random, 9, 1.0);
  for (Index i = 0; i < 9; ++i) a.values[to_size(7 * 9 + i)] = a.values[to_size(2 * 9 + i)];
  const FactorReport report = TypeParam::make(a.pattern)->factor(a.values);
  EXPECT_FALSE(report.ok);
  EXPECT_THAT(report.singular_column, testing::AnyOf(2, 7));
}

TYPED_TEST(LinearSolverTest, FindsSingularityWhenPivotsAreOnlyRoundOff) {
  using Scalar = typename TypeParam::Scalar;
  std::mt19937 random(8);
  for (int repeat = 0; repeat < 50; ++repeat) {
    auto a = random_matrix<Scalar>(random, 6, 1.0);
    // A combination with inexact factors, in a matrix whose rows and columns are badly scaled.
    for (Index i = 0; i < 6; ++i) {
      const auto at = [&](Index j) -> Scalar& { return a.values[to_size(6 * j + i)]; };
      at(5) = 0.1 * at(0) + 0.3 * at(1) - 0.7 * at(3);
    }
    a.for_each_value([](Index i, Index j, Scalar& v) {
      v *= std::pow(10.0, static_cast<double>(3 * i - 4 * j));
    });
    const FactorReport report = TypeParam::make(a.pattern)->factor(a.values);
    EXPECT_FALSE(report.ok);
    EXPECT_THAT(report.singular_column, testing::AnyOf(0, 1, 3, 5)) << "a dependent one";
  }
}

TYPED_TEST(LinearSolverTest, TakesTheGradedMatrixOfAnIntegratorChainAtATinyStep) {
  using Scalar = typename TypeParam::Scalar;
  // x1' = x2, ..., x5' = x6, 0 = x1 − sin t (index 6) with c = 1/h = 1e8: regular, but its last
  // pivot is c⁻⁵ = 1e-40 of its column. det = ±1 by expansion along the constraint.
  const double c = 1e8;
  const Index n = 6;
  SparseMatrix<Scalar> a;
  a.pattern = {.rows = n, .columns = n, .column_start = {0}, .row = {}};
  for (Index j = 0; j < n; ++j) {
    if (j > 0) {
      a.pattern.row.push_back(j - 1);
      a.values.push_back(Scalar(-1.0));
    }
    a.pattern.row.push_back(j < n - 1 ? j : n - 1);
    a.values.push_back(Scalar(c));
    if (j == n - 1) {
      a.pattern.row.pop_back();
      a.values.pop_back();
    }
    if (j == 0) {
      a.pattern.row.push_back(n - 1);
      a.values.push_back(Scalar(1.0));
    }
    a.pattern.column_start.push_back(to_index(a.pattern.row.size()));
  }
  const auto solver = TypeParam::make(a.pattern);
  ASSERT_TRUE(solver->factor(a.values).ok);
  // A e₆ = −e₅, so the solution of A x = −e₅ is e₆.
  std::vector<Scalar> x(6, Scalar(0.0));
  x[4] = Scalar(-1.0);
  solver->solve(x);
  for (Index i = 0; i < n; ++i) EXPECT_EQ(x[to_size(i)], Scalar(i == 5 ? 1.0 : 0.0)) << i;
}

TYPED_TEST(LinearSolverTest, NamesTheColumnOfAValueThatIsNotFinite) {
  using Scalar = typename TypeParam::Scalar;
  std::mt19937 random(5);
  const auto regular = random_matrix<Scalar>(random, 15, 0.3);
  const auto solver = TypeParam::make(regular.pattern);
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (const Index target : {0, 6, 14}) {
      auto a = regular;
      a.for_each_value([&](Index, Index j, Scalar& v) {
        if (j == target) v = Scalar(bad);
      });
      const FactorReport report = solver->factor(a.values);
      EXPECT_FALSE(report.ok);
      EXPECT_EQ(report.singular_column, target);
    }
  }
  EXPECT_TRUE(solver->factor(regular.values).ok);
}

TYPED_TEST(LinearSolverTest, EstimatesTheConditionOfADiagonalMatrixExactly) {
  using Scalar = typename TypeParam::Scalar;
  const SparsityPattern pattern{4, 4, {0, 1, 2, 3, 4}, {0, 1, 2, 3}};
  const std::vector<Scalar> values{Scalar(1.0), Scalar(-1e-6), Scalar(2.0), Scalar(100.0)};
  const auto solver = TypeParam::make(pattern);
  ASSERT_TRUE(solver->factor(values).ok);
  EXPECT_NEAR(solver->reciprocal_condition(), 1e-8, 1e-20);  // (1e-6)/100
}

TYPED_TEST(LinearSolverTest, AcceptsBadlyScaledRegularMatrices) {
  using Scalar = typename TypeParam::Scalar;
  std::mt19937 random(6);
  auto a = random_matrix<Scalar>(random, 10, 1.0);
  a.for_each_value([](Index i, Index j, Scalar& v) {
    v *= std::pow(10.0, static_cast<double>(-2 * i + 3 * j));
  });
  EXPECT_TRUE(TypeParam::make(a.pattern)->factor(a.values).ok);
}

TYPED_TEST(LinearSolverTest, TakesAnEmptySystem) {
  using Scalar = typename TypeParam::Scalar;
  const auto solver = TypeParam::make(SparsityPattern{0, 0, {0}, {}});
  EXPECT_TRUE(solver->factor({}).ok);
  std::vector<Scalar> nothing;
  solver->solve(nothing);
  EXPECT_EQ(solver->reciprocal_condition(), 1.0);
}

TYPED_TEST(LinearSolverTest, RefusesPatternsThatAreMalformedOrNotSquare) {
  EXPECT_THROW(TypeParam::make(SparsityPattern{2, 1, {0, 1}, {0}}), Error);
  EXPECT_THROW(TypeParam::make(SparsityPattern{2, 2, {0, 1}, {0}}), Error);
  EXPECT_THROW(TypeParam::make(SparsityPattern{2, 2, {0, 2, 2}, {1, 0}}), Error);
  EXPECT_THROW(TypeParam::make(SparsityPattern{2, 2, {0, 1, 2}, {0, 2}}), Error);
}

TYPED_TEST(LinearSolverTest, AllocatesNothingAfterTheFirstFactorisation) {
  using Scalar = typename TypeParam::Scalar;
  std::mt19937 random(7);
  auto a = random_matrix<Scalar>(random, 25, 0.2);
  const auto solver = TypeParam::make(a.pattern);
  ASSERT_TRUE(solver->factor(a.values).ok);
  auto x = random_vector<Scalar>(random, 25);
  const AllocationCount count;
  for (int repeat = 0; repeat < 10; ++repeat) {
    for (Scalar& v : a.values) v *= 1.01;
    solver->factor(a.values);
    solver->solve(x);
  }
  EXPECT_EQ(count.so_far(), 0);
}

template <class Solver>
class KeptPivotsTest : public testing::Test {};

using KeepPivots = testing::Types<KluSolver<double>, ListedLu<double>>;
TYPED_TEST_SUITE(KeptPivotsTest, KeepPivots);

TYPED_TEST(KeptPivotsTest, AreChosenAnewWhenEntriesGrow) {
  // Chosen for [1 1; 1 2], the pivot order is useless for [1e-12 1; 1 2] (growth 1e12).
  const SparsityPattern pattern = full_pattern(2, 2);
  TypeParam solver(pattern);
  ASSERT_TRUE(solver.factor(std::vector{1.0, 1.0, 1.0, 2.0}).ok);
  EXPECT_EQ(solver.n_full_factorizations(), 1);
  ASSERT_TRUE(solver.factor(std::vector{1.1, 1.0, 1.0, 2.0}).ok);
  EXPECT_EQ(solver.n_full_factorizations(), 1) << "harmless changes keep the pivots";
  const FactorReport report = solver.factor(std::vector{1e-12, 1.0, 1.0, 1e-12});
  ASSERT_TRUE(report.ok);
  EXPECT_EQ(solver.n_full_factorizations(), 2);
  EXPECT_GT(report.growth, 0.1);
  std::vector<double> x{1.0, 2.0};
  solver.solve(x);
  EXPECT_NEAR(x[0], 2.0, 1e-11);
  EXPECT_NEAR(x[1], 1.0, 1e-11);
}

}  // namespace
}  // namespace daedal::linalg
