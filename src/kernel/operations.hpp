// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The one table of operations. Every back end (scalar interpreter, lanes, Taylor series) is
/// generated from it, so that an operation is stated once and all of them agree.
///
///     X(name, arity, value, taylor, ...)
///
/// `value` is a formula of the operands `a`, `b`, `c`, `d`. It is compiled for doubles and for
/// vectors of doubles: comparisons yield masks, `mask ? x : y` selects, `one` and `zero` are
/// broadcast constants, `libm` is the library of functions of the back end. `taylor` names the rule
/// for power series in taylor_rules.hpp. The elementary functions have a table of their own, with
/// more columns.
///
/// The fused rows are one dispatch instead of two, not one rounding instead of two: a·b + c is
/// rounded after the product, because the baseline instruction set has no fused multiply-add and
/// results must not depend on the instruction set.
///
/// Conventions where mathematics leaves a choice: relations and logic are 1 or 0 and false for
/// NaN; `min`, `max` and `sign` of NaN are NaN, so that no operation hides one.

#include <cstdint>
#include <daedal/elementary.hpp>

// clang-format off
#define DAEDAL_KERNEL_OPERATIONS(X)                                                \
  X(neg,           1, -a,                                       neg)               \
  X(add,           2, a + b,                                    add)               \
  X(sub,           2, a - b,                                    sub)               \
  X(mul,           2, a * b,                                    mul)               \
  X(div,           2, a / b,                                    div)               \
  X(add_add,       3, a + b + c,                                add_add)           \
  X(mul_mul,       3, a * b * c,                                mul_mul)           \
  X(mul_add,       3, a * b + c,                                mul_add)           \
  X(mul_sub,       3, a * b - c,                                mul_sub)           \
  X(neg_mul_add,   3, c - a * b,                                neg_mul_add)       \
  X(mul_add_mul,   4, a * b + c * d,                            mul_add_mul)       \
  X(mul_sub_mul,   4, a * b - c * d,                            mul_sub_mul)       \
  X(pow,           2, libm::pow(a, b),                          pow)               \
  X(atan2,         2, libm::atan2(a, b),                        atan2)             \
  X(external,      2, libm::external(a, b),                     external)          \
  X(min,           2, ((a < b) | (a != a)) ? a : b,             min)               \
  X(max,           2, ((a > b) | (a != a)) ? a : b,             max)               \
  X(less,          2, a < b ? one : zero,                       locally_constant)  \
  X(less_equal,    2, a <= b ? one : zero,                      locally_constant)  \
  X(greater,       2, a > b ? one : zero,                       locally_constant)  \
  X(greater_equal, 2, a >= b ? one : zero,                      locally_constant)  \
  X(equal,         2, a == b ? one : zero,                      locally_constant)  \
  X(not_equal,     2, a != b ? one : zero,                      locally_constant)  \
  X(logical_and,   2, ((a != zero) & (b != zero)) ? one : zero, locally_constant)  \
  X(logical_or,    2, ((a != zero) | (b != zero)) ? one : zero, locally_constant)  \
  X(logical_not,   1, a != zero ? zero : one,                   locally_constant)  \
  X(if_else,       3, a != zero ? b : c,                        if_else)           \
  DAEDAL_ELEMENTARY_FUNCTIONS(X)
// clang-format on

namespace daedal::kernel {

enum class Operation : std::uint32_t {
#define DAEDAL_NAME(name, ...) name,
  DAEDAL_KERNEL_OPERATIONS(DAEDAL_NAME)
#undef DAEDAL_NAME
  /// sin and cos of one argument: the one operation with two results.
  sin_cos,
  /// Ends every program.
  stop,
};

/// One step of the register machine: register `r` = operation of the registers a, b, c, d.
/// No result register is also an operand. `sin_cos` puts the cosine in register `d`. Unused
/// operands are 0.
struct Instruction {
  Operation operation = Operation::stop;
  std::uint32_t r = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t d = 0;
};

}  // namespace daedal::kernel
