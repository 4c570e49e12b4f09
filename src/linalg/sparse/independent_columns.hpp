// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Which m columns of a sparse wide matrix (m×n, m ≤ n) are most independent: Gaussian elimination
/// with complete pivoting, as choose_pivot_columns does it for a dense one. Columns can be
/// demanded: the first pivots come from them alone. Small matrices are eliminated in an array,
/// greatest entry first. Others are eliminated in lists of their entries with a heap: of entries
/// that differ by less than a factor of 2 the one comes first that can fill in least (Markowitz).
///
/// The object is the workspace: what it allocates it keeps for the next matrix.

#include <span>
#include <vector>

#include "core/types.hpp"

namespace daedal::linalg {

struct PivotReport {
  double smallest_pivot = 0.0;  ///< 0 when the rows, or the columns demanded, are dependent
  Index dependent_row = -1;     ///< a row left without a pivot, when there is one
  Index unmet_column = -1;      ///< a demanded column left without a pivot, when there is one
  int sign = 0;                 ///< of the determinant of a square matrix; 0 where singular
};

class ColumnPivoting {
 public:
  /// A matrix of zeros; no column is demanded.
  void start(Index rows, Index columns);
  /// Every entry at most once.
  void add(Index row, Index column, double value) { entries_.push_back({row, column, value}); }
  void demand(Index column) { is_demanded_[column] = true; }

  PivotReport run();
  /// Whether the last matrix was too large for an array: its pivots are within a factor of 2 of the
  /// greatest ones then.
  [[nodiscard]] bool is_approximate() const { return !is_small_; }
  /// Independent columns found by the last run, in the order of their pivots.
  [[nodiscard]] std::span<const Index> columns() const { return columns_; }

 private:
  struct Entry {
    Index row = 0;
    Index column = 0;
    double value = 0.0;
  };
  struct Pivot {
    double size = 0.0;
    Index row = -1;
    Index column = -1;
    int magnitude = 0;  ///< in lists: the power of 2 below the size
    Index cost = 0;     ///< in lists: entries that can fill in (Markowitz), when it was offered
    /// Among equal entries the first by columns comes first.
    bool operator<(const Pivot& other) const;
  };
  void fill_array();
  void fill_lists();
  void offer_anew();
  void offer(Index row, Index column, double value);
  [[nodiscard]] Pivot greatest(bool among_demanded);
  [[nodiscard]] Pivot greatest_in_array(bool among_demanded) const;
  double eliminate(const Pivot& pivot);
  double eliminate_in_array(const Pivot& pivot);
  double eliminate_in_lists(const Pivot& pivot);
  void subtract(Index row, double factor, const std::vector<Entry>& pivot_row);
  [[nodiscard]] const Entry* find(Index row, Index column) const;
  [[nodiscard]] int parity();
  [[nodiscard]] Index open_row() const;

  Index n_rows_ = 0;
  Index n_columns_ = 0;
  bool is_small_ = true;
  std::vector<Entry> entries_;
  std::vector<bool> is_demanded_;
  std::vector<bool> row_is_done_, column_is_done_;
  std::vector<Index> rows_, columns_;  ///< of the pivots
  std::vector<double> array_;          ///< by rows
  std::vector<std::vector<Entry>> lists_;
  std::vector<std::vector<Index>> rows_of_column_;
  std::vector<Pivot> usual_, demanded_;  ///< heaps; entries that have changed are skipped
  std::size_t most_offers_ = 0;
  std::vector<Index> place_;  ///< scratch: of a column in the row at hand, or -1
};

}  // namespace daedal::linalg
