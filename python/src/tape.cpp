// SPDX-License-Identifier: BSD-3-Clause
#include "tape.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace daedal::python {

namespace {

#define DAEDAL_VALUE(name, arity, expression, ...) \
  double value_of_##name(double a) {               \
    namespace libm = std;                          \
    [[maybe_unused]] constexpr double zero = 0.0;  \
    [[maybe_unused]] constexpr double one = 1.0;   \
    return expression;                             \
  }
DAEDAL_ELEMENTARY_FUNCTIONS(DAEDAL_VALUE)
#undef DAEDAL_VALUE

double value_of(const TapeNode& node, double a, double b, double c) {
  switch (node.op) {
    case TapeOp::add:
      return a + b;
    case TapeOp::subtract:
      return a - b;
    case TapeOp::multiply:
      return a * b;
    case TapeOp::divide:
      return a / b;
    case TapeOp::negate:
      return -a;
    case TapeOp::power:
      return std::pow(a, b);
    case TapeOp::integer_power:
      return std::pow(a, node.number);
#define DAEDAL_CASE(name, ...) \
  case TapeOp::name:           \
    return value_of_##name(a);
      DAEDAL_ELEMENTARY_FUNCTIONS(DAEDAL_CASE)
#undef DAEDAL_CASE
    case TapeOp::atan2:
      return std::atan2(a, b);
    case TapeOp::minimum:
      return std::min(a, b);
    case TapeOp::maximum:
      return std::max(a, b);
    case TapeOp::less:
      return a < b ? 1.0 : 0.0;
    case TapeOp::less_equal:
      return a <= b ? 1.0 : 0.0;
    case TapeOp::greater:
      return a > b ? 1.0 : 0.0;
    case TapeOp::greater_equal:
      return a >= b ? 1.0 : 0.0;
    case TapeOp::logical_and:
      return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
    case TapeOp::logical_or:
      return a != 0.0 || b != 0.0 ? 1.0 : 0.0;
    case TapeOp::logical_not:
      return a != 0.0 ? 0.0 : 1.0;
    case TapeOp::if_else:
      return a != 0.0 ? b : c;
    case TapeOp::no_event:
      return a;
    default:
      throw std::invalid_argument(
          "Left limits, samples, discrete values and values at the end have no value at a point.");
  }
}

/// The magnitude of the terms behind a value, given those of its arguments.
double magnitude_of(const TapeNode& node, double value, std::span<const double> magnitudes) {
  const auto of = [&](TapeId id) { return magnitudes[static_cast<std::size_t>(id)]; };
  switch (node.op) {
    case TapeOp::add:
    case TapeOp::subtract:
      return of(node.a) + of(node.b);
    case TapeOp::multiply:
      return of(node.a) * of(node.b);
    case TapeOp::negate:
    case TapeOp::no_event:
      return of(node.a);
    case TapeOp::if_else:
      return std::max(of(node.b), of(node.c));
    case TapeOp::sin:
    case TapeOp::cos:
      return std::max(1.0, of(node.a));
    default:
      return std::abs(value);
  }
}

}  // namespace

TapeId Tape::constant(double value) {
  nodes_.push_back({.op = TapeOp::constant, .value = value});
  return static_cast<TapeId>(nodes_.size() - 1);
}

TapeId Tape::make(TapeOp op, TapeId a, TapeId b, TapeId c, std::int32_t number) {
  switch (op) {
    case TapeOp::add:
      if (is_number(a, 0.0)) return b;
      if (is_number(b, 0.0)) return a;
      break;
    case TapeOp::subtract:
      if (is_number(b, 0.0)) return a;
      break;
    case TapeOp::multiply:
      if (is_number(a, 1.0) || is_number(b, 0.0)) return b;
      if (is_number(b, 1.0) || is_number(a, 0.0)) return a;
      break;
    case TapeOp::divide:
      if (is_number(b, 1.0)) return a;
      break;
    default:
      break;
  }
  nodes_.push_back({.op = op, .a = a, .b = b, .c = c, .number = number});
  return static_cast<TapeId>(nodes_.size() - 1);
}

std::vector<bool> Tape::used(std::span<const TapeId> roots) const {
  std::vector<bool> found(nodes_.size(), false);
  for (const TapeId root : roots) {
    if (root != no_id) found[static_cast<std::size_t>(root)] = true;
  }
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    if (!found[i]) continue;
    for (const TapeId argument : {nodes_[i].a, nodes_[i].b, nodes_[i].c}) {
      if (argument != no_id) found[static_cast<std::size_t>(argument)] = true;
    }
  }
  return found;
}

