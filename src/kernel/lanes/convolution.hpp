// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The sums of staged series (staged_series.hpp), for vectors of DAEDAL_VECTOR_WIDTH numbers.

#include <cstring>

#include "kernel/lanes/backends.hpp"

namespace daedal::kernel {

namespace {

using SeriesVector = double __attribute__((vector_size(8 * DAEDAL_VECTOR_WIDTH)));
constexpr int series_width = DAEDAL_VECTOR_WIDTH;
constexpr int series_chunks = 8 / series_width;

/// Eight numbers.
struct SeriesRow {
  SeriesVector chunk[series_chunks];
};

inline void add_products(SeriesRow& sums, const double* u, const double* w) {
  for (int c = 0; c < series_chunks; ++c) {
    SeriesVector a;
    SeriesVector b;
    std::memcpy(&a, u + c * series_width, sizeof(a));
    std::memcpy(&b, w + c * series_width, sizeof(b));
    sums.chunk[c] += a * b;
  }
}

/// Four sums in turns: each waits for its last addition.
void convolve(const double* u, const double* w, int n, double* out) {
  SeriesRow sums[4]{};
  int k = 0;
  for (; k + 4 <= n; k += 4, u += 32, w -= 32) {
    add_products(sums[0], u, w);
    add_products(sums[1], u + 8, w - 8);
    add_products(sums[2], u + 16, w - 16);
    add_products(sums[3], u + 24, w - 24);
  }
  for (int rest = 0; k < n; ++k, ++rest) add_products(sums[rest], u + 8 * rest, w - 8 * rest);
  for (int c = 0; c < series_chunks; ++c) {
    const SeriesVector sum =
        (sums[0].chunk[c] + sums[1].chunk[c]) + (sums[2].chunk[c] + sums[3].chunk[c]);
    std::memcpy(out + c * series_width, &sum, sizeof(sum));
  }
}

}  // namespace

}  // namespace daedal::kernel
