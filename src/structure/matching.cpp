// SPDX-License-Identifier: BSD-3-Clause
#include "structure/matching.hpp"

namespace daedal::structure {

namespace {

/// Searches augmenting paths from unmatched rows, depth first, in rounds; every row is visited once
/// a round.
class PathSearch {
 public:
  PathSearch(const Incidence& incidence, Matching& matching)
      : incidence_(incidence),
        matching_(matching),
        ahead_(to_size(incidence.n_rows())),
        next_(ahead_.size()),
        visited_(ahead_.size(), 0) {}

  /// Disjoint paths from all unmatched rows. Were there any?
  bool run_round() {
    ++round_;
    bool is_better = false;
    for (Index i = 0; i < incidence_.n_rows(); ++i)
      if (matching_.column_of_row[i] == unmatched) is_better |= augment(i);
    return is_better;
  }

 private:
  bool augment(Index root) {
    path_.clear();
    visit(root);
    while (!path_.empty()) {
      const Index i = path_.back();
      if (const Index j = look_ahead(i); j != unmatched) {
        flip(j);
        return true;
      }
      if (!go_on(i)) path_.pop_back();
    }
    return false;
  }

  void visit(Index i) {
    visited_[i] = round_;
    next_[i] = 0;
    path_.push_back(i);
  }

  /// An unmatched column of the row. Columns never become unmatched again: each entry is looked at
  /// once in all rounds together.
  Index look_ahead(Index i) {
    const auto columns = incidence_.row(i);
    for (auto& k = ahead_[i]; k < columns.size(); ++k)
      if (matching_.row_of_column[columns[k]] == unmatched) return columns[k];
    return unmatched;
  }

  /// Steps to a row that was not visited; every other round takes the entries from their end, so
  /// that no path is preferred for ever.
  bool go_on(Index i) {
    const auto columns = incidence_.row(i);
    for (auto& next = next_[i]; next < columns.size();) {
      const std::size_t k = round_ % 2 == 0 ? columns.size() - 1 - next : next;
      ++next;
      const Index follower = matching_.row_of_column[columns[k]];
      if (visited_[follower] == round_) continue;
      visit(follower);
      return true;
    }
    return false;
  }

  /// The last row of the path takes the free column, each other the column of the row after it.
  void flip(Index free) {
    for (auto i = path_.rbegin(); i != path_.rend(); ++i) {
      const Index before = matching_.column_of_row[*i];
      matching_.column_of_row[*i] = free;
      matching_.row_of_column[free] = *i;
      free = before;
    }
    ++matching_.size;
  }

  const Incidence& incidence_;
  Matching& matching_;
  std::vector<std::size_t> ahead_;  ///< entries of a row up to here are matched columns
  std::vector<std::size_t> next_;   ///< entries of a row tried in this round
  std::vector<int> visited_;        ///< the round in which a row was last visited
  std::vector<Index> path_;
  int round_ = 0;
};

}  // namespace

Matching empty_matching(Index n_rows, Index n_columns) {
  return {.column_of_row = std::vector<Index>(to_size(n_rows), unmatched),
          .row_of_column = std::vector<Index>(to_size(n_columns), unmatched)};
}

Matching maximum_matching(const Incidence& incidence) {
  Matching matching = empty_matching(incidence.n_rows(), incidence.n_columns());
  extend_to_maximum(incidence, matching);
  return matching;
}

void extend_to_maximum(const Incidence& incidence, Matching& matching) {
  PathSearch search(incidence, matching);
  while (search.run_round()) {
  }
}

}  // namespace daedal::structure
