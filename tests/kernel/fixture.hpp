// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A pool with variables x_0, x_1, ... bound to block 0 in order.

#include <span>
#include <vector>

#include "expr/constant_folding.hpp"
#include "expr/pool.hpp"
#include "kernel/program.hpp"

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
/// products, which is another one in constant folding.
inline double power_by_squaring(double x, int n) {
  if (n < 0) return 1.0 / power_by_squaring(x, -n);
  if (n == 0) return 1.0;
  if (n == 1) return x;
  const double half = power_by_squaring(x, n / 2);
  return n % 2 == 0 ? half * half : half * half * x;
}

/// The value of one operation as constant folding has it, to the last bit.
inline double folded(const Node& node, double a, double b, double c) {
  switch (node.op) {
    case Op::pow_int:
      return power_by_squaring(a, node.order);
    case Op::if_else:
      return a != 0.0 ? b : c;
    case Op::smooth:
      return a;
    default:
      return node.b == no_node ? apply(node.op, a) : apply(node.op, a, b);
  }
}

/// The values of `roots` by folding node after node, variable number i being x[i].
inline std::vector<double> folded_values(const Pool& pool, std::span<const NodeId> roots,
                                         std::span<const double> x) {
  std::vector<double> values(static_cast<std::size_t>(pool.size()));
  const auto at = [&](NodeId id) {
    return id == no_node ? 0.0 : values[static_cast<std::size_t>(id)];
  };
  for (NodeId id = 0; id < pool.size(); ++id) {
    const Node& node = pool[id];
    double& value = values[static_cast<std::size_t>(id)];
    if (node.op == Op::variable) {
      value = x[static_cast<std::size_t>(node.symbol)];
    } else if (node.op == Op::constant) {
      value = node.value;
    } else {
      value = folded(node, at(node.a), at(node.b), at(node.c));
    }
  }
  std::vector<double> result;
  for (const NodeId root : roots) result.push_back(at(root));
  return result;
}

}  // namespace daedal::test
