// SPDX-License-Identifier: BSD-3-Clause
#include "structure/dulmage_mendelsohn.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace daedal::structure {

namespace {

/// What alternating paths reach from some rows: a row reaches all its columns, a column the row it
/// is matched to.
class AlternatingReach {
 public:
  AlternatingReach(const Incidence& incidence, const std::vector<Index>& row_of_column)
      : incidence_(incidence),
        row_of_column_(row_of_column),
        is_row_reached_(to_size(incidence.n_rows())),
        is_column_reached_(to_size(incidence.n_columns())) {}

  /// Goes on until `limit` rows are reached.
  void add(Index root, std::size_t limit = std::numeric_limits<std::size_t>::max()) {
    if (is_row_reached_[root]) return;
    reach_row(root);
    for (; head_ < rows_.size() && rows_.size() < limit; ++head_) {
      for (const Index j : incidence_.row(rows_[head_])) {
        if (is_column_reached_[j]) continue;
        is_column_reached_[j] = true;
        columns_.push_back(j);
        const Index owner = row_of_column_[j];
        if (owner != unmatched && !is_row_reached_[owner]) reach_row(owner);
      }
    }
  }

  /// What was reached since the last call.
  Part take() {
    for (const Index i : rows_) is_row_reached_[i] = false;
    for (const Index j : columns_) is_column_reached_[j] = false;
    head_ = 0;
    std::ranges::sort(rows_);
    std::ranges::sort(columns_);
    return {.rows = std::exchange(rows_, {}), .columns = std::exchange(columns_, {})};
  }

 private:
  void reach_row(Index i) {
    is_row_reached_[i] = true;
    rows_.push_back(i);
  }

  const Incidence& incidence_;
  const std::vector<Index>& row_of_column_;
  std::vector<bool> is_row_reached_;
  std::vector<bool> is_column_reached_;
  std::vector<Index> rows_;
  std::vector<Index> columns_;
  std::size_t head_ = 0;
};

/// The rows reached from one unmatched row are its fundamental circuit in the transversal matroid,
/// hence minimal: without any one of them the others could all be matched.
Part smallest_circuit(const Incidence& incidence, const std::vector<Index>& column_of_row,
                      const std::vector<Index>& row_of_column) {
  AlternatingReach reach(incidence, row_of_column);
  Part smallest;
  std::size_t limit = std::numeric_limits<std::size_t>::max();
  for (Index i = 0; i < incidence.n_rows(); ++i) {
    if (column_of_row[i] != unmatched) continue;
    reach.add(i, limit);
    Part circuit = reach.take();
    if (circuit.rows.size() >= limit) continue;
    limit = circuit.rows.size();
    smallest = std::move(circuit);
  }
  return smallest;
}

}  // namespace

Part surplus_equations(const Incidence& incidence, const Matching& maximum) {
  return smallest_circuit(incidence, maximum.column_of_row, maximum.row_of_column);
}

Part undetermined_unknowns(const Incidence& incidence, const Matching& maximum) {
  Part transposed =
      smallest_circuit(incidence.transposed(), maximum.row_of_column, maximum.column_of_row);
  return {.rows = std::move(transposed.columns), .columns = std::move(transposed.rows)};
}

}  // namespace daedal::structure
