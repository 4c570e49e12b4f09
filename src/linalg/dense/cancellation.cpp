// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/dense/cancellation.hpp"

#include <numeric>

namespace daedal::linalg {

void SparseCancellationCheck::collect_rows(const TriangleSizes& lower,
                                           std::span<const Index> suspects) {
  const std::size_t n = lower.column_start.size() - 1;
  suspect_of_.assign(n, -1);
  for (std::size_t s = 0; s < suspects.size(); ++s) suspect_of_[suspects[s]] = to_index(s);
  row_start_.assign(suspects.size() + 1, 0);
  for (const Index i : lower.row) {
    const Index s = suspect_of_[i];
    if (s >= 0) ++row_start_[s];
  }
  std::partial_sum(row_start_.begin(), row_start_.end(), row_start_.begin());
  column_.resize(to_size(row_start_.back()));
  size_.resize(column_.size());
  for (std::size_t j = n; j-- > 0;) {
    for (Index p = lower.column_start[j]; p < lower.column_start[j + 1]; ++p) {
      const Index s = suspect_of_[lower.row[p]];
      if (s < 0) continue;
      // Sums up to and with s become starts of s when every row is filled from its end.
      const Index place = --row_start_[s];
      column_[place] = to_index(j);
      size_[place] = lower.size[p];
    }
  }
}

Index SparseCancellationCheck::first_cancelled(const TriangleSizes& lower,
                                               const TriangleSizes& upper,
                                               std::span<const Index> suspects) {
  collect_rows(lower, suspects);
  work_.assign(suspect_of_.size(), 0.0);
  for (std::size_t s = 0; s < suspects.size(); ++s) {
    const std::size_t k = to_size(suspects[s]);
    for (Index p = upper.column_start[k]; p < upper.column_start[k + 1]; ++p) {
      work_[upper.row[p]] = upper.size[p];
    }
    const double pivot = work_[k];
    work_[k] = 0.0;  // l_kk = 1 is in L too
    double terms = 0.0;
    for (Index p = row_start_[s]; p < row_start_[s + 1]; ++p) {
      terms += size_[p] * work_[column_[p]];
    }
    for (Index p = upper.column_start[k]; p < upper.column_start[k + 1]; ++p) {
      work_[upper.row[p]] = 0.0;
    }
    if (is_cancelled(pivot, terms)) return suspects[s];
  }
  return -1;
}

}  // namespace daedal::linalg
