// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Maximum matchings of bipartite graphs: every equation gets an unknown of its own, as far as
/// that is possible. Hopcroft & Karp (1973), O(m √n) for m entries, without recursion.

#include "structure/incidence.hpp"

namespace daedal::structure {

struct Matching {
  std::vector<Index> column_of_row;  ///< `unmatched` where there is none
  std::vector<Index> row_of_column;
  Index size = 0;

  [[nodiscard]] bool is_perfect() const {
    return size == to_index(column_of_row.size()) && size == to_index(row_of_column.size());
  }
};

[[nodiscard]] Matching empty_matching(Index n_rows, Index n_columns);

[[nodiscard]] Matching maximum_matching(const Incidence& incidence);

}  // namespace daedal::structure
