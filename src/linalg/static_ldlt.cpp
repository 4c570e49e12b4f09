// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/static_ldlt.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <daedal/error.hpp>
#include <limits>

#include "linalg/dense_tail.hpp"
#include "linalg/elimination_tree.hpp"

namespace daedal::linalg {

namespace {

/// Longer columns are updated by runs of neighbouring places, which vectorise and whose tape grows
/// with the square of their length, not with its cube. Chosen,
/// not tuned: no benchmark here reaches columns of this length.
constexpr Index long_column = 24;

/// One pivot's column and where its multiples go.
struct ShortColumn {
  double* values;
  double* scale;
  double* l;
  const std::uint32_t* row;
  double inverse;
};

inline void update(const ShortColumn& c, Index length, const std::uint32_t* target) {
  for (Index b = 0; b < length; ++b) {
    const double multiple = c.l[b] * c.inverse;
    const double term = c.l[b] * multiple;
    c.values[c.row[b]] -= term;
    c.scale[c.row[b]] += std::abs(term);
    for (Index a = b + 1; a < length; ++a) c.values[*target++] -= c.l[a] * multiple;
    c.l[b] = multiple;
  }
}

/// The same with a length that the compiler knows: unrolled, with the column in registers.
template <int length>
void update(const ShortColumn& c, const std::uint32_t* target) {
  double l[length];
  for (int b = 0; b < length; ++b) l[b] = c.l[b];
#pragma GCC unroll 8
  for (int b = 0; b < length; ++b) {
    const double multiple = l[b] * c.inverse;
    const double term = l[b] * l[b] * c.inverse;  // waits for the division once, not twice
    c.values[c.row[b]] -= term;
    c.scale[c.row[b]] += std::abs(term);
#pragma GCC unroll 8
    for (int a = b + 1; a < length; ++a) c.values[*target++] -= l[a] * multiple;
    c.l[b] = multiple;
  }
}

}  // namespace

StaticLdlt::StaticLdlt(const SparsityPattern& lower, std::span<const Index> order,
                       std::span<const signed char> sign)
    : n_(lower.columns) {
  const EliminationTree tree(lower, order);
  order_ = tree.order();
  const auto n = to_size(n_);
  sign_.resize(n);
  for (std::size_t k = 0; k < n; ++k) sign_[k] = sign[to_size(order_[k])];
  column_.push_back(0);
  for (Index k = 0; k < n_; ++k) {
    for (const Index i : tree.column(k)) row_.push_back(static_cast<std::uint32_t>(i));
    if (row_.size() + n > std::numeric_limits<std::uint32_t>::max()) {
      throw Error(ErrorCode::unsupported,
                  "The factor of a sparse symmetric matrix has more than 2^32 entries.");
    }
    column_.push_back(static_cast<std::uint32_t>(row_.size()));
  }
  values_.resize(n + row_.size());
  inverse_.resize(n);
  scale_.resize(n);
  work_.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const Index length = column_[k + 1] - column_[k];
    n_operations_ += length * (length + 1) / 2;
  }
  analyse_places(lower, tree.position());
  measure_tail();
  for (Index k = 0; k < n_ - tail_; ++k) record_updates(k);
}

/// Counts the last pivots whose columns are full.
void StaticLdlt::measure_tail() {
  Index full = 0;
  while (full < std::min(n_, max_dense_tail)) {
    const auto k = to_size(n_ - full - 1);
    if (column_[k + 1] - column_[k] != full) break;
    ++full;
  }
  tail_ = full > 1 ? full : 0;
}

std::uint32_t StaticLdlt::place_of(Index row, Index column) const {
  if (row == column) return static_cast<std::uint32_t>(row);
  const auto first = row_.begin() + column_[to_size(column)];
  const auto last = row_.begin() + column_[to_size(column + 1)];
  const auto found = std::lower_bound(first, last, static_cast<std::uint32_t>(row));
  return static_cast<std::uint32_t>(n_ + (found - row_.begin()));
}

void StaticLdlt::analyse_places(const SparsityPattern& lower, std::span<const Index> position) {
  place_.reserve(lower.row.size());
  for (Index j = 0; j < lower.columns; ++j) {
    for (Index k = lower.column_start[to_size(j)]; k < lower.column_start[to_size(j + 1)]; ++k) {
      const Index a = position[to_size(j)];
      const Index b = position[to_size(lower.row[to_size(k)])];
      place_.push_back(place_of(std::max(a, b), std::min(a, b)));
    }
  }
}

bool StaticLdlt::is_long(Index pivot) const {
  return column_[to_size(pivot + 1)] - column_[to_size(pivot)] > long_column;
}

void StaticLdlt::record_updates(Index pivot) {
  const Index first = column_[to_size(pivot)];
  const Index last = column_[to_size(pivot + 1)];
  const bool by_runs = is_long(pivot);
  for (Index b = first; b < last; ++b) {
    // Both lists ascend: one merge finds all places of this target column.
    const Index column = row_[to_size(b)];
    Index q = column_[to_size(column)];
    for (Index a = b + 1; a < last; ++a) {
      while (row_[to_size(q)] != row_[to_size(a)]) ++q;
      const auto target = static_cast<std::uint32_t>(n_ + q);
      if (by_runs) {
        record_run(target, a == b + 1);
      } else {
        targets_.push_back(target);
      }
    }
  }
}

