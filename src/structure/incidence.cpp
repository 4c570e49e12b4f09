// SPDX-License-Identifier: BSD-3-Clause
#include "structure/incidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <daedal/error.hpp>

namespace daedal::structure {

Incidence::Incidence(Index n_columns) : n_columns_(n_columns) {}

void Incidence::add_row(std::span<const Index> columns) {
  for (const Index j : columns) {
    if (j >= 0 && j < n_columns_) continue;
    throw Error(ErrorCode::internal, fmt::format("There is no column {} among {}.", j, n_columns_));
  }
  const auto begin = columns_.insert(columns_.end(), columns.begin(), columns.end());
  std::sort(begin, columns_.end());
  columns_.erase(std::unique(begin, columns_.end()), columns_.end());
  starts_.push_back(to_index(columns_.size()));
}

Incidence Incidence::transposed() const {
  Incidence result(n_rows());
  result.starts_.assign(to_size(n_columns_) + 1, 0);
  for (const Index j : columns_) ++result.starts_[to_size(j) + 1];
  for (std::size_t j = 0; j < to_size(n_columns_); ++j) result.starts_[j + 1] += result.starts_[j];
  result.columns_.resize(columns_.size());
  std::vector<Index> next(result.starts_.begin(), result.starts_.end() - 1);
  for (Index i = 0; i < n_rows(); ++i) {
    for (const Index j : row(i)) result.columns_[next[j]++] = i;
  }
  return result;
}

}  // namespace daedal::structure
