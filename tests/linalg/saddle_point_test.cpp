// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/saddle_point.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <daedal/error.hpp>
#include <limits>

#include "linalg/dense/rank.hpp"
#include "linalg/linalg_support.hpp"
#include "linalg/sparse/elimination_order.hpp"
#include "linalg/sparse/sparsity.hpp"

namespace daedal::linalg {
namespace {

/// The entries of a dense matrix that are not zero.
SparseMatrix<double> sparse(const Matrix& a) {
  SparseMatrix<double> result;
  result.pattern = {.rows = a.rows(), .columns = a.cols(), .column_start = {0}, .row = {}};
  for (Index j = 0; j < a.cols(); ++j) {
    for (Index i = 0; i < a.rows(); ++i) {
      if (a(i, j) == 0.0) continue;
      result.pattern.row.push_back(i);
      result.values.push_back(a(i, j));
    }
    result.pattern.column_start.push_back(to_index(result.pattern.row.size()));
  }
  return result;
}

Matrix kkt(const Matrix& m, const Matrix& g, double epsilon = 0.0) {
  const Index n = m.rows();
  const Index rows = g.rows();
  Matrix k(n + rows, n + rows);
  k << m, g.transpose(), g, -epsilon * Matrix::Identity(rows, rows);
  return k;
}

struct Solved {
  SaddlePointReport report;
  Vector x;
};

Solved solve(const Matrix& m, const Matrix& g, const Vector& b, SaddlePointOptions options = {}) {
  const auto sparse_m = sparse(m);
  const auto sparse_g = sparse(g);
  SaddlePointSolver solver(sparse_m.pattern, sparse_g.pattern, options);
  Solved result{solver.factor(sparse_m.values, sparse_g.values), b};
  if (result.report.ok) {
    solver.solve({result.x.data(), to_size(m.rows())},
                 {result.x.data() + m.rows(), to_size(g.rows())});
  }
  return result;
}

/// ‖Kx − b‖ / (‖K‖‖x‖ + ‖b‖)
double backward_error(const Matrix& k, const Vector& x, const Vector& b) {
  return (k * x - b).norm() / (k.norm() * x.norm() + b.norm());
}

/// A sparse positive definite matrix: AᵀA of a sparse A, plus a diagonal.
Matrix random_mass(std::mt19937& random, Index n, double fill) {
  std::uniform_real_distribution<double> uniform;
  Matrix a = random_dense(random, n, n);
  for (double& v : a.reshaped()) v = uniform(random) < fill ? v : 0.0;
  return a.transpose() * a + Matrix::Identity(n, n);
}

Matrix random_constraints(std::mt19937& random, Index m, Index n, double fill) {
  std::uniform_real_distribution<double> uniform;
  Matrix g = random_dense(random, m, n);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      // A full diagonal keeps the rank.
      if (i != j && uniform(random) > fill) g(i, j) = 0.0;
    }
  }
  return g;
}

/// A chain of links in the plane with coordinates x, y, θ each: joint i ties the end of link i to
/// the beginning of link i+1, the first link hangs at the origin.
struct Chain {
  Matrix mass;
  Matrix constraints;
};
Chain make_chain(Index n_links, std::mt19937& random) {
  std::uniform_real_distribution<double> angle(0.0, 6.28);
  Chain chain{Matrix::Zero(3 * n_links, 3 * n_links), Matrix::Zero(2 * n_links, 3 * n_links)};
  for (Index i = 0; i < n_links; ++i) {
    chain.mass.diagonal().segment(3 * i, 3) << 1.0, 1.0, 1.0 / 12.0;
    const double phi = angle(random);
    const double s = 0.5 * std::sin(phi);
    const double c = 0.5 * std::cos(phi);
    chain.constraints.block(2 * i, 3 * i, 2, 3) << 1.0, 0.0, s, 0.0, 1.0, -c;
    if (i + 1 < n_links) {
      chain.constraints.block(2 * i + 2, 3 * i, 2, 3) << -1.0, 0.0, s, 0.0, -1.0, -c;
    }
  }
  return chain;
}

