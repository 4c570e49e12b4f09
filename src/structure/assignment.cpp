// SPDX-License-Identifier: BSD-3-Clause
#include "structure/assignment.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "structure/offsets.hpp"

namespace daedal::structure {

namespace {

constexpr Index far = std::numeric_limits<Index>::max();

class Solver {
 public:
  explicit Solver(const Signature& signature)
      : signature_(signature),
        matching_(empty_matching(signature.n_rows(), signature.n_columns())),
        row_distance_(to_size(signature.n_rows())),
        column_distance_(to_size(signature.n_columns())) {
    start_duals();
  }

  std::optional<Assignment> solve() {
    augment_along_tight_entries();
    while (!matching_.is_perfect()) {
      const Index before = matching_.size;
      raise_duals(find_distances());
      augment_along_tight_entries();
      if (matching_.size == before) return {};
    }
    Index value = 0;
    for (Index i = 0; i < signature_.n_rows(); ++i) {
      value += signature_.order(i, matching_.column_of_row[i]);
    }
    return Assignment{
        .transversal = std::move(matching_), .value = value, .duals = std::move(duals_)};
  }

 private:
  /// d_j - c_i - σ_ij >= 0 of the k-th entry of row i.
  [[nodiscard]] Index slack(Index i, std::size_t k) const {
    return duals_.d[signature_.incidence().row(i)[k]] - duals_.c[i] - signature_.orders(i)[k];
  }

  /// The smallest d for c = 0, then the greatest c for this d: every column and every row has a
  /// tight entry.
  void start_duals() {
    duals_.c.assign(to_size(signature_.n_rows()), 0);
    duals_.d.assign(to_size(signature_.n_columns()), 0);
    for (Index i = 0; i < signature_.n_rows(); ++i) {
      const auto columns = signature_.incidence().row(i);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        Index& d = duals_.d[columns[k]];
        d = std::max(d, signature_.orders(i)[k]);
      }
    }
    for (Index i = 0; i < signature_.n_rows(); ++i) {
      Index least = far;
      for (std::size_t k = 0; k < signature_.incidence().row(i).size(); ++k)
        least = std::min(least, slack(i, k));
      if (least != far) duals_.c[i] = least;
    }
  }

  /// As many rows as the tight entries allow.
  void augment_along_tight_entries() {
    extend_to_maximum(system_jacobian_pattern(signature_, duals_), matching_);
  }

  /// Dijkstra's algorithm from all unmatched rows, slacks being lengths; matched entries are tight
  /// and cost nothing. Returns the distance of the farthest unmatched column that is reached: up to
  /// there all shortest paths become tight at once, not only those to the nearest column, so that
  /// few phases are needed.
  Index find_distances() {
    std::ranges::fill(row_distance_, far);
    std::ranges::fill(column_distance_, far);
    for (Index i = 0; i < signature_.n_rows(); ++i)
      if (matching_.column_of_row[i] == unmatched) enter(i, 0);
    Index farthest = 0;
    for (std::size_t distance = 0; distance < at_distance_.size(); ++distance) {
      // Entering a row may add to the columns at this distance, and move the lists.
      for (std::size_t k = 0; k < at_distance_[distance].size(); ++k) {
        const auto j = to_size(at_distance_[distance][k]);
        if (column_distance_[j] != to_index(distance)) continue;
        const Index follower = matching_.row_of_column[j];
        if (follower == unmatched) {
          farthest = to_index(distance);
        } else if (row_distance_[follower] == far) {
          enter(follower, to_index(distance));
        }
      }
      at_distance_[distance].clear();
    }
    return farthest;
  }

  /// A row is reached: its entries lead on.
  void enter(Index i, Index distance) {
    row_distance_[i] = distance;
    const auto columns = signature_.incidence().row(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Index there = distance + slack(i, k);
      Index& known = column_distance_[columns[k]];
      if (there >= known) continue;
      known = there;
      if (to_size(there) >= at_distance_.size()) at_distance_.resize(to_size(there) + 1);
      at_distance_[there].push_back(columns[k]);
    }
  }

  /// Makes the shortest paths tight and keeps every slack nonnegative.
  void raise_duals(Index farthest) {
    for (std::size_t i = 0; i < row_distance_.size(); ++i) {
      duals_.c[i] += farthest - std::min(farthest, row_distance_[i]);
    }
    for (std::size_t j = 0; j < column_distance_.size(); ++j) {
      duals_.d[j] += farthest - std::min(farthest, column_distance_[j]);
    }
  }

  const Signature& signature_;
  Matching matching_;
  Offsets duals_;
  std::vector<Index> row_distance_;
  std::vector<Index> column_distance_;
  std::vector<std::vector<Index>> at_distance_;  ///< columns reached; distances are small numbers
};

}  // namespace

std::optional<Assignment> highest_value_transversal(const Signature& signature) {
  if (!signature.is_square()) return {};
  return Solver(signature).solve();
}

}  // namespace daedal::structure
