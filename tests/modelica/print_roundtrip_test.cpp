// SPDX-License-Identifier: BSD-3-Clause
/// What expr prints, the reader of model text understands.

#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <random>
#include <string>
#include <vector>

#include "expr/calculus.hpp"
#include "expr/print.hpp"
#include "expr/traverse.hpp"
#include "support/evaluate.hpp"
#include "support/random_expr.hpp"

namespace daedal {
namespace {

constexpr int n_leaves = 3;

std::string name(Op /*kind*/, SymbolId symbol) {
  // The middle one needs its quotes.
  return symbol == 1 ? "'x[1].q'" : "x" + std::to_string(symbol);
}

/// y0 = first text, y1 = second text, ..., for the unknowns above.
std::string model_text(const std::vector<std::string>& texts) {
  std::string declarations;
  std::string equations;
  for (int i = 0; i < n_leaves; ++i) {
    declarations += "Real " + name(Op::variable, i) + ";\n";
    equations += "der(" + name(Op::variable, i) + ") = 0;\n";
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    declarations += "Real y" + std::to_string(i) + ";\n";
    equations += "y" + std::to_string(i) + " = " + texts[i] + ";\n";
  }
  return "model M\n" + declarations + "equation\n" + equations + "end M;\n";
}

/// How many relations with an id the expressions reach. (no_event leaves others behind in the
/// pool.)
std::size_t n_held_relations(const Pool& pool, const std::vector<NodeId>& roots) {
  const Reachable part(pool, roots);
  std::size_t n = 0;
  for (const NodeId id : part.ids()) {
    if (is_relation(pool[id].op) && pool[id].symbol >= 0) ++n;
  }
  return n;
}

TEST(PrintRoundTrip, KeepsValuesAndRelationsOfRandomExpressions) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    Pool pool;
    std::vector<Expr> leaves;
    for (int i = 0; i < n_leaves; ++i) leaves.emplace_back(pool, pool.variable(i));
    leaves.emplace_back(pool, pool.time());
    std::vector<NodeId> roots;
    for (const Expr& e : test::random_expressions(random, leaves, 10)) roots.push_back(e.in(pool));
    roots.push_back(total_time_derivative(pool, std::span(&roots.back(), 1)).front());
    std::vector<std::string> texts;
    for (const NodeId root : roots) texts.push_back(to_string(pool, root, name));
    const Model model = parse_model(model_text(texts));

    std::vector<double> point(2 * n_leaves + 1);
    for (double& p : point) p = std::uniform_real_distribution<double>(-1.5, 1.5)(random);
    const auto value = [&](NodeId, const Node& leaf) {
      if (leaf.op == Op::time) return point.back();
      return point[static_cast<std::size_t>(leaf.symbol + n_leaves * leaf.order)];
    };
    const auto read_value = [&](NodeId id, const Node& leaf) {
      // The unknowns y are never read: each stands alone on its left-hand side.
      return leaf.op == Op::variable && leaf.symbol >= n_leaves ? 0.0 : value(id, leaf);
    };
    std::vector<NodeId> read_roots;
    for (std::size_t i = 0; i < roots.size(); ++i) {
      const NodeId read = model.equations()[n_leaves + i].rhs;
      read_roots.push_back(read);
      const double expected = test::evaluate(pool, roots[i], value);
      EXPECT_NEAR(test::evaluate(*model.pool(), read, read_value), expected,
                  1e-13 * (1.0 + std::abs(expected)))
          << "seed " << seed << ": " << texts[i];
    }
    EXPECT_EQ(n_held_relations(*model.pool(), read_roots), n_held_relations(pool, roots))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace daedal