TEST(SaddlePoint, SolvesRandomSparseSystemsWithoutPivoting) {
  std::mt19937 random(31);
  for (const auto& [n, m] : {std::pair{1, 1}, {7, 6}, {12, 5}, {30, 20}, {70, 40}}) {
    for (const double fill : {0.05, 0.3, 1.0}) {
      const Matrix mass = random_mass(random, n, fill);
      const Matrix g = random_constraints(random, m, n, fill);
      const Vector b = random_dense(random, n + m, 1);
      const Solved solved = solve(mass, g, b);
      ASSERT_TRUE(solved.report.ok);
      EXPECT_FALSE(solved.report.pivoted) << n << ' ' << fill;
      // The static order loses at most round-off / pivot_ratio, which stays above 1e-3 here.
      EXPECT_GT(solved.report.pivot_ratio, 1e-3);
      EXPECT_LT(backward_error(kkt(mass, g), solved.x, b), 1e-13) << n << ' ' << fill;
    }
  }
}

TEST(SaddlePoint, FactorsAndSolvesAtOnce) {
  std::mt19937 random(38);
  // Full triangles of every size at the end, and long columns (45 of them) before it.
  for (Index n = 1; n <= 46; n += n < 10 ? 1 : 9) {
    for (const double fill : {0.1, 1.0}) {
      const Index m = n / 2;
      const Matrix mass = random_mass(random, n, fill);
      const Matrix g = random_constraints(random, m, n, fill);
      const Vector b = random_dense(random, n + m, 1);
      const auto sparse_m = sparse(mass);
      const auto sparse_g = sparse(g);
      SaddlePointSolver solver(sparse_m.pattern, sparse_g.pattern);
      Vector x = b;
      const SaddlePointSolver::Sides sides{{x.data(), to_size(n)}, {x.data() + n, to_size(m)}};
      ASSERT_TRUE(solver.factor_and_solve(sparse_m.values, sparse_g.values, sides).ok);
      EXPECT_LT(backward_error(kkt(mass, g), x, b), 1e-13) << n << ' ' << fill;
      // The factors serve further right-hand sides, the masses further factorisations.
      Vector again = b;
      solver.solve({again.data(), to_size(n + m)});
      EXPECT_LT((again - x).norm(), 1e-12 * x.norm());
      x = b;
      ASSERT_TRUE(solver.factor_and_solve({}, sparse_g.values, sides).ok);
      EXPECT_LT(backward_error(kkt(mass, g), x, b), 1e-13) << n << ' ' << fill;
    }
  }
}

/// Coordinate 1 has no mass; the constraint determines it. M is definite on the null space of G.
struct MasslessCoordinate {
  Matrix mass = Matrix::Identity(3, 3);
  SparseMatrix<double> g;
  Vector b{4};

  MasslessCoordinate() {
    mass(1, 1) = 0.0;
    Matrix row(1, 3);
    row << 1.0, 2.0, 0.0;
    g = sparse(row);
    b << 1.0, 2.0, 3.0, 4.0;
  }
  /// 2λ = 2, a₀ + λ = 1, a₂ = 3, a₀ + 2a₁ = 4
  static Vector expected() {
    Vector values(4);
    values << 0.0, 2.0, 3.0, 1.0;
    return values;
  }
};

