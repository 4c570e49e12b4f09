// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse/ldlt.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <daedal/error.hpp>
#include <limits>

#include "linalg/sparse/dense_tail.hpp"

namespace daedal::linalg {

namespace {

/// The pattern of L in K = L D Lᵀ for a given order of elimination. The order is replaced by an
/// equivalent one (a postorder of the elimination tree: the same pivots, the same entries) in which
/// neighbours stand together in memory. T. A. Davis, Direct Methods for Sparse Linear Systems,
/// chapter 4.
class EliminationTree {
 public:
  EliminationTree(const SparsityPattern& lower, std::span<const Index> order);

  /// The unknown that is eliminated k-th, and the inverse of this map.
  [[nodiscard]] const std::vector<Index>& order() const { return order_; }
  [[nodiscard]] const std::vector<Index>& position() const { return position_; }
  /// Rows of column k of L below the diagonal, ascending, in positions.
  [[nodiscard]] const std::vector<Index>& column(Index k) const { return columns_[k]; }

 private:
  void place(std::span<const Index> order);
  void fill_columns(const SparsityPattern& lower);
  [[nodiscard]] std::vector<Index> postorder() const;

  std::vector<Index> order_;
  std::vector<Index> position_;
  std::vector<std::vector<Index>> columns_;
};

EliminationTree::EliminationTree(const SparsityPattern& lower, std::span<const Index> order) {
  place(order);
  fill_columns(lower);
  const std::vector<Index> better = postorder();
  place(better);
  fill_columns(lower);
}

void EliminationTree::place(std::span<const Index> order) {
  order_.assign(order.begin(), order.end());
  position_.resize(order_.size());
  for (std::size_t k = 0; k < order_.size(); ++k) position_[order_[k]] = to_index(k);
}

/// Column k holds the entries of K there and what its children in the tree hand on: the parent of
/// a column is its first row.
void EliminationTree::fill_columns(const SparsityPattern& lower) {
  const std::size_t n = order_.size();
  columns_.assign(n, {});
  for (Index j = 0; j < lower.columns; ++j) {
    for (Index k = lower.column_start[j]; k < lower.column_start[j + 1]; ++k) {
      const Index a = position_[j];
      const Index b = position_[lower.row[k]];
      if (a != b) columns_[std::min(a, b)].push_back(std::max(a, b));
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    auto& column = columns_[k];
    std::ranges::sort(column);
    column.erase(std::unique(column.begin(), column.end()), column.end());
    if (column.empty()) continue;
    auto& parent = columns_[column.front()];
    parent.insert(parent.end(), column.begin() + 1, column.end());
  }
}

std::vector<Index> EliminationTree::postorder() const {
  const std::size_t n = order_.size();
  std::vector<std::vector<Index>> children(n);
  std::vector<Index> stack;
  for (std::size_t k = n; k-- > 0;) {
    if (columns_[k].empty()) {
      stack.push_back(to_index(k));
    } else {
      children[columns_[k].front()].push_back(to_index(k));
    }
  }
  // A preorder with children reversed, read backwards, is a postorder: no recursion.
  std::vector<Index> result;
  result.reserve(n);
  std::ranges::reverse(stack);
  while (!stack.empty()) {
    const Index k = stack.back();
    stack.pop_back();
    result.push_back(order_[k]);
    const auto& below = children[k];
    stack.insert(stack.end(), below.rbegin(), below.rend());
  }
  std::ranges::reverse(result);
  return result;
}

/// Longer columns are updated by runs of neighbouring places, which vectorise and whose tape grows
/// with the square of their length, not with its cube. Chosen,
/// not tuned: no benchmark here reaches columns of this length.
constexpr Index long_column = 24;

/// One pivot's column and where its multiples go. The right-hand side y is one more row.
struct ShortColumn {
  double* values;
  double* scale;
  double* l;
  double* y;
  const std::uint32_t* row;
  double inverse;
  double own_y;
};

inline void update(const ShortColumn& c, Index length, const std::uint32_t* target) {
  for (Index b = 0; b < length; ++b) {
    const double multiple = c.l[b] * c.inverse;
    const double term = c.l[b] * multiple;
    c.values[c.row[b]] -= term;
    c.scale[c.row[b]] += std::abs(term);
    c.y[c.row[b]] -= c.own_y * multiple;
    for (Index a = b + 1; a < length; ++a) c.values[*target++] -= c.l[a] * multiple;
    c.l[b] = multiple;
  }
}

/// The update for a length known at compile time: unrolled, with the column in registers.
template <int length>
[[gnu::always_inline]] inline void update(const ShortColumn& c, const std::uint32_t* target) {
  double l[length];
  for (int b = 0; b < length; ++b) l[b] = c.l[b];
#pragma GCC unroll 8
  for (int b = 0; b < length; ++b) {
    const double multiple = l[b] * c.inverse;
    const double term = l[b] * l[b] * c.inverse;  // waits for the division once, not twice
    c.values[c.row[b]] -= term;
    c.scale[c.row[b]] += std::abs(term);
    c.y[c.row[b]] -= c.own_y * multiple;
#pragma GCC unroll 8
    for (int a = b + 1; a < length; ++a) c.values[*target++] -= l[a] * multiple;
    c.l[b] = multiple;
  }
}

[[gnu::always_inline]] inline void update_short(const ShortColumn& column, Index length,
                                                const std::uint32_t* target) {
  switch (length) {
    case 0:
      return;
    case 1:
      return update<1>(column, target);
    case 2:
      return update<2>(column, target);
    case 3:
      return update<3>(column, target);
    case 4:
      return update<4>(column, target);
    case 5:
      return update<5>(column, target);
    case 6:
      return update<6>(column, target);
    case 7:
      return update<7>(column, target);
    case 8:
      return update<8>(column, target);
    default:
      return update(column, length, target);
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
  for (std::size_t k = 0; k < n; ++k) sign_[k] = sign[order_[k]];
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
  const auto first = row_.begin() + column_[column];
  const auto last = row_.begin() + column_[column + 1];
  const auto found = std::lower_bound(first, last, static_cast<std::uint32_t>(row));
  return static_cast<std::uint32_t>(n_ + (found - row_.begin()));
}

void StaticLdlt::analyse_places(const SparsityPattern& lower, std::span<const Index> position) {
  place_.reserve(lower.row.size());
  for (Index j = 0; j < lower.columns; ++j) {
    for (Index k = lower.column_start[j]; k < lower.column_start[j + 1]; ++k) {
      const Index a = position[j];
      const Index b = position[lower.row[k]];
      place_.push_back(place_of(std::max(a, b), std::min(a, b)));
    }
  }
}

bool StaticLdlt::is_long(Index pivot) const {
  return column_[pivot + 1] - column_[pivot] > long_column;
}

void StaticLdlt::record_updates(Index pivot) {
  const Index first = column_[pivot];
  const Index last = column_[pivot + 1];
  const bool by_runs = is_long(pivot);
  for (Index b = first; b < last; ++b) {
    // Both lists ascend: one merge finds all places of this target column.
    const Index column = row_[b];
    Index q = column_[column];
    for (Index a = b + 1; a < last; ++a) {
      while (row_[q] != row_[a]) ++q;
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
  std::ranges::fill(work_, 0.0);
  return eliminate(tolerance);
}

StaticLdlt::Report StaticLdlt::factor_and_solve(double tolerance, std::span<double> x) {
  gather(x);
  const Report report = eliminate(tolerance);
  if (report.ok) substitute_backward(x);
  return report;
}

StaticLdlt::Report StaticLdlt::eliminate(double tolerance) {
  for (std::size_t k = 0; k < to_size(n_); ++k) scale_[k] = std::abs(values_[k]);
  const std::uint32_t* target = targets_.data();
  const Run* run = runs_.data();
  const Index sparse_end = n_ - tail_;
  for (Index k = 0; k < sparse_end; ++k) {
    const double inverse = 1.0 / values_[k];
    inverse_[k] = inverse;
    const Index first = column_[k];
    const Index length = column_[k + 1] - first;
    if (length > long_column) {
      update_by_runs(k, inverse, run);
      continue;
    }
    update_short({.values = values_.data(),
                  .scale = scale_.data(),
                  .l = values_.data() + n_ + first,
                  .y = work_.data(),
                  .row = row_.data() + first,
                  .inverse = inverse,
                  .own_y = work_[k]},
                 length, target);
    target += length * (length - 1) / 2;
  }
  const TailFactor tail{.d = values_.data() + sparse_end,
                        .inverse = inverse_.data() + sparse_end,
                        .scale = scale_.data() + sparse_end,
                        .y = work_.data() + sparse_end,
                        .l = values_.data() + n_ + column_[sparse_end]};
  with_dense_tail(tail_, [&](auto kernel) { kernel.factor(tail); });
  return judge_pivots(tolerance);
}

/// Looks at all pivots afterwards: a bad one spoils only those that come after it.
StaticLdlt::Report StaticLdlt::judge_pivots(double tolerance) const {
  // Σ|terms| / pivot, which is at least 1 for a pivot of the right sign: no division per pivot.
  const double limit = 1.0 / tolerance;
  double greatest = 1.0;
  Index weakest = -1;
  for (std::size_t k = 0; k < to_size(n_); ++k) {
    const double loss = scale_[k] * inverse_[k] * sign_[k];
    if (!(loss > 0.0 && loss < limit)) {  // NaN stops here too
      return {.ok = false,
              .smallest_ratio = scale_[k] > 0.0 ? std::abs(values_[k]) / scale_[k] : 0.0,
              .weakest = order_[k]};
    }
    if (loss > greatest) {
      greatest = loss;
      weakest = to_index(k);
    }
  }
  return {
      .ok = true, .smallest_ratio = 1.0 / greatest, .weakest = weakest < 0 ? -1 : order_[weakest]};
}

void StaticLdlt::update_by_runs(Index pivot, double inverse, const Run*& run) {
  double* const values = values_.data();
  double* const l = values + n_ + column_[pivot];
  const std::uint32_t* const row = row_.data() + column_[pivot];
  const Index length = column_[pivot + 1] - column_[pivot];
  const double own_y = work_[pivot];
  for (Index b = 0; b < length; ++b) {
    const double multiple = l[b] * inverse;
    const double term = l[b] * multiple;
    values[row[b]] -= term;
    scale_[row[b]] += std::abs(term);
    work_[row[b]] -= own_y * multiple;
    for (Index a = b + 1; a < length; ++run) {
      double* const out = values + run->target;
      const double* const in = l + a;
      for (std::uint32_t i = 0; i < run->length; ++i) out[i] -= in[i] * multiple;
      a += run->length;
    }
    l[b] = multiple;
  }
}

void StaticLdlt::gather(std::span<const double> x) const {
  assert(to_index(x.size()) == n_);
  for (std::size_t k = 0; k < work_.size(); ++k) work_[k] = x[order_[k]];
}

void StaticLdlt::solve(std::span<double> x) const {
  gather(x);
  double* const y = work_.data();
  const double* const l = values_.data() + n_;
  const std::size_t sparse_end = to_size(n_ - tail_);
  for (std::size_t k = 0; k < sparse_end; ++k) {
    const double value = y[k];
    for (std::uint32_t p = column_[k]; p < column_[k + 1]; ++p) y[row_[p]] -= l[p] * value;
  }
  with_dense_tail(tail_,
                  [&](auto kernel) { kernel.forward(l + column_[sparse_end], y + sparse_end); });
  substitute_backward(x);
}

void StaticLdlt::substitute_backward(std::span<double> x) const {
  double* const y = work_.data();
  const double* const l = values_.data() + n_;
  const std::size_t sparse_end = to_size(n_ - tail_);
  with_dense_tail(tail_, [&](auto kernel) {
    kernel.backward(l + column_[sparse_end], inverse_.data() + sparse_end, y + sparse_end);
  });
  for (std::size_t k = sparse_end; k-- > 0;) {
    double value = y[k] * inverse_[k];
    // The newest of the values needed is used last: the others' products are ready by then.
    for (std::uint32_t p = column_[k + 1]; p-- > column_[k];) value -= l[p] * y[row_[p]];
    y[k] = value;
  }
  for (std::size_t k = 0; k < work_.size(); ++k) x[order_[k]] = y[k];
}

}  // namespace daedal::linalg
