// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Which unknowns (columns) occur in which equations (rows): a bipartite graph, stored by rows.

#include <span>
#include <vector>

#include "core/types.hpp"

namespace daedal::structure {

inline constexpr Index unmatched = -1;

class Incidence {
 public:
  explicit Incidence(Index n_columns = 0);

  /// Adds a row; its columns are sorted, a column given twice counts once. Throws
  /// Error{internal} for a column that does not exist.
  void add_row(std::span<const Index> columns);

  [[nodiscard]] Index n_rows() const { return to_index(starts_.size()) - 1; }
  [[nodiscard]] Index n_columns() const { return n_columns_; }
  [[nodiscard]] Index n_entries() const { return to_index(columns_.size()); }
  /// The columns of a row, ascending.
  [[nodiscard]] std::span<const Index> row(Index i) const {
    const auto begin = to_size(starts_[i]);
    return std::span(columns_).subspan(begin, to_size(starts_[to_size(i) + 1]) - begin);
  }
  /// Where row i begins among all entries, counted row by row.
  [[nodiscard]] Index row_start(Index i) const { return starts_[i]; }
  [[nodiscard]] Incidence transposed() const;

 private:
  Index n_columns_;
  std::vector<Index> starts_ = {0};
  std::vector<Index> columns_;
};

}  // namespace daedal::structure
