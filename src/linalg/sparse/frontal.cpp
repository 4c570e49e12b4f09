// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse/frontal.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "linalg/dense/cancellation.hpp"
#include "linalg/dense/inverse_norm.hpp"
#include "linalg/scaling.hpp"
#include "linalg/sparse/front.hpp"

namespace daedal::linalg {

namespace {

#if defined(__x86_64__)
template <class Scalar>
[[gnu::target("avx2")]] Index eliminate_with_avx2(Front<Scalar>& front) {
  return front.eliminate();
}
#endif

template <class Scalar>
Index eliminate(Front<Scalar>& front) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") > 0;
  if (has_avx2) return eliminate_with_avx2(front);
#endif
  return front.eliminate();
}

/// Columns that wait for pivots may fill so many times the room of a factorisation without any.
constexpr std::size_t tolerated_growth = 2;

/// y −= A x for a matrix by columns; four of them at a time, since memory is what it waits for.
template <class Scalar>
void subtract_columns(const Scalar* a, Index stride, Index rows, Index columns, const Scalar* x,
                      Scalar* y) {
  Index j = 0;
  for (; j + 4 <= columns; j += 4) {
    const Scalar *const a0 = a + j * stride, *const a1 = a0 + stride, *const a2 = a1 + stride,
                        *const a3 = a2 + stride;
    const Scalar x0 = x[j], x1 = x[j + 1], x2 = x[j + 2], x3 = x[j + 3];
    for (Index i = 0; i < rows; ++i) {
      y[i] -= (product(a0[i], x0) + product(a1[i], x1)) + (product(a2[i], x2) + product(a3[i], x3));
    }
  }
  for (; j < columns; ++j) {
    for (Index i = 0; i < rows; ++i) y[i] -= product(a[i + j * stride], x[j]);
  }
}

/// Room for one more part behind `used`; what is there stays.
template <class Number>
Number* reserve(std::vector<Number>& storage, std::size_t used, std::size_t more) {
  if (storage.size() < used + more) storage.resize(std::max(used + more, used + used / 2));
  return storage.data() + used;
}

}  // namespace

template <class Scalar>
FrontalSolver<Scalar>::FrontalSolver(const SparsityPattern& pattern, const BlockOrder& order)
    : plan_(pattern, order),
      values_(plan_.between.size()),
      pattern_(pattern),
      row_scale_(to_size(pattern.rows)),
      column_max_(row_scale_.size()),
      row_at_(row_scale_.size()),
      column_at_(row_scale_.size()),
      x_(row_scale_.size()),
      y_(row_scale_.size()),
      z_(row_scale_.size()) {
  // The room for a factorisation in which no column waits.
  std::size_t names = 0, numbers = 0, largest = 0, left = 0, most_left = 0;
  std::vector<std::size_t> waiting;
  for (const auto& front : plan_.fronts) {
    const std::size_t pivots = to_size(front.n_pivots), rest = to_size(front.n_rest);
    names += 2 * (pivots + rest);
    numbers += pivots * (pivots + 2 * rest);
    largest = std::max(largest, pivots + rest);
    for (Place k = 0; k < front.n_children; ++k, waiting.pop_back()) left -= waiting.back();
    if (rest == 0) continue;
    waiting.push_back(rest * rest);
    left += waiting.back();
    most_left = std::max(most_left, left);
  }
  room_ = {.names = names, .numbers = numbers, .left = most_left};
  w_.resize(largest);
  most_numbers_ = tolerated_growth * (numbers + most_left + (largest + 16) * largest);
  fronts_.reserve(plan_.fronts.size());
}

/// Rows are scaled by their largest entries, which are to be compared in units of the unknowns in
/// which the first matrix is balanced: the same matrix has the same pivots in any.
template <class Scalar>
void FrontalSolver<Scalar>::find_units(std::span<const Scalar> values) {
  std::vector<double> sizes(values.size());
  std::ranges::transform(values, sizes.begin(), [](const Scalar& v) { return size_of(v); });
  const Equilibration scales = balance(pattern_, sizes);
  for (const Place j : plan_.column_of) column_unit_.push_back(scales.column(j));
  pattern_ = {};
}

