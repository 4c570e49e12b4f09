// SPDX-License-Identifier: BSD-3-Clause
#include "structure/matching.hpp"

#include <limits>

#include "structure/augment.hpp"

namespace daedal::structure {

namespace {

/// No row is on this level.
constexpr Index no_level = std::numeric_limits<Index>::max();

/// Breadth-first levels of the rows, counted from the unmatched ones. Returns the level of the
/// first rows with an unmatched column, where the shortest augmenting paths end; no_level if none.
Index find_levels(const Incidence& incidence, const Matching& matching,
                  std::vector<Index>& levels) {
  std::vector<Index> queue;
  levels.assign(to_size(incidence.n_rows()), no_level);
  for (Index i = 0; i < incidence.n_rows(); ++i) {
    if (matching.column_of_row[to_size(i)] != unmatched) continue;
    levels[to_size(i)] = 0;
    queue.push_back(i);
  }
  Index last = no_level;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const Index i = queue[head];
    const Index level = levels[to_size(i)];
    if (level > last) break;
    for (const Index j : incidence.row(i)) {
      const Index follower = matching.row_of_column[to_size(j)];
      if (follower == unmatched) {
        last = level;
      } else if (levels[to_size(follower)] == no_level) {
        levels[to_size(follower)] = level + 1;
        queue.push_back(follower);
      }
    }
  }
  return last;
}

}  // namespace

Matching empty_matching(Index n_rows, Index n_columns) {
  return {.column_of_row = std::vector<Index>(to_size(n_rows), unmatched),
          .row_of_column = std::vector<Index>(to_size(n_columns), unmatched)};
}

Matching maximum_matching(const Incidence& incidence) {
  Matching matching = empty_matching(incidence.n_rows(), incidence.n_columns());
  PathSearch search(incidence);
  std::vector<Index> levels;
  while (true) {
    const Index last = find_levels(incidence, matching, levels);
    if (last == no_level) return matching;
    search.start_round();
    const auto is_allowed = [&](Index i, std::size_t k) {
      const Index follower = matching.row_of_column[to_size(incidence.row(i)[k])];
      if (follower == unmatched) return levels[to_size(i)] == last;
      return levels[to_size(i)] < last && levels[to_size(follower)] == levels[to_size(i)] + 1;
    };
    for (Index i = 0; i < incidence.n_rows(); ++i) {
      if (levels[to_size(i)] == 0) search.augment(matching, i, is_allowed);
    }
  }
}

}  // namespace daedal::structure
