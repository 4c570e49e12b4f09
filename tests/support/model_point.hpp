// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Values of a model's expressions at a point, for tests that compare with hand-written formulas.

#include <map>
#include <random>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "expr/calculus.hpp"
#include "expr/pool.hpp"
#include "kernel/program.hpp"

namespace daedal::test {

/// A number for every leaf that an expression may ask for.
struct Point {
  double time = 0.0;
  std::map<std::pair<SymbolId, int>, double> variables;  ///< by number and derivative order
  std::vector<double> parameters;
  std::vector<double> discretes;
};

/// Fills the variables 0..n-1 with random numbers in [-1, 1], derivatives up to `orders` too.
inline Point random_point(std::mt19937& random, SymbolId n, int orders) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Point point;
  point.time = uniform(random);
  for (SymbolId i = 0; i < n; ++i) {
    for (int order = 0; order <= orders; ++order) point.variables[{i, order}] = uniform(random);
  }
  return point;
}

inline double leaf_value(const Point& point, const Node& node) {
  const auto symbol = static_cast<std::size_t>(node.symbol);
  switch (node.op) {
    case Op::variable:
      return point.variables.at({node.symbol, node.order});
    case Op::parameter:
      return point.parameters.at(symbol);
    case Op::discrete:
      return point.discretes.at(symbol);
    default:
      return point.time;
  }
}

inline std::vector<double> evaluate(const Pool& pool, std::span<const NodeId> roots,
                                    const Point& point) {
  std::vector<kernel::Input> inputs;
  std::vector<double> values;
  for (const NodeId leaf : dependencies(pool, roots)) {
    if (pool[leaf].op == Op::constant) continue;
    inputs.push_back({leaf, 0, to_index(values.size())});
    values.push_back(leaf_value(point, pool[leaf]));
  }
  const auto program = kernel::Program::compile(pool, roots, inputs);
  auto workspace = program.make_workspace();
  std::vector<double> out(roots.size());
  const double* const blocks[] = {values.data()};
  program.evaluate(blocks, out, workspace);
  return out;
}

inline double evaluate(const Pool& pool, NodeId root, const Point& point) {
  return evaluate(pool, std::span(&root, 1), point)[0];
}

}  // namespace daedal::test