/// The first column with a value that is not finite, or -1. Measures rows and columns on the way.
template <class Scalar>
Index FrontalSolver<Scalar>::scale(std::span<const Scalar> values) {
  std::vector<double>& sum = column_max_;
  std::ranges::fill(sum, 0.0);
  for (const auto* const entries : {&plan_.entries, &plan_.between}) {
    for (const auto& e : *entries) {
      sum[e.column] += size_of(values[e.value]);
    }
  }
  Index bad = -1;
  for (std::size_t k = 0; k < sum.size(); ++k) {
    if (!std::isfinite(sum[k]) && (bad < 0 || plan_.column_of[k] < bad)) bad = plan_.column_of[k];
  }
  if (bad >= 0) return bad;
  norm_1_ = *std::ranges::max_element(sum);
  if (column_unit_.empty()) find_units(values);
  std::ranges::fill(row_scale_, 0.0);
  for (const auto* const entries : {&plan_.entries, &plan_.between}) {
    for (const auto& e : *entries) {
      const double size = size_of(values[e.value]) * column_unit_[e.column];
      row_scale_[e.row] = std::max(row_scale_[e.row], size);
    }
  }
  for (double& scale : row_scale_) scale = reciprocal_power_of_two(scale);
  std::ranges::fill(column_max_, 0.0);
  for (const auto* const entries : {&plan_.entries, &plan_.between}) {
    for (const auto& e : *entries) {
      const double size = size_of(values[e.value]) * row_scale_[e.row];
      column_max_[e.column] = std::max(column_max_[e.column], size);
    }
  }
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const auto& e = plan_.between[k];
    values_[k] = values[e.value] * row_scale_[e.row];
  }
  return -1;
}

template <class Scalar>
FactorReport FrontalSolver<Scalar>::factor(std::span<const Scalar> values) {
  const auto failed = [](Index column) {
    return FactorReport{.ok = false, .singular_column = column, .growth = 0.0};
  };
  if (const Index bad = scale(values); bad >= 0) return failed(bad);
  reserve(names_, 0, room_.names);
  reserve(factors_, 0, room_.numbers);
  reserve(left_numbers_, 0, room_.left);
  fronts_.clear();
  left_.clear();
  n_names_ = n_numbers_ = n_left_names_ = n_left_numbers_ = 0;
  n_delays_ = 0;
  double multiplier = 1.0;
  for (const auto& planned : plan_.fronts) {
    if (!assemble(planned, values)) {
      is_overfull_ = true;
      return failed(plan_.column_of[planned.first]);
    }
    Front<Scalar> front{.a = front_.data(),
                        .stride = stride_,
                        .size = size_,
                        .n_complete = n_complete_,
                        .row = front_row_.data(),
                        .column = front_column_.data()};
    const Index n_pivots = eliminate(front);
    multiplier = std::max(multiplier, front.multiplier);
    store(n_pivots);
    if (n_pivots == n_complete_) continue;
    n_delays_ += n_complete_ - n_pivots;
    if (!planned.is_root) continue;
    const Index column = first_cancelled();
    return failed(column >= 0 ? column : plan_.column_of[front_column_[n_pivots]]);
  }
  if (const Index column = first_cancelled(); column >= 0) return failed(column);
  return {.growth = 1.0 / multiplier};
}

