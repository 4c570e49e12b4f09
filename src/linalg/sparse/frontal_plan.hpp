// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The plan of a multifrontal elimination (Duff, Reid, ACM Trans. Math. Softw. 9 (1983) 302): which
/// columns are eliminated together in one dense matrix, a front, and which front takes up what an
/// elimination leaves of the rows and columns that are not eliminated in it.

#include <cstdint>
#include <daedal/sparsity.hpp>
#include <vector>

#include "core/types.hpp"

namespace daedal::linalg {

/// Pivots in this order lie in these rows and columns of the given matrix. The matrix is block
/// triangular: entries below the diagonal blocks are none.
struct BlockOrder {
  std::vector<Index> row, column;
  std::vector<Index> block_start;
  /// Entries of the factors and operations to compute them, if no pivot is delayed.
  double n_entries = 0.0, n_operations = 0.0;
};

struct FrontalPlan {
  using Place = std::int32_t;  ///< numbers of rows, columns, entries and fronts

  /// Pivots first to first + n_pivots of the order below, unless some are put off.
  struct Front {
    Place first = 0, n_pivots = 0;
    Place n_children = 0;
    bool is_root = true;
    Place rest = 0, n_rest = 0;      ///< in `rest`: what is left for other fronts, ascending
    Place entry = 0, n_entries = 0;  ///< in `entries`
  };
  /// A value of the given matrix, with row and column in the order.
  struct Entry {
    Place value, row, column;
  };

  FrontalPlan(const SparsityPattern& pattern, const BlockOrder& order);

  std::vector<Place> row_of, column_of;  ///< of the given matrix, by the order
  std::vector<Front> fronts;             ///< children before their parents
  std::vector<Place> rest;
  std::vector<Entry> entries;
  /// Entries between blocks, and where those of a column start.
  std::vector<Entry> between;
  std::vector<Place> between_start;
  std::vector<Place> front_start;  ///< of each block
  std::vector<Place> block_start;  ///< in the order
};

}  // namespace daedal::linalg