void StaticLdlt::record_run(std::uint32_t target, bool starts_column) {
  if (!starts_column && runs_.back().target + runs_.back().length == target) {
    ++runs_.back().length;
  } else {
    runs_.push_back({target, 1});
  }
}

void StaticLdlt::clear() {
  std::ranges::fill(values_, 0.0);
}

StaticLdlt::Report StaticLdlt::factor(double tolerance) {
  for (std::size_t k = 0; k < to_size(n_); ++k) scale_[k] = std::abs(values_[k]);
  const std::uint32_t* target = targets_.data();
  const Run* run = runs_.data();
  const Index sparse_end = n_ - tail_;
  for (Index k = 0; k < sparse_end; ++k) {
    const double inverse = 1.0 / values_[to_size(k)];
    inverse_[to_size(k)] = inverse;
    if (is_long(k)) {
      update_by_runs(k, inverse, run);
    } else {
      update_indexed(k, inverse, target);
    }
  }
  const TailFactor tail{.d = values_.data() + sparse_end,
                        .inverse = inverse_.data() + sparse_end,
                        .scale = scale_.data() + sparse_end,
                        .l = values_.data() + n_ + column_[to_size(sparse_end)]};
  with_dense_tail(tail_, [&](auto kernel) { kernel.factor(tail); });
  return judge_pivots(tolerance);
}

/// Looks at all pivots afterwards: a bad one spoils only those that come after it.
StaticLdlt::Report StaticLdlt::judge_pivots(double tolerance) const {
  double smallest_pivot = 1.0;  // the smallest ratio as a fraction: no division per pivot
  double smallest_scale = 1.0;
  Index weakest = -1;
  for (Index k = 0; k < n_; ++k) {
    const double pivot = values_[to_size(k)] * sign_[to_size(k)];
    const double scale = scale_[to_size(k)];
    if (!(pivot > tolerance * scale)) {  // NaN stops here too
      return {.ok = false,
              .smallest_ratio = scale > 0.0 ? std::abs(pivot) / scale : 0.0,
              .weakest = order_[to_size(k)]};
    }
    if (pivot * smallest_scale < smallest_pivot * scale) {
      smallest_pivot = pivot;
      smallest_scale = scale;
      weakest = order_[to_size(k)];
    }
  }
  return {.ok = true, .smallest_ratio = smallest_pivot / smallest_scale, .weakest = weakest};
}

void StaticLdlt::update_indexed(Index pivot, double inverse, const std::uint32_t*& target) {
  const Index length = column_[to_size(pivot + 1)] - column_[to_size(pivot)];
  const ShortColumn column{.values = values_.data(),
                           .scale = scale_.data(),
                           .l = values_.data() + n_ + column_[to_size(pivot)],
                           .row = row_.data() + column_[to_size(pivot)],
                           .inverse = inverse};
  switch (length) {
    case 0:
      break;
    case 1:
      update<1>(column, target);
      break;
    case 2:
      update<2>(column, target);
      break;
    case 3:
      update<3>(column, target);
      break;
    case 4:
      update<4>(column, target);
      break;
    case 5:
      update<5>(column, target);
      break;
    case 6:
      update<6>(column, target);
      break;
    case 7:
      update<7>(column, target);
      break;
    case 8:
      update<8>(column, target);
      break;
    default:
      update(column, length, target);
  }
  target += length * (length - 1) / 2;
}

void StaticLdlt::update_by_runs(Index pivot, double inverse, const Run*& run) {
  double* const values = values_.data();
  double* const l = values + n_ + column_[to_size(pivot)];
  const std::uint32_t* const row = row_.data() + column_[to_size(pivot)];
  const Index length = column_[to_size(pivot + 1)] - column_[to_size(pivot)];
  for (Index b = 0; b < length; ++b) {
    const double multiple = l[b] * inverse;
    const double term = l[b] * multiple;
    values[row[b]] -= term;
    scale_[row[b]] += std::abs(term);
    for (Index a = b + 1; a < length; ++run) {
      double* const out = values + run->target;
      const double* const in = l + a;
      for (std::uint32_t i = 0; i < run->length; ++i) out[i] -= in[i] * multiple;
      a += run->length;
    }
    l[b] = multiple;
  }
}

void StaticLdlt::solve(std::span<double> x) const {
  assert(to_index(x.size()) == n_);
  double* const y = work_.data();
  const double* const l = values_.data() + n_;
  const std::size_t n = work_.size();
  const std::size_t sparse_end = to_size(n_ - tail_);
  for (std::size_t k = 0; k < n; ++k) y[k] = x[to_size(order_[k])];
  for (std::size_t k = 0; k < sparse_end; ++k) {
    const double value = y[k];
    for (std::uint32_t p = column_[k]; p < column_[k + 1]; ++p) y[row_[p]] -= l[p] * value;
  }
  with_dense_tail(tail_, [&](auto kernel) {
    kernel.solve(l + column_[sparse_end], inverse_.data() + sparse_end, y + sparse_end);
  });
  for (std::size_t k = sparse_end; k-- > 0;) {
    double value = y[k] * inverse_[k];
    // The newest of the values needed is used last: the others' products are ready by then.
    for (std::uint32_t p = column_[k + 1]; p-- > column_[k];) value -= l[p] * y[row_[p]];
    y[k] = value;
  }
  for (std::size_t k = 0; k < n; ++k) x[to_size(order_[k])] = y[k];
}

}  // namespace daedal::linalg
