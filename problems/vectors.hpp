// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Vectors in space, for the mechanisms of this folder.

#include <array>
#include <daedal/expr.hpp>

namespace daedal::problems {

using Triple = std::array<Expr, 3>;

inline Expr dot(const Triple& a, const Triple& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

}  // namespace daedal::problems