TEST(SaddlePoint, FactorsAndSolvesAtOnceWithPivoting) {
  MasslessCoordinate problem;
  Vector& b = problem.b;
  SaddlePointSolver solver(full_pattern(3, 3), problem.g.pattern);
  const SaddlePointReport report = solver.factor_and_solve(
      {problem.mass.data(), 9}, problem.g.values, {{b.data(), 3}, {b.data() + 3, 1}});
  ASSERT_TRUE(report.ok);
  EXPECT_TRUE(report.pivoted);
  EXPECT_LT((b - MasslessCoordinate::expected()).norm(), 1e-15);
  const std::vector<double> values{1.0, 0.0};  // now nothing determines coordinate 1
  EXPECT_EQ(
      solver.factor_and_solve({}, values, {{b.data(), 3}, {b.data() + 3, 1}}).singular_coordinate,
      1);
}

TEST(SaddlePoint, ReadsOneTriangleOfTheMassMatrixAsWellAsBoth) {
  std::mt19937 random(32);
  const Matrix mass = random_mass(random, 8, 0.3);
  const Matrix g = random_constraints(random, 3, 8, 0.5);
  const Vector b = random_dense(random, 11, 1);
  const Vector both = solve(mass, g, b).x;
  EXPECT_EQ(solve(mass.triangularView<Eigen::Lower>(), g, b).x, both);
  EXPECT_EQ(solve(mass.triangularView<Eigen::Upper>(), g, b).x, both);
}

TEST(SaddlePoint, RegularisesRedundantConstraintsDirectly) {
  std::mt19937 random(33);
  const Matrix mass = random_mass(random, 6, 0.5);
  Matrix g = random_constraints(random, 3, 6, 0.5);
  g.row(2) = 2.0 * g.row(0);
  const Vector b = random_dense(random, 9, 1);
  const double epsilon = 1e-3;
  const Solved solved = solve(mass, g, b, {.regularization = epsilon});
  ASSERT_TRUE(solved.report.ok);
  EXPECT_LT(backward_error(kkt(mass, g, epsilon), solved.x, b), 1e-12);
}

TEST(SaddlePoint, NamesARedundantConstraint) {
  std::mt19937 random(34);
  for (const Index n : {6, 60}) {  // the dense and the sparse fallback
    const Chain chain = make_chain(n, random);
    Matrix g(2 * n + 1, 3 * n);
    g << chain.constraints, chain.constraints.row(3);
    const Solved solved = solve(chain.mass, g, Vector::Ones(5 * n + 1));
    EXPECT_FALSE(solved.report.ok);
    EXPECT_THAT(solved.report.singular_constraint, testing::AnyOf(3, 2 * n));
    EXPECT_EQ(solved.report.singular_coordinate, -1);
    EXPECT_LT(solved.report.pivot_ratio, 1e-12);
    EXPECT_THAT(solved.report.weakest_constraint, testing::AnyOf(3, 2 * n));
  }
}

TEST(SaddlePoint, NamesAConstraintThatTouchesNothing) {
  std::mt19937 random(35);
  Matrix g = random_constraints(random, 3, 5, 1.0);
  g.row(1).setZero();
  const Solved solved = solve(Matrix::Identity(5, 5), g, Vector::Ones(8));
  EXPECT_FALSE(solved.report.ok);
  EXPECT_EQ(solved.report.singular_constraint, 1);
}

TEST(SaddlePoint, PivotsWhenTheMassMatrixIsOnlySemidefinite) {
  MasslessCoordinate problem;
  Vector& b = problem.b;
  SaddlePointSolver solver(full_pattern(3, 3), problem.g.pattern);
  const SaddlePointReport report =
      solver.factor({problem.mass.data(), to_size(problem.mass.size())}, problem.g.values);
  ASSERT_TRUE(report.ok);
  EXPECT_TRUE(report.pivoted);
  solver.solve({b.data(), 4});
  EXPECT_LT((b - MasslessCoordinate::expected()).norm(), 1e-15);
}

