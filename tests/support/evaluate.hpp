// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A reference evaluator of expressions: one plain loop over the ids of a pool. It shares neither
/// code nor arithmetic with the library: it computes in long double, and elementary functions are
/// taken from others by their identities wherever there is one.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <span>
#include <stdexcept>
#include <vector>

#include "expr/pool.hpp"

namespace daedal::test {

/// The value of a leaf other than a constant.
using LeafValue = std::function<double(NodeId id, const Node& leaf)>;

/// n factors, or their reciprocal.
inline long double repeated_product(long double a, int n) {
  long double product = 1.0L;
  for (int i = 0; i < std::abs(n); ++i) product *= a;
  return n < 0 ? 1.0L / product : product;
}

/// √(1 − a²) without cancellation.
inline long double cosine_of_sine(long double a) {
  return std::sqrt((1.0L - a) * (1.0L + a));
}

inline long double value_of(const Node& node, long double a, long double b, long double c) {
  const auto grown = [&] { return std::expm1(a); };  // eᵃ − 1
  switch (node.op) {
    case Op::neg:
      return 0.0L - a;
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
      return repeated_product(a, node.order);
    case Op::sqrt:
      return std::sqrt(a);
    case Op::exp:
      return grown() + 1.0L;
    case Op::log:
      return std::log2(a) * std::numbers::ln2_v<long double>;
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::tan:
      return std::sin(a) / std::cos(a);
    case Op::asin:
      return std::atan2(a, cosine_of_sine(a));
    case Op::acos:
      return std::atan2(cosine_of_sine(a), a);
    case Op::atan:
      return std::atan2(a, 1.0L);
    case Op::atan2:
      return std::arg(std::complex(b, a));
    case Op::sinh:
      return (grown() + grown() / (grown() + 1.0L)) / 2.0L;
    case Op::cosh:
      return 1.0L + grown() * grown() / (grown() + 1.0L) / 2.0L;
    case Op::tanh:
      return std::expm1(2.0L * a) / (std::expm1(2.0L * a) + 2.0L);
    case Op::abs:
      return a < 0.0L ? -a : a;
    case Op::sign:
      return a > 0.0L ? 1.0L : (a < 0.0L ? -1.0L : 0.0L);
    case Op::min:
      return a < b ? a : b;
    case Op::max:
      return a < b ? b : a;
    case Op::floor:
      return -std::ceil(-a);
    case Op::less:
      return a < b ? 1.0L : 0.0L;
    case Op::less_equal:
      return b < a ? 0.0L : 1.0L;
    case Op::greater:
      return b < a ? 1.0L : 0.0L;
    case Op::greater_equal:
      return a < b ? 0.0L : 1.0L;
    case Op::equal:
      return a < b || b < a ? 0.0L : 1.0L;
    case Op::not_equal:
      return a < b || b < a ? 1.0L : 0.0L;
    case Op::logical_and:
      return a * b != 0.0L ? 1.0L : 0.0L;
    case Op::logical_or:
      return std::fabs(a) + std::fabs(b) > 0.0L ? 1.0L : 0.0L;
    case Op::logical_not:
      return a != 0.0L ? 0.0L : 1.0L;
    case Op::if_else:
      return a != 0.0L ? b : c;
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
  std::vector<long double> values(static_cast<std::size_t>(last + 1));
  const auto at = [&](NodeId id) {
    return id == no_node ? 0.0L : values[static_cast<std::size_t>(id)];
  };
  for (NodeId id = 0; id <= last; ++id) {
    const Node& node = pool[id];
    long double& value = values[static_cast<std::size_t>(id)];
    if (node.op == Op::constant) {
      value = node.value;
    } else if (is_leaf(node.op)) {
      value = leaf_value(id, node);
    } else {
      value = value_of(node, at(node.a), at(node.b), at(node.c));
    }
  }
  std::vector<double> result;
  for (const NodeId root : roots) result.push_back(static_cast<double>(at(root)));
  return result;
}

inline double evaluate(const Pool& pool, NodeId root, const LeafValue& leaf_value) {
  return evaluate(pool, std::span(&root, 1), leaf_value).front();
}

}  // namespace daedal::test
