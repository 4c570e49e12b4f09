// SPDX-License-Identifier: BSD-3-Clause
#include "expr/pool.hpp"

#include <gtest/gtest.h>

#include <daedal/error.hpp>
#include <daedal/expr.hpp>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

namespace daedal {
namespace {

ErrorCode code_thrown_by(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::syntax;
}

TEST(Pool, StoresEqualExpressionsOnce) {
  Pool pool;
  const Expr x(pool, pool.variable(0));
  const Expr y(pool, pool.variable(1));
  const Expr first = sin(x * y) + exp(x);
  const NodeId size = pool.size();
  const Expr second = exp(x) + sin(y * x);
  EXPECT_EQ(first.id(), second.id());
  EXPECT_EQ(pool.size(), size);
  EXPECT_NE((x - y).id(), (y - x).id());
  EXPECT_NE(pool.variable(0), pool.variable(0, 1));
  EXPECT_NE(pool.variable(0), pool.parameter(0));
}

TEST(Pool, StoresOnceWhatManyExpressionsHaveAsTheirLastArgument) {
  Pool pool;
  constexpr int n = 10'000;
  for (int i = 0; i < n; ++i) pool.variable(i);
  const NodeId last = pool.unary(Op::sin, pool.time());
  std::vector<NodeId> products;
  for (int i = 0; i < n; ++i) products.push_back(pool.mul(pool.variable(i), last));
  const NodeId size = pool.size();
  EXPECT_EQ(size, 2 * n + 2);
  for (int i = n - 1; i >= 0; --i) {
    ASSERT_EQ(pool.mul(pool.variable(i), last), products[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(pool.size(), size);
}

TEST(Pool, NumbersArgumentsBelowTheirNode) {
  Pool pool;
  const Expr x(pool, pool.variable(0));
  const Expr y(pool, pool.variable(1));
  static_cast<void>(if_else(x < y, pow(x, 3) / y, atan2(x, 1.0 + y)));
  for (NodeId id = 0; id < pool.size(); ++id) {
    EXPECT_LT(pool[id].a, id);
    EXPECT_LT(pool[id].b, id);
    EXPECT_LT(pool[id].c, id);
  }
}

TEST(Pool, TakesNothingNewOnceFrozen) {
  Pool pool;
  const Expr x(pool, pool.variable(0));
  const Expr known = sin(x);
  pool.freeze();
  EXPECT_EQ(sin(x).id(), known.id());
  EXPECT_EQ(code_thrown_by([&] { cos(x); }), ErrorCode::internal);
}

TEST(Pool, RefusesNumbersThatAreNotFinite) {
  Pool pool;
  const Expr x(pool, pool.variable(0));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(code_thrown_by([&] { x + nan; }), ErrorCode::invalid_value);
  EXPECT_EQ(code_thrown_by([&] { x* inf; }), ErrorCode::invalid_value);
}

TEST(Pool, RefusesIdsAndOrdersThatDoNotExist) {
  Pool pool;
  EXPECT_EQ(code_thrown_by([&] { pool.add(0, 1); }), ErrorCode::internal);
  EXPECT_EQ(code_thrown_by([&] { pool.variable(0, -1); }), ErrorCode::internal);
  EXPECT_EQ(code_thrown_by([&] { static_cast<void>(pool[-1]); }), ErrorCode::internal);
  const NodeId x = pool.variable(0);
  EXPECT_EQ(code_thrown_by([&] { pool.smooth(-1, x); }), ErrorCode::internal);
  EXPECT_EQ(code_thrown_by([&] { pool.unary(Op::add, x); }), ErrorCode::internal);
  EXPECT_EQ(code_thrown_by([&] { pool.binary(Op::sin, x, x); }), ErrorCode::internal);
  EXPECT_EQ(code_thrown_by([&] { pool.relation(Op::add, x, x); }), ErrorCode::internal);
  EXPECT_EQ(code_thrown_by([&] { static_cast<void>(pool.relation_node(0)); }), ErrorCode::internal);
}

TEST(ChildPool, ExtendsAFrozenParentWithoutTouchingIt) {
  const auto parent = std::make_shared<Pool>();
  const Expr x(*parent, parent->variable(0));
  const Expr shared = sin(x);
  EXPECT_EQ(code_thrown_by([&] { const Pool child(parent); }), ErrorCode::internal);
  parent->freeze();
  const NodeId size = parent->size();
  Pool child(parent);
  const Expr x_there(child, x.id());
  EXPECT_EQ(sin(x_there).id(), shared.id());
  EXPECT_EQ(child.size(), size);
  const Expr grown = shared + cos(x_there);
  EXPECT_EQ(grown.pool(), &child);
  EXPECT_GE(grown.id(), size);
  EXPECT_EQ(parent->size(), size);
  EXPECT_EQ(child[shared.id()], (*parent)[shared.id()]);
}

TEST(ChildPool, CombinesWithAncestorsAndNumbersInAnyOrder) {
  const auto parent = std::make_shared<Pool>();
  const Expr x(*parent, parent->variable(0));
  parent->freeze();
  const auto child = std::make_shared<Pool>(parent);
  const Expr y(*child, child->variable(1));
  child->freeze();
  Pool grandchild(child);
  const Expr z(grandchild, grandchild.variable(2));
  EXPECT_EQ((x + z).pool(), &grandchild);
  EXPECT_EQ((z * x).id(), (x * z).id());
  EXPECT_EQ(if_else(x < z, y, 1.0).pool(), &grandchild);
  EXPECT_EQ(if_else(z < 0.0, x, y).pool(), &grandchild);
  EXPECT_EQ(x.in(grandchild), x.id());
  EXPECT_EQ(z.in(grandchild), z.id());
}

TEST(ChildPool, SiblingsAndStrangersDoNotMix) {
  const auto parent = std::make_shared<Pool>();
  const Expr x(*parent, parent->variable(0));
  parent->freeze();
  Pool first(parent);
  Pool second(parent);
  const Expr a(first, first.variable(1));
  const Expr b(second, second.variable(1));
  EXPECT_EQ(code_thrown_by([&] { a + b; }), ErrorCode::internal);
  EXPECT_EQ(code_thrown_by([&] { if_else(x, a, b); }), ErrorCode::internal);
  EXPECT_EQ(code_thrown_by([&] { static_cast<void>(a.in(second)); }), ErrorCode::internal);
  EXPECT_EQ(code_thrown_by([&] { static_cast<void>(a.in(*parent)); }), ErrorCode::internal);
}

TEST(Relations, HaveOneIdEachAndImmediateOnesNone) {
  Pool pool;
  const Expr x(pool, pool.variable(0));
  const Expr y(pool, pool.variable(1));
  const Expr below = x < y;
  const Expr above = x > y;
  EXPECT_EQ((x < y).id(), below.id());
  EXPECT_EQ(pool.n_relations(), 2);
  EXPECT_EQ(pool[below.id()].symbol, 0);
  EXPECT_EQ(pool[above.id()].symbol, 1);
  EXPECT_EQ(pool.relation_node(1), above.id());
  const NodeId immediate = pool.immediate_relation(Op::less, x.id(), y.id());
  EXPECT_NE(immediate, below.id());
  EXPECT_EQ(pool[immediate].symbol, -1);
  EXPECT_EQ(pool.n_relations(), 2);
}

TEST(Relations, CountOnFromTheParentsIds) {
  const auto parent = std::make_shared<Pool>();
  const Expr x(*parent, parent->variable(0));
  const Expr old_relation = x < 1.0;
  parent->freeze();
  Pool child(parent);
  const Expr y(child, child.variable(1));
  const Expr new_relation = y < x;
  EXPECT_EQ(child[new_relation.id()].symbol, 1);
  EXPECT_EQ(child.n_relations(), 2);
  EXPECT_EQ(child.relation_node(0), old_relation.id());
  EXPECT_EQ(child.relation_node(1), new_relation.id());
  EXPECT_EQ(Expr(child, x.id()).id(), x.id());
  EXPECT_EQ((Expr(child, x.id()) < 1.0).id(), old_relation.id());
}

TEST(NoEvent, MakesEveryRelationOfItsArgumentImmediate) {
  Pool pool;
  const Expr x(pool, pool.variable(0));
  const Expr y(pool, pool.variable(1));
  const Expr choice = if_else(x < y && !(y > 2.0), if_else(x >= 0.0, x, y), -x) + exp(y);
  const Expr plain = no_event(choice);
  std::vector<NodeId> open = {plain.id()};
  int n_relations = 0;
  while (!open.empty()) {
    const Node node = pool[open.back()];
    open.pop_back();
    if (is_relation(node.op)) {
      EXPECT_EQ(node.symbol, -1);
      ++n_relations;
    }
    for (const NodeId id : {node.a, node.b, node.c}) {
      if (id != no_node) open.push_back(id);
    }
  }
  EXPECT_EQ(n_relations, 3);
  EXPECT_EQ(no_event(plain).id(), plain.id());
  EXPECT_EQ(no_event(exp(y)).id(), exp(y).id());
}

TEST(Expr, OfNumbersAloneIsANumber) {
  EXPECT_EQ((Expr(2.0) * 3.0 - 1.0).value(), 5.0);
  EXPECT_EQ(pow(Expr(3.0), 4).value(), 81.0);
  EXPECT_EQ(max(Expr(3.0), 4.0).value(), 4.0);
  EXPECT_EQ(if_else(Expr(1.0) < 2.0, 7.0, 8.0).value(), 7.0);
  EXPECT_EQ(der(Expr(2.0)).value(), 0.0);
  EXPECT_EQ(no_event(smooth(1, Expr(2.0))).pool(), nullptr);
}

}  // namespace
}  // namespace daedal
