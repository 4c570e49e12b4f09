// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <daedal/expr.hpp>
#include <random>
#include <vector>

#include "expr/pool.hpp"
#include "support/evaluate.hpp"

namespace daedal {
namespace {

class Simplify : public testing::Test {
 protected:
  [[nodiscard]] NodeId number(double value) { return pool_.constant(value); }
  [[nodiscard]] Op op(const Expr& e) const { return pool_[e.id()].op; }

  Pool pool_;
  Expr x_ = {pool_, pool_.variable(0)};
  Expr y_ = {pool_, pool_.variable(1)};
  Expr b_ = {pool_, pool_.discrete(0)};
};

TEST_F(Simplify, RemovesNeutralElements) {
  EXPECT_EQ((x_ + 0.0).id(), x_.id());
  EXPECT_EQ((0.0 + x_).id(), x_.id());
  EXPECT_EQ((x_ - 0.0).id(), x_.id());
  EXPECT_EQ((x_ * 1.0).id(), x_.id());
  EXPECT_EQ((x_ / 1.0).id(), x_.id());
  EXPECT_EQ(pow(x_, 1).id(), x_.id());
  EXPECT_EQ(pow(x_, 1.0).id(), x_.id());
  EXPECT_EQ(pow(x_, 0).id(), number(1.0));
  EXPECT_EQ((x_ * 0.0).id(), number(0.0));
  EXPECT_EQ((x_ - x_).id(), number(0.0));
  EXPECT_EQ(pow(1.0, x_).id(), number(1.0));
}

TEST_F(Simplify, KeepsWhatMayBeUndefined) {
  EXPECT_EQ(op(x_ / x_), Op::div);
  EXPECT_EQ(op(0.0 / x_), Op::div);
  EXPECT_EQ(op(x_ / Expr(pool_, number(0.0))), Op::div);
  EXPECT_EQ(op(x_ * pow(x_, -2)), Op::mul);
  EXPECT_EQ(op(pow(sqrt(x_), 2)), Op::pow_int);
  EXPECT_EQ(op(log(exp(x_))), Op::log);
}

TEST_F(Simplify, FoldsNumbersOnlyToFiniteOnes) {
  const Expr one(pool_, number(1.0));
  const Expr zero(pool_, number(0.0));
  EXPECT_EQ((one + 2.0).id(), number(3.0));
  EXPECT_EQ(op(one / zero), Op::div);
  EXPECT_EQ(op(log(zero)), Op::log);
  EXPECT_EQ(op(sqrt(-one)), Op::sqrt);
  EXPECT_EQ(op(pow(zero, -2)), Op::pow_int);
  EXPECT_EQ(op(exp(1000.0 * one)), Op::exp);
}

TEST_F(Simplify, HasOfADifferenceAndItsReverseOne) {
  const Expr difference = x_ - y_;
  EXPECT_EQ((y_ - x_).id(), (-difference).id());
  EXPECT_EQ(pow(y_ - x_, 2).id(), pow(difference, 2).id());
  EXPECT_EQ((2.0 + (y_ - x_)).id(), (2.0 - difference).id());
}

TEST_F(Simplify, MovesSignsOutward) {
  EXPECT_EQ((-(-x_)).id(), x_.id());
  EXPECT_EQ((x_ + (-y_)).id(), (x_ - y_).id());
  EXPECT_EQ(((-x_) + y_).id(), (y_ - x_).id());
  EXPECT_EQ((x_ - (-y_)).id(), (x_ + y_).id());
  EXPECT_EQ((-(x_ - y_)).id(), (y_ - x_).id());
  EXPECT_EQ(((-x_) * (-y_)).id(), (x_ * y_).id());
  EXPECT_EQ(((-x_) / y_).id(), (-(x_ / y_)).id());
  EXPECT_EQ(pow(-x_, 2).id(), pow(x_, 2).id());
  EXPECT_EQ(pow(-x_, 3).id(), (-pow(x_, 3)).id());
  EXPECT_EQ(sin(-x_).id(), (-sin(x_)).id());
  EXPECT_EQ(cos(-2.0 * x_).id(), cos(2.0 * x_).id());
  EXPECT_EQ(abs(-x_).id(), abs(x_).id());
}

TEST_F(Simplify, CollectsNumbersAndPowers) {
  EXPECT_EQ((x_ + x_).id(), (2.0 * x_).id());
  EXPECT_EQ((2.0 * (3.0 * x_)).id(), (6.0 * x_).id());
  EXPECT_EQ(((2.0 * x_) * (3.0 * y_)).id(), (6.0 * (x_ * y_)).id());
  EXPECT_EQ(((6.0 * x_) / 3.0).id(), (2.0 * x_).id());
  EXPECT_EQ((x_ / 4.0).id(), (0.25 * x_).id());
  EXPECT_EQ(((x_ + 1.0) + 2.0).id(), (x_ + 3.0).id());
  EXPECT_EQ((x_ * x_).id(), pow(x_, 2).id());
  EXPECT_EQ((x_ * pow(x_, 3)).id(), pow(x_, 4).id());
  EXPECT_EQ(pow(pow(x_, 2), 3).id(), pow(x_, 6).id());
  EXPECT_EQ(pow(x_, 0.5).id(), sqrt(x_).id());
  EXPECT_EQ(pow(x_, -1).id(), (1.0 / x_).id());
}

TEST_F(Simplify, CollectsNoNumbersWhereDigitsOrRangeWouldBeLost) {
  // 1e-200*1e-200 underflows, but times x = 1e300 it must not vanish.
  EXPECT_EQ(op(1e-200 * (1e-200 * x_)), Op::mul);
  EXPECT_NE((1e-200 * (1e-200 * x_)).id(), number(0.0));
  Expr many = x_;
  for (int i = 0; i < 100000; ++i) many = many * 1e-200 * x_;
  EXPECT_EQ(op(many), Op::mul);
  // 1 + 1e-20 rounds to 1.
  EXPECT_NE(((x_ + 1e-20) + 1.0).id(), (x_ + 1.0).id());
}

TEST_F(Simplify, DecidesChoicesAndLogicThatAreConstant) {
  const Expr yes(pool_, number(1.0));
  const Expr no(pool_, number(0.0));
  EXPECT_EQ(if_else(yes, x_, y_).id(), x_.id());
  EXPECT_EQ(if_else(no, x_, y_).id(), y_.id());
  EXPECT_EQ(if_else(b_, x_, x_).id(), x_.id());
  EXPECT_EQ(if_else(!b_, x_, y_).id(), if_else(b_, y_, x_).id());
  EXPECT_EQ(if_else(b_, if_else(b_, x_, 1.0), y_).id(), if_else(b_, x_, y_).id());
  EXPECT_EQ((b_ && yes).id(), b_.id());
  EXPECT_EQ((b_ && no).id(), number(0.0));
  EXPECT_EQ((b_ || yes).id(), number(1.0));
  EXPECT_EQ((no || b_).id(), b_.id());
  EXPECT_EQ((!!b_).id(), b_.id());
  EXPECT_EQ((x_ < x_).id(), number(0.0));
  EXPECT_EQ((x_ <= x_).id(), number(1.0));
  EXPECT_EQ((yes < 2.0).id(), number(1.0));
  EXPECT_EQ(pool_.n_relations(), 0);
}

TEST_F(Simplify, MergesPromisesOfSmoothness) {
  EXPECT_EQ(smooth(3, x_).id(), x_.id());
  EXPECT_EQ(smooth(1, smooth(2, sin(x_))).id(), smooth(2, sin(x_)).id());
  EXPECT_EQ(smooth(2, smooth(1, sin(x_))).id(), smooth(2, sin(x_)).id());
}

/// An expression beside its value at some points, computed without any simplification.
constexpr int n_points = 3;
struct Shadowed {
  NodeId id;
  std::array<double, n_points> values;
};

class ShadowedPool {
 public:
  explicit ShadowedPool(unsigned seed) : random_(seed) {
    for (SymbolId i = 0; i < 3; ++i) {
      Shadowed leaf{pool_.variable(i), {}};
      for (double& v : leaf.values) v = std::uniform_real_distribution<double>(-2.0, 2.0)(random_);
      leaves_.push_back(leaf);
    }
    known_ = leaves_;
    for (const double c : {0.0, 1.0, -1.0, 2.0, -3.0, 0.5, 0.1}) {
      Shadowed constant{pool_.constant(c), {}};
      constant.values.fill(c);
      known_.push_back(constant);
    }
  }

