// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/dense/lu.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <complex>
#include <limits>
#include <span>
#include <utility>

#include "linalg/dense/cancellation.hpp"
#include "linalg/dense/inverse_norm.hpp"
#include "linalg/scaling.hpp"

namespace daedal::linalg {

namespace {

/// max |x_i|, with four running maxima: one would make every comparison wait for the last.
template <class Scalar>
double largest_size(const Scalar* x, Index count) {
  double best[4] = {0.0, 0.0, 0.0, 0.0};
  Index i = 0;
  for (; i + 4 <= count; i += 4) {
    for (Index q = 0; q < 4; ++q) best[q] = std::max(best[q], size_of(x[i + q]));
  }
  for (; i < count; ++i) best[0] = std::max(best[0], size_of(x[i]));
  return std::max(std::max(best[0], best[1]), std::max(best[2], best[3]));
}

/// Σ|x_i| in the same manner, while each row's maximum is updated.
template <class Scalar>
double sum_sizes(const Scalar* x, Index count, double* row_max) {
  double sum[4] = {0.0, 0.0, 0.0, 0.0};
  Index i = 0;
  for (; i + 4 <= count; i += 4) {
    for (Index q = 0; q < 4; ++q) {
      const double size = size_of(x[i + q]);
      sum[q] += size;
      row_max[i + q] = std::max(row_max[i + q], size);
    }
  }
  for (; i < count; ++i) {
    sum[0] += size_of(x[i]);
    row_max[i] = std::max(row_max[i], size_of(x[i]));
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

template <class Scalar>
void subtract_multiple(Scalar factor, const Scalar* x, Scalar* y, Index count) {
  for (Index i = 0; i < count; ++i) y[i] -= product(factor, x[i]);
}

/// The operations of a solution in their usual order, row by row and without loops over a few
/// numbers, which would cost more than the arithmetic.
template <class Scalar, std::size_t n>
void solve_small(const Scalar* lu, const double* row_scale, const Index* pivot, Scalar* rhs) {
  std::array<Scalar, n> x;
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = rhs[k] * row_scale[k];
  for (std::size_t k = 0; k < x.size(); ++k) std::swap(x[k], x[to_size(pivot[k])]);
  const auto entry = [&](std::size_t i, std::size_t j) { return lu[j * x.size() + i]; };
  for (std::size_t i = 1; i < x.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) x[i] -= product(x[j], entry(i, j));
  for (std::size_t i = x.size(); i-- > 0;) {
    for (std::size_t j = x.size(); --j > i;) x[i] -= product(x[j], entry(i, j));
    x[i] /= entry(i, i);
    rhs[i] = x[i];
  }
}

/// The functions that solve small systems, by the number of unknowns.
template <class Scalar>
constexpr auto small_solves = []<std::size_t... n>(std::index_sequence<n...>) {
  return std::array{&solve_small<Scalar, n>...};
}(std::make_index_sequence<9>{});

}  // namespace

template <class Scalar>
DenseLu<Scalar>::DenseLu(Index n)
    : n_(n),
      a_(to_size(n * n)),
      pivot_(to_size(n)),
      row_scale_(to_size(n)),
      column_max_(to_size(n)),
      work_(to_size(n)) {}

/// The first column with an entry that is not finite, or -1. Measures rows and columns on the way.
template <class Scalar>
Index DenseLu<Scalar>::non_finite_column() {
  norm_1_ = 0.0;
  std::ranges::fill(row_scale_, 0.0);
  for (Index j = 0; j < n_; ++j) {
    const double sum = sum_sizes(column(j), n_, row_scale_.data());
    if (!std::isfinite(sum)) return j;
    norm_1_ = std::max(norm_1_, sum);
  }
  return -1;
}

template <class Scalar>
void DenseLu<Scalar>::scale_rows() {
  for (double& scale : row_scale_) scale = reciprocal_power_of_two(scale);
  for (Index j = 0; j < n_; ++j) {
    for (Index i = 0; i < n_; ++i) column(j)[i] *= row_scale_[i];
    column_max_[j] = largest_size(column(j), n_);
  }
}

template <class Scalar>
Index DenseLu<Scalar>::find_pivot(Index k) const {
  const Scalar* x = column(k);
  const double largest = largest_size(x + k, n_ - k);
  Index best = k;
  while (best + 1 < n_ && size_of(x[best]) != largest) ++best;
  return best;
}

template <class Scalar>
void DenseLu<Scalar>::swap_rows(Index i, Index k) {
  if (i == k) return;
  for (Index j = 0; j < n_; ++j) std::swap(column(j)[i], column(j)[k]);
}

template <class Scalar>
bool DenseLu<Scalar>::is_zero_pivot(Index k) const {
  const double pivot = size_of(column(k)[k]);
  if (pivot > suspicious_pivot * column_max_[k]) return false;
  double terms = 0.0;
  for (Index j = 0; j < k; ++j) terms += size_of(column(j)[k]) * size_of(column(k)[j]);
  return is_cancelled(pivot, terms);
}

template <class Scalar>
void DenseLu<Scalar>::eliminate(Index k) {
  const Index below = n_ - k - 1;
  Scalar* l = column(k) + k + 1;
  const Scalar pivot = column(k)[k];
  const Scalar inverse = Scalar(1.0) / pivot;
  if (std::isfinite(size_of(inverse))) {
    for (Index i = 0; i < below; ++i) l[i] = product(l[i], inverse);
  } else {  // a pivot below the normal numbers
    for (Index i = 0; i < below; ++i) l[i] /= pivot;
  }
  for (Index j = k + 1; j < n_; ++j) {
    const Scalar factor = column(j)[k];
    if (factor != Scalar(0.0)) subtract_multiple(factor, l, column(j) + k + 1, below);
  }
}

template <class Scalar>
double DenseLu<Scalar>::pivot_growth() const {
  double growth = 1.0;
  for (Index j = 0; j < n_; ++j) {
    const double largest = largest_size(column(j), j + 1);
    if (!std::isfinite(largest)) return 0.0;
    growth = std::min(growth, column_max_[j] / largest);
  }
  return growth;
}

template <class Scalar>
FactorReport DenseLu<Scalar>::factor() {
  if (const Index bad = non_finite_column(); bad >= 0) {
    return {.ok = false, .singular_column = bad, .growth = 0.0};
  }
  scale_rows();
  for (Index k = 0; k < n_; ++k) {
    pivot_[k] = find_pivot(k);
    swap_rows(pivot_[k], k);
    if (is_zero_pivot(k) || !std::isfinite(size_of(column(k)[k]))) {
      return {.ok = false, .singular_column = k, .growth = 0.0};
    }
    eliminate(k);
  }
  return {.ok = true, .singular_column = -1, .growth = pivot_growth()};
}

template <class Scalar>
void DenseLu<Scalar>::solve(std::span<Scalar> rhs) const {
  assert(to_index(rhs.size()) == n_);
  Scalar* x = rhs.data();
  if (n_ < to_index(small_solves<Scalar>.size())) {
    small_solves<Scalar>[to_size(n_)](a_.data(), row_scale_.data(), pivot_.data(), x);
    return;
  }
  for (Index k = 0; k < n_; ++k) x[k] *= row_scale_[k];
  for (Index k = 0; k < n_; ++k) std::swap(x[k], x[pivot_[k]]);
  for (Index k = 0; k < n_; ++k) subtract_multiple(x[k], column(k) + k + 1, x + k + 1, n_ - k - 1);
  for (Index k = n_ - 1; k >= 0; --k) {
    x[k] /= column(k)[k];
    subtract_multiple(x[k], column(k), x, k);
  }
}

template <class Scalar>
void DenseLu<Scalar>::solve_adjoint(std::span<Scalar> rhs) const {
  assert(to_index(rhs.size()) == n_);
  Scalar* x = rhs.data();
  for (Index k = 0; k < n_; ++k) {
    for (Index i = 0; i < k; ++i) x[k] -= product(adjoint(column(k)[i]), x[i]);
    x[k] /= adjoint(column(k)[k]);
  }
  for (Index k = n_ - 1; k >= 0; --k) {
    for (Index i = k + 1; i < n_; ++i) x[k] -= product(adjoint(column(k)[i]), x[i]);
  }
  for (Index k = n_ - 1; k >= 0; --k) std::swap(x[k], x[pivot_[k]]);
  for (Index k = 0; k < n_; ++k) x[k] *= row_scale_[k];
}

template <class Scalar>
double DenseLu<Scalar>::log_determinant() const {
  double result = 0.0;
  for (Index k = 0; k < n_; ++k) result += std::log(std::abs(column(k)[k]) / row_scale_[k]);
  return result;
}

template <class Scalar>
double DenseLu<Scalar>::reciprocal_condition() const {
  return estimate_reciprocal_condition<Scalar>(
      norm_1_, work_, [this](std::span<Scalar> x) { solve(x); },
      [this](std::span<Scalar> x) { solve_adjoint(x); });
}

template class DenseLu<double>;
template class DenseLu<std::complex<double>>;

template <class Scalar>
DenseSolver<Scalar>::DenseSolver(const SparsityPattern& pattern)
    : position_(pattern.row.size()), lu_(pattern.columns) {
  for (Index j = 0; j < pattern.columns; ++j) {
    for (Index k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      position_[k] = j * pattern.rows + pattern.row[k];
    }
  }
}

template <class Scalar>
FactorReport DenseSolver<Scalar>::factor(std::span<const Scalar> values) {
  assert(values.size() == position_.size());
  const std::span<Scalar> a = lu_.matrix();
  std::fill(a.begin(), a.end(), Scalar(0.0));
  for (std::size_t k = 0; k < position_.size(); ++k) a[position_[k]] = values[k];
  return lu_.factor();
}

template class DenseSolver<double>;
template class DenseSolver<std::complex<double>>;

}  // namespace daedal::linalg
