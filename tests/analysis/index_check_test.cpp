// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/index_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "analysis/analysis_support.hpp"

namespace daedal::analysis {
namespace {

using Outcome = IndexCheck::Outcome;
using test::matrix;
using test::TestPencil;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

struct Example {
  Matrix a;
  Matrix e;
};

/// Nilpotent blocks: E has ones above the diagonal, A = I, of index n.
Example nilpotent(Index n) {
  Matrix e = Matrix::Zero(n, n);
  for (Index i = 0; i + 1 < n; ++i) e(i, i + 1) = 1.0;
  return {Matrix::Identity(n, n), e};
}

/// The pendulum x' = u, y' = v, u' = −λx, v' = −λy − g, x² + y² = 1 at (0.6, −0.8), λ = 2.
Example pendulum() {
  Matrix e = Matrix::Zero(5, 5);
  e.diagonal().head(4).setOnes();
  const Matrix a = matrix({{0, 0, -1, 0, 0},
                           {0, 0, 0, -1, 0},
                           {2, 0, 0, 0, 0.6},
                           {0, 2, 0, 0, -0.8},
                           {1.2, -1.6, 0, 0, 0}});
  return {a, e};
}

/// Differentiated twice it has index 1: x·u' + y·v' + u² + v² = 0, at rest.
Example reduced_pendulum() {
  auto example = pendulum();
  example.a.row(4) << 0, 0, 0, 0, 0;
  example.e.row(4) << 0, 0, 0.6, -0.8, 0;
  return example;
}

/// Rows and columns multiplied by powers of ten between 1e-8 and 1e8.
Example badly_scaled(const Example& example, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponent(-8.0, 8.0);
  Example result = example;
  for (Index i = 0; i < result.a.rows(); ++i) {
    const double row = std::pow(10.0, exponent(random));
    const double column = std::pow(10.0, exponent(random));
    result.a.row(i) *= row;
    result.e.row(i) *= row;
    result.a.col(i) *= column;
    result.e.col(i) *= column;
  }
  return result;
}

/// P (A, E) Q with dense well-conditioned P, Q: the same index, no structure to see.
Example mixed(const Example& example, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  const Index n = example.a.rows();
  Matrix p = 3.0 * Matrix::Identity(n, n);
  Matrix q = 3.0 * Matrix::Identity(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      p(i, j) += entry(random);
      q(i, j) += entry(random);
    }
  }
  return {p * example.a * q, p * example.e * q};
}

Outcome outcome(const Example& example, IndexRoad road = IndexRoad::automatic) {
  return check_index(TestPencil(example.a, example.e).get(), road).outcome;
}

TEST(IndexCheck, AcceptsAnOrdinaryDifferentialEquation) {
  EXPECT_EQ(outcome({matrix({{-1, 2}, {3, -4}}), Matrix::Identity(2, 2)}), Outcome::at_most_one);
}

TEST(IndexCheck, AcceptsPurelyAlgebraicEquations) {
  EXPECT_EQ(outcome({matrix({{-1, 2}, {3, -4}}), Matrix::Zero(2, 2)}), Outcome::at_most_one);
}

// x1' + x2' = 0, x1 = x2: both variables are differential.
TEST(IndexCheck, AcceptsAnAlgebraicRelationOfDifferentialVariables) {
  const Example example{matrix({{0, 0}, {1, -1}}), matrix({{1, 1}, {0, 0}})};
  EXPECT_EQ(outcome(example, IndexRoad::automatic), Outcome::at_most_one);
  EXPECT_EQ(outcome(example, IndexRoad::singular_values), Outcome::at_most_one);
  EXPECT_EQ(outcome(example, IndexRoad::growth), Outcome::at_most_one);
}

// Two equal rows of E: the hidden algebraic equation is their difference.
TEST(IndexCheck, AcceptsAnAlgebraicEquationHiddenInTwoDifferentialOnes) {
  const Example example{matrix({{1, 0}, {0, 1}}), matrix({{1, 1}, {1, 1}})};
  EXPECT_EQ(outcome(example), Outcome::at_most_one);
  EXPECT_EQ(outcome(example, IndexRoad::growth), Outcome::at_most_one);
}

TEST(IndexCheck, SeesNilpotentBlocksOfEveryIndexByBothRoads) {
  for (const auto road : {IndexRoad::automatic, IndexRoad::singular_values, IndexRoad::growth}) {
    EXPECT_EQ(outcome(nilpotent(1), road), Outcome::at_most_one);
    for (Index index = 2; index <= 5; ++index)
      EXPECT_EQ(outcome(nilpotent(index), road), Outcome::higher) << "index " << index;
  }
}

TEST(IndexCheck, NamesTheRodAndItsForceInAPendulum) {
  const auto example = pendulum();
  for (const auto road : {IndexRoad::automatic, IndexRoad::growth}) {
    const auto check = check_index(TestPencil(example.a, example.e).get(), road);
    EXPECT_EQ(check.outcome, Outcome::higher);
    EXPECT_TRUE(check.is_clear);
    EXPECT_THAT(check.equations, ElementsAre(4));
    EXPECT_THAT(check.unknowns, ElementsAre(4));
  }
}

TEST(IndexCheck, AcceptsThePendulumWithItsAccelerationConstraint) {
  for (const auto road : {IndexRoad::automatic, IndexRoad::singular_values, IndexRoad::growth})
    EXPECT_EQ(outcome(reduced_pendulum(), road), Outcome::at_most_one);
}

TEST(IndexCheck, IsNotMisledByBadScaling) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(outcome(badly_scaled(pendulum(), seed)), Outcome::higher) << seed;
    EXPECT_EQ(outcome(badly_scaled(reduced_pendulum(), seed)), Outcome::at_most_one) << seed;
    EXPECT_EQ(outcome(badly_scaled(nilpotent(2), seed)), Outcome::higher) << seed;
  }
}

