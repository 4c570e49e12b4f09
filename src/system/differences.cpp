// SPDX-License-Identifier: BSD-3-Clause
#include "system/differences.hpp"

#include <memory>

namespace daedal {

namespace {

/// Columns into groups that share no row, each column into the first that takes it.
std::vector<std::vector<std::size_t>> group_columns(const SparsityPattern& pattern) {
  std::vector<std::vector<std::size_t>> groups;
  std::vector<std::vector<bool>> occupied;  // rows, by group
  for (std::size_t j = 0; j < to_size(pattern.columns); ++j) {
    const auto rows = std::span(pattern.row)
                          .subspan(to_size(pattern.column_start[j]),
                                   to_size(pattern.column_start[j + 1] - pattern.column_start[j]));
    std::size_t k = 0;
    while (k < groups.size() &&
           std::ranges::any_of(rows, [&](Index row) { return occupied[k][to_size(row)]; })) {
      ++k;
    }
    if (k == groups.size()) {
      groups.emplace_back();
      occupied.emplace_back(to_size(pattern.rows), false);
    }
    groups[k].push_back(j);
    for (const Index row : rows) occupied[k][to_size(row)] = true;
  }
  return groups;
}

}  // namespace

Differences::Differences(const SparsityPattern& pattern)
    : pattern_(pattern),
      group_start_{0},
      increment_(to_size(pattern.columns)),
      moved_(increment_.size()),
      point_(increment_.size()),
      above_(to_size(pattern.rows)),
      below_(above_.size()) {
  for (const std::vector<std::size_t>& group : group_columns(pattern)) {
    columns_.insert(columns_.end(), group.begin(), group.end());
    group_start_.push_back(columns_.size());
  }
}

Differences& differences_of(Run& run, const SparsityPattern& pattern) {
  if (run.differences == nullptr || &run.differences->pattern() != &pattern) {
    run.differences = std::make_shared<Differences>(pattern);
  }
  return *run.differences;
}

}  // namespace daedal