template <class Scalar>
bool FrontalSolver<Scalar>::assemble(const FrontalPlan::Front& front,
                                     std::span<const Scalar> values) {
  const std::span<const Left> children{left_.end() - front.n_children, left_.end()};
  n_complete_ = front.n_pivots;
  for (const Left& child : children) n_complete_ += child.n_waiting;
  size_ = n_complete_ + front.n_rest;
  // Columns an odd number of cache lines apart, so that they do not compete for the same places.
  stride_ = (size_ + 7) / 8 * 8;
  if (stride_ % 16 == 0) stride_ += 8;
  if (n_numbers_ + n_left_numbers_ + to_size(size_ * stride_) > most_numbers_) return false;
  if (to_index(front_row_.size()) < size_) {
    front_row_.resize(to_size(size_));
    front_column_.resize(to_size(size_));
    to_row_.resize(to_size(size_));
    front_.resize(to_size(size_ * stride_));
  }
  if (to_index(w_.size()) < size_) w_.resize(to_size(size_));

  Place* row = front_row_.data();
  Place* column = front_column_.data();
  for (Place k = 0; k < front.n_pivots; ++k) *row++ = *column++ = front.first + k;
  for (const Left& child : children) {
    const Place* const names = &left_names_[child.names];
    row = std::copy_n(names, child.n_waiting, row);
    column = std::copy_n(names + child.size, child.n_waiting, column);
  }
  std::copy_n(plan_.rest.begin() + front.rest, front.n_rest, row);
  std::copy_n(plan_.rest.begin() + front.rest, front.n_rest, column);
  for (Index k = 0; k < size_; ++k) {
    row_at_[front_row_[k]] = static_cast<Place>(k);
    column_at_[front_column_[k]] = static_cast<Place>(k);
  }

  std::fill_n(front_.begin(), size_ * stride_, Scalar());
  for (const auto& e : std::span(plan_.entries).subspan(front.entry, front.n_entries)) {
    front_[column_at_[e.column] * stride_ + row_at_[e.row]] += values[e.value] * row_scale_[e.row];
  }
  for (Place k = 0; k < front.n_children; ++k) {
    take_up(left_.back());
    n_left_names_ = left_.back().names;
    n_left_numbers_ = left_.back().numbers;
    left_.pop_back();
  }
  return true;
}

template <class Scalar>
void FrontalSolver<Scalar>::take_up(const Left& left) {
  const Place* const names = &left_names_[left.names];
  const Scalar* from = &left_numbers_[left.numbers];
  for (Place i = 0; i < left.size; ++i) to_row_[i] = row_at_[names[i]];
  for (Place j = 0; j < left.size; ++j) {
    Scalar* const to = &front_[column_at_[names[left.size + j]] * stride_];
    for (Place i = 0; i < left.size; ++i) to[to_row_[i]] += *from++;
  }
}

template <class Scalar>
void FrontalSolver<Scalar>::store(Index n_pivots) {
  const Index rest = size_ - n_pivots;
  const Factors factors{
      .size = static_cast<Place>(size_),
      .n_pivots = static_cast<Place>(n_pivots),
      .first = fronts_.empty() ? 0 : fronts_.back().first + fronts_.back().n_pivots,
      .names = n_names_,
      .numbers = n_numbers_};
  fronts_.push_back(factors);
  Place* const names = reserve(names_, n_names_, to_size(2 * size_));
  std::copy_n(front_row_.begin(), size_, names);
  std::copy_n(front_column_.begin(), size_, names + size_);
  n_names_ += to_size(2 * size_);
  const std::size_t n = to_size(n_pivots * (size_ + rest));
  Scalar* to = reserve(factors_, n_numbers_, n);
  for (Index j = 0; j < size_; ++j) {
    to = std::copy_n(&front_[j * stride_], j < n_pivots ? size_ : n_pivots, to);
  }
  n_numbers_ += n;
  if (rest == 0) return;

  left_.push_back({.size = static_cast<Place>(rest),
                   .n_waiting = static_cast<Place>(n_complete_ - n_pivots),
                   .names = n_left_names_,
                   .numbers = n_left_numbers_});
  Place* const left_names = reserve(left_names_, n_left_names_, to_size(2 * rest));
  std::copy_n(front_row_.begin() + n_pivots, rest, left_names);
  std::copy_n(front_column_.begin() + n_pivots, rest, left_names + rest);
  n_left_names_ += to_size(2 * rest);
  Scalar* left = reserve(left_numbers_, n_left_numbers_, to_size(rest * rest));
  for (Index j = n_pivots; j < size_; ++j) {
    left = std::copy_n(&front_[j * stride_ + n_pivots], rest, left);
  }
  n_left_numbers_ += to_size(rest * rest);
}

