// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The search for vertex-disjoint augmenting paths that matching and assignment share.

#include <vector>

#include "structure/matching.hpp"

namespace daedal::structure {

/// Searches paths from unmatched rows to unmatched columns along allowed entries, depth first, and
/// flips those it finds. Every row and its entries are visited once per round.
class PathSearch {
 public:
  explicit PathSearch(const Incidence& incidence)
      : incidence_(incidence), next_(to_size(incidence.n_rows())) {}

  /// Before searching from another set of rows, or along other entries.
  void start_round() {
    for (Index i = 0; i < incidence_.n_rows(); ++i) next_[to_size(i)] = 0;
  }

  /// `is_allowed(row, k)`: may a path leave `row` by its k-th entry?
  template <class IsAllowed>
  bool augment(Matching& matching, Index root, const IsAllowed& is_allowed) {
    path_.assign(1, root);
    while (!path_.empty()) {
      const Index i = path_.back();
      const auto columns = incidence_.row(i);
      auto& next = next_[to_size(i)];
      if (next == columns.size()) {
        // A dead end: the entry that led here is not tried again in this round either.
        path_.pop_back();
        continue;
      }
      const std::size_t k = next++;
      if (!is_allowed(i, k)) continue;
      const Index follower = matching.row_of_column[to_size(columns[k])];
      if (follower == unmatched) {
        flip(matching);
        return true;
      }
      // A row whose entries are under way or used up cannot be entered again.
      if (next_[to_size(follower)] == 0) path_.push_back(follower);
    }
    return false;
  }

 private:
  /// Every row of the path takes the column of its last entry tried.
  void flip(Matching& matching) {
    for (const Index i : path_) {
      const Index j = incidence_.row(i)[next_[to_size(i)] - 1];
      matching.column_of_row[to_size(i)] = j;
      matching.row_of_column[to_size(j)] = i;
    }
    ++matching.size;
  }

  const Incidence& incidence_;
  std::vector<std::size_t> next_;  ///< the entries of a row up to here have been tried
  std::vector<Index> path_;
};

}  // namespace daedal::structure
