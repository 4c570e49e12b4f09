// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Maximum matchings of bipartite graphs: every equation gets an unknown of its own, as far as
/// that is possible. A. Pothen and C.-J. Fan, "Computing the block triangular form of a sparse
/// matrix", ACM Trans. Math. Softw. 16 (1990) 303-324: depth-first search with lookahead, in the
/// fair order of I. S. Duff, K. Kaya and B. Uçar (2011). Near linear in practice, without
/// recursion.

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

/// Adds as many pairs to a matching as possible; what is matched stays so, perhaps to another.
void extend_to_maximum(const Incidence& incidence, Matching& matching);

}  // namespace daedal::structure