  void grow() {
    static constexpr std::array ops = {
        Op::neg,        Op::neg,     Op::add,           Op::add,         Op::sub,
        Op::sub,        Op::mul,     Op::mul,           Op::div,         Op::div,
        Op::pow,        Op::sin,     Op::cos,           Op::tan,         Op::asin,
        Op::atan,       Op::tanh,    Op::cosh,          Op::abs,         Op::sign,
        Op::min,        Op::max,     Op::floor,         Op::sqrt,        Op::less,
        Op::equal,      Op::exp,     Op::sinh,          Op::acos,        Op::atan2,
        Op::pow_int,    Op::if_else, Op::greater_equal, Op::logical_and, Op::logical_or,
        Op::logical_not};
    Node node{.op = ops[random_() % ops.size()]};
    const Shadowed a = any();
    const Shadowed b = any();
    const Shadowed c = any();
    node.order = static_cast<int>(random_() % 7) - 3;
    Shadowed result{no_node, {}};
    for (std::size_t i = 0; i < n_points; ++i) {
      result.values[i] =
          static_cast<double>(test::value_of(node, a.values[i], b.values[i], c.values[i]));
      // Only finite values count, and none so near a jump that rounding decides.
      if (!std::isfinite(result.values[i]) || std::abs(result.values[i]) > 1e6) return;
      if (is_near_jump(node.op, a.values[i], b.values[i])) return;
    }
    // Logic is defined on truth values only.
    if (is_logical(node.op) && !is_relation(node.op) && !(is_truth(a) && is_truth(b))) return;
    result.id = build(node, a.id, b.id, c.id);
    known_.push_back(result);
  }

