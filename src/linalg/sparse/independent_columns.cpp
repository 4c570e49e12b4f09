// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse/independent_columns.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace daedal::linalg {

namespace {

/// Pivots below this share of the greatest entry are rounding errors of dependent rows.
constexpr double sparse_dependence_tolerance = 1e-13;
/// Matrices with up to so many places are eliminated in an array.
constexpr Index largest_array = 1600;

}  // namespace

bool ColumnPivoting::Pivot::operator<(const Pivot& other) const {
  return std::tie(magnitude, other.cost, size, other.column, other.row) <
         std::tie(other.magnitude, cost, other.size, column, row);
}

void ColumnPivoting::start(Index rows, Index columns) {
  n_rows_ = rows;
  n_columns_ = columns;
  entries_.clear();
  is_demanded_.assign(to_size(columns), false);
}

PivotReport ColumnPivoting::run() {
  row_is_done_.assign(to_size(n_rows_), false);
  column_is_done_.assign(to_size(n_columns_), false);
  rows_.clear();
  columns_.clear();
  double scale = 0.0;
  for (const Entry& entry : entries_) scale = std::max(scale, std::abs(entry.value));
  is_small_ = n_rows_ * n_columns_ <= largest_array;
  is_small_ ? fill_array() : fill_lists();

  PivotReport report{.smallest_pivot = infinity, .sign = 1};
  auto n_demanded = std::count(is_demanded_.begin(), is_demanded_.end(), true);
  while (to_index(rows_.size()) < n_rows_) {
    const Pivot pivot = greatest(n_demanded > 0);
    if (!(pivot.size > sparse_dependence_tolerance * scale)) {
      const Index row = open_row();
      if (n_demanded == 0) return {.dependent_row = row};
      for (Index j = 0; j < n_columns_; ++j)
        if (is_demanded_[j] && !column_is_done_[j])
          return {.dependent_row = row, .unmet_column = j};
    }
    if (n_demanded > 0) --n_demanded;
    report.smallest_pivot = std::min(report.smallest_pivot, pivot.size);
    row_is_done_[pivot.row] = true;
    column_is_done_[pivot.column] = true;
    rows_.push_back(pivot.row);
    columns_.push_back(pivot.column);
    if (eliminate(pivot) < 0.0) report.sign = -report.sign;
    if (!is_small_ && usual_.size() + demanded_.size() > most_offers_) offer_anew();
  }
  for (Index j = 0; j < n_columns_; ++j)
    if (is_demanded_[j] && !column_is_done_[j]) return {.unmet_column = j};
  report.sign = n_rows_ == n_columns_ ? report.sign * parity() : 0;
  return report;
}

Index ColumnPivoting::open_row() const {
  return std::find(row_is_done_.begin(), row_is_done_.end(), false) - row_is_done_.begin();
}

void ColumnPivoting::fill_array() {
  array_.assign(to_size(n_rows_ * n_columns_), 0.0);
  for (const auto& [row, column, value] : entries_) array_[row * n_columns_ + column] = value;
}

void ColumnPivoting::fill_lists() {
  if (to_index(lists_.size()) < n_rows_) lists_.resize(to_size(n_rows_));
  if (to_index(rows_of_column_.size()) < n_columns_) rows_of_column_.resize(to_size(n_columns_));
  for (Index i = 0; i < n_rows_; ++i) lists_[i].clear();
  for (Index j = 0; j < n_columns_; ++j) rows_of_column_[j].clear();
  place_.assign(to_size(n_columns_), -1);
  for (const Entry& entry : entries_) {
    lists_[entry.row].push_back(entry);
    rows_of_column_[entry.column].push_back(entry.row);
  }
  offer_anew();
}

/// Every change of an entry is an offer, of which only the last one counts: the others would add up
/// to all operations of the elimination.
void ColumnPivoting::offer_anew() {
  usual_.clear();
  demanded_.clear();
  for (Index i = 0; i < n_rows_; ++i) {
    if (row_is_done_[i]) continue;
    for (const Entry& entry : lists_[i]) {
      if (!column_is_done_[entry.column] && entry.value != 0.0) {
        offer(i, entry.column, entry.value);
      }
    }
  }
  most_offers_ = 8 * (usual_.size() + demanded_.size()) + 10'000;
}

