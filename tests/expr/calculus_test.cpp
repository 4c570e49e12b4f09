// SPDX-License-Identifier: BSD-3-Clause
#include "expr/calculus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <daedal/expr.hpp>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "support/differences.hpp"
#include "support/evaluate.hpp"
#include "support/random_expr.hpp"

namespace daedal {
namespace {

using test::evaluate;

/// Which side every switching node takes: no finite difference may step over a kink.
std::vector<double> decisions(const Pool& pool, const test::LeafValue& leaves) {
  std::vector<NodeId> all(static_cast<std::size_t>(pool.size()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<NodeId>(i);
  const std::vector<double> values = evaluate(pool, all, leaves);
  const auto at = [&](NodeId id) { return values[static_cast<std::size_t>(id)]; };
  std::vector<double> sides;
  for (const NodeId id : all) {
    const Node& node = pool[id];
    if (is_relation(node.op)) sides.push_back(at(id));
    if (node.op == Op::min || node.op == Op::max) sides.push_back(at(node.a) < at(node.b));
    if (node.op == Op::abs || node.op == Op::sign) sides.push_back(at(node.a) < 0.0);
  }
  return sides;
}

constexpr int n_graphs = 150;
constexpr int n_leaves = 4;
constexpr double step = 1e-3;

struct RandomGraph {
  explicit RandomGraph(unsigned seed) : random(seed) {
    for (int i = 0; i < n_leaves; ++i) leaves.emplace_back(pool, pool.variable(i));
    std::vector<Expr> known = test::random_expressions(random, leaves, 14);
    for (std::size_t i = known.size() - 6; i < known.size(); ++i) {
      roots.push_back(known[i].in(pool));
    }
  }

  std::mt19937 random;
  Pool pool;
  std::vector<Expr> leaves;
  std::vector<NodeId> roots;
};

// floor and relations are constant between their jumps.
TEST(Jacobian, ExpressionsDependOnLeavesByWhichTheyHaveADerivative) {
  Pool pool;
  const NodeId x = pool.variable(0);
  const NodeId y = pool.variable(1);
  const NodeId choice = pool.if_else(pool.relation(Op::less, x, y), y, pool.constant(2.0));
  const std::vector<NodeId> roots{pool.mul(x, y), pool.unary(Op::sin, y), pool.unary(Op::floor, x),
                                  choice, x};
  EXPECT_EQ(depend_on(pool, roots, std::vector{x}),
            (std::vector<bool>{true, false, false, false, true}));
  EXPECT_EQ(depend_on(pool, roots, std::vector{y}),
            (std::vector<bool>{true, true, false, true, false}));
}

TEST(Jacobian, AgreesWithFiniteDifferencesOnRandomGraphs) {
  int n_compared = 0;
  int n_kinks = 0;
  for (unsigned seed = 1; seed <= n_graphs; ++seed) {
    RandomGraph graph(seed);
    Pool& pool = graph.pool;
    std::vector<NodeId> leaves;
    for (const Expr& leaf : graph.leaves) leaves.push_back(leaf.id());
    std::vector<double> point(n_leaves);
    for (double& p : point) p = std::uniform_real_distribution<double>(-1.5, 1.5)(graph.random);
    const auto shifted = [&](int column, double value) {
      return [&point, column, value](NodeId, const Node& leaf) {
        return leaf.symbol == column ? value : point[static_cast<std::size_t>(leaf.symbol)];
      };
    };
    const std::vector<double> sides = decisions(pool, shifted(-1, 0.0));
    const std::vector<JacobianEntry> entries = jacobian(pool, graph.roots, leaves);
    std::vector<double> dense(graph.roots.size() * n_leaves);
    for (const JacobianEntry& e : entries) {
      dense[static_cast<std::size_t>(e.row * n_leaves + e.column)] =
          evaluate(pool, e.value, shifted(-1, 0.0));
    }
    for (int column = 0; column < n_leaves; ++column) {
      const double x = point[static_cast<std::size_t>(column)];
      bool is_smooth = true;
      for (const double at : {x - 2 * step, x - step, x + step, x + 2 * step}) {
        const auto there = decisions(graph.pool, shifted(column, at));
        is_smooth = is_smooth && std::equal(sides.begin(), sides.end(), there.begin());
      }
      n_kinks += is_smooth ? 0 : 1;
      for (std::size_t row = 0; is_smooth && row < graph.roots.size(); ++row) {
        const double expected = test::difference(
            [&](double at) { return evaluate(pool, graph.roots[row], shifted(column, at)); }, x,
            step);
        const double actual = dense[row * n_leaves + static_cast<std::size_t>(column)];
        // h⁴ f⁽⁵⁾/30 with fifth derivatives up to some 1e5 of a composition of 14 functions.
        EXPECT_NEAR(actual, expected, 1e-7 * (1.0 + std::abs(expected)))
            << "seed " << seed << ", row " << row << ", column " << column;
        ++n_compared;
      }
    }
  }
  EXPECT_GT(n_compared, n_graphs * n_leaves * 5);
  EXPECT_LT(n_kinks, n_graphs * n_leaves / 10);
}

TEST(TotalTimeDerivative, AgreesWithFiniteDifferencesAlongTrajectories) {
  int n_compared = 0;
  for (unsigned seed = 1; seed <= n_graphs; ++seed) {
    RandomGraph graph(seed);
    Pool& pool = graph.pool;
    const NodeId sum = pool.add(graph.roots.back(), pool.mul(pool.time(), graph.roots.front()));
    // x_i(t) = sin(ωt + φ): the k-th derivative is ω^k sin(ωt + φ + kπ/2).
    const auto along = [](double t) {
      return [t](NodeId, const Node& leaf) {
        if (leaf.op == Op::time) return t;
        const double rate = 0.6 + 0.2 * leaf.symbol;
        return std::pow(rate, leaf.order) *
               std::sin(rate * t + leaf.symbol + leaf.order * std::numbers::pi / 2);
      };
    };
    const double t = 0.1 * static_cast<double>(seed % 40);
    const auto sides = decisions(pool, along(t));
    bool is_smooth = true;
    for (const double at : {t - 2 * step, t - step, t + step, t + 2 * step}) {
      is_smooth = is_smooth && decisions(pool, along(at)) == sides;
    }
    if (!is_smooth) continue;
    NodeId node = sum;
    for (int order = 1; order <= 2; ++order) {
      const NodeId derivative = total_time_derivative(pool, std::span(&node, 1)).front();
      const double expected =
          test::difference([&](double at) { return evaluate(pool, node, along(at)); }, t, step);
      EXPECT_NEAR(evaluate(pool, derivative, along(t)), expected, 1e-7 * (1.0 + std::abs(expected)))
          << "seed " << seed << ", order " << order;
      node = derivative;
      ++n_compared;
    }
  }
  EXPECT_GT(n_compared, n_graphs);
}

TEST(TotalTimeDerivative, RaisesOrdersAndKeepsParametersAndDiscreteValuesConstant) {
  Pool pool;
  const Expr x(pool, pool.variable(3));
  EXPECT_EQ(der(x, 2).id(), pool.variable(3, 2));
  EXPECT_EQ(der(der(x), 2).id(), pool.variable(3, 3));
  EXPECT_EQ(der(x, 0).id(), x.id());
  EXPECT_EQ(der(Expr(pool, pool.time())).id(), pool.constant(1.0));
  for (const NodeId leaf : {pool.parameter(0), pool.discrete(0), pool.pre(0), pool.pre_variable(3),
                            pool.sample(0), pool.constant(4.0)}) {
    EXPECT_EQ(der(Expr(pool, leaf)).id(), pool.constant(0.0));
    EXPECT_EQ(der(Expr(pool, leaf) * x).id(), pool.mul(leaf, pool.variable(3, 1)));
  }
}

TEST(TotalTimeDerivative, TakesOneDegreeFromWhatIsPromisedSmooth) {
  Pool pool;
  const Expr x(pool, pool.variable(0));
  const NodeId once = der(smooth(2, sin(x))).id();
  EXPECT_EQ(pool[once].op, Op::smooth);
  EXPECT_EQ(pool[once].order, 1);
  EXPECT_EQ(der(smooth(0, sin(x))).id(), der(sin(x)).id());
}

TEST(Jacobian, ListsEntriesByColumnThenRowAndOnlyStructuralNonzeros) {
  Pool pool;
  const Expr x(pool, pool.variable(0));
  const Expr y(pool, pool.variable(1));
  const Expr t(pool, pool.time());
  const std::vector<NodeId> roots = {(x * y).id(), (y + t).id(), (x - x + 2.0 * t).id(),
                                     sign(x * y).id()};
  const std::vector<NodeId> leaves = {x.id(), t.id(), y.id()};
  const std::vector<JacobianEntry> entries = jacobian(pool, roots, leaves);
  std::vector<std::vector<int>> found;
  for (const JacobianEntry& e : entries) found.push_back({e.column, e.row, e.value});
  const std::vector<std::vector<int>> expected = {{0, 0, y.id()},
                                                  {1, 1, pool.constant(1.0)},
                                                  {1, 2, pool.constant(2.0)},
                                                  {2, 0, x.id()},
                                                  {2, 1, pool.constant(1.0)}};
  EXPECT_EQ(found, expected);
}

TEST(Jacobian, TreatsDerivativesOfOneVariableAsDifferentLeaves) {
  Pool pool;
  const Expr x(pool, pool.variable(0));
  const NodeId root = (x * der(x)).id();
  const std::vector<NodeId> leaves = {x.id(), der(x).id()};
  EXPECT_EQ(gradient(pool, root, leaves), (std::vector<NodeId>{der(x).id(), x.id()}));
}

TEST(Jacobian, RefusesColumnsThatAreNoLeavesOrStandTwice) {
  Pool pool;
  const Expr x(pool, pool.variable(0));
  const NodeId root = sin(x).id();
  const std::vector<NodeId> not_a_leaf = {root};
  const std::vector<NodeId> twice = {x.id(), x.id()};
  EXPECT_THROW(jacobian(pool, std::span(&root, 1), not_a_leaf), Error);
  EXPECT_THROW(jacobian(pool, std::span(&root, 1), twice), Error);
}

/// x_0 * x_1 * ... with its Jacobian: how many nodes the pool has then.
NodeId size_of_product_jacobian(int n) {
  Pool pool;
  Expr product = 1.0;
  std::vector<NodeId> leaves;
  for (int i = 0; i < n; ++i) {
    leaves.push_back(pool.variable(i));
    product *= Expr(pool, leaves.back());
  }
  const NodeId root = product.id();
  const std::vector<JacobianEntry> entries = jacobian(pool, std::span(&root, 1), leaves);
  EXPECT_EQ(entries.size(), static_cast<std::size_t>(n));
  const auto value = [&](NodeId, const Node& leaf) { return 1.0 + 0.5 / (1.0 + leaf.symbol); };
  double all = 1.0;
  for (int i = 0; i < n; ++i) all *= 1.0 + 0.5 / (1.0 + i);
  for (const JacobianEntry& e : entries) {
    if (e.column % (n / 10) != 0) continue;
    const double expected = all / (1.0 + 0.5 / (1.0 + e.column));
    // n roundings on either side.
    EXPECT_NEAR(evaluate(pool, e.value, value), expected, 1e-15 * n * expected);
  }
  return pool.size();
}

TEST(Jacobian, OfAProductOfNVariablesHasOrderNNodes) {
  const NodeId small = size_of_product_jacobian(500);
  const NodeId large = size_of_product_jacobian(2000);
  EXPECT_LE(small, 5 * 500);
  EXPECT_LE(large, 5 * 2000);
}

TEST(Jacobian, OfManyFunctionsOfFewLeavesSharesTheForwardSweep) {
  Pool pool;
  const Expr x(pool, pool.variable(0));
  const Expr y(pool, pool.variable(1));
  const int depth = 500;
  const int n_rows = 100;
  Expr inner = x * y;
  for (int i = 0; i < depth; ++i) inner = sin(inner) + x;
  std::vector<NodeId> roots;
  for (int i = 0; i < n_rows; ++i) roots.push_back((inner * (i + 2.0) + y).id());
  const NodeId before = pool.size();
  const std::vector<NodeId> leaves = {x.id(), y.id()};
  const auto entries = jacobian(pool, roots, leaves);
  EXPECT_EQ(entries.size(), 2U * n_rows);
  // Two tangents of at most three nodes each per level; reverse sweeps would need n_rows times
  // that.
  EXPECT_LE(pool.size() - before, 8 * depth + 10 * n_rows);
  const auto point = [](NodeId, const Node& leaf) { return leaf.symbol == 0 ? 0.3 : -0.7; };
  for (const JacobianEntry& e : entries) {
    const NodeId root = roots[static_cast<std::size_t>(e.row)];
    const NodeId expected = gradient(pool, root, leaves)[static_cast<std::size_t>(e.column)];
    const double value = evaluate(pool, expected, point);
    EXPECT_NEAR(evaluate(pool, e.value, point), value, 1e-12 * (1.0 + std::abs(value)));
  }
}

TEST(Substitute, ReplacesLeavesAllAtOnceAndSimplifiesAgain) {
  Pool pool;
  const Expr x(pool, pool.variable(0));
  const Expr y(pool, pool.variable(1));
  const Expr f = sin(x) * y + der(x);
  const std::vector<NodeId> roots = {f.id(), x.id(), exp(Expr(pool, pool.time())).id()};
  const std::vector<NodeId> from = {x.id(), y.id()};
  const std::vector<NodeId> swap = {y.id(), x.id()};
  const std::vector<NodeId> swapped = substitute(pool, roots, from, swap);
  EXPECT_EQ(swapped[0], (sin(y) * x + der(x)).id());
  EXPECT_EQ(swapped[1], y.id());
  EXPECT_EQ(swapped[2], roots[2]);
  const std::vector<NodeId> numbers = {pool.constant(0.0), y.id()};
  EXPECT_EQ(substitute(pool, roots, from, numbers)[0], der(x).id());
}

TEST(Substitute, KeepsRelationsHeldOrImmediateAsTheyWere) {
  Pool pool;
  const Expr x(pool, pool.variable(0));
  const Expr y(pool, pool.variable(1));
  const std::vector<NodeId> roots = {(x < 1.0).id(), no_event(x < 1.0).id()};
  const std::vector<NodeId> from = {x.id()};
  const std::vector<NodeId> to = {y.id()};
  const std::vector<NodeId> result = substitute(pool, roots, from, to);
  EXPECT_EQ(result[0], (y < 1.0).id());
  EXPECT_EQ(result[1], no_event(y < 1.0).id());
  EXPECT_THROW(substitute(pool, roots, from, {}), Error);
  EXPECT_THROW(substitute(pool, roots, roots, roots), Error);
}

TEST(Dependencies, AreTheLeavesOfAllRootsWithoutNumbers) {
  Pool pool;
  const Expr x(pool, pool.variable(0));
  const Expr p(pool, pool.parameter(0));
  const Expr t(pool, pool.time());
  static_cast<void>(pool.variable(7));
  const std::vector<NodeId> roots = {(2.0 * x + p).id(), sin(p * t).id()};
  EXPECT_EQ(dependencies(pool, roots), (std::vector<NodeId>{x.id(), p.id(), t.id()}));
  EXPECT_TRUE(dependencies(pool, {}).empty());
}

TEST(LargeExpressions, ASumOfManyTermsIsBuiltAndDifferentiated) {
  constexpr int n = 100000;
  Pool pool;
  Expr sum = 0.0;
  std::vector<NodeId> leaves;
  for (int i = 0; i < n; ++i) {
    leaves.push_back(pool.variable(i));
    sum += (i + 2.0) * sin(Expr(pool, leaves.back()));
  }
  const std::vector<NodeId> slopes = gradient(pool, sum.id(), leaves);
  const auto at_zero = [](NodeId, const Node& leaf) { return leaf.order == 0 ? 0.0 : 1.0; };
  const std::vector<double> values = evaluate(pool, slopes, at_zero);
  for (int i = 0; i < n; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], i + 2.0);
  // Σ (i + 2) cos(0) * 1, exact in double precision.
  EXPECT_EQ(evaluate(pool, der(sum).id(), at_zero), 0.5 * n * (n - 1.0) + 2.0 * n);
  const NodeId root = sum.id();
  EXPECT_EQ(jacobian(pool, std::span(&root, 1), leaves).size(), leaves.size());
}

TEST(LargeExpressions, AProductOfManyFactorsAndADeepCompositionAreDifferentiated) {
  constexpr int n = 100000;
  Pool pool;
  Expr product = 1.0;
  Expr deep(pool, pool.variable(0));
  std::vector<NodeId> leaves;
  for (int i = 0; i < n; ++i) {
    leaves.push_back(pool.variable(i));
    product *= Expr(pool, leaves.back());
    deep = sin(deep) + 0.5 * deep;
  }
  const auto ones = [](NodeId, const Node&) { return 1.0; };
  for (const double slope : evaluate(pool, gradient(pool, product.id(), leaves), ones)) {
    ASSERT_EQ(slope, 1.0);
  }
  EXPECT_EQ(evaluate(pool, der(product).id(), ones), n);
  // The map s = sin(s) + s/2 contracts to its fixed point: the chain's slope there is 0.
  const std::vector<NodeId> first = {leaves.front()};
  EXPECT_NEAR(evaluate(pool, gradient(pool, deep.id(), first).front(), ones), 0.0, 1e-300);
  EXPECT_EQ(no_event(deep).id(), deep.id());
  EXPECT_EQ(dependencies(pool, std::vector<NodeId>{deep.id()}), first);
}

}  // namespace
}  // namespace daedal
