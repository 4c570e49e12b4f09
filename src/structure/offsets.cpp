// SPDX-License-Identifier: BSD-3-Clause
#include "structure/offsets.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace daedal::structure {

Offsets canonical_offsets(const Signature& signature, const Assignment& assignment) {
  // The conditions on c alone: with i' the row that owns column j on the transversal,
  //   c_i' >= c_i + σ_ij - σ_i'j,   c >= 0,
  // and the smallest c is a longest path. Known duals c* make the lengths nonnegative: r = c* - c
  // is the shortest path with starting distances c*.
  const Incidence& incidence = signature.incidence();
  const Offsets& duals = assignment.duals;
  std::vector<Index> r = duals.c;
  using Item = std::pair<Index, Index>;  // distance, row
  std::priority_queue<Item, std::vector<Item>, std::greater<>> open;
  for (std::size_t i = 0; i < r.size(); ++i) open.emplace(r[i], to_index(i));
  while (!open.empty()) {
    const auto [distance, i] = open.top();
    open.pop();
    if (distance > r[i]) continue;
    const auto columns = incidence.row(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Index j = columns[k];
      const Index slack = duals.d[j] - duals.c[i] - signature.orders(i)[k];
      Index& known = r[assignment.transversal.row_of_column[j]];
      if (distance + slack >= known) continue;
      known = distance + slack;
      open.emplace(known, assignment.transversal.row_of_column[j]);
    }
  }
  Offsets offsets = duals;
  for (std::size_t i = 0; i < r.size(); ++i) {
    offsets.c[i] -= r[i];
    offsets.d[assignment.transversal.column_of_row[i]] -= r[i];
  }
  return offsets;
}

Index structural_index(const Offsets& offsets) {
  if (offsets.c.empty()) return 0;
  const bool has_algebraic = std::ranges::find(offsets.d, 0) != offsets.d.end();
  return *std::ranges::max_element(offsets.c) + (has_algebraic ? 1 : 0);
}

Index n_states(const Offsets& offsets) {
  return std::accumulate(offsets.d.begin(), offsets.d.end(), Index{0}) -
         std::accumulate(offsets.c.begin(), offsets.c.end(), Index{0});
}

Incidence system_jacobian_pattern(const Signature& signature, const Offsets& offsets) {
  Incidence pattern(signature.n_columns());
  std::vector<Index> tight;
  for (Index i = 0; i < signature.n_rows(); ++i) {
    const auto columns = signature.incidence().row(i);
    tight.clear();
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Index j = columns[k];
      if (offsets.d[j] - offsets.c[i] == signature.orders(i)[k]) {
        tight.push_back(j);
      }
    }
    pattern.add_row(tight);
  }
  return pattern;
}

}  // namespace daedal::structure