  void check() {
    for (std::size_t i = 0; i < n_points; ++i) {
      const auto leaf = [&](NodeId, const Node& node) {
        return leaves_[static_cast<std::size_t>(node.symbol)].values[i];
      };
      for (const Shadowed& e : known_) {
        ASSERT_NEAR(test::evaluate(pool_, e.id, leaf), e.values[i],
                    1e-9 * (1.0 + std::abs(e.values[i])));
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return known_.size(); }

 private:
  Shadowed any() { return known_[random_() % known_.size()]; }

  static bool is_truth(const Shadowed& e) {
    for (const double v : e.values) {
      if (v != 0.0 && v != 1.0) return false;
    }
    return true;
  }

  static bool is_near_jump(Op op, double a, double b) {
    const double gap = 1e-6;
    if (op == Op::floor) return std::abs(a - std::round(a)) < gap && a != std::round(a);
    if (op == Op::sign || op == Op::if_else) return std::abs(a) < gap && a != 0.0;
    if (op == Op::div) return std::abs(b) < 1e-3;
    if (op == Op::atan2) return std::abs(a) < gap;
    if (op == Op::sqrt || op == Op::pow || op == Op::pow_int) return std::abs(a) < gap;
    if (op == Op::asin || op == Op::acos) return std::abs(a) > 0.99;
    if (op == Op::tan) return std::abs(std::cos(a)) < 1e-2;
    return is_relation(op) && std::abs(a - b) < gap;
  }

  NodeId build(const Node& node, NodeId a, NodeId b, NodeId c) {
    if (is_relation(node.op)) return pool_.relation(node.op, a, b);
    switch (node.op) {
      case Op::pow_int:
        return pool_.power(a, node.order);
      case Op::if_else:
        return pool_.if_else(a, b, c);
      case Op::add:
      case Op::sub:
      case Op::mul:
      case Op::div:
      case Op::pow:
      case Op::min:
      case Op::max:
      case Op::atan2:
      case Op::logical_and:
      case Op::logical_or:
        return pool_.binary(node.op, a, b);
      default:
        return pool_.unary(node.op, a);
    }
  }

  std::mt19937 random_;
  Pool pool_;
  std::vector<Shadowed> leaves_;
  std::vector<Shadowed> known_;
};

TEST(SimplifyProperty, NeverChangesFiniteValues) {
  std::size_t n_built = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    ShadowedPool expressions(seed);
    for (int i = 0; i < 60; ++i) expressions.grow();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    expressions.check();
    if (HasFatalFailure()) return;
    n_built += expressions.size();
  }
  EXPECT_GT(n_built, 400U * 30U);
}

}  // namespace
}  // namespace daedal
