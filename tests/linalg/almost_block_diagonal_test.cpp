// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/almost_block_diagonal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "linalg/dense/rank.hpp"

namespace daedal::linalg {
namespace {

/// A random system and its dense form.
struct System {
  AlmostBlockDiagonal blocks;
  Matrix dense;
  Vector right;
};

System random_system(Index n, Index n_blocks) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto fill = [&](auto&& m) {
    for (Index j = 0; j < m.cols(); ++j) {
      for (Index i = 0; i < m.rows(); ++i) m(i, j) = uniform(random);
    }
  };
  System s;
  s.blocks.resize(n, n_blocks, n);
  const Index size = n * (n_blocks + 1);
  s.dense = Matrix::Zero(size, size);
  s.right.resize(size);
  for (Index i = 0; i < n_blocks; ++i) {
    auto left = s.blocks.left(i);
    auto right = s.blocks.right(i);
    fill(left);
    fill(right);
    s.dense.block(i * n, i * n, n, n) = left;
    s.dense.block(i * n, (i + 1) * n, n, n) = right;
  }
  fill(s.blocks.first_condition());
  fill(s.blocks.last_condition());
  s.dense.bottomLeftCorner(n, n) = s.blocks.first_condition();
  s.dense.bottomRightCorner(n, n) = s.blocks.last_condition();
  fill(s.right);
  return s;
}

std::vector<double> solve(System& s) {
  const Index n = s.blocks.block_size();
  const Index n_blocks = s.blocks.n_blocks();
  std::vector<double> f(s.right.data(), s.right.data() + n * n_blocks);
  std::vector<double> b(s.right.data() + n * n_blocks, s.right.data() + s.right.size());
  std::vector<double> x(to_size(n * (n_blocks + 1)));
  s.blocks.solve(f, b, x);
  return x;
}

TEST(AlmostBlockDiagonal, AgreesWithADenseSolver) {
  for (const auto& [n, n_blocks] :
       {std::pair<Index, Index>{1, 1}, {1, 7}, {3, 1}, {3, 2}, {4, 9}}) {
    System s = random_system(n, n_blocks);
    EXPECT_EQ(s.blocks.factor().rank, 2 * n);
    const auto x = solve(s);
    const Vector residual = s.dense * as_vector(x) - s.right;
    EXPECT_LT(residual.norm(), 1e-11 * (1.0 + as_vector(x).norm())) << n << " " << n_blocks;
  }
}

/// x' = diag(λ, −λ) x: a mode that grows by e^(λh) and one that decays per block, the growing one
/// given at the end. Elimination without regard to the growth would lose everything at e^400.
TEST(AlmostBlockDiagonal, IsStableForGrowingAndDecayingModes) {
  const Index n_blocks = 100;
  const double growth = std::exp(4.0);
  AlmostBlockDiagonal blocks;
  blocks.resize(2, n_blocks, 2);
  // The modes turned by 45 degrees, so that no entry is zero.
  const double r = std::sqrt(0.5);
  Matrix turn(2, 2);
  turn << r, -r, r, r;
  Matrix step = Matrix::Zero(2, 2);
  step.diagonal() << growth, 1.0 / growth;
  for (Index i = 0; i < n_blocks; ++i) {
    blocks.left(i) = -turn * step * turn.transpose();
    blocks.right(i) = Matrix::Identity(2, 2);
  }
  blocks.first_condition() << r * -1.0, r, 0.0, 0.0;  // the decaying mode at the beginning
  blocks.last_condition() << 0.0, 0.0, r, r;          // the growing one at the end
  EXPECT_EQ(blocks.factor().rank, 4);
  std::vector<double> f(to_size(2 * n_blocks), 0.0);
  std::vector<double> b{1.0, 1.0};
  std::vector<double> x(to_size(2 * n_blocks + 2));
  blocks.solve(f, b, x);
  for (Index i = 0; i <= n_blocks; ++i) {
    const double grown = r * x[to_size(2 * i)] + r * x[to_size(2 * i + 1)];
    const double decayed = -r * x[to_size(2 * i)] + r * x[to_size(2 * i + 1)];
    EXPECT_NEAR(grown, std::exp(-4.0 * static_cast<double>(n_blocks - i)), 1e-13);
    EXPECT_NEAR(decayed, std::exp(-4.0 * static_cast<double>(i)), 1e-13);
  }
}

/// x' = 0 in two unknowns: conditions on the first alone say nothing of the second.
AlmostBlockDiagonal constants() {
  AlmostBlockDiagonal blocks;
  blocks.resize(2, 5, 2);
  for (Index i = 0; i < 5; ++i) {
    blocks.left(i) = -Matrix::Identity(2, 2);
    blocks.right(i) = Matrix::Identity(2, 2);
  }
  blocks.first_condition() << 1.0, 0.0, 0.0, 0.0;
  blocks.last_condition() << 0.0, 0.0, 1.0, 0.0;
  return blocks;
}

TEST(AlmostBlockDiagonal, NamesConditionsThatContradict) {
  AlmostBlockDiagonal blocks = constants();
  EXPECT_EQ(blocks.factor().rank, 3);
  std::vector<double> f(10, 0.0);
  std::vector<double> b{1.0, 3.0};
  const auto dependence = blocks.dependent_conditions(f, b);
  ASSERT_EQ(dependence.combinations.cols(), 1);
  // First minus last: their coefficients are opposite, and 1 − 3 is not 0.
  const double first = dependence.combinations(0, 0);
  EXPECT_GT(std::abs(first), 0.1);
  EXPECT_NEAR(dependence.combinations(1, 0), -first, 1e-12);
  EXPECT_NEAR(dependence.right_side[0], -2.0 * first, 1e-12);
}

TEST(AlmostBlockDiagonal, TellsRedundantConditionsFromContradictions) {
  AlmostBlockDiagonal blocks = constants();
  (void)blocks.factor();
  std::vector<double> f(10, 0.0);
  std::vector<double> b{2.0, 2.0};
  EXPECT_NEAR(blocks.dependent_conditions(f, b).right_side[0], 0.0, 1e-12);
}

TEST(AlmostBlockDiagonal, FindsUnknownsThatNothingDetermines) {
  AlmostBlockDiagonal blocks;
  blocks.resize(1, 3, 1);
  for (Index i = 0; i < 3; ++i) {
    blocks.left(i)(0, 0) = i == 2 ? 0.0 : 1.0;
    blocks.right(i)(0, 0) = i == 1 ? 0.0 : 1.0;
  }
  blocks.first_condition()(0, 0) = 1.0;
  (void)blocks.factor();
  EXPECT_EQ(blocks.singular_block(), 2);
}

}  // namespace
}  // namespace daedal::linalg
