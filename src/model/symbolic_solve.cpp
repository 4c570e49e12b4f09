// SPDX-License-Identifier: BSD-3-Clause
#include "model/symbolic_solve.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/types.hpp"

namespace daedal {

namespace {

/// A pivot below this share of the greatest entry of its row is round-off of an elimination.
constexpr double singular_share = 1e-12;

}  // namespace

std::optional<std::vector<NodeId>> solve_symbolically(Pool& pool,
                                                      std::span<const JacobianEntry> matrix,
                                                      std::vector<NodeId> b) {
  const std::size_t n = b.size();
  std::vector<std::map<std::size_t, NodeId>> rows(n);
  std::vector<std::vector<std::size_t>> below(n);  // rows under the diagonal, by columns
  for (const JacobianEntry& e : matrix) {
    rows[e.row][e.column] = e.value;
    if (e.row > e.column) below[e.column].push_back(to_size(e.row));
  }
  for (std::size_t k = 0; k < n; ++k) {
    const auto pivot = rows[k].find(k);
    if (pivot == rows[k].end()) return {};
    for (const std::size_t i : below[k]) {
      const auto entry_below = rows[i].find(k);
      const NodeId factor = pool.div(entry_below->second, pivot->second);
      rows[i].erase(entry_below);
      for (auto entry = std::next(pivot); entry != rows[k].end(); ++entry) {
        auto [target, is_new] = rows[i].try_emplace(entry->first, pool.constant(0.0));
        if (is_new && i > entry->first) below[entry->first].push_back(i);
        target->second = pool.sub(target->second, pool.mul(factor, entry->second));
      }
      b[i] = pool.sub(b[i], pool.mul(factor, b[k]));
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    const auto pivot = rows[k].find(k);
    for (auto entry = std::next(pivot); entry != rows[k].end(); ++entry) {
      b[k] = pool.sub(b[k], pool.mul(entry->second, b[entry->first]));
    }
    b[k] = pool.div(b[k], pivot->second);
  }
  return b;
}

std::vector<std::int32_t> pivot_order(std::span<const JacobianEntry> matrix,
                                      std::span<const double> values, std::size_t n) {
  std::vector<std::map<std::int32_t, double>> rows(n);
  std::vector<double> size(n, 0.0);
  std::vector<std::vector<std::int32_t>> in_column(n);  // rows
  for (std::size_t e = 0; e < matrix.size(); ++e) {
    rows[matrix[e].row][matrix[e].column] = values[e];
    in_column[matrix[e].column].push_back(matrix[e].row);
    size[matrix[e].row] = std::max(size[matrix[e].row], std::abs(values[e]));
  }
  std::vector<bool> is_taken(n, false);
  std::vector<std::int32_t> order;
  for (std::size_t k = 0; k < n; ++k) {
    const auto column = static_cast<std::int32_t>(k);
    double best = singular_share;
    std::int32_t chosen = -1;
    std::ranges::sort(in_column[k]);
    for (const std::int32_t i : in_column[k]) {
      if (is_taken[i]) continue;
      const double share = std::abs(rows[i].at(column)) / size[i];
      if (share > best) {
        best = share;
        chosen = i;
      }
    }
    if (chosen < 0) return {};
    is_taken[chosen] = true;
    order.push_back(chosen);
    const auto& pivot_row = rows[chosen];
    const double pivot = pivot_row.at(column);
    for (const std::int32_t i : in_column[k]) {
      if (is_taken[i]) continue;
      const double factor = rows[i].at(column) / pivot;
      for (const auto& [j, value] : pivot_row) {
        if (j <= column) continue;
        const auto [target, is_new] = rows[i].try_emplace(j, 0.0);
        if (is_new) in_column[j].push_back(i);
        target->second -= factor * value;
      }
    }
  }
  return order;
}

}  // namespace daedal
