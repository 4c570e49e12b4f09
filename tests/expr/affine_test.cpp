// SPDX-License-Identifier: BSD-3-Clause
#include "expr/affine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace daedal {
namespace {

class Affine : public testing::Test {
 protected:
  [[nodiscard]] bool in_both(NodeId root) const {
    std::vector<NodeId> leaves{x, y};
    std::ranges::sort(leaves);
    return is_affine(pool, root, leaves);
  }
  [[nodiscard]] bool in_x(NodeId root) const { return is_affine(pool, root, std::span(&x, 1)); }

  Pool pool;
  NodeId x = pool.variable(0);
  NodeId y = pool.variable(1);
  NodeId p = pool.parameter(0);
};

TEST_F(Affine, TakesSumsMultiplesAndQuotientsByOthers) {
  const NodeId sum = pool.sub(pool.mul(p, x), pool.div(y, pool.unary(Op::sin, p)));
  EXPECT_TRUE(in_both(sum));
  EXPECT_TRUE(in_both(pool.neg(pool.add(sum, pool.unary(Op::exp, p)))));
  EXPECT_TRUE(in_both(pool.if_else(pool.immediate_relation(Op::less, p, pool.time()), x, y)));
}

TEST_F(Affine, IsAboutTheGivenLeavesTogether) {
  const NodeId product = pool.mul(x, y);
  EXPECT_TRUE(in_x(product));
  EXPECT_FALSE(in_both(product));
  EXPECT_TRUE(in_x(pool.add(x, pool.unary(Op::sin, y))));
}

TEST_F(Affine, RefusesWhatDependsOnThemOtherwise) {
  EXPECT_FALSE(in_x(pool.power(x, 2)));
  EXPECT_FALSE(in_x(pool.div(p, x)));
  EXPECT_FALSE(in_x(pool.unary(Op::sin, x)));
  // Their derivatives are constant wherever they exist.
  EXPECT_FALSE(in_x(pool.sub(x, pool.unary(Op::floor, x))));
  EXPECT_FALSE(in_x(pool.unary(Op::abs, x)));
  EXPECT_FALSE(in_x(pool.if_else(pool.immediate_relation(Op::less, x, p), x, p)));
}

}  // namespace
}  // namespace daedal
