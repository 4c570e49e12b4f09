// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse/sparsity.hpp"

#include <cassert>
#include <daedal/error.hpp>
#include <numeric>

namespace daedal::linalg {

void check_pattern(const SparsityPattern& pattern) {
  const auto& start = pattern.column_start;
  const auto fail = [] { throw Error(ErrorCode::internal, "A sparsity pattern is malformed."); };
  if (pattern.rows < 0 || pattern.columns < 0) fail();
  if (to_index(start.size()) != pattern.columns + 1 || start.front() != 0 ||
      start.back() != pattern.nonzeros()) {
    fail();
  }
  for (Index j = 0; j < pattern.columns; ++j) {
    if (start[j] > start[j + 1]) fail();
  }
  for (Index j = 0; j < pattern.columns; ++j) {
    Index previous = -1;
    for (Index k = start[j]; k < start[j + 1]; ++k) {
      const Index i = pattern.row[k];
      if (i <= previous || i >= pattern.rows) fail();
      previous = i;
    }
  }
}

SparsityPattern full_pattern(Index rows, Index columns) {
  SparsityPattern full{.rows = rows, .columns = columns, .column_start = {}, .row = {}};
  for (Index j = 0; j <= columns; ++j) full.column_start.push_back(j * rows);
  full.row.resize(to_size(rows * columns));
  for (Index k = 0; k < rows * columns; ++k) full.row[k] = k % rows;
  return full;
}

TransposedPattern transpose(const SparsityPattern& pattern) {
  TransposedPattern result;
  SparsityPattern& t = result.pattern;
  t.rows = pattern.columns;
  t.columns = pattern.rows;
  t.column_start.assign(to_size(pattern.rows + 1), 0);
  for (const Index i : pattern.row) ++t.column_start[i + 1];
  std::partial_sum(t.column_start.begin(), t.column_start.end(), t.column_start.begin());
  t.row.resize(pattern.row.size());
  result.source.resize(pattern.row.size());
  std::vector<Index> next(t.column_start.begin(), t.column_start.end() - 1);
  for (Index j = 0; j < pattern.columns; ++j) {
    for (Index k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      const Index place = next[pattern.row[k]]++;
      t.row[place] = j;
      result.source[place] = k;
    }
  }
  return result;
}

Matrix to_dense(const SparsityPattern& pattern, std::span<const double> values) {
  assert(to_index(values.size()) == pattern.nonzeros());
  Matrix dense = Matrix::Zero(pattern.rows, pattern.columns);
  for (Index j = 0; j < pattern.columns; ++j) {
    for (Index k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      dense(pattern.row[k], j) = values[k];
    }
  }
  return dense;
}

}  // namespace daedal::linalg
