// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A front: a dense matrix of which some rows and columns are complete and eliminated, the others
/// updated. Column by column in panels with pivots from the complete rows, the rest of the matrix
/// by products of panels, eight rows by four columns at a time in the registers of AVX2 where there
/// are any. Nothing is contracted, so that every processor finds the same numbers.

#include <cmath>
#include <complex>
#include <cstdint>
#include <utility>

#include "core/types.hpp"
#include "linalg/dense/inverse_norm.hpp"

// Vectors wider than the machine's stay within functions that are all inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace daedal::linalg {

/// A pivot reaches this share of the largest entry of its column, or waits for more complete rows.
constexpr double front_pivot_share = 0.1;

namespace front_detail {

typedef double Four __attribute__((vector_size(32), aligned(8)));

[[gnu::always_inline]] inline Four load(const double* x) {
  return *reinterpret_cast<const Four*>(x);
}

/// C −= A B, `rows` by `columns`, all with the same distance between their columns.
template <int columns>
[[gnu::always_inline]] inline void subtract_product(const double* a, const double* b, double* c,
                                                    Index rows, Index depth, Index stride) {
  Index i = 0;
  for (; i + 8 <= rows; i += 8) {
    Four first[columns] = {}, second[columns] = {};
    for (Index k = 0; k < depth; ++k) {
      const Four upper = load(a + i + k * stride);
      const Four lower = load(a + i + 4 + k * stride);
#pragma GCC unroll 4
      for (int j = 0; j < columns; ++j) {
        const double factor = b[k + j * stride];
        first[j] += upper * factor;
        second[j] += lower * factor;
      }
    }
    for (int j = 0; j < columns; ++j) {
      Four* const to = reinterpret_cast<Four*>(c + i + j * stride);
      to[0] -= first[j];
      to[1] -= second[j];
    }
  }
  for (; i < rows; ++i) {
    double sum[columns] = {};
    for (Index k = 0; k < depth; ++k) {
      for (int j = 0; j < columns; ++j) sum[j] += a[i + k * stride] * b[k + j * stride];
    }
    for (int j = 0; j < columns; ++j) c[i + j * stride] -= sum[j];
  }
}

/// The product with complex numbers: pairs of A times the real and the imaginary parts of B,
/// put together at the end.
template <int columns>
[[gnu::always_inline]] inline void subtract_product(const std::complex<double>* a,
                                                    const std::complex<double>* b,
                                                    std::complex<double>* c, Index rows,
                                                    Index depth, Index stride) {
  constexpr Four signs = {-1.0, 1.0, -1.0, 1.0};
  Index i = 0;
  for (; i + 4 <= rows; i += 4) {
    Four first[columns][2] = {}, second[columns][2] = {};
    for (Index k = 0; k < depth; ++k) {
      const auto* const from = reinterpret_cast<const double*>(a + i + k * stride);
      const Four upper = load(from);
      const Four lower = load(from + 4);
#pragma GCC unroll 4
      for (int j = 0; j < columns; ++j) {
        const double re = b[k + j * stride].real();
        const double im = b[k + j * stride].imag();
        first[j][0] += upper * re;
        first[j][1] += upper * im;
        second[j][0] += lower * re;
        second[j][1] += lower * im;
      }
    }
    for (int j = 0; j < columns; ++j) {
      Four* const to = reinterpret_cast<Four*>(c + i + j * stride);
      const Four one = first[j][1], other = second[j][1];
      to[0] -= first[j][0] + signs * __builtin_shufflevector(one, one, 1, 0, 3, 2);
      to[1] -= second[j][0] + signs * __builtin_shufflevector(other, other, 1, 0, 3, 2);
    }
  }
  for (; i < rows; ++i) {
    std::complex<double> sum[columns] = {};
    for (Index k = 0; k < depth; ++k) {
      for (int j = 0; j < columns; ++j) sum[j] += product(a[i + k * stride], b[k + j * stride]);
    }
    for (int j = 0; j < columns; ++j) c[i + j * stride] -= sum[j];
  }
}

}  // namespace front_detail

