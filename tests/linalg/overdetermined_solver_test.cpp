// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/overdetermined_solver.hpp"

#include <gmock/gmock.h>

#include <daedal/error.hpp>

#include "linalg/dense/rank.hpp"
#include "linalg/linalg_support.hpp"
#include "linalg/sparse/sparsity.hpp"

namespace daedal::linalg {
namespace {

constexpr Corrector correctors[] = {Corrector::state_space_form, Corrector::least_squares,
                                    Corrector::constrained_least_squares};

struct Problem {
  Matrix a;  ///< [A₁; A₂]
  Index n;
  [[nodiscard]] Matrix a1() const { return a.topRows(n); }
  [[nodiscard]] Matrix a2() const { return a.bottomRows(a.rows() - n); }
};

Problem random_problem(std::mt19937& random, Index n, Index m) {
  return {random_dense(random, n + m, n), n};
}

Vector solve(const Problem& problem, Corrector corrector, const Vector& rhs,
             Storage storage = Storage::automatic) {
  const auto solver =
      make_overdetermined_solver(full_pattern(problem.a.rows(), problem.n), corrector, storage);
  EXPECT_TRUE(solver->factor({problem.a.data(), to_size(problem.a.size())}).ok);
  Vector x(problem.n);
  solver->solve({rhs.data(), to_size(rhs.size())}, {x.data(), to_size(x.size())});
  return x;
}

TEST(OverdeterminedSolver, SolvesConsistentSystemsExactlyByEveryCorrector) {
  std::mt19937 random(51);
  const Problem problem = random_problem(random, 8, 3);
  const Vector exact = random_dense(random, 8, 1);
  for (const Corrector corrector : correctors) {
    EXPECT_LT((solve(problem, corrector, problem.a * exact) - exact).norm(), 1e-12);
  }
}

TEST(OverdeterminedSolver, SolvesTheConstrainedProblemOfCorollary31) {
  // Führer, Leimkuhler (41): min ‖A₁x − a₁‖ over A₁x − a₁ ∈ Range(A₂ᵀ), subject to A₂x = a₂.
  std::mt19937 random(57);
  const Problem problem = random_problem(random, 9, 4);
  const Vector rhs = random_dense(random, 13, 1);
  const Vector x = solve(problem, Corrector::state_space_form, rhs);
  const Vector defect = problem.a1() * x - rhs.head(9);
  EXPECT_LT((problem.a2() * x - rhs.tail(4)).norm(), 1e-12);
  const Matrix v = null_space(problem.a2());
  EXPECT_LT((v.transpose() * defect).norm(), 1e-12 * defect.norm());
  // The admissible x are those of (42), x = A₁⁻¹(A₂ᵀz + a₁): the constraint leaves one z.
  Matrix inverse(9, 13);
  Matrix right(9, 13);
  right << problem.a2().transpose(), Matrix::Identity(9, 9);
  for (Index j = 0; j < 13; ++j) {
    inverse.col(j) = min_norm_least_squares(problem.a1(), right.col(j));
  }
  const Vector start = inverse.rightCols(9) * rhs.head(9);
  const Vector z = min_norm_least_squares(problem.a2() * inverse.leftCols(4),
                                          rhs.tail(4) - problem.a2() * start);
  EXPECT_LT((start + inverse.leftCols(4) * z - x).norm(), 1e-10 * x.norm());
  EXPECT_NEAR((problem.a2().transpose() * z).norm(), defect.norm(), 1e-10 * defect.norm());
  // Without the first condition the defect can be smaller: that is the other corrector, (28).
  const Vector other = solve(problem, Corrector::constrained_least_squares, rhs);
  EXPECT_LT((problem.a1() * other - rhs.head(9)).norm(), 0.999 * defect.norm());
}

TEST(OverdeterminedSolver, GivesTheStateSpaceFormOfDefinition31) {
  std::mt19937 random(52);
  for (const Storage storage : {Storage::dense, Storage::sparse}) {
    const Problem problem = random_problem(random, 9, 4);
    const Vector rhs = random_dense(random, 13, 1);
    // Führer, Leimkuhler (27), with V and A₂⁺ from the singular value decomposition.
    const Matrix v = null_space(problem.a2());
    const Vector x0 = min_norm_least_squares(problem.a2(), rhs.tail(4));
    const Matrix reduced = v.transpose() * problem.a1() * v;
    const Vector z =
        min_norm_least_squares(reduced, v.transpose() * (rhs.head(9) - problem.a1() * x0));
    const Vector expected = x0 + v * z;
    const Vector x = solve(problem, Corrector::state_space_form, rhs, storage);
    EXPECT_LT((x - expected).norm(), 1e-11 * expected.norm());
  }
}

TEST(OverdeterminedSolver, HandsOutTheMultipliersOfTheExtendedSystem) {
  std::mt19937 random(53);
  const Problem problem = random_problem(random, 6, 2);
  const Vector rhs = random_dense(random, 8, 1);
  const auto solver = make_overdetermined_solver(full_pattern(8, 6), Corrector::state_space_form);
  ASSERT_TRUE(solver->factor({problem.a.data(), 48}).ok);
  Vector x(6);
  solver->solve({rhs.data(), 8}, {x.data(), 6});
  const Vector mu = as_vector(solver->multipliers());
  EXPECT_LT((problem.a1() * x + problem.a2().transpose() * mu - rhs.head(6)).norm(), 1e-12);
  EXPECT_LT((problem.a2() * x - rhs.tail(2)).norm(), 1e-12);
}

TEST(OverdeterminedSolver, SatisfiesTheConditionsOfEachLeastSquaresProblem) {
  std::mt19937 random(54);
  const Problem problem = random_problem(random, 7, 3);
  const Vector rhs = random_dense(random, 10, 1);
  const Vector free = solve(problem, Corrector::least_squares, rhs);
  EXPECT_LT((problem.a.transpose() * (problem.a * free - rhs)).norm(), 1e-12);
  EXPECT_GT((problem.a2() * free - rhs.tail(3)).norm(), 1e-3) << "it leaves the invariants";

  const Vector bound = solve(problem, Corrector::constrained_least_squares, rhs);
  EXPECT_LT((problem.a2() * bound - rhs.tail(3)).norm(), 1e-12);
  const Matrix v = null_space(problem.a2());
  const Vector residual = problem.a1() * bound - rhs.head(7);
  EXPECT_LT((v.transpose() * problem.a1().transpose() * residual).norm(), 1e-12);
}

TEST(OverdeterminedSolver, NamesADependentConstraint) {
  std::mt19937 random(55);
  Problem problem = random_problem(random, 6, 3);
  problem.a.row(8) = -2.0 * problem.a.row(6);
  for (const Corrector corrector :
       {Corrector::state_space_form, Corrector::constrained_least_squares}) {
    const auto solver = make_overdetermined_solver(full_pattern(9, 6), corrector);
    const OverdeterminedReport report = solver->factor({problem.a.data(), 54});
    EXPECT_FALSE(report.ok);
    EXPECT_THAT(report.dependent_constraint, testing::AnyOf(0, 2));
    EXPECT_EQ(report.singular_column, -1);
  }
  EXPECT_TRUE(make_overdetermined_solver(full_pattern(9, 6), Corrector::least_squares)
                  ->factor({problem.a.data(), 54})
                  .ok)
      << "least squares do not mind";
}

TEST(OverdeterminedSolver, NamesAnUndeterminedUnknown) {
  std::mt19937 random(56);
  Problem problem = random_problem(random, 6, 2);
  problem.a.col(4).setZero();
  for (const Corrector corrector : correctors) {
    const OverdeterminedReport report =
        make_overdetermined_solver(full_pattern(8, 6), corrector)->factor({problem.a.data(), 48});
    EXPECT_FALSE(report.ok);
    EXPECT_EQ(report.singular_column, 4);
    EXPECT_EQ(report.dependent_constraint, -1);
  }
}

TEST(OverdeterminedSolver, ReducesToASquareSolveWithoutConstraints) {
  std::mt19937 random(57);
  const Problem problem = random_problem(random, 5, 0);
  const Vector exact = random_dense(random, 5, 1);
  for (const Corrector corrector : correctors) {
    EXPECT_LT((solve(problem, corrector, problem.a * exact) - exact).norm(), 1e-11);
  }
}

TEST(OverdeterminedSolver, RefusesUnderdeterminedPatterns) {
  EXPECT_THROW(make_overdetermined_solver(full_pattern(2, 3), Corrector::state_space_form), Error);
}

TEST(OverdeterminedSolver, AllocatesNothingInTheLoop) {
  std::mt19937 random(58);
  const Problem problem = random_problem(random, 8, 3);
  const Vector rhs = random_dense(random, 11, 1);
  Vector x(8);
  for (const Corrector corrector : correctors) {
    const auto solver = make_overdetermined_solver(full_pattern(11, 8), corrector);
    solver->factor({problem.a.data(), 88});
    const AllocationCount count;
    for (int repeat = 0; repeat < 3; ++repeat) {
      solver->factor({problem.a.data(), 88});
      solver->solve({rhs.data(), 11}, {x.data(), 8});
    }
    EXPECT_EQ(count.so_far(), 0);
  }
}

}  // namespace
}  // namespace daedal::linalg
