// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Where a sparse matrix has entries: Jacobians of systems give their values in this order.

#include <cstdint>
#include <vector>

namespace daedal {

/// Compressed columns; row numbers ascend within a column.
struct SparsityPattern {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::int64_t> column_start;  ///< columns + 1 entries
  std::vector<std::int64_t> row;
  [[nodiscard]] std::int64_t nonzeros() const { return static_cast<std::int64_t>(row.size()); }
};

}  // namespace daedal
