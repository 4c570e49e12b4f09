// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/initial/block_solution.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/sparse_set.hpp"

namespace daedal::analysis {
namespace {

using test::SparseSet;

double square(double x) {
  return x * x;
}

bool solve_blocks(SparseSet& set, std::span<const InitialUnknown> unknowns, std::span<double> u) {
  return solve_block_by_block(*plan_blocks(set.pattern(), unknowns), set, unknowns, u);
}

// u₀ = 3, then u₁² + u₂ = u₀ and u₁ − u₂ = −1 together, then exp(u₃) = u₁: each block with what the
// one before it has found. u₁² + u₁ = 2 has the root 1.
TEST(BlockSolution, SolvesBlockAfterBlock) {
  SparseSet set(4, {{{1, 3},
                     [](auto u) { return std::exp(u[3]) - u[1]; },
                     [](auto u) { return std::vector{-1.0, std::exp(u[3])}; }},
                    {{0, 1, 2},
                     [](auto u) { return square(u[1]) + u[2] - u[0]; },
                     [](auto u) { return std::vector{-1.0, 2.0 * u[1], 1.0}; }},
                    {{0}, [](auto u) { return u[0] - 3.0; }, [](auto) { return std::vector{1.0}; }},
                    {{1, 2},
                     [](auto u) { return u[1] - u[2] + 1.0; },
                     [](auto) { return std::vector{1.0, -1.0}; }}});
  const std::vector<InitialUnknown> unknowns(4, {.role = Role::free});
  std::vector<double> u{0.0, 2.0, 0.0, 5.0};
  ASSERT_TRUE(solve_blocks(set, unknowns, u));
  EXPECT_NEAR(u[0], 3.0, 1e-12);
  EXPECT_NEAR(u[1], 1.0, 1e-12);
  EXPECT_NEAR(u[2], 2.0, 1e-12);
  EXPECT_NEAR(u[3], 0.0, 1e-12);
}

// Newton's method for atan(u) = 0 diverges from beyond 1.3917.
TEST(BlockSolution, ContinuesWhereNewtonsMethodDiverges) {
  SparseSet set(1, {{{0},
                     [](auto u) { return std::atan(u[0] - 2.0); },
                     [](auto u) { return std::vector{1.0 / (1.0 + square(u[0] - 2.0))}; }}});
  const std::vector<InitialUnknown> unknowns(1, {.role = Role::free});
  std::vector<double> u{12.0};
  ASSERT_TRUE(solve_blocks(set, unknowns, u));
  EXPECT_NEAR(u[0], 2.0, 1e-12);
}

// One equation: the free unknown gives way before a guess, a doubtful guess before a firm one, and
// what is held never does.
TEST(BlockSolution, SolvesForWhatIsWishedLeast) {
  const auto sum = [] {
    return SparseSet(3, {{{0, 1, 2},
                          [](auto u) { return u[0] + u[1] + u[2] - 6.0; },
                          [](auto) { return std::vector{1.0, 1.0, 1.0}; }}});
  };
  auto set = sum();
  std::vector<InitialUnknown> unknowns{
      {.role = Role::guess, .confidence = 0.1}, {.role = Role::free}, {.role = Role::guess}};
  std::vector<double> u{1.0, 1.0, 1.0};
  ASSERT_TRUE(solve_blocks(set, unknowns, u));
  EXPECT_DOUBLE_EQ(u[1], 4.0);
  unknowns[1].role = Role::held;
  u = {1.0, 1.0, 1.0};
  ASSERT_TRUE(solve_blocks(set, unknowns, u));
  EXPECT_DOUBLE_EQ(u[0], 4.0);
  for (InitialUnknown& unknown : unknowns) unknown.role = Role::held;
  u = {1.0, 1.0, 1.0};
  EXPECT_FALSE(solve_blocks(set, unknowns, u));
}

// 1/u = r has no value at the start value 0, and Newton's method from elsewhere finds u = 1/r only
// from below 2/r: any r does, whatever its unit.
TEST(BlockSolution, LooksForTheRootOfAQuotientFromItsPole) {
  for (const double r : {3e6, 2.0, -5e-9}) {
    SparseSet set(1, {{{0},
                       [=](auto u) { return 1.0 / u[0] - r; },
                       [](auto u) { return std::vector{-1.0 / square(u[0])}; }}});
    const std::vector<InitialUnknown> unknowns(1, {.role = Role::free});
    std::vector<double> u{0.0};
    ASSERT_TRUE(solve_blocks(set, unknowns, u)) << r;
    EXPECT_NEAR(u[0] * r, 1.0, 1e-9);
  }
}

// u² = −1: the block keeps its start value.
TEST(BlockSolution, SaysWhereABlockHasNoSolution) {
  SparseSet set(1, {{{0},
                     [](auto u) { return square(u[0]) + 1.0; },
                     [](auto u) { return std::vector{2.0 * u[0]}; }}});
  const std::vector<InitialUnknown> unknowns(1, {.role = Role::free});
  std::vector<double> u{0.5};
  EXPECT_FALSE(solve_blocks(set, unknowns, u));
  EXPECT_EQ(u[0], 0.5);
}

// (u₀ + u₁)/3 = π and (u₀ + (1 + 1e-11) u₁)/7 = 3π/7 + 1e-11: rounding errors of 1e-16 in the
// rows are 1e-5 in u₁ = 7, and no correction is smaller.
TEST(BlockSolution, EndsWhereRowsAreMetToTheirRoundingErrors) {
  constexpr double gap = 1e-11;
  const double pi = std::acos(-1.0);
  SparseSet set(2,
                {{{0, 1},
                  [&](auto u) { return (u[0] + u[1]) / 3.0 - pi; },
                  [](auto) { return std::vector{1.0 / 3.0, 1.0 / 3.0}; }},
                 {{0, 1},
                  [&](auto u) { return (u[0] + (1.0 + gap) * u[1]) / 7.0 - 3.0 * pi / 7.0 - gap; },
                  [](auto) { return std::vector{1.0 / 7.0, (1.0 + gap) / 7.0}; }}});
  const std::vector<InitialUnknown> unknowns(2, {.role = Role::free});
  for (const double start : {-1.0, 0.1, 0.3, 0.7, 12.0}) {
    std::vector<double> u{start, -start};
    ASSERT_TRUE(solve_blocks(set, unknowns, u)) << start;
    EXPECT_NEAR(u[1], 7.0, 1e-3);
    EXPECT_NEAR(u[0] + u[1], 3.0 * pi, 1e-14);
  }
}

// n + 1e-20 r = 0 and r = 1 + n^1.5: but for rounding errors n = 0 and r = 1, and where they leave
// n below 0 the power has no value.
TEST(BlockSolution, TakesRoundingErrorsBesideADomainForZero) {
  SparseSet set(2, {{{0, 1},
                     [](auto u) { return u[0] + 1e-20 * u[1]; },
                     [](auto) { return std::vector{1.0, 1e-20}; }},
                    {{0, 1},
                     [](auto u) { return u[1] - 1.0 - std::pow(u[0], 1.5); },
                     [](auto u) { return std::vector{-1.5 * std::sqrt(u[0]), 1.0}; }}});
  const std::vector<InitialUnknown> unknowns(2, {.role = Role::free});
  for (const double start : {0.0, 0.25, 3.0}) {
    std::vector<double> u{start, 2.0};
    ASSERT_TRUE(solve_blocks(set, unknowns, u)) << start;
    EXPECT_EQ(u[0], 0.0);
    EXPECT_NEAR(u[1], 1.0, 1e-12);
  }
}

}  // namespace
}  // namespace daedal::analysis