/// The column of the first pivot that is zero but for rounding errors, or not finite, in the given
/// numbering; or -1. The terms of a pivot are spread over the fronts that have its row and column.
template <class Scalar>
Index FrontalSolver<Scalar>::first_cancelled() const {
  struct Suspect {
    Place row, column;
    double pivot, terms = 0.0;
  };
  std::vector<Suspect> suspects;
  for (const Factors& f : fronts_) {
    for (Place k = 0; k < f.n_pivots; ++k) {
      const double pivot = size_of(numbers(f)[k + Index{k} * f.size]);
      if (pivot > suspicious_pivot * column_max_[columns(f)[k]] && std::isfinite(pivot)) continue;
      suspects.push_back({.row = rows(f)[k], .column = columns(f)[k], .pivot = pivot});
    }
  }
  if (suspects.empty()) return -1;
  std::vector<Place> by_row(row_scale_.size(), -1), place(suspects.size(), -1);
  std::vector<Place> by_column(row_scale_.size(), -1);
  for (std::size_t s = 0; s < suspects.size(); ++s) {
    by_row[suspects[s].row] = by_column[suspects[s].column] = static_cast<Place>(s);
  }
  for (const Factors& f : fronts_) {
    const Scalar* const lower = numbers(f);
    const Scalar* const upper = lower + Index{f.size} * f.n_pivots;
    for (Place i = 0; i < f.size; ++i) {
      if (const Place s = by_row[rows(f)[i]]; s >= 0) place[s] = i;
    }
    for (Place j = 0; j < f.size; ++j) {
      const Place s = by_column[columns(f)[j]];
      if (s < 0 || place[s] < 0) continue;
      const Place i = place[s];
      const Scalar* const u =
          j < f.n_pivots ? lower + Index{j} * f.size : upper + Index{j - f.n_pivots} * f.n_pivots;
      for (Place k = 0; k < std::min({i, j, f.n_pivots}); ++k) {
        suspects[s].terms += size_of(lower[i + Index{k} * f.size]) * size_of(u[k]);
      }
    }
    for (Place i = 0; i < f.size; ++i) {
      if (const Place s = by_row[rows(f)[i]]; s >= 0) place[s] = -1;
    }
  }
  const auto zero = std::ranges::find_if(suspects, [](const Suspect& s) {
    return !std::isfinite(s.pivot) || is_cancelled(s.pivot, s.terms);
  });
  return zero == suspects.end() ? -1 : plan_.column_of[zero->column];
}

template <class Scalar>
void FrontalSolver<Scalar>::forward(const Factors& f) const {
  const Place* const row = rows(f);
  const Scalar* const l = numbers(f);
  const Index size = f.size;
  for (Index i = 0; i < size; ++i) w_[i] = y_[row[i]];
  // Four columns at a time: first their triangle, then the rows below.
  for (Index k = 0; k < f.n_pivots; k += 4) {
    const Index end = std::min<Index>(k + 4, f.n_pivots);
    for (Index j = k; j < end; ++j) {
      for (Index i = j + 1; i < end; ++i) w_[i] -= product(l[i + j * size], w_[j]);
    }
    subtract_columns(l + k * size + end, size, size - end, end - k, &w_[k], &w_[0] + end);
  }
  std::copy_n(w_.begin(), f.n_pivots, z_.begin() + f.first);
  for (Index i = f.n_pivots; i < size; ++i) y_[row[i]] = w_[i];
}