// Two currents through conductances of 1e-14 that meet in a node, between voltages of 1: the
// equations determine everything, whatever g is.
TEST(IndexCheck, AcceptsTinyConductances) {
  for (const double g : {1.0, 1e-6, 1e-14}) {
    // i1 = g (ua - v), i2 = g ub, i1 + i2 = 0, ua - ub = 1, v' = i1
    const Matrix a = matrix(
        {{1, 0, -g, 0, g}, {0, 1, 0, -g, 0}, {1, 1, 0, 0, 0}, {0, 0, 1, -1, 0}, {-1, 0, 0, 0, 0}});
    Matrix e = Matrix::Zero(5, 5);
    e(4, 4) = 1.0;
    EXPECT_EQ(outcome({a, e}), Outcome::at_most_one) << g;
  }
}

TEST(IndexCheck, SeesTheIndexOfMixedEquationsWithoutStructure) {
  Example semi{Matrix::Identity(4, 4), Matrix::Zero(4, 4)};
  semi.e(0, 0) = semi.e(1, 1) = 1.0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(outcome(mixed(nilpotent(3), seed)), Outcome::higher) << seed;
    EXPECT_EQ(outcome(mixed(pendulum(), seed)), Outcome::higher) << seed;
    EXPECT_EQ(outcome(mixed(semi, seed)), Outcome::at_most_one) << seed;
  }
}

// Robertson shortly after its start: y1', y2', and y1 + y2 + y3 = 1; entries from 1e-2 to 3e3.
TEST(IndexCheck, AcceptsRobertsonsKinetics) {
  const double y2 = 3.6e-5;
  const double y3 = 1e-2;
  const Matrix a =
      matrix({{0.04, -1e4 * y3, -1e4 * y2}, {-0.04, 1e4 * y3 + 6e7 * y2, 1e4 * y2}, {1, 1, 1}});
  Matrix e = Matrix::Zero(3, 3);
  e(0, 0) = e(1, 1) = 1.0;
  EXPECT_EQ(outcome({a, e}), Outcome::at_most_one);
}

// A capacitor of 1e-9 F charged through a resistor of 1e6 Ω: unknowns u_C, i, u_R.
TEST(IndexCheck, AcceptsACircuitOfIndexOneInSmallUnits) {
  const Matrix a = matrix({{0, -1, 0}, {1, 0, 1}, {0, -1e6, 1}});
  Matrix e = Matrix::Zero(3, 3);
  e(0, 0) = 1e-9;
  for (const auto road : {IndexRoad::automatic, IndexRoad::singular_values, IndexRoad::growth})
    EXPECT_EQ(outcome({a, e}, road), Outcome::at_most_one);
}

// A loop of a capacitor and a voltage source: C·u' = i, u = U(t). The current has index 2.
TEST(IndexCheck, NamesTheLoopOfCapacitorAndVoltageSource) {
  const Matrix a = matrix({{0, -1}, {1, 0}});
  Matrix e = Matrix::Zero(2, 2);
  e(0, 0) = 1e-9;
  const auto check = check_index(TestPencil(a, e).get());
  EXPECT_EQ(check.outcome, Outcome::higher);
  EXPECT_THAT(check.equations, ElementsAre(1));
  EXPECT_THAT(check.unknowns, ElementsAre(1));
}

