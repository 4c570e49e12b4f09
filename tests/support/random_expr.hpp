// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Random expressions with shared subexpressions, whose values and first derivatives stay of the
/// order of 1, for property tests.

#include <cstddef>
#include <daedal/expr.hpp>
#include <random>
#include <vector>

namespace daedal::test {

/// Combines `leaves` by `n_operations` random operations, every function of the library among
/// them, each with arguments inside its domain. Returns all intermediate expressions.
inline std::vector<Expr> random_expressions(std::mt19937& random, const std::vector<Expr>& leaves,
                                            int n_operations) {
  std::vector<Expr> known = leaves;
  const auto any = [&] { return known[random() % known.size()]; };
  const auto number = [&] { return std::uniform_real_distribution<double>(0.3, 1.7)(random); };
  for (int i = 0; i < n_operations; ++i) {
    // Named one after the other: the order of evaluation must not depend on the compiler.
    const Expr a = any();
    const Expr b = any();
    const double c = number();
    const auto make = [&]() -> Expr {
      switch (random() % 26) {
        case 0:
          return sin(c * a + b);
        case 1:
          return cos(a - c * b);
        case 2:
          return tanh(a * b);
        case 3:
          return exp(c * sin(a));
        case 4:
          return log(1.5 + sqr(a));
        case 5:
          return sqrt(c + sqr(b));
        case 6:
          return atan2(a, 2.0 + cos(b));
        case 7:
          return atan(a * c - b);
        case 8:
          return asin(0.9 * sin(a));
        case 9:
          return acos(0.9 * cos(b));
        case 10:
          return a / (2.0 + sqr(b));
        case 11:
          return pow(1.2 + sin(a), cos(b));
        case 12:
          return pow(1.5 + cos(a), c);
        case 13:
          return pow(sin(a), 3) + pow(2.0 + sin(b), -2);
        case 14:
          return abs(a - c);
        case 15:
          return min(a, b + c) - max(a, b * c);
        case 16:
          return if_else(a < b, a + b, a - c);
        case 17:
          return if_else(no_event(a >= c) || b > a, sin(b), b * c);
        case 18:
          return sinh(tanh(a)) - cosh(tanh(b));
        case 19:
          return tan(0.7 * sin(a));
        case 20:
          return smooth(1, a * sin(b));
        case 21:
          return sign(a) * sqr(sin(b));
        case 22:
          return -a + 0.5 * b;
        case 23:
          return (a + b) / 3.0 - c;
        case 24:
          return if_else(!(a <= c) && b < 1.0, a, -b);
        default:
          return 0.5 * a * b;
      }
    };
    known.push_back(make());
  }
  return known;
}

}  // namespace daedal::test
