// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Two models are the same if their equations have the same residuals at random points.

#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <string>
#include <vector>

#include "expr/pool.hpp"
#include "support/evaluate.hpp"

namespace daedal::test {

/// A number in [0.5, 1.5) that depends on the leaf and on the seed only.
inline double leaf_number(const Node& leaf, unsigned seed) {
  const auto key = static_cast<unsigned>(static_cast<int>(leaf.op) * 7919 + leaf.symbol * 104729 +
                                         leaf.order * 1299709) +
                   seed * 15485863U;
  const unsigned mixed = (key ^ (key >> 15U)) * 2246822519U;
  return 0.5 + static_cast<double>((mixed ^ (mixed >> 13U)) % 1000003U) / 1000003.0;
}

/// Residuals lhs - rhs of the continuous equations; parameters have their values.
inline std::vector<double> residuals(const Model& model, unsigned seed) {
  const std::vector<double> parameters = model.parameter_values();
  std::vector<NodeId> roots;
  for (const Equation& equation : model.equations()) {
    roots.push_back(equation.lhs);
    roots.push_back(equation.rhs);
  }
  const std::vector<double> sides =
      evaluate(*model.pool(), roots, [&](NodeId /*id*/, const Node& leaf) {
        return leaf.op == Op::parameter ? parameters[static_cast<std::size_t>(leaf.symbol)]
                                        : leaf_number(leaf, seed);
      });
  std::vector<double> result;
  for (std::size_t i = 0; i < sides.size(); i += 2) result.push_back(sides[i] - sides[i + 1]);
  return result;
}

enum class Names { are_the_same, may_differ };

/// The variables must have the same names in the same order, the equations the same order.
inline void expect_same(const std::string& text, const std::string& by_hand,
                        Names names = Names::are_the_same) {
  const Model a = parse_model(text);
  const Model b = parse_model(by_hand);
  ASSERT_EQ(a.variables().size(), b.variables().size());
  for (std::size_t i = 0; names == Names::are_the_same && i < a.variables().size(); ++i) {
    EXPECT_EQ(a.variables()[i].name, b.variables()[i].name);
  }
  for (unsigned seed = 0; seed < 5; ++seed) {
    const std::vector<double> first = residuals(a, seed);
    const std::vector<double> second = residuals(b, seed);
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      // Sums may be ordered differently: a few roundings of numbers of size 100 at most.
      EXPECT_NEAR(first[i], second[i], 1e-12) << "equation " << i << ", seed " << seed;
    }
  }
}

}  // namespace daedal::test
