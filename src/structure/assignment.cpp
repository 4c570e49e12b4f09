// SPDX-License-Identifier: BSD-3-Clause
#include "structure/assignment.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "structure/augment.hpp"

namespace daedal::structure {

namespace {

constexpr Index far = std::numeric_limits<Index>::max();

class Solver {
 public:
  explicit Solver(const Signature& signature)
      : signature_(signature),
        search_(signature.incidence()),
        matching_(empty_matching(signature.n_rows(), signature.n_columns())),
        row_distance_(to_size(signature.n_rows())),
        column_distance_(to_size(signature.n_columns())) {
    duals_.c.assign(to_size(signature.n_rows()), 0);
    duals_.d.assign(to_size(signature.n_columns()), 0);
    for (Index i = 0; i < signature.n_rows(); ++i) {
      const auto columns = signature.incidence().row(i);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        Index& d = duals_.d[to_size(columns[k])];
        d = std::max(d, signature.orders(i)[k]);
      }
    }
  }

  Assignment solve() {
    augment_along_tight_entries();
    while (!matching_.is_perfect()) {
      raise_duals(distance_to_unmatched_column());
      augment_along_tight_entries();
    }
    Index value = 0;
    for (Index i = 0; i < signature_.n_rows(); ++i) {
      value += signature_.order(i, matching_.column_of_row[to_size(i)]);
    }
    return {.transversal = std::move(matching_), .value = value, .duals = std::move(duals_)};
  }

 private:
  /// d_j - c_i - σ_ij >= 0 of the k-th entry of row i.
  [[nodiscard]] Index slack(Index i, std::size_t k) const {
    return duals_.d[to_size(signature_.incidence().row(i)[k])] - duals_.c[to_size(i)] -
           signature_.orders(i)[k];
  }

  void augment_along_tight_entries() {
    search_.start_round();
    const auto is_tight = [&](Index i, std::size_t k) { return slack(i, k) == 0; };
    for (Index i = 0; i < signature_.n_rows(); ++i) {
      if (matching_.column_of_row[to_size(i)] == unmatched) {
        search_.augment(matching_, i, is_tight);
      }
    }
  }

  /// Dijkstra's algorithm from all unmatched rows, slacks being lengths; matched entries are tight
  /// and cost nothing. Distances are final below the value returned.
  Index distance_to_unmatched_column() {
    std::ranges::fill(row_distance_, far);
    std::ranges::fill(column_distance_, far);
    using Item = std::pair<Index, Index>;  // distance, row
    std::priority_queue<Item, std::vector<Item>, std::greater<>> open;
    for (Index i = 0; i < signature_.n_rows(); ++i) {
      if (matching_.column_of_row[to_size(i)] != unmatched) continue;
      row_distance_[to_size(i)] = 0;
      open.emplace(0, i);
    }
    Index nearest = far;
    while (!open.empty() && open.top().first < nearest) {
      const auto [distance, i] = open.top();
      open.pop();
      if (distance > row_distance_[to_size(i)]) continue;
      const auto columns = signature_.incidence().row(i);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const Index there = distance + slack(i, k);
        Index& known = column_distance_[to_size(columns[k])];
        if (there >= known) continue;
        known = there;
        const Index follower = matching_.row_of_column[to_size(columns[k])];
        if (follower == unmatched) {
          nearest = std::min(nearest, there);
        } else {
          row_distance_[to_size(follower)] = there;
          open.emplace(there, follower);
        }
      }
    }
    return nearest;
  }

  /// Makes the shortest paths tight and keeps every slack nonnegative.
  void raise_duals(Index nearest) {
    for (std::size_t i = 0; i < row_distance_.size(); ++i) {
      duals_.c[i] += nearest - std::min(nearest, row_distance_[i]);
    }
    for (std::size_t j = 0; j < column_distance_.size(); ++j) {
      duals_.d[j] += nearest - std::min(nearest, column_distance_[j]);
    }
  }

  const Signature& signature_;
  PathSearch search_;
  Matching matching_;
  Offsets duals_;
  std::vector<Index> row_distance_;
  std::vector<Index> column_distance_;
};

}  // namespace

std::optional<Assignment> highest_value_transversal(const Signature& signature) {
  if (!signature.is_square() || !maximum_matching(signature.incidence()).is_perfect()) return {};
  return Solver(signature).solve();
}

}  // namespace daedal::structure
