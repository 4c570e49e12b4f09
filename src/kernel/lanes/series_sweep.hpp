// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// One further coefficient of every operation of staged series (staged_series.hpp), for vectors of
/// DAEDAL_VECTOR_WIDTH numbers. Each series has zeros in front of it: sums run over whole vectors,
/// and what these read beyond the last coefficient meets zeros.

#include <cstring>

#include "kernel/lanes/backends.hpp"

namespace daedal::kernel {

namespace {

using SeriesVector = double __attribute__((vector_size(8 * DAEDAL_VECTOR_WIDTH)));
constexpr int series_width = DAEDAL_VECTOR_WIDTH;
static_assert(series_width <= SeriesStep::padding);

SeriesVector vector_at(const double* p) {
  SeriesVector vector;
  std::memcpy(&vector, p, sizeof(vector));
  return vector;
}

/// p[0], p[-1], ...
SeriesVector vector_back(const double* p) {
  const SeriesVector v = vector_at(p - (series_width - 1));
#if DAEDAL_VECTOR_WIDTH == 8
  return __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0);
#elif DAEDAL_VECTOR_WIDTH == 4
  return __builtin_shufflevector(v, v, 3, 2, 1, 0);
#else
  return __builtin_shufflevector(v, v, 1, 0);
#endif
}

double sum_of(const SeriesVector& v) {
#if DAEDAL_VECTOR_WIDTH == 8
  return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
#elif DAEDAL_VECTOR_WIDTH == 4
  return (v[0] + v[2]) + (v[1] + v[3]);
#else
  return v[0] + v[1];
#endif
}

/// Σ_{0≤j<n} u_j·v_{−j}, where v_{−n} and before are zeros.
double convolution(const double* u, const double* v, int n) {
  SeriesVector sum{};
  for (int j = 0; j < n; j += series_width) sum += vector_at(u + j) * vector_back(v - j);
  return sum_of(sum);
}

/// Σ_{0≤j≤q} u_j·u_{q−j}: in long series each pair once.
double self_convolution(const double* u, int q) {
  constexpr int worth_it = 6 * series_width;
  if (q < worth_it) return convolution(u, u + q, q + 1);
  const int half = (q + 1) / 2;
  SeriesVector sums{};
  int j = 0;
  for (; j + series_width <= half; j += series_width)
    sums += vector_at(u + j) * vector_back(u + q - j);
  double sum = sum_of(sums);
  for (; j < half; ++j) sum += u[j] * u[q - j];
  return q % 2 == 0 ? 2.0 * sum + u[half] * u[half] : 2.0 * sum;
}

/// Σ_{1≤j≤q} (f·j + k)·u_j·v_{q−j}.
double weighted_convolution(const double* u, const double* v, int q, double f, double k) {
  SeriesVector sum{};
  SeriesVector weights;
  for (int i = 0; i < series_width; ++i) weights[i] = f * (i + 1) + k;
  const SeriesVector step = SeriesVector{} + f * series_width;
  for (int j = 1; j <= q; j += series_width) {
    sum += weights * vector_at(u + j) * vector_back(v + q - j);
    weights += step;
  }
  return sum_of(sum);
}

/// Stage s ≥ 1 of the steps; returns the first one that is not done here.
const SeriesStep* sweep(const SeriesStep* step, const SeriesStep* end, double* data, int s) {
  for (; step != end; ++step) {
    const int q = s + step->lead;
    const double* const a = data + step->a;
    const double* const b = data + step->b;
    double* const r = data + step->r;
    switch (step->rule) {
      case SeriesStep::Rule::linear:
        r[q] = step->factor_a * a[q] + step->factor_b * b[q];
        break;
      case SeriesStep::Rule::scaled:
        r[q] = a[q] * b[0];
        break;
      case SeriesStep::Rule::product:
        r[q] = convolution(a, b + q, q + 1);
        break;
      case SeriesStep::Rule::square:
        r[q] = self_convolution(a, q);
        break;
      case SeriesStep::Rule::quotient:
        r[q] = (a[q] - convolution(b + 1, r + q - 1, q)) / b[0];
        break;
      case SeriesStep::Rule::root:
        r[q] = 0.0;
        r[q] = (a[q] - convolution(r + 1, r + q - 1, q - 1)) / (2.0 * r[0]);
        break;
      case SeriesStep::Rule::power:
        // q·a_0·r_q = Σ_{0<j≤q} (p·j − (q − j))·a_j·r_{q−j}
        if (a[0] == 0.0) return step;
        r[q] = weighted_convolution(a, r, q, b[0] + 1.0, -q) / (q * a[0]);
        break;
      case SeriesStep::Rule::primitive:
        r[q] = step->factor_a * weighted_convolution(a, data + step->g, q, 1.0, 0.0) / q;
        break;
      case SeriesStep::Rule::other:
        return step;
    }
  }
  return end;
}

}  // namespace

}  // namespace daedal::kernel