// x' = y twice: the second equation repeats the first, and nothing else determines x and y.
TEST(IndexCheck, TellsASingularPencilFromAHighIndex) {
  const Example repeated{matrix({{0, -1, 0}, {0, -2, 0}, {0, 0, 1}}),
                         matrix({{1, 0, 0}, {2, 0, 0}, {0, 0, 1}})};
  for (const auto road : {IndexRoad::automatic, IndexRoad::singular_values}) {
    const auto check = check_index(TestPencil(repeated.a, repeated.e).get(), road);
    EXPECT_EQ(check.outcome, Outcome::singular_pencil);
    EXPECT_THAT(check.equations, ElementsAre(0, 1));
    EXPECT_THAT(check.unknowns, ElementsAre(0, 1));
  }
  const auto check = check_index(TestPencil(repeated.a, repeated.e).get(), IndexRoad::growth);
  EXPECT_EQ(check.outcome, Outcome::singular_pencil);
  EXPECT_THAT(check.equations, Not(IsEmpty()));
  EXPECT_THAT(check.unknowns, Not(IsEmpty()));
}

TEST(IndexCheck, TellsAnEmptyColumnAsASingularPencil) {
  const Example example{matrix({{1, 0}, {2, 0}}), matrix({{1, 0}, {0, 0}})};
  EXPECT_EQ(outcome(example), Outcome::singular_pencil);
  EXPECT_EQ(outcome(example, IndexRoad::growth), Outcome::singular_pencil);
}

TEST(IndexCheck, SaysWhenTheNumbersLieAroundTheTolerance) {
  // ZᵀAT = [1 1; 1 1+4e-10] has the singular values 2 and 2e-10: on the tolerance.
  const Matrix a = matrix({{1, 0, 0}, {0, 1, 1}, {0, 1, 1.0 + 4e-10}});
  Matrix e = Matrix::Zero(3, 3);
  e(0, 0) = 1.0;
  EXPECT_FALSE(check_index(TestPencil(a, e).get()).is_clear);
}

/// n cells x_i' = x_{i−1} − 2x_i + x_{i+1} + y_i with y_i = x_i (index 1); `constrained`: in the
/// last cell x_n is prescribed instead (index 2).
struct LargeChain {
  LargeChain(Index n, bool constrained) {
    pattern.rows = pattern.columns = 2 * n;
    pattern.column_start = {0};
    for (Index j = 0; j < n; ++j) {
      if (j > 0) push(j - 1, -1.0, 0.0);
      push(j, 2.0, 1.0);
      if (j + 1 < n) push(j + 1, -1.0, 0.0);
      push(n + j, 1.0, 0.0);
      pattern.column_start.push_back(pattern.nonzeros());
    }
    for (Index j = 0; j < n; ++j) {
      push(j, -1.0, 0.0);
      if (!constrained || j + 1 < n) push(n + j, -1.0, 0.0);
      pattern.column_start.push_back(pattern.nonzeros());
    }
  }
  void push(Index row, double in_a, double in_e) {
    pattern.row.push_back(row);
    a.push_back(in_a);
    e.push_back(in_e);
  }

  SparsityPattern pattern;
  std::vector<double> a;
  std::vector<double> e;
};

TEST(IndexCheck, AcceptsAHundredThousandEquationsOfIndexOne) {
  const LargeChain chain(50'000, false);
  for (const auto road : {IndexRoad::automatic, IndexRoad::growth}) {
    const auto check = check_index({chain.pattern, chain.a, chain.e}, road);
    EXPECT_TRUE(check.is_clear);
    EXPECT_EQ(check.outcome, Outcome::at_most_one);
  }
}

TEST(IndexCheck, FindsTheOneConstraintAmongAHundredThousandEquations) {
  const Index n = 50'000;
  const LargeChain chain(n, true);
  const auto check = check_index({chain.pattern, chain.a, chain.e});
  EXPECT_TRUE(check.is_clear);
  EXPECT_EQ(check.outcome, Outcome::higher);
  EXPECT_THAT(check.equations, ElementsAre(2 * n - 1));
  EXPECT_THAT(check.unknowns, ElementsAre(2 * n - 1));
}

}  // namespace
}  // namespace daedal::analysis
