// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A reference evaluator of expressions: one plain loop over the ids of a pool, written without
/// the library's own tables so that tests have something independent to compare with.

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

#include "expr/pool.hpp"

namespace daedal::test {

/// The value of a leaf other than a constant.
using LeafValue = std::function<double(NodeId id, const Node& leaf)>;

inline double value_of(const Node& node, double a, double b, double c) {
  switch (node.op) {
    case Op::neg:
      return -a;
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::div:
      return a / b;
    case Op::pow:
      return std::pow(a, b);
    case Op::pow_int:
      return std::pow(a, node.order);
    case Op::sqrt:
      return std::sqrt(a);
    case Op::exp:
      return std::exp(a);
    case Op::log:
      return std::log(a);
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::tan:
      return std::tan(a);
    case Op::asin:
      return std::asin(a);
    case Op::acos:
      return std::acos(a);
    case Op::atan:
      return std::atan(a);
    case Op::atan2:
      return std::atan2(a, b);
    case Op::sinh:
      return std::sinh(a);
    case Op::cosh:
      return std::cosh(a);
    case Op::tanh:
      return std::tanh(a);
    case Op::abs:
      return std::fabs(a);
    case Op::sign:
      return static_cast<double>((a > 0.0) - (a < 0.0));
    case Op::min:
      return std::fmin(a, b);
    case Op::max:
      return std::fmax(a, b);
    case Op::floor:
      return std::floor(a);
    case Op::less:
      return static_cast<double>(a < b);
    case Op::less_equal:
      return static_cast<double>(a <= b);
    case Op::greater:
      return static_cast<double>(a > b);
    case Op::greater_equal:
      return static_cast<double>(a >= b);
    case Op::equal:
      return static_cast<double>(a == b);
    case Op::not_equal:
      return static_cast<double>(a != b);
    case Op::logical_and:
      return static_cast<double>(a != 0.0 && b != 0.0);
    case Op::logical_or:
      return static_cast<double>(a != 0.0 || b != 0.0);
    case Op::logical_not:
      return static_cast<double>(a == 0.0);
    case Op::if_else:
      return a != 0.0 ? b : c;
    case Op::smooth:
      return a;
    default:
      throw std::logic_error("a leaf has no operation");
  }
}

/// The values of `roots`. Relations follow their arguments, whether they have an id or not.
inline std::vector<double> evaluate(const Pool& pool, std::span<const NodeId> roots,
                                    const LeafValue& leaf_value) {
  const NodeId last = roots.empty() ? no_node : *std::max_element(roots.begin(), roots.end());
  std::vector<double> values(static_cast<std::size_t>(last + 1));
  const auto at = [&](NodeId id) {
    return id == no_node ? 0.0 : values[static_cast<std::size_t>(id)];
  };
  for (NodeId id = 0; id <= last; ++id) {
    const Node& node = pool[id];
    double& value = values[static_cast<std::size_t>(id)];
    if (node.op == Op::constant) {
      value = node.value;
    } else if (is_leaf(node.op)) {
      value = leaf_value(id, node);
    } else {
      value = value_of(node, at(node.a), at(node.b), at(node.c));
    }
  }
  std::vector<double> result;
  for (const NodeId root : roots) result.push_back(at(root));
  return result;
}

inline double evaluate(const Pool& pool, NodeId root, const LeafValue& leaf_value) {
  return evaluate(pool, std::span(&root, 1), leaf_value).front();
}

}  // namespace daedal::test
