// SPDX-License-Identifier: BSD-3-Clause
#include "expr/constant_folding.hpp"

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>

#include "expr/external.hpp"

namespace daedal {

/// Where the table of elementary functions finds those of numbers.
namespace libm = std;

double apply(Op op, double a) {
  constexpr double zero = 0.0;
  constexpr double one = 1.0;
  switch (op) {
    case Op::neg:
      return -a;
#define DAEDAL_ROW(name, arity, value, ...) \
  case Op::name:                            \
    return value;
      DAEDAL_ELEMENTARY_FUNCTIONS(DAEDAL_ROW)
#undef DAEDAL_ROW
    case Op::logical_not:
      return a == 0.0 ? 1.0 : 0.0;
    default:
      throw Error(ErrorCode::internal, "An operation of one argument was expected.");
  }
}

double apply(Op op, double a, double b) {
  switch (op) {
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
    case Op::atan2:
      return std::atan2(a, b);
    case Op::external:
      return call_external(a, b);
    case Op::min:
      return std::min(a, b);
    case Op::max:
      return std::max(a, b);
    case Op::less:
      return a < b ? 1.0 : 0.0;
    case Op::less_equal:
      return a <= b ? 1.0 : 0.0;
    case Op::greater:
      return a > b ? 1.0 : 0.0;
    case Op::greater_equal:
      return a >= b ? 1.0 : 0.0;
    case Op::equal:
      return a == b ? 1.0 : 0.0;
    case Op::not_equal:
      return a != b ? 1.0 : 0.0;
    case Op::logical_and:
      return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
    case Op::logical_or:
      return a != 0.0 || b != 0.0 ? 1.0 : 0.0;
    default:
      throw Error(ErrorCode::internal, "An operation of two arguments was expected.");
  }
}

double integer_power(double a, int n) {
  // Unsigned negation is defined for the smallest integer as well.
  auto exponent = n < 0 ? 0U - static_cast<unsigned>(n) : static_cast<unsigned>(n);
  double result = 1.0;
  for (double square = a; exponent != 0; exponent >>= 1, square *= square) {
    if ((exponent & 1U) != 0) result *= square;
  }
  return n < 0 ? 1.0 / result : result;
}

}  // namespace daedal
