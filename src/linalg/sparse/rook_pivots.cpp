// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse/rook_pivots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::linalg {

namespace {

/// A pivot is at least this share of the greatest entries of its row and column. The greatest
/// entry of all is always acceptable.
constexpr double threshold = 0.1;

struct Remaining {
  Index column = 0;
  double value = 0.0;
};

class Search {
 public:
  Search(const SparsityPattern& pattern, std::span<const double> values)
      : rows_(to_size(pattern.rows)),
        is_active_(to_size(pattern.rows), true),
        column_max_(to_size(pattern.columns)),
        column_count_(to_size(pattern.columns)),
        place_(to_size(pattern.columns)) {
    for (std::size_t j = 0; j < to_size(pattern.columns); ++j) {
      for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
        rows_[pattern.row[p]].push_back({to_index(j), values[p]});
      }
    }
  }

  struct Pivot {
    Index row = -1;
    Index column = -1;
    double value = 0.0;
  };

  /// The greatest active entry; call before choose().
  double measure() {
    std::ranges::fill(column_max_, 0.0);
    std::ranges::fill(column_count_, 0);
    double greatest = 0.0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!is_active_[i]) continue;
      for (const Remaining& entry : rows_[i]) {
        const auto j = to_size(entry.column);
        column_max_[j] = std::max(column_max_[j], std::abs(entry.value));
        ++column_count_[j];
      }
    }
    for (const double value : column_max_) greatest = std::max(greatest, value);
    return greatest;
  }

  [[nodiscard]] Pivot choose(double least) const {
    Pivot best;
    Index least_cost = std::numeric_limits<Index>::max();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!is_active_[i]) continue;
      double row_max = least / threshold;
      for (const Remaining& entry : rows_[i]) row_max = std::max(row_max, std::abs(entry.value));
      for (const Remaining& entry : rows_[i]) {
        const double size = std::abs(entry.value);
        if (size < threshold * row_max) continue;
        if (size < threshold * column_max_[entry.column]) continue;
        const Index cost = to_index(rows_[i].size() - 1) * (column_count_[entry.column] - 1);
        if (cost > least_cost || (cost == least_cost && size <= std::abs(best.value))) continue;
        best = {to_index(i), entry.column, entry.value};
        least_cost = cost;
      }
    }
    return best;
  }

  void eliminate(const Pivot& pivot) {
    is_active_[pivot.row] = false;
    const std::vector<Remaining>& source = rows_[pivot.row];
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!is_active_[i]) continue;
      std::vector<Remaining>& row = rows_[i];
      const auto at = std::ranges::find(row, pivot.column, &Remaining::column);
      if (at == row.end()) continue;
      const double multiplier = at->value / pivot.value;
      row.erase(at);
      for (std::size_t k = 0; k < row.size(); ++k) place_[row[k].column] = k + 1;
      const std::size_t before = row.size();
      for (const Remaining& entry : source) {
        if (entry.column == pivot.column) continue;
        const std::size_t place = place_[entry.column];
        if (place > 0) {
          row[place - 1].value -= multiplier * entry.value;
        } else {
          row.push_back({entry.column, -multiplier * entry.value});
        }
      }
      for (std::size_t k = 0; k < before; ++k) place_[row[k].column] = 0;
    }
  }

 private:
  std::vector<std::vector<Remaining>> rows_;
  std::vector<bool> is_active_;
  std::vector<double> column_max_;
  std::vector<Index> column_count_;
  std::vector<std::size_t> place_;  ///< of a column in the row at work, from 1; 0: not there
};

}  // namespace

RookPivots choose_rook_pivots(const SparsityPattern& pattern, std::span<const double> values,
                              double relative_tolerance) {
  RookPivots result;
  RankDecision& decision = result.decision;
  decision.smallest_kept = infinity;
  for (const double value : values) {
    if (std::isfinite(value)) continue;
    decision.largest = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  Search search(pattern, values);
  double left = search.measure();
  decision.largest = left;
  const double least = relative_tolerance * decision.largest;
  while (left > least) {
    const Search::Pivot pivot = search.choose(least);
    result.rows.push_back(pivot.row);
    result.columns.push_back(pivot.column);
    decision.smallest_kept = std::min(decision.smallest_kept, std::abs(pivot.value));
    search.eliminate(pivot);
    left = search.measure();
  }
  decision.rank = to_index(result.rows.size());
  decision.largest_dropped = left;
  return result;
}

}  // namespace daedal::linalg