template <class Scalar>
void FrontalSolver<Scalar>::backward(const Factors& f) const {
  const Place* const column = columns(f);
  const Scalar* const u = numbers(f);
  const Index size = f.size, n = f.n_pivots;
  for (Index j = n; j < size; ++j) w_[j] = x_[column[j]];
  Scalar* const z = &z_[f.first];
  subtract_columns(u + size * n, n, n, size - n, w_.data() + n, z);
  for (Index k = n - 1; k >= 0; --k) {
    z[k] /= u[k + k * size];
    for (Index i = 0; i < k; ++i) z[i] -= product(u[i + k * size], z[k]);
    x_[column[k]] = z[k];
  }
}

template <class Scalar>
void FrontalSolver<Scalar>::solve(std::span<Scalar> rhs) const {
  const std::size_t n = row_scale_.size();
  assert(rhs.size() == n);
  for (std::size_t k = 0; k < n; ++k) y_[k] = rhs[plan_.row_of[k]] * row_scale_[k];
  for (std::size_t b = plan_.block_start.size() - 1; b-- > 0;) {
    const Place first = plan_.front_start[b], last = plan_.front_start[b + 1];
    for (Place s = first; s < last; ++s) forward(fronts_[s]);
    for (Place s = last; s-- > first;) backward(fronts_[s]);
    for (Place e = plan_.between_start[plan_.block_start[b]];
         e < plan_.between_start[plan_.block_start[b + 1]]; ++e) {
      y_[plan_.between[e].row] -= product(values_[e], x_[plan_.between[e].column]);
    }
  }
  for (std::size_t k = 0; k < n; ++k) rhs[plan_.column_of[k]] = x_[k];
}

template <class Scalar>
void FrontalSolver<Scalar>::solve_adjoint(std::span<Scalar> rhs) const {
  const std::size_t n = row_scale_.size();
  for (std::size_t k = 0; k < n; ++k) x_[k] = rhs[plan_.column_of[k]];
  for (std::size_t b = 0; b + 1 < plan_.block_start.size(); ++b) {
    for (Place e = plan_.between_start[plan_.block_start[b]];
         e < plan_.between_start[plan_.block_start[b + 1]]; ++e) {
      x_[plan_.between[e].column] -= product(adjoint(values_[e]), y_[plan_.between[e].row]);
    }
    for (Place s = plan_.front_start[b]; s < plan_.front_start[b + 1]; ++s) {
      const Factors& f = fronts_[s];
      const Scalar* u = numbers(f);
      Scalar* const z = &z_[f.first];
      for (Index k = 0; k < f.size; ++k) {
        const Index above = std::min<Index>(k, f.n_pivots);
        Scalar value = x_[columns(f)[k]];
        for (Index i = 0; i < above; ++i) value -= product(adjoint(u[i]), z[i]);
        if (k < f.n_pivots) {
          z[k] = value / adjoint(u[k]);
        } else {
          x_[columns(f)[k]] = value;
        }
        u += k < f.n_pivots ? f.size : f.n_pivots;
      }
    }
    for (Place s = plan_.front_start[b + 1]; s-- > plan_.front_start[b];) {
      const Factors& f = fronts_[s];
      for (Index k = f.n_pivots - 1; k >= 0; --k) {
        const Scalar* const l = numbers(f) + k * f.size;
        Scalar value = z_[f.first + k];
        for (Index i = k + 1; i < f.size; ++i) value -= product(adjoint(l[i]), y_[rows(f)[i]]);
        y_[rows(f)[k]] = value;
      }
    }
  }
  for (std::size_t k = 0; k < n; ++k) rhs[plan_.row_of[k]] = y_[k] * row_scale_[k];
}

template <class Scalar>
double FrontalSolver<Scalar>::reciprocal_condition() const {
  std::vector<Scalar> work(row_scale_.size());
  return estimate_reciprocal_condition<Scalar>(
      norm_1_, work, [this](std::span<Scalar> x) { solve(x); },
      [this](std::span<Scalar> x) { solve_adjoint(x); });
}

template class FrontalSolver<double>;
template class FrontalSolver<std::complex<double>>;

}  // namespace daedal::linalg
