// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The last pivots of a sparse L D Lᵀ usually form a full triangle, and there every pivot waits for
/// the one before it. For a size known to the compiler, that triangle is worked off in registers,
/// two rows at a time: what remains of the wait is one division, one product and one difference a
/// pivot. A right-hand side takes part as one more row, so that its forward substitution costs
/// next to nothing.

#include <cmath>
#include <cstdint>
#include <utility>

#include "core/types.hpp"

namespace daedal::linalg {

/// Each size is compiled once more; a triangle of 8 has 36 numbers, twice what the registers hold.
inline constexpr Index max_dense_tail = 8;

/// Views of the tail: D, 1/D, Σ|terms|, a right-hand side (each of `size` entries) and L packed by
/// columns without its diagonal.
struct TailFactor {
  double* d;
  double* inverse;
  double* scale;
  double* y;
  double* l;
};

template <int size>
struct DenseTail {
  static constexpr int place(int row, int column) {
    return column * (size - 1) - column * (column - 1) / 2 + row - column - 1;
  }

  /// D and L from the values in their places, L y = b with b in the place of y.
  static void factor(const TailFactor& tail) {
    Columns a;
    load(tail, a);
#pragma GCC unroll 8
    for (int k = 0; k < size; ++k) {
      const double inverse = 1.0 / a[k][k / 2][k % 2];
      tail.d[k] = a[k][k / 2][k % 2];
      tail.inverse[k] = inverse;
      tail.y[k] = a[k][size / 2][size % 2];
      Pair multiples[pairs];
#pragma GCC unroll 8
      for (int p = (k + 1) / 2; p < pairs; ++p) multiples[p] = a[k][p] * inverse;
      if (k + 1 < size) update_next(a, k, inverse);
#pragma GCC unroll 8
      for (int j = k + 2; j < size; ++j) {
        const double multiple = multiples[j / 2][j % 2];
#pragma GCC unroll 8
        for (int p = j / 2; p < pairs; ++p) a[j][p] -= a[k][p] * multiple;
      }
#pragma GCC unroll 8
      for (int j = k + 1; j < size; ++j) {
        const double multiple = multiples[j / 2][j % 2];
        tail.l[place(j, k)] = multiple;
        tail.scale[j] += std::abs(a[k][j / 2][j % 2] * multiple);
      }
    }
  }

  /// L y = b in place.
  static void forward(const double* l, double* y) {
    double x[size];
    for (int k = 0; k < size; ++k) x[k] = y[k];
#pragma GCC unroll 8
    for (int k = 0; k < size; ++k) {
#pragma GCC unroll 8
      for (int i = k + 1; i < size; ++i) x[i] -= l[place(i, k)] * x[k];
      y[k] = x[k];
    }
  }

  /// D Lᵀ y = b in place.
  static void backward(const double* l, const double* inverse, double* y) {
    double x[size];
    for (int k = 0; k < size; ++k) x[k] = y[k] * inverse[k];
#pragma GCC unroll 8
    for (int k = size - 1; k >= 0; --k) {
#pragma GCC unroll 8
      for (int i = 0; i < k; ++i) x[i] -= l[place(k, i)] * x[k];
      y[k] = x[k];
    }
  }

 private:
  typedef double Pair __attribute__((vector_size(2 * sizeof(double))));
  /// Rows in twos, the right-hand side being the row after the last. What stands above the
  /// diagonal is never used.
  static constexpr int pairs = size / 2 + 1;
  using Columns = Pair[size][pairs];

  static double entry(const TailFactor& tail, int row, int column) {
    if (row == column) return tail.d[column];
    if (row == size) return tail.y[column];
    return row < column || row > size ? 0.0 : tail.l[place(row, column)];
  }

  static void load(const TailFactor& tail, Columns& a) {
#pragma GCC unroll 8
    for (int j = 0; j < size; ++j) {
#pragma GCC unroll 8
      for (int p = j / 2; p < pairs; ++p) {
        a[j][p] = Pair{entry(tail, 2 * p, j), entry(tail, 2 * p + 1, j)};
      }
    }
  }

  /// The next pivot waits for this: its products are ready when the division is.
  static void update_next(Columns& a, int k, double inverse) {
    const int j = k + 1;
    const double own = a[k][j / 2][j % 2];
#pragma GCC unroll 8
    for (int p = j / 2; p < pairs; ++p) a[j][p] -= a[k][p] * own * inverse;
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
