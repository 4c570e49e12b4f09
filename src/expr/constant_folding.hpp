// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Operations on plain numbers, for constant folding and for expressions that belong to no pool.

#include "expr/pool.hpp"

namespace daedal {

/// The value of an operation of one argument.
[[nodiscard]] double apply(Op op, double a);
/// The value of an operation of two arguments; relations and logic give 1 or 0.
[[nodiscard]] double apply(Op op, double a, double b);
/// aⁿ by repeated squaring, so that 3.0² is 9 exactly; 1/a^|n| for a negative n.
[[nodiscard]] double integer_power(double a, int n);

}  // namespace daedal
