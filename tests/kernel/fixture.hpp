// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A pool with variables x_0, x_1, ... bound to block 0 in order.

#include <span>
#include <vector>

#include "expr/pool.hpp"
#include "kernel/program.hpp"
#include "support/evaluate.hpp"

namespace daedal::test {

struct Variables {
  explicit Variables(int n) {
    for (int i = 0; i < n; ++i) {
      ids.push_back(pool.variable(i));
      inputs.push_back({.leaf = ids.back(), .block = 0, .offset = i});
    }
  }

  [[nodiscard]] kernel::Program compile(std::span<const NodeId> outputs) const {
    return kernel::Program::compile(pool, outputs, inputs);
  }

  [[nodiscard]] std::vector<double> evaluate(std::span<const NodeId> outputs,
                                             const std::vector<double>& x) const {
    const kernel::Program program = compile(outputs);
    kernel::Workspace workspace = program.make_workspace();
    std::vector<double> out(outputs.size());
    const double* block = x.data();
    program.evaluate({&block, 1}, out, workspace);
    return out;
  }
  [[nodiscard]] double evaluate(NodeId output, const std::vector<double>& x) const {
    return evaluate(std::span(&output, 1), x).front();
  }

  Pool pool;
  std::vector<NodeId> ids;
  std::vector<kernel::Input> inputs;
};

/// x^n by squaring, as the kernel documents it: the bits of a power depend on the order of its
/// products.
inline double power_by_squaring(double x, int n) {
  if (n < 0) return 1.0 / power_by_squaring(x, -n);
  if (n == 0) return 1.0;
  if (n == 1) return x;
  const double half = power_by_squaring(x, n / 2);
  return n % 2 == 0 ? half * half : half * half * x;
}

/// The values of `roots` by the plain evaluator, variable number i being x[i].
inline std::vector<double> plain_values(const Pool& pool, std::span<const NodeId> roots,
                                        std::span<const double> x) {
  std::vector<double> values(static_cast<std::size_t>(pool.size()));
  const auto at = [&](NodeId id) -> double& { return values[static_cast<std::size_t>(id)]; };
  for (NodeId id = 0; id < pool.size(); ++id) {
    const Node& node = pool[id];
    if (node.op == Op::pow_int) {
      at(id) = power_by_squaring(at(node.a), node.order);
    } else if (node.op == Op::variable) {
      at(id) = x[static_cast<std::size_t>(node.symbol)];
    } else if (node.op == Op::constant) {
      at(id) = node.value;
    } else {
      at(id) = value_of(node, at(node.a), node.b == no_node ? 0.0 : at(node.b),
                        node.c == no_node ? 0.0 : at(node.c));
    }
  }
  std::vector<double> result;
  for (const NodeId root : roots) result.push_back(at(root));
  return result;
}

}  // namespace daedal::test
