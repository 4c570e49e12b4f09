// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/interval.hpp"

#include <daedal/error.hpp>
#include <initializer_list>
#include <numbers>

#include "expr/constant_folding.hpp"
#include "expr/external.hpp"

namespace daedal::kernel {

namespace {

using std::numbers::pi;

constexpr Interval truth{0.0, 1.0};
/// A quarter turn is not resolved in arguments beyond this.
constexpr double largest_angle = 1e12;

/// 0·∞ is 0 here: the zero is exact, the infinity a bound.
double times(double a, double b) {
  return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

Interval spanned(std::initializer_list<double> values) {
  Interval result{HUGE_VAL, -HUGE_VAL};
  for (const double value : values) {
    if (std::isnan(value)) return Interval::everything();
    result = hull(result, Interval::point(value));
  }
  return result;
}

Interval product(const Interval& a, const Interval& b) {
  if (a.is_point() && std::isfinite(a.low)) {
    const double one = times(a.low, b.low);
    const double other = times(a.low, b.high);
    return a.low < 0.0 ? Interval{other, one} : Interval{one, other};
  }
  return spanned(
      {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)});
}

Interval reciprocal(const Interval& a) {
  if (a.low > 0.0 || a.high < 0.0) return {1.0 / a.high, 1.0 / a.low};
  if (a.low == 0.0 && a.high > 0.0) return {1.0 / a.high, HUGE_VAL};
  if (a.high == 0.0 && a.low < 0.0) return {-HUGE_VAL, 1.0 / a.low};
  return Interval::everything();
}

Interval whole_power(const Interval& a, int n) {
  if (n < 0) return reciprocal(whole_power(a, -n));
  const double low = integer_power(a.low, n);
  const double high = integer_power(a.high, n);
  if (n % 2 != 0) return {low, high};
  return a.contains(0.0) ? Interval{0.0, std::max(low, high)} : spanned({low, high});
}

Interval power(const Interval& a, const Interval& b) {
  if (b.is_point() && b.low == std::nearbyint(b.low) && std::abs(b.low) <= 1e6) {
    return whole_power(a, static_cast<int>(b.low));
  }
  const Interval base{std::max(a.low, 0.0), std::max(a.high, 0.0)};
  return spanned({std::pow(base.low, b.low), std::pow(base.low, b.high), std::pow(base.high, b.low),
                  std::pow(base.high, b.high)});
}

Interval angle(const Interval& y, const Interval& x) {
  if (x.low <= 0.0 && y.contains(0.0)) return {-pi, pi};
  return spanned({std::atan2(y.low, x.low), std::atan2(y.low, x.high), std::atan2(y.high, x.low),
                  std::atan2(y.high, x.high)});
}

/// Whether some offset + k·period lies in the interval.
bool meets(const Interval& a, double offset, double period) {
  return std::floor((a.high - offset) / period) >= std::ceil((a.low - offset) / period);
}

/// sin(a + shift).
Interval wave(const Interval& a, double shift, Op op) {
  if (!(a.width() < 2.0 * pi) || a.magnitude() > largest_angle) return {-1.0, 1.0};
  Interval result = spanned({apply(op, a.low), apply(op, a.high)});
  if (meets(a, 0.5 * pi - shift, 2.0 * pi)) result.high = 1.0;
  if (meets(a, -0.5 * pi - shift, 2.0 * pi)) result.low = -1.0;
  return result;
}

Interval tangent(const Interval& a) {
  if (!(a.width() < pi) || a.magnitude() > largest_angle || meets(a, 0.5 * pi, pi)) {
    return Interval::everything();
  }
  return {std::tan(a.low), std::tan(a.high)};
}

Interval magnitude_of(const Interval& a) {
  if (a.low >= 0.0) return a;
  return {a.high <= 0.0 ? -a.high : 0.0, std::max(-a.low, a.high)};
}

/// The range of an increasing function on the part of the interval where it is defined.
Interval rising(Op op, const Interval& a, const Interval& domain) {
  const Interval inside{std::clamp(a.low, domain.low, domain.high),
                        std::clamp(a.high, domain.low, domain.high)};
  return {apply(op, inside.low), apply(op, inside.high)};
}

Interval certain(bool holds, bool fails) {
  return holds ? Interval::point(1.0) : fails ? Interval::point(0.0) : truth;
}

bool is_true(const Interval& a) {
  return !a.contains(0.0);
}
bool is_false(const Interval& a) {
  return a.low == 0.0 && a.high == 0.0;
}

Interval relation(Op op, const Interval& a, const Interval& b) {
  switch (op) {
    case Op::less:
      return certain(a.high < b.low, a.low >= b.high);
    case Op::less_equal:
      return certain(a.high <= b.low, a.low > b.high);
    case Op::greater:
      return certain(a.low > b.high, a.high <= b.low);
    case Op::greater_equal:
      return certain(a.low >= b.high, a.high < b.low);
    case Op::equal:
      return certain(a.is_point() && b.is_point() && a.low == b.low,
                     a.high < b.low || a.low > b.high);
    default:
      return certain(a.high < b.low || a.low > b.high,
                     a.is_point() && b.is_point() && a.low == b.low);
  }
}

Interval choice(const Interval& condition, const Interval& then_value, const Interval& else_value) {
  if (is_true(condition)) return then_value;
  return is_false(condition) ? else_value : hull(then_value, else_value);
}

Interval function(Op op, const Interval& a) {
  switch (op) {
    case Op::sin:
      return wave(a, 0.0, op);
    case Op::cos:
      return wave(a, 0.5 * pi, op);
    case Op::tan:
      return tangent(a);
    case Op::cosh: {
      const Interval size = magnitude_of(a);
      return {std::cosh(size.low), std::cosh(size.high)};
    }
    case Op::abs:
      return magnitude_of(a);
    case Op::sqrt:
    case Op::log:
      return rising(op, a, {0.0, HUGE_VAL});
    case Op::asin:
      return rising(op, a, {-1.0, 1.0});
    case Op::acos: {
      const Interval falling = rising(op, a, {-1.0, 1.0});
      return {falling.high, falling.low};
    }
    default:
      return rising(op, a, Interval::everything());
  }
}

/// An estimate of the range from values at some points.
Interval sampled(const Interval& a, double function) {
  if (!std::isfinite(a.width())) return Interval::everything();
  Interval range{HUGE_VAL, -HUGE_VAL};
  for (const double value : sample_external(a.low, a.high, function)) {
    if (std::isfinite(value)) range = {std::min(range.low, value), std::max(range.high, value)};
  }
  return range.low <= range.high ? range : Interval::everything();
}

}  // namespace

Interval enclose_any(const Node& node, const Interval& a, const Interval& b, const Interval& c) {
  switch (node.op) {
    case Op::mul:
      return node.a == node.b ? whole_power(a, 2) : product(a, b);
    case Op::div:
      return b.is_point() && b.low != 0.0 ? product(Interval::point(1.0 / b.low), a)
                                          : product(a, reciprocal(b));
    case Op::pow:
      return power(a, b);
    case Op::pow_int:
      return whole_power(a, node.order);
    case Op::atan2:
      return angle(a, b);
    case Op::external:
      return sampled(a, b.low);
    case Op::min:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case Op::max:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case Op::logical_and:
      return certain(is_true(a) && is_true(b), is_false(a) || is_false(b));
    case Op::logical_or:
      return certain(is_true(a) || is_true(b), is_false(a) && is_false(b));
    case Op::logical_not:
      return certain(is_false(a), is_true(a));
    case Op::if_else:
      return choice(a, b, c);
    case Op::smooth:
      return a;
    default:
      if (is_relation(node.op)) return relation(node.op, a, b);
      if (is_leaf(node.op)) {
        throw Error(ErrorCode::internal, "A leaf has no operation that bounds it.");
      }
      return function(node.op, a);
  }
}

}  // namespace daedal::kernel
