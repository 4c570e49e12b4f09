// SPDX-License-Identifier: BSD-3-Clause
/// Precedence, long chains, and what expr prints is understood.

#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <random>
#include <string>
#include <vector>

#include "expr/calculus.hpp"
#include "expr/print.hpp"
#include "expr/traverse.hpp"
#include "modelica/same_equations.hpp"
#include "support/evaluate.hpp"
#include "support/random_expr.hpp"

namespace daedal {
namespace {

using test::expect_same;

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

TEST(ExpressionParser, KeepsValuesAndRelationsOfPrintedExpressions) {
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

TEST(ExpressionParser, PrecedenceAndSignsFollowModelica) {
  expect_same(R"(
    model M
      Real a, b, c, d;
    equation
      a = -b ^ 2;
      b = -2 * c / 4 * 3 - 1 - 2;
      c = 2 ^ -1 + 6 / 2 / 3 + mod(-7, 3) + rem(-7, 3) + div(-7, 2);
      d = abs(-3) + sign(-2) + floor(-1.5) + ceil(1.2) + integer(2.7) + log10(1000.0);
    end M;)",
              R"(
    model M
      Real a, b, c, d;
    equation
      a = -(b * b);
      b = -1.5 * c - 3;
      c = 0.5 + 1 + 2 - 1 - 3;
      d = 3 - 1 - 2 + 2 + 2 + 3;
    end M;)");
}

TEST(ExpressionParser, ASumOfAHundredThousandTermsIsRead) {
  std::string text = "model M Real x; equation x = 0";
  for (int i = 1; i <= 100'000; ++i) text += " + " + std::to_string(i) + " * time";
  const Model model = parse_model(text + "; end M;");
  // 1 + 2 + ... + n = n (n + 1) / 2
  const double sum = test::evaluate(*model.pool(), model.equations()[0].rhs,
                                    [](NodeId, const Node&) { return 1.0; });
  EXPECT_EQ(sum, 100'000.0 * 100'001.0 / 2.0);
}

TEST(ExpressionParser, LongChainsOfCasesAreRead) {
  std::string text = "model M Real x; equation x = ";
  for (int i = 0; i < 20'000; ++i) {
    text += "if time < " + std::to_string(i) + " then " + std::to_string(i) + " else ";
  }
  EXPECT_NO_THROW(parse_model(text + "0; end M;"));
}

}  // namespace
}  // namespace daedal