std::vector<bool> Tape::jumping_floors(std::span<const TapeId> roots) const {
  std::vector<bool> varies(nodes_.size(), false);
  const auto of = [&](TapeId id) { return id != no_id && varies[static_cast<std::size_t>(id)]; };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const TapeNode& node = nodes_[i];
    varies[i] = node.op == TapeOp::time || node.op == TapeOp::variable || of(node.a) ||
                of(node.b) || of(node.c);
  }
  std::vector<bool> found(nodes_.size(), false);
  for (const TapeId root : roots) {
    if (root != no_id) found[static_cast<std::size_t>(root)] = true;
  }
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const TapeNode& node = nodes_[i];
    if (!found[i] || node.op == TapeOp::no_event) continue;
    for (const TapeId argument : {node.a, node.b, node.c}) {
      if (argument != no_id) found[static_cast<std::size_t>(argument)] = true;
    }
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    found[i] = found[i] && varies[i] && nodes_[i].op == TapeOp::floor;
  }
  return found;
}

void Tape::evaluate(const TapePoint& point, std::span<const TapeId> roots, std::span<double> values,
                    std::span<double> magnitudes) const {
  const std::vector<bool> wanted = used(roots);
  std::vector<double> value(nodes_.size(), 0.0);
  std::vector<double> magnitude(nodes_.size(), 0.0);
  const auto of = [&](TapeId id) {
    return id == no_id ? 0.0 : value[static_cast<std::size_t>(id)];
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!wanted[i]) continue;
    const TapeNode& node = nodes_[i];
    const auto number = static_cast<std::size_t>(node.number);
    switch (node.op) {
      case TapeOp::constant:
        value[i] = node.value;
        break;
      case TapeOp::time:
        value[i] = point.t;
        break;
      case TapeOp::variable:
        value[i] = point.y[number];
        break;
      case TapeOp::parameter:
        value[i] = point.parameters[number];
        break;
      case TapeOp::derivative: {
        const TapeNode& base = (*this)[node.a];
        if (base.op != TapeOp::variable || node.number != 1) {
          throw std::invalid_argument("Only first derivatives of variables have a value.");
        }
        value[i] = point.yp[static_cast<std::size_t>(base.number)];
        break;
      }
      default:
        value[i] = value_of(node, of(node.a), of(node.b), of(node.c));
        magnitude[i] = magnitude_of(node, value[i], magnitude);
        continue;
    }
    magnitude[i] = std::abs(value[i]);
  }
  for (std::size_t i = 0; i < roots.size(); ++i) {
    values[i] = value[static_cast<std::size_t>(roots[i])];
    magnitudes[i] = magnitude[static_cast<std::size_t>(roots[i])];
  }
}

std::vector<bool> Tape::nonlinear_derivatives(std::span<const TapeId> roots,
                                              std::size_t n_variables) const {
  // The degree in the derivatives: 0, 1, or 2 for everything else.
  std::vector<int> degree(nodes_.size(), 0);
  const auto of = [&](TapeId id) { return id == no_id ? 0 : degree[static_cast<std::size_t>(id)]; };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const TapeNode& node = nodes_[i];
    const int highest = std::max({of(node.a), of(node.b), of(node.c)});
    switch (node.op) {
      case TapeOp::derivative:
        degree[i] = 1;
        break;
      case TapeOp::add:
      case TapeOp::subtract:
      case TapeOp::negate:
        degree[i] = highest;
        break;
      case TapeOp::multiply:
        degree[i] = std::min(2, of(node.a) + of(node.b));
        break;
      case TapeOp::divide:
        degree[i] = of(node.b) == 0 ? of(node.a) : 2;
        break;
      case TapeOp::if_else:
        degree[i] = of(node.a) == 0 ? highest : 2;
        break;
      default:
        degree[i] = highest == 0 ? 0 : 2;
        break;
    }
  }
  std::vector<bool> found(n_variables, false);
  for (const TapeId root : roots) {
    if (of(root) < 2) continue;
    const std::vector<bool> reached = used({&root, 1});
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!reached[i] || nodes_[i].op != TapeOp::derivative) continue;
      const TapeNode& base = (*this)[nodes_[i].a];
      if (base.op == TapeOp::variable) found[static_cast<std::size_t>(base.number)] = true;
    }
  }
  return found;
}

}  // namespace daedal::python
