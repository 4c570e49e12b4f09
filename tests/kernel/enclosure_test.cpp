// SPDX-License-Identifier: BSD-3-Clause
/// Bounds of expressions over boxes of their leaves, against their values inside the boxes.

#include "kernel/enclosure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "fixture.hpp"
#include "support/evaluate.hpp"
#include "support/random_expr.hpp"

namespace daedal {
namespace {

using kernel::Enclosure;
using kernel::Interval;

bool always(const Node&) {
  return true;
}

/// Bounds of one expression of x_0 (and x_1).
Interval bounds_of(test::Variables& v, NodeId root, const std::vector<Interval>& box) {
  const Enclosure enclosure(v.pool, std::span(&root, 1), always);
  std::vector<Interval> bounds(enclosure.size());
  for (std::size_t place = 0; place < enclosure.size(); ++place) {
    if (!enclosure.is_input(place)) continue;
    // A relation that is held may be either.
    const bool is_variable = enclosure[place].op == Op::variable;
    bounds[place] = is_variable ? box[to_size(enclosure[place].symbol)] : Interval{0.0, 1.0};
  }
  enclosure.evaluate_held(bounds);
  const std::size_t place = enclosure.place(root);
  enclosure.evaluate(enclosure.needed_by(std::span(&place, 1)), bounds);
  return bounds[place];
}

TEST(Enclosure, HoldsTheValuesOfRandomExpressions) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (int k = 0; k < 40; ++k) {
    test::Variables v(3);
    std::vector<Expr> leaves;
    for (const NodeId id : v.ids) leaves.emplace_back(v.pool, id);
    const std::vector<Expr> expressions = test::random_expressions(random, leaves, 25);
    std::vector<Interval> box;
    for (int i = 0; i < 3; ++i) {
      const double low = 4.0 * unit(random) - 2.0;
      box.push_back({low, low + 2.0 * unit(random) * unit(random)});
    }
    for (const Expr& expression : expressions) {
      const NodeId root = expression.in(v.pool);
      const Interval bounds = bounds_of(v, root, box);
      for (int j = 0; j < 10; ++j) {
        std::vector<double> x;
        for (const Interval& range : box) x.push_back(range.low + unit(random) * range.width());
        const double value = v.evaluate(root, x);
        const double rounding = 1e-12 * (1.0 + bounds.magnitude());
        EXPECT_GE(value, bounds.low - rounding);
        EXPECT_LE(value, bounds.high + rounding);
      }
    }
  }
}

TEST(Enclosure, IsTightForFunctionsOfOneArgument) {
  test::Variables v(1);
  const NodeId x = v.ids[0];
  const auto expect = [&](NodeId root, Interval box, Interval bounds) {
    const Interval found = bounds_of(v, root, {box});
    EXPECT_DOUBLE_EQ(found.low, bounds.low);
    EXPECT_DOUBLE_EQ(found.high, bounds.high);
  };
  expect(v.pool.unary(Op::sin, x), {0.0, 2.0}, {0.0, 1.0});
  expect(v.pool.unary(Op::cos, x), {-1.0, 4.0}, {-1.0, 1.0});
  expect(v.pool.power(x, 2), {-1.0, 3.0}, {0.0, 9.0});
  expect(v.pool.power(x, 3), {-1.0, 3.0}, {-1.0, 27.0});
  expect(v.pool.mul(x, x), {-2.0, 1.0}, {0.0, 4.0});
  expect(v.pool.unary(Op::abs, x), {-2.0, 1.0}, {0.0, 2.0});
  expect(v.pool.unary(Op::exp, x), {0.0, 1.0}, {1.0, std::exp(1.0)});
  expect(v.pool.unary(Op::acos, x), {0.0, 1.0}, {0.0, std::acos(0.0)});
  expect(v.pool.div(v.pool.constant(1.0), x), {2.0, 4.0}, {0.25, 0.5});
  expect(v.pool.div(v.pool.constant(1.0), x), {-1.0, 4.0}, {-HUGE_VAL, HUGE_VAL});
  // Where it is not defined there is nothing to bound.
  expect(v.pool.unary(Op::sqrt, x), {-1.0, 4.0}, {0.0, 2.0});
  expect(v.pool.unary(Op::tan, x), {1.0, 2.0}, {-HUGE_VAL, HUGE_VAL});
}

TEST(Enclosure, DecidesChoicesThatTheBoundsDecide) {
  test::Variables v(1);
  const NodeId x = v.ids[0];
  const NodeId above = v.pool.immediate_relation(Op::greater, x, v.pool.constant(1.0));
  const NodeId choice = v.pool.if_else(above, v.pool.constant(5.0), x);
  EXPECT_EQ(bounds_of(v, choice, {{2.0, 3.0}}).low, 5.0);
  EXPECT_EQ(bounds_of(v, choice, {{0.0, 1.0}}).high, 1.0);
  EXPECT_EQ(bounds_of(v, choice, {{0.0, 2.0}}).low, 0.0);
  EXPECT_EQ(bounds_of(v, choice, {{0.0, 2.0}}).high, 5.0);
}

}  // namespace
}  // namespace daedal