template <class Scalar>
struct Front {
  Scalar* a;          ///< by columns
  Index stride;       ///< from one column to the next
  Index size;         ///< rows, and columns
  Index n_complete;   ///< of them, in front
  std::int32_t* row;  ///< their names, which go with them
  std::int32_t* column;
  double multiplier = 0.0;  ///< the largest

  /// Returns the number of pivots; columns that have found none are the next ones.
  [[gnu::always_inline]] Index eliminate() {
    Index k = 0;
    for (bool is_going_on = true; is_going_on && k < n_complete;) {
      const Index before = k;
      for (Index last = n_complete; k < last;) {
        const Index start = k;
        Index waiting = size;
        for (; k < last && k - start < panel_width; ++k) {
          update(a + k * stride, start, k);
          if (take_pivot(k)) continue;
          waiting = --last;
          swap_columns(k, waiting);
          break;
        }
        update_columns(start, k, k, waiting);
        update_columns(start, k, waiting + 1, size);
      }
      is_going_on = k > before;
    }
    return k;
  }

 private:
  static constexpr Index panel_width = 32;

  /// A column by the pivots from start to end.
  [[gnu::always_inline]] void substitute(Scalar* c, Index start, Index end) const {
    for (Index k = start; k < end; ++k) {
      const Scalar* const l = a + k * stride;
      const Scalar factor = c[k];
      for (Index i = k + 1; i < end; ++i) c[i] -= product(l[i], factor);
    }
  }
  [[gnu::always_inline]] void update(Scalar* c, Index start, Index end) const {
    substitute(c, start, end);
    front_detail::subtract_product<1>(a + start * stride + end, c + start, c + end, size - end,
                                      end - start, stride);
  }
  [[gnu::always_inline]] void update_columns(Index start, Index end, Index from, Index to) const {
    constexpr int width = sizeof(Scalar) == sizeof(double) ? 4 : 2;
    if (end == start) return;
    Index j = from;
    for (; j + width <= to; j += width) {
      Scalar* const c = a + j * stride;
      for (Index q = 0; q < width; ++q) substitute(c + q * stride, start, end);
      front_detail::subtract_product<width>(a + start * stride + end, c + start, c + end,
                                            size - end, end - start, stride);
    }
    for (; j < to; ++j) update(a + j * stride, start, end);
  }
  [[gnu::always_inline]] bool take_pivot(Index k) {
    Scalar* const x = a + k * stride;
    Index best = k;
    for (Index i = k + 1; i < n_complete; ++i) {
      if (size_of(x[i]) > size_of(x[best])) best = i;
    }
    double largest = size_of(x[best]);
    for (Index i = n_complete; i < size; ++i) largest = std::max(largest, size_of(x[i]));
    // The diagonal where it is about as good: rows stay in their places.
    if (2.0 * size_of(x[k]) >= size_of(x[best])) best = k;
    const double pivot = size_of(x[best]);
    if (!(pivot > 0.0 && pivot >= front_pivot_share * largest)) return false;
    if (best != k) swap_rows(k, best);
    multiplier = std::max(multiplier, largest / pivot);
    const Scalar own = x[k];
    const Scalar inverse = reciprocal(own);
    if (std::isfinite(size_of(inverse))) {
      for (Index i = k + 1; i < size; ++i) x[i] = product(x[i], inverse);
    } else {  // a pivot below the normal numbers
      for (Index i = k + 1; i < size; ++i) x[i] /= own;
    }
    return true;
  }
  void swap_rows(Index i, Index k) {
    std::swap(row[i], row[k]);
    for (Index j = 0; j < size; ++j) std::swap(a[i + j * stride], a[k + j * stride]);
  }
  void swap_columns(Index i, Index k) {
    if (i == k) return;
    std::swap(column[i], column[k]);
    std::swap_ranges(a + i * stride, a + i * stride + size, a + k * stride);
  }
};

}  // namespace daedal::linalg
