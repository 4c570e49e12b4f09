// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The last pivots of a sparse L D Lᵀ usually form a full triangle, and there every pivot waits for
/// the one before it. For a size the compiler knows, that triangle is worked off in registers: what
/// remains of the wait is one division, one product and one difference a pivot.

#include <cmath>
#include <utility>

#include "core/types.hpp"

namespace daedal::linalg {

inline constexpr Index max_dense_tail = 8;

/// Views of the tail: D, 1/D, Σ|terms| (each of `size` entries) and L packed by columns without its
/// diagonal.
struct TailFactor {
  double* d;
  double* inverse;
  double* scale;
  double* l;
};

template <int size>
struct DenseTail {
  static constexpr int place(int row, int column) {
    return column * (size - 1) - column * (column - 1) / 2 + row - column - 1;
  }

  static void factor(const TailFactor& tail) {
    double a[size][size];
    for (int j = 0; j < size; ++j) {
      a[j][j] = tail.d[j];
      for (int i = j + 1; i < size; ++i) a[i][j] = tail.l[place(i, j)];
    }
#pragma GCC unroll 8
    for (int k = 0; k < size; ++k) {
      const double inverse = 1.0 / a[k][k];
      tail.d[k] = a[k][k];
      tail.inverse[k] = inverse;
#pragma GCC unroll 8
      for (int j = k + 1; j < size; ++j) {
        const double multiple = a[j][k] * inverse;
        const double term = a[j][k] * a[j][k] * inverse;
        a[j][j] -= term;
        tail.scale[j] += std::abs(term);
#pragma GCC unroll 8
        for (int i = j + 1; i < size; ++i) a[i][j] -= a[i][k] * multiple;
        tail.l[place(j, k)] = multiple;
      }
    }
  }

  /// L D Lᵀ y = b in place.
  static void solve(const double* l, const double* inverse, double* y) {
    double x[size];
    for (int k = 0; k < size; ++k) x[k] = y[k];
#pragma GCC unroll 8
    for (int k = 0; k < size; ++k) {
#pragma GCC unroll 8
      for (int i = k + 1; i < size; ++i) x[i] -= l[place(i, k)] * x[k];
    }
    for (int k = 0; k < size; ++k) x[k] *= inverse[k];
#pragma GCC unroll 8
    for (int k = size - 1; k >= 0; --k) {
#pragma GCC unroll 8
      for (int i = 0; i < k; ++i) x[i] -= l[place(k, i)] * x[k];
      y[k] = x[k];
    }
  }
};

/// Calls visit(DenseTail<size>{}) for 2 ≤ size ≤ max_dense_tail, nothing for other sizes.
template <class Visit>
void with_dense_tail(Index size, Visit visit) {
  const auto try_sizes = [&]<int... sizes>(std::integer_sequence<int, sizes...>) {
    (void)((size == sizes + 2 ? (visit(DenseTail<sizes + 2>{}), true) : false) || ...);
  };
  try_sizes(std::make_integer_sequence<int, max_dense_tail - 1>{});
}

}  // namespace daedal::linalg