TEST(SaddlePoint, NamesACoordinateThatNothingDetermines) {
  Matrix mass = Matrix::Identity(3, 3);
  mass(2, 2) = 0.0;
  Matrix g(1, 3);
  g << 1.0, 2.0, 0.0;
  const auto sparse_g = sparse(g);
  SaddlePointSolver solver(full_pattern(3, 3), sparse_g.pattern);
  const SaddlePointReport report =
      solver.factor({mass.data(), to_size(mass.size())}, sparse_g.values);
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.singular_coordinate, 2);
  EXPECT_EQ(report.singular_constraint, -1);
}

TEST(SaddlePoint, NamesTheRowOrColumnOfAValueThatIsNotFinite) {
  std::mt19937 random(36);
  const Chain chain = make_chain(4, random);
  auto mass = sparse(chain.mass);
  auto g = sparse(chain.constraints);
  SaddlePointSolver solver(mass.pattern, g.pattern);
  mass.values[5] = std::numeric_limits<double>::quiet_NaN();
  SaddlePointReport report = solver.factor(mass.values, g.values);
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.singular_coordinate, 5);
  mass.values[5] = 1.0;
  report = solver.factor(mass.values, g.values);
  EXPECT_TRUE(report.ok);
  EXPECT_FALSE(report.pivoted) << "returns to the fast road";
}

TEST(SaddlePoint, KeepsItsDigitsWhenConstraintsAreNearlyDependent) {
  // Two normals at an angle of 1e-6: GM⁻¹Gᵀ has condition 1e12 and LDLᵀ would lose twelve digits.
  Matrix g(2, 3);
  g << 1.0, 1.0, 0.0, 1.0, 1.0, 1e-6;
  Vector b(5);
  b << 1.0, 2.0, 3.0, 4.0, 4.0 + 1e-6;
  const Solved solved = solve(Matrix::Identity(3, 3), g, b);
  ASSERT_TRUE(solved.report.ok);
  EXPECT_TRUE(solved.report.pivoted);
  // The second row gives a₂ = 1 up to the rounding error of its right side, 4e-16 / 1e-6.
  EXPECT_NEAR(solved.x(2), 1.0, 1e-9);
  EXPECT_NEAR(solved.x(0) + solved.x(1), 4.0, 1e-14);
  EXPECT_NEAR(solved.x(0), 1.5, 1e-14) << "(a₀, a₁) is the projection of (1, 2)";
}

TEST(SaddlePoint, ReportsTheAngleBetweenConstraints) {
  // sin² of the angle between the two normals in the metric of M⁻¹ is the pivot ratio's meaning:
  // (g₂·g₂)(1 − cos²) made of terms (g₂·g₂)(1 + cos²).
  const double angle = 0.1;
  Matrix g(2, 2);
  g << 1.0, 0.0, std::cos(angle), std::sin(angle);
  const Solved solved = solve(Matrix::Identity(2, 2), g, Vector::Ones(4));
  const double cos2 = std::cos(angle) * std::cos(angle);
  EXPECT_NEAR(solved.report.pivot_ratio, (1.0 - cos2) / (1.0 + cos2), 1e-14);
  EXPECT_GE(solved.report.weakest_constraint, 0);
}

TEST(SaddlePoint, KeepsTheMassValuesForNewConstraints) {
  std::mt19937 random(37);
  const Chain first = make_chain(5, random);
  const Chain second = make_chain(5, random);
  const auto mass = sparse(first.mass);
  const auto g1 = sparse(first.constraints);
  const auto g2 = sparse(second.constraints);
  SaddlePointSolver solver(mass.pattern, g1.pattern);
  ASSERT_TRUE(solver.factor(mass.values, g1.values).ok);
  ASSERT_TRUE(solver.factor(g2.values).ok);
  Vector x = Vector::Ones(25);
  solver.solve({x.data(), 25});
  EXPECT_LT(backward_error(kkt(first.mass, second.constraints), x, Vector::Ones(25)), 1e-14);
}

