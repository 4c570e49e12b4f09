// SPDX-License-Identifier: BSD-3-Clause
#include "expr/traverse.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "support/random_expr.hpp"

namespace daedal {
namespace {

void collect(const Pool& pool, NodeId id, std::set<NodeId>& reached) {
  if (id == no_node || !reached.insert(id).second) return;
  for (const NodeId argument : arguments(pool[id])) collect(pool, argument, reached);
}

std::vector<NodeId> reached_by_recursion(const Pool& pool, const std::vector<NodeId>& roots) {
  std::set<NodeId> reached;
  for (const NodeId root : roots) collect(pool, root, reached);
  return {reached.begin(), reached.end()};
}

// One root among many nodes is found by a heap, many roots by marks, some by both in turn.
TEST(Reachable, IsWhatRecursionReachesFromFewAndFromManyRoots) {
  Pool pool;
  std::mt19937 random(11);
  const std::vector<Expr> leaves{{pool, pool.variable(0)}, {pool, pool.variable(1)}};
  const std::vector<Expr> known = test::random_expressions(random, leaves, 2000);
  for (const std::size_t n_roots : {0UL, 1UL, 3UL, 30UL, 100UL, 1000UL}) {
    std::vector<NodeId> roots;
    for (std::size_t i = 0; i < n_roots; ++i) roots.push_back(known[random() % known.size()].id());
    const Reachable part(pool, roots);
    const std::vector<NodeId> ids(part.ids().begin(), part.ids().end());
    EXPECT_EQ(ids, reached_by_recursion(pool, roots)) << n_roots;
  }
}

TEST(Reachable, KnowsThePlaceOfEveryIdOfFewAndOfMany) {
  Pool pool;
  std::vector<NodeId> nodes;
  for (SymbolId i = 0; i < 500; ++i) nodes.push_back(pool.variable(i));
  for (std::size_t i = 0; i < 500; ++i) nodes.push_back(pool.mul(nodes[i], nodes[(i + 7) % 500]));
  const std::vector<NodeId> few{nodes[1], nodes[700], nodes[999]};
  const std::vector<NodeId> many(nodes.begin() + 300, nodes.end());
  for (const auto& roots : {few, many}) {
    const Reachable part(pool, roots);
    for (std::size_t i = 0; i < part.size(); ++i) EXPECT_EQ(part.position(part.ids()[i]), i);
  }
}

TEST(Reachable, NamesARepeatedRootOnce) {
  Pool pool;
  const NodeId x = pool.variable(0);
  const std::vector<NodeId> roots(50, x);
  const Reachable part(pool, roots);
  ASSERT_EQ(part.size(), 1U);
  EXPECT_EQ(part.ids()[0], x);
}

}  // namespace
}  // namespace daedal
