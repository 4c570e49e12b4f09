// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <daedal/error.hpp>
#include <limits>
#include <random>
#include <thread>

#include "kernel/fixture.hpp"
#include "support/errors.hpp"
#include "support/evaluate.hpp"
#include "support/random_graph.hpp"

namespace daedal::kernel {
namespace {

using test::GraphOptions;
using test::RandomGraph;
using test::Variables;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

TEST(Program, ComputesEveryFunctionAsTheStandardLibraryDoes) {
  Variables v(2);
  const NodeId x = v.ids[0];
  const NodeId y = v.ids[1];
  struct Case {
    NodeId node;
    double expected;
  };
  const double a = 0.375;
  const double b = -1.75;
  auto& p = v.pool;
  const std::vector<Case> cases{
      {p.neg(x), -a},
      {p.add(x, y), a + b},
      {p.sub(x, y), a - b},
      {p.mul(x, y), a * b},
      {p.div(x, y), a / b},
      {p.binary(Op::pow, x, y), std::pow(a, b)},
      {p.unary(Op::sqrt, x), std::sqrt(a)},
      {p.unary(Op::exp, y), std::exp(b)},
      {p.unary(Op::log, x), std::log(a)},
      {p.unary(Op::sin, x), std::sin(a)},
      {p.unary(Op::cos, y), std::cos(b)},
      {p.unary(Op::tan, x), std::tan(a)},
      {p.unary(Op::asin, x), std::asin(a)},
      {p.unary(Op::acos, x), std::acos(a)},
      {p.unary(Op::atan, y), std::atan(b)},
      {p.binary(Op::atan2, x, y), std::atan2(a, b)},
      {p.unary(Op::sinh, x), std::sinh(a)},
      {p.unary(Op::cosh, x), std::cosh(a)},
      {p.unary(Op::tanh, y), std::tanh(b)},
      {p.unary(Op::abs, y), 1.75},
      {p.unary(Op::sign, y), -1.0},
      {p.unary(Op::sign, x), 1.0},
      {p.binary(Op::min, x, y), b},
      {p.binary(Op::max, x, y), a},
      {p.unary(Op::floor, y), -2.0},
      {p.immediate_relation(Op::less, x, y), 0.0},
      {p.immediate_relation(Op::less, y, x), 1.0},
      {p.immediate_relation(Op::less_equal, x, y), 0.0},
      {p.immediate_relation(Op::greater, x, y), 1.0},
      {p.immediate_relation(Op::greater_equal, x, y), 1.0},
      {p.immediate_relation(Op::equal, x, y), 0.0},
      {p.immediate_relation(Op::not_equal, x, y), 1.0},
      {p.smooth(2, p.unary(Op::exp, y)), std::exp(b)},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(v.evaluate(c.node, {a, b}), c.expected) << "node " << c.node;
  }
}

TEST(Program, FollowsTheTruthTablesOfLogic) {
  Variables v(2);
  auto& p = v.pool;
  const NodeId x = p.immediate_relation(Op::greater, v.ids[0], p.constant(0.0));
  const NodeId y = p.immediate_relation(Op::greater, v.ids[1], p.constant(0.0));
  const std::array outputs{p.binary(Op::logical_and, x, y), p.binary(Op::logical_or, x, y),
                           p.unary(Op::logical_not, x), p.if_else(x, p.constant(7.0), v.ids[1])};
  EXPECT_THAT(v.evaluate(outputs, {-1.0, -1.0}), testing::ElementsAre(0.0, 0.0, 1.0, -1.0));
  EXPECT_THAT(v.evaluate(outputs, {-1.0, 1.0}), testing::ElementsAre(0.0, 1.0, 1.0, 1.0));
  EXPECT_THAT(v.evaluate(outputs, {1.0, -1.0}), testing::ElementsAre(0.0, 1.0, 0.0, 7.0));
  EXPECT_THAT(v.evaluate(outputs, {1.0, 1.0}), testing::ElementsAre(1.0, 1.0, 0.0, 7.0));
}

TEST(Program, NeverHidesNotANumber) {
  Variables v(2);
  const std::array outputs{v.pool.binary(Op::min, v.ids[0], v.ids[1]),
                           v.pool.binary(Op::max, v.ids[0], v.ids[1]),
                           v.pool.unary(Op::sign, v.pool.add(v.ids[0], v.ids[1]))};
  for (const auto& x : {std::vector{not_a_number, 1.0}, std::vector{1.0, not_a_number}}) {
    for (const double value : v.evaluate(outputs, x)) EXPECT_TRUE(std::isnan(value));
  }
}

TEST(Program, RaisesToIntegerPowersIncludingNegativeAndLargeOnes) {
  Variables v(1);
  for (const int n : {-40, -7, -2, -1, 0, 1, 2, 3, 5, 8, 13, 31, 32, 33, 100}) {
    for (const double x : {1.25, -0.75, 0.5}) {
      const double expected = std::pow(x, n);
      // Each of at most n products rounds once.
      const double bound = (std::abs(n) + 1) * round_off * std::abs(expected);
      EXPECT_NEAR(v.evaluate(v.pool.power(v.ids[0], n), {x}), expected, bound) << x << "^" << n;
    }
  }
  EXPECT_EQ(v.evaluate(v.pool.power(v.ids[0], 3), {0.0}), 0.0);
}

TEST(Program, RoundsFusedOperationsTwice) {
  // (1+ε)² - 1: the rounded product is 1 + 2ε, a fused one would keep ε².
  Variables v(3);
  const double x = 1.0 + round_off;
  const NodeId sum = v.pool.add(v.pool.mul(v.ids[0], v.ids[1]), v.ids[2]);
  EXPECT_EQ(v.evaluate(sum, {x, x, -1.0}), 2.0 * round_off);
}

TEST(Program, FusesEveryShapeOfProductsAndSums) {
  Variables v(5);
  auto& p = v.pool;
  const auto [a, b, c, d, e] = std::array{v.ids[0], v.ids[1], v.ids[2], v.ids[3], v.ids[4]};
  const std::array outputs{
      p.add(p.mul(a, b), c), p.add(c, p.mul(a, d)),           p.sub(p.mul(a, e), c),
      p.sub(c, p.mul(b, e)), p.add(p.mul(b, c), p.mul(d, e)), p.sub(p.mul(b, d), p.mul(c, e)),
      p.add(p.add(a, c), e), p.mul(p.mul(a, c), e),           p.add(p.power(d, 2), b)};
  const Program program = v.compile(outputs);
  EXPECT_EQ(program.n_instructions(), 9);
  EXPECT_EQ(program.n_operations(), 20);
  // Whole numbers: every operation is exact.
  EXPECT_THAT(v.evaluate(outputs, {2, 3, 5, 7, 11}),
              testing::ElementsAre(11, 19, 17, -28, 92, -34, 18, 110, 52));
}

TEST(Program, ComputesAPairOfOppositeForcesOnce) {
  Variables v(4);
  auto& p = v.pool;
  const auto force = [&](NodeId x, NodeId y, NodeId from_x, NodeId from_y) {
    const NodeId square = p.add(p.power(p.sub(x, from_x), 2), p.power(p.sub(y, from_y), 2));
    return p.div(p.sub(x, from_x), square);
  };
  const auto [x, y, u, w] = std::array{v.ids[0], v.ids[1], v.ids[2], v.ids[3]};
  const std::array outputs{force(x, y, u, w), force(u, w, x, y)};
  // Two differences, two squares and their sum, one quotient and its negative.
  EXPECT_EQ(v.compile(outputs).n_operations(), 7);
  EXPECT_EQ(v.evaluate(outputs, {4.0, 7.0, 1.0, 3.0}), (std::vector{3.0 / 25.0, -3.0 / 25.0}));
}

TEST(Program, TurnsADifferenceThatIsUsedAsItsNegativeAlone) {
  Variables v(3);
  auto& p = v.pool;
  const NodeId plain = p.neg(p.sub(v.ids[0], v.ids[1]));
  EXPECT_EQ(v.compile(std::span(&plain, 1)).n_operations(), 1);
  EXPECT_EQ(v.evaluate(plain, {1.0, 5.0, 0.0}), 4.0);
  const NodeId fused = p.neg(p.sub(p.mul(v.ids[0], v.ids[1]), v.ids[2]));
  EXPECT_EQ(v.compile(std::span(&fused, 1)).n_instructions(), 1);
  EXPECT_EQ(v.evaluate(fused, {2.0, 3.0, 10.0}), 4.0);
}

TEST(Program, ComputesACommonSubexpressionOnce) {
  Variables v(2);
  const NodeId shared = v.pool.unary(Op::exp, v.pool.mul(v.ids[0], v.ids[1]));
  const std::array outputs{v.pool.add(shared, v.ids[0]), v.pool.mul(shared, v.ids[1]), shared};
  const Program program = v.compile(outputs);
  EXPECT_EQ(program.n_operations(), 4);
}

TEST(Program, ComputesSineAndCosineOfOneArgumentTogether) {
  Variables v(1);
  const NodeId angle = v.pool.mul(v.pool.constant(3.0), v.ids[0]);
  const std::array outputs{v.pool.unary(Op::cos, angle), v.pool.unary(Op::sin, angle)};
  EXPECT_EQ(v.compile(outputs).n_instructions(), 2);
  for (const double x : {0.0, 0.7, -2.9, 1.0e5}) {
    EXPECT_THAT(v.evaluate(outputs, {x}),
                testing::ElementsAre(std::cos(3.0 * x), std::sin(3.0 * x)));
  }
}

TEST(Program, GivesOutputsThatAreLeavesConstantsOrRepeated) {
  Variables v(2);
  const NodeId sum = v.pool.add(v.ids[0], v.ids[1]);
  const std::array outputs{v.ids[1], v.pool.constant(4.5), sum, sum, v.ids[0], sum};
  EXPECT_THAT(v.evaluate(outputs, {1.0, 2.0}), testing::ElementsAre(2.0, 4.5, 3.0, 3.0, 1.0, 3.0));
}

TEST(Program, ReadsInputsFromSeveralBlocksInAnyOrder) {
  Pool pool;
  const NodeId t = pool.time();
  const NodeId k = pool.parameter(0);
  const NodeId x = pool.variable(0);
  const NodeId xp = pool.variable(0, 1);
  const std::array inputs{Input{xp, 2, 1}, Input{t, 3, 0}, Input{x, 2, 0}, Input{k, 0, 4},
                          Input{pool.parameter(7), 9, 0}};
  const std::array outputs{pool.add(pool.mul(k, x), pool.sub(xp, t))};
  const Program program = Program::compile(pool, outputs, inputs);
  const std::array parameters{0.0, 0.0, 0.0, 0.0, 3.0};
  const std::array states{5.0, 7.0};
  const double time = 11.0;
  const std::array<const double*, 4> blocks{parameters.data(), nullptr, states.data(), &time};
  Workspace workspace = program.make_workspace();
  double value = 0.0;
  program.evaluate(blocks, {&value, 1}, workspace);
  EXPECT_EQ(value, 3.0 * 5.0 + 7.0 - 11.0);
}

TEST(Program, HoldsABoundRelationAndFollowsAnUnboundOne) {
  Variables v(1);
  const NodeId relation = v.pool.relation(Op::greater, v.ids[0], v.pool.constant(0.0));
  const NodeId output = v.pool.if_else(relation, v.pool.constant(10.0), v.pool.constant(20.0));
  EXPECT_EQ(v.evaluate(output, {1.0}), 10.0);
  EXPECT_EQ(v.evaluate(output, {-1.0}), 20.0);

  auto inputs = v.inputs;
  inputs.push_back({.leaf = relation, .block = 1, .offset = 0});
  const Program program = Program::compile(v.pool, std::span(&output, 1), inputs);
  Workspace workspace = program.make_workspace();
  for (const double mode : {0.0, 1.0}) {
    const double x = 1.0;
    const std::array<const double*, 2> blocks{&x, &mode};
    double value = 0.0;
    program.evaluate(blocks, {&value, 1}, workspace);
    EXPECT_EQ(value, mode == 1.0 ? 10.0 : 20.0);
  }
}

TEST(Program, NamesALeafThatIsNotBound) {
  Pool pool;
  const NodeId output = pool.add(pool.variable(3, 2), pool.parameter(5));
  const std::array inputs{Input{pool.parameter(5), 0, 0}};
  const Error error =
      test::error_of<Error>([&] { (void)Program::compile(pool, std::span(&output, 1), inputs); });
  EXPECT_EQ(error.code(), ErrorCode::internal);
  EXPECT_THAT(error.what(), testing::HasSubstr("variable 3 (derivative of order 2)"));
}

TEST(Program, RefusesANodeBoundToTwoPlaces) {
  Variables v(1);
  v.inputs.push_back({.leaf = v.ids[0], .block = 0, .offset = 1});
  const Error error = test::error_of<Error>([&] { (void)v.compile(v.ids); });
  EXPECT_THAT(error.what(), testing::HasSubstr("two places"));
}

TEST(Program, RefusesTheWorkspaceOfAnotherProgram) {
  Variables v(1);
  const NodeId one = v.pool.add(v.ids[0], v.pool.constant(1.0));
  const NodeId two = v.pool.add(v.ids[0], v.pool.constant(2.0));
  const Program program = v.compile(std::span(&one, 1));
  Workspace other = v.compile(std::span(&two, 1)).make_workspace();
  const double x = 0.0;
  const double* block = &x;
  double value = 0.0;
  EXPECT_THROW(program.evaluate({&block, 1}, {&value, 1}, other), Error);
  Workspace own = program.make_workspace();
  EXPECT_THROW(program.evaluate({}, {&value, 1}, own), Error);
  EXPECT_THROW(program.evaluate({&block, 1}, {}, own), Error);
}

TEST(Program, WithoutOutputsDoesNothing) {
  const Program program;
  Workspace workspace = program.make_workspace();
  EXPECT_EQ(program.n_outputs(), 0);
  EXPECT_EQ(program.n_operations(), 0);
  EXPECT_NO_THROW(program.evaluate({}, {}, workspace));
}

TEST(Program, AgreesWithConstantFoldingBitForBitOnRandomGraphs) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  for (unsigned seed = 0; seed < 200; ++seed) {
    Variables v(6);
    // Sine and cosine of one argument are the kernel's own: see sin_cos_test.cpp.
    RandomGraph graph(v.pool, v.ids, seed,
                      GraphOptions{.n_steps = 80, .smooth = false, .cosines = false});
    const std::vector<NodeId> roots = graph.roots(9);
    std::vector<double> x(v.ids.size());
    for (double& value : x) value = uniform(random);
    const auto expected = test::folded_values(v.pool, roots, x);
    const auto actual = v.evaluate(roots, x);
    for (std::size_t i = 0; i < roots.size(); ++i) {
      ASSERT_TRUE(std::isfinite(expected[i]));
      ASSERT_EQ(actual[i], expected[i]) << "seed " << seed << ", output " << i;
    }
  }
}

TEST(Program, AgreesWithTheReferenceEvaluatorOnRandomGraphs) {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  for (unsigned seed = 0; seed < 200; ++seed) {
    Variables v(6);
    RandomGraph graph(v.pool, v.ids, seed, GraphOptions{.n_steps = 80});
    const std::vector<NodeId> roots = graph.roots(9);
    std::vector<double> x(v.ids.size());
    for (double& value : x) value = uniform(random);
    const auto expected = test::evaluate(v.pool, roots, [&](NodeId, const Node& leaf) {
      return x[static_cast<std::size_t>(leaf.symbol)];
    });
    const auto actual = v.evaluate(roots, x);
    for (std::size_t i = 0; i < roots.size(); ++i) {
      EXPECT_NEAR(actual[i], expected[i], 1e-11 * (1.0 + std::abs(expected[i])))
          << "seed " << seed << ", output " << i;
    }
  }
}

TEST(Program, AgreesWithConstantFoldingWhereRegistersNeedLongInstructions) {
  // 40,000 inputs that are outputs as well: more than 2^16 registers.
  constexpr int n = 40'000;
  Variables v(n);
  RandomGraph graph(v.pool, v.ids, 9,
                    GraphOptions{.n_steps = 3000, .smooth = false, .cosines = false});
  std::vector<NodeId> roots = graph.roots(50);
  roots.insert(roots.end(), v.ids.begin(), v.ids.end());
  EXPECT_GT(v.compile(roots).n_registers(), 1 << 16);
  std::vector<double> x;
  for (int i = 0; i < n; ++i) x.push_back(2.0 * std::sin(i));
  EXPECT_EQ(v.evaluate(roots, x), test::folded_values(v.pool, roots, x));
}

TEST(Program, ReusesRegistersOfAnExpressionTreeAndStaysRight) {
  // A balanced tree of 1024 leaves, made depth first, has ten levels; on each at most two values
  // wait for the third summand of a fused sum, and scheduling may run 16 instructions ahead.
  constexpr int n = 1024;
  Variables v(n);
  std::vector<NodeId> stack;
  std::vector<int> height;
  double expected = 0.0;
  std::vector<double> x;
  for (int i = 0; i < n; ++i) {
    x.push_back(i % 17);
    expected += std::sqrt(x.back());
    stack.push_back(v.pool.unary(Op::sqrt, v.ids[static_cast<std::size_t>(i)]));
    height.push_back(0);
    while (height.size() >= 2 && height[height.size() - 1] == height[height.size() - 2]) {
      const NodeId right = stack.back();
      stack.pop_back();
      height.pop_back();
      stack.back() = v.pool.add(stack.back(), right);
      ++height.back();
    }
  }
  const Program program = v.compile(stack);
  EXPECT_LE(program.n_registers() - n, 24 + 16);
  EXPECT_NEAR(v.evaluate(stack[0], x), expected, 1e-11 * expected);
}

TEST(Program, SumsAHundredThousandTerms) {
  constexpr int n = 100'000;
  Variables v(n);
  NodeId sum = v.pool.constant(0.0);
  std::vector<double> x;
  for (int i = 0; i < n; ++i) {
    x.push_back(i);
    sum = v.pool.add(sum, v.pool.mul(v.ids[static_cast<std::size_t>(i)],
                                     v.ids[static_cast<std::size_t>(n - 1 - i)]));
  }
  // Σ i(n-1-i) = n(n-1)(n-2)/6; every partial sum is a whole number below 2^53.
  const double expected = 1.0e5 * 99'999.0 * 99'998.0 / 6.0;
  EXPECT_EQ(v.evaluate(sum, x), expected);
}

TEST(Program, IsSharedByTwoThreads) {
  Variables v(6);
  RandomGraph graph(v.pool, v.ids, 3, GraphOptions{.n_steps = 200});
  const std::vector<NodeId> roots = graph.roots(5);
  const Program program = v.compile(roots);
  const auto run = [&](double start, std::vector<double>& results) {
    Workspace workspace = program.make_workspace();
    std::vector<double> x(6);
    std::vector<double> out(roots.size());
    for (int i = 0; i < 500; ++i) {
      for (std::size_t k = 0; k < 6; ++k) x[k] = std::sin(start + i + static_cast<double>(k));
      const double* block = x.data();
      program.evaluate({&block, 1}, out, workspace);
      results.insert(results.end(), out.begin(), out.end());
    }
  };
  std::vector<double> first;
  std::vector<double> second;
  std::thread one([&] { run(0.0, first); });
  std::thread two([&] { run(1000.0, second); });
  one.join();
  two.join();
  std::vector<double> first_alone;
  std::vector<double> second_alone;
  run(0.0, first_alone);
  run(1000.0, second_alone);
  EXPECT_EQ(first, first_alone);
  EXPECT_EQ(second, second_alone);
}

}  // namespace
}  // namespace daedal::kernel