void ColumnPivoting::offer(Index row, Index column, double value) {
  auto& heap = is_demanded_[column] ? demanded_ : usual_;
  const double size = std::abs(value);
  heap.push_back(
      {.size = size,
       .row = row,
       .column = column,
       .magnitude = std::ilogb(size),
       .cost = to_index((lists_[row].size() - 1) * (rows_of_column_[column].size() - 1))});
  std::push_heap(heap.begin(), heap.end());
}

ColumnPivoting::Pivot ColumnPivoting::greatest(bool among_demanded) {
  if (is_small_) return greatest_in_array(among_demanded);
  auto& heap = among_demanded ? demanded_ : usual_;
  while (!heap.empty()) {
    const Pivot top = heap.front();
    if (!row_is_done_[top.row] && !column_is_done_[top.column]) {
      const Entry* entry = find(top.row, top.column);
      if (entry != nullptr && std::abs(entry->value) == top.size) return top;
    }
    std::pop_heap(heap.begin(), heap.end());
    heap.pop_back();
  }
  return {};
}

ColumnPivoting::Pivot ColumnPivoting::greatest_in_array(bool among_demanded) const {
  Pivot best{.size = 0.0};
  for (Index i = 0; i < n_rows_; ++i) {
    if (row_is_done_[i]) continue;
    for (Index j = 0; j < n_columns_; ++j) {
      if (column_is_done_[j] || is_demanded_[j] != among_demanded) continue;
      const double size = std::abs(array_[i * n_columns_ + j]);
      if (size < best.size) continue;
      const Pivot here{.size = size, .row = i, .column = j};
      if (best < here) best = here;
    }
  }
  return best;
}

double ColumnPivoting::eliminate(const Pivot& pivot) {
  return is_small_ ? eliminate_in_array(pivot) : eliminate_in_lists(pivot);
}

double ColumnPivoting::eliminate_in_array(const Pivot& pivot) {
  const double* from = array_.data() + pivot.row * n_columns_;
  for (Index i = 0; i < n_rows_; ++i) {
    if (row_is_done_[i]) continue;
    double* row = array_.data() + i * n_columns_;
    const double factor = row[pivot.column] / from[pivot.column];
    if (factor == 0.0) continue;
    for (Index j = 0; j < n_columns_; ++j) row[j] -= factor * from[j];
  }
  return from[pivot.column];
}

const ColumnPivoting::Entry* ColumnPivoting::find(Index row, Index column) const {
  const auto& list = lists_[row];
  const auto found =
      std::ranges::find_if(list, [&](const Entry& entry) { return entry.column == column; });
  return found == list.end() ? nullptr : &*found;
}

double ColumnPivoting::eliminate_in_lists(const Pivot& pivot) {
  const auto& from = lists_[pivot.row];
  const double value = find(pivot.row, pivot.column)->value;
  // Fill-in never adds to this column: its pivot row is done.
  for (const Index i : rows_of_column_[pivot.column]) {
    if (row_is_done_[i]) continue;
    const double factor = find(i, pivot.column)->value / value;
    if (factor != 0.0) subtract(i, factor, from);
  }
  return value;
}

void ColumnPivoting::subtract(Index row, double factor, const std::vector<Entry>& pivot_row) {
  auto& list = lists_[row];
  for (std::size_t k = 0; k < list.size(); ++k) place_[list[k].column] = to_index(k);
  for (const Entry& entry : pivot_row) {
    if (column_is_done_[entry.column]) continue;
    Index& k = place_[entry.column];
    if (k < 0) {
      k = to_index(list.size());
      list.push_back({row, entry.column, 0.0});
      rows_of_column_[entry.column].push_back(row);
    }
    double& value = list[k].value;
    value -= factor * entry.value;
    if (value != 0.0) offer(row, entry.column, value);
  }
  for (const Entry& entry : list) place_[entry.column] = -1;
}

int ColumnPivoting::parity() {
  // The permutation that takes the row of each pivot to its column.
  place_.assign(to_size(n_columns_), -1);
  for (std::size_t k = 0; k < rows_.size(); ++k) place_[rows_[k]] = columns_[k];
  int sign = 1;
  for (Index start = 0; start < n_columns_; ++start) {
    Index i = start;
    Index length = 0;
    while (place_[i] >= 0) {
      i = std::exchange(place_[i], Index{-1});
      ++length;
    }
    if (length > 0 && length % 2 == 0) sign = -sign;
  }
  return sign;
}

}  // namespace daedal::linalg
