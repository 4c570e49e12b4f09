// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Intervals and what the operations of expressions make of them: every value of the operation for
/// arguments in the intervals lies in the result, up to rounding. Where an operation is undefined
/// for some arguments (a square root of negative numbers) the result holds its values for the rest.

#include <algorithm>
#include <cmath>

#include "expr/node.hpp"

namespace daedal::kernel {

struct Interval {
  double low = 0.0;
  double high = 0.0;

  [[nodiscard]] double width() const { return high - low; }
  [[nodiscard]] double magnitude() const { return std::max(std::abs(low), std::abs(high)); }
  [[nodiscard]] bool contains(double x) const { return low <= x && x <= high; }
  [[nodiscard]] bool is_point() const { return low == high; }
  [[nodiscard]] static Interval point(double x) { return {x, x}; }
  [[nodiscard]] static Interval everything() { return {-HUGE_VAL, HUGE_VAL}; }
};

[[nodiscard]] inline Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// The operation of `node` on its arguments; those that it has not are not looked at.
[[nodiscard]] Interval enclose_any(const Node& node, const Interval& a, const Interval& b,
                                   const Interval& c);
/// The same with the commonest operations at hand.
[[nodiscard]] inline Interval enclose(const Node& node, const Interval& a, const Interval& b,
                                      const Interval& c) {
  switch (node.op) {
    case Op::neg:
      return {-a.high, -a.low};
    case Op::add:
      return {a.low + b.low, a.high + b.high};
    case Op::sub:
      return {a.low - b.high, a.high - b.low};
    default:
      return enclose_any(node, a, b, c);
  }
}

}  // namespace daedal::kernel