TEST(SaddlePoint, FactorsAChainInLinearSpaceAndTime) {
  std::mt19937 random(38);
  Index previous_nonzeros = 0;
  Index previous_operations = 0;
  for (const Index n : {50, 100, 200}) {
    const Chain chain = make_chain(n, random);
    const SaddlePointSolver solver(sparse(chain.mass).pattern, sparse(chain.constraints).pattern);
    if (previous_nonzeros > 0) {
      EXPECT_LT(solver.nonzeros(), 2 * previous_nonzeros + 50);
      EXPECT_LT(solver.n_operations(), 2 * previous_operations + 200);
    }
    previous_nonzeros = solver.nonzeros();
    previous_operations = solver.n_operations();
  }
}

TEST(SaddlePoint, StaysLinearWhenTheMassMatrixCouplesNeighbours) {
  // M tridiagonal: eliminating all of M first would fill GM⁻¹Gᵀ completely.
  const auto nonzeros = [](Index n) {
    Matrix mass = 4.0 * Matrix::Identity(n, n);
    mass.diagonal(1).setOnes();
    mass.diagonal(-1).setOnes();
    Matrix g = Matrix::Zero(n / 2, n);
    for (Index i = 0; i < n / 2; ++i) g(i, 2 * i) = g(i, 2 * i + 1) = 1.0;
    return SaddlePointSolver(sparse(mass).pattern, sparse(g).pattern).nonzeros();
  };
  EXPECT_LT(nonzeros(200), 8 * 200);
  EXPECT_LT(nonzeros(400), 2 * nonzeros(200) + 20);
}

TEST(SaddlePoint, TakesSystemsWithoutConstraintsOrWithoutAnything) {
  const Solved solved = solve(2.0 * Matrix::Identity(3, 3), Matrix(0, 3), Vector::Ones(3));
  ASSERT_TRUE(solved.report.ok);
  EXPECT_EQ(solved.x, Vector(Vector::Constant(3, 0.5)));
  EXPECT_TRUE(solve(Matrix(0, 0), Matrix(0, 0), Vector(0)).report.ok);
}

TEST(SaddlePoint, RefusesSizesThatDoNotAgree) {
  EXPECT_THROW(SaddlePointSolver(full_pattern(3, 3), full_pattern(1, 2)), Error);
  EXPECT_THROW(SaddlePointSolver(full_pattern(3, 2), full_pattern(1, 2)), Error);
}

TEST(SaddlePoint, AllocatesNothingInTheLoop) {
  std::mt19937 random(39);
  const Chain chain = make_chain(10, random);
  const auto mass = sparse(chain.mass);
  const auto g = sparse(chain.constraints);
  SaddlePointSolver solver(mass.pattern, g.pattern);
  std::vector<double> top(30, 1.0);
  std::vector<double> bottom(20, 1.0);
  const AllocationCount count;
  for (int repeat = 0; repeat < 10; ++repeat) {
    solver.factor(mass.values, g.values);
    solver.solve(top, bottom);
  }
  EXPECT_EQ(count.so_far(), 0);
}

TEST(EliminationOrder, NeverTakesAConstraintBeforeItsCoordinates) {
  std::mt19937 random(40);
  const Matrix k = kkt(random_mass(random, 20, 0.05), random_constraints(random, 12, 20, 0.1));
  const auto lower = sparse(k.triangularView<Eigen::Lower>()).pattern;
  const std::vector<Index> order = constrained_minimum_degree(lower, 20);
  ASSERT_EQ(order.size(), 32u);
  std::vector<Index> position(32, -1);
  for (std::size_t i = 0; i < order.size(); ++i) position[to_size(order[i])] = to_index(i);
  EXPECT_THAT(position, testing::Each(testing::Ge(0))) << "a permutation";
  for (Index c = 20; c < 32; ++c) {
    for (Index j = 0; j < 20; ++j) {
      if (k(c, j) == 0.0) continue;
      EXPECT_LT(position[to_size(j)], position[to_size(c)]);
    }
  }
}

}  // namespace
}  // namespace daedal::linalg
