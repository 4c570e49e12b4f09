// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/condensation.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/scaling.hpp"

namespace daedal::bvp {

namespace {

/// With rows of largest entry 1 and columns of comparable size, a pivot of this size is what
/// rounding leaves of a zero.
constexpr double zero_pivot = 1e-14;
/// From here on an elimination of one column takes far longer than a look at the clock.
constexpr Index large_width = 100;

double largest(const double* row, Index n) {
  double value = 0.0;
  for (Index j = 0; j < n; ++j) value = std::max(value, std::abs(row[j]));
  return value;
}

void scale_row(double* row, Index n, double factor) {
  for (Index j = 0; j < n; ++j) row[j] *= factor;
}

}  // namespace

void Condensation::resize(Index n_intervals, Index n_local, Index n) {
  local_ = n_local;
  n_ = n;
  rows_ = n_local + n;
  width_ = n_local + 2 * n;
  matrix_.resize(to_size(n_intervals * rows_ * width_));
  scale_.resize(to_size(n_intervals * rows_));
  final_scale_.resize(to_size(n_intervals * n));
  pivot_.resize(to_size(n_intervals * n_local));
}

std::span<double> Condensation::matrix(Index interval) {
  return std::span(matrix_).subspan(to_size(interval * rows_ * width_), to_size(rows_ * width_));
}

bool Condensation::eliminate(Index interval, Eigen::Map<Matrix> left, Eigen::Map<Matrix> right,
                             const StopSignal& stop) {
  double* a = matrix(interval).data();
  double* scale = scale_.data() + interval * rows_;
  std::int32_t* pivot = pivot_.data() + interval * local_;
  for (Index r = 0; r < rows_; ++r) {
    scale[r] = linalg::reciprocal_power_of_two(largest(a + r * width_, width_));
    scale_row(a + r * width_, width_, scale[r]);
  }
  bool is_regular = true;
  for (Index k = 0; k < local_; ++k) {
    if (width_ > large_width && stop.is_raised()) return false;
    Index best = k;
    for (Index r = k + 1; r < rows_; ++r) {
      if (std::abs(a[r * width_ + k]) > std::abs(a[best * width_ + k])) best = r;
    }
    pivot[k] = static_cast<std::int32_t>(best);
    double* top = a + k * width_;
    if (best != k) std::swap_ranges(top, top + width_, a + best * width_);
    if (!(std::abs(top[k]) > zero_pivot)) {
      is_regular = false;
      top[k] = zero_pivot;
    }
    const double inverse = 1.0 / top[k];
    for (Index r = k + 1; r < rows_; ++r) {
      double* other = a + r * width_;
      if (other[k] == 0.0) continue;
      const double factor = other[k] * inverse;
      other[k] = factor;
      for (Index j = k + 1; j < width_; ++j) other[j] -= factor * top[j];
    }
  }
  for (Index r = 0; r < n_; ++r) {
    double* rest = a + (local_ + r) * width_ + local_;
    const double factor = linalg::reciprocal_power_of_two(largest(rest, 2 * n_));
    final_scale_[to_size(interval * n_ + r)] = factor;
    for (Index j = 0; j < n_; ++j) {
      left(r, j) = factor * rest[j];
      right(r, j) = factor * rest[n_ + j];
    }
  }
  return is_regular;
}

void Condensation::transform(Index interval, std::span<double> r, std::span<double> f) const {
  const double* scale = scale_.data() + interval * rows_;
  const std::int32_t* pivot = pivot_.data() + interval * local_;
  for (Index i = 0; i < rows_; ++i) r[to_size(i)] *= scale[i];
  for (Index k = 0; k < local_; ++k) std::swap(r[to_size(k)], r[to_size(pivot[k])]);
  for (Index k = 0; k < local_; ++k) {
    const double top = r[to_size(k)];
    if (top == 0.0) continue;
    for (Index i = k + 1; i < rows_; ++i) r[to_size(i)] -= row(interval, i)[k] * top;
  }
  for (Index i = 0; i < n_; ++i) {
    f[to_size(i)] = final_scale_[to_size(interval * n_ + i)] * r[to_size(local_ + i)];
  }
}

void Condensation::substitute(Index interval, std::span<double> s, std::span<const double> x,
                              std::span<const double> x_next) const {
  for (Index k = local_ - 1; k >= 0; --k) {
    const double* u = row(interval, k);
    double sum = s[to_size(k)];
    for (Index j = 0; j < n_; ++j) {
      sum -= u[local_ + j] * x[to_size(j)] + u[local_ + n_ + j] * x_next[to_size(j)];
    }
    for (Index j = k + 1; j < local_; ++j) sum -= u[j] * s[to_size(j)];
    s[to_size(k)] = sum / u[k];
  }
}

}  // namespace daedal::bvp
