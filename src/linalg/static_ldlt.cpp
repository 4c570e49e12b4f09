// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/static_ldlt.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <daedal/error.hpp>
#include <limits>

#include "linalg/elimination_tree.hpp"

namespace daedal::linalg {

namespace {

/// Longer columns are updated by runs of neighbouring places, which vectorise and whose tape grows
/// with the square of their length, not with its cube. tuned: bench/linalg
constexpr Index long_column = 24;

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
  analyse_places(lower, tree.position());
  for (Index k = 0; k < n_; ++k) record_updates(k);
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
  n_operations_ += (last - first) * (last - first + 1) / 2;
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
  Report report;
  for (std::size_t k = 0; k < to_size(n_); ++k) scale_[k] = std::abs(values_[k]);
  const std::uint32_t* target = targets_.data();
  const Run* run = runs_.data();
  double smallest_pivot = 1.0;  // the smallest ratio as a fraction: no division per pivot
  double smallest_scale = 1.0;
  Index weakest = -1;
  for (Index k = 0; k < n_; ++k) {
    const double pivot = values_[to_size(k)] * sign_[to_size(k)];
    const double scale = scale_[to_size(k)];
    if (pivot * smallest_scale < smallest_pivot * scale) {
      smallest_pivot = pivot;
      smallest_scale = scale;
      weakest = k;
    }
    if (!(pivot > tolerance * scale)) {  // NaN stops here too
      return {.ok = false,
              .smallest_ratio = scale > 0.0 ? std::abs(pivot) / scale : 0.0,
              .weakest = order_[to_size(k)]};
    }
    const double inverse = 1.0 / values_[to_size(k)];
    inverse_[to_size(k)] = inverse;
    if (is_long(k)) {
      update_by_runs(k, inverse, run);
    } else {
      update_indexed(k, inverse, target);
    }
  }
  report.smallest_ratio = smallest_pivot / smallest_scale;
  if (weakest >= 0) report.weakest = order_[to_size(weakest)];
  return report;
}

void StaticLdlt::update_indexed(Index pivot, double inverse, const std::uint32_t*& target) {
  double* const values = values_.data();
  double* const scale = scale_.data();
  double* const l = values + n_ + column_[to_size(pivot)];
  const std::uint32_t* const row = row_.data() + column_[to_size(pivot)];
  const Index length = column_[to_size(pivot + 1)] - column_[to_size(pivot)];
  const std::uint32_t* t = target;
  for (Index b = 0; b < length; ++b) {
    const double multiple = l[b] * inverse;
    const double term = l[b] * multiple;
    values[row[b]] -= term;
    scale[row[b]] += std::abs(term);
    for (Index a = b + 1; a < length; ++a) values[*t++] -= l[a] * multiple;
    l[b] = multiple;
  }
  target = t;
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
  for (std::size_t k = 0; k < work_.size(); ++k) y[k] = x[to_size(order_[k])];
  for (std::size_t k = 0; k < work_.size(); ++k) {
    const double value = y[k];
    for (std::uint32_t p = column_[k]; p < column_[k + 1]; ++p) y[row_[p]] -= l[p] * value;
  }
  for (std::size_t k = work_.size(); k-- > 0;) {
    double value = y[k] * inverse_[k];
    for (std::uint32_t p = column_[k]; p < column_[k + 1]; ++p) value -= l[p] * y[row_[p]];
    y[k] = value;
    x[to_size(order_[k])] = value;
  }
}

}  // namespace daedal::linalg
