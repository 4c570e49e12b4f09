// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse/elimination_tree.hpp"

#include <algorithm>

namespace daedal::linalg {

EliminationTree::EliminationTree(const SparsityPattern& lower, std::span<const Index> order) {
  place(order);
  fill_columns(lower);
  const std::vector<Index> better = postorder();
  place(better);
  fill_columns(lower);
}

void EliminationTree::place(std::span<const Index> order) {
  order_.assign(order.begin(), order.end());
  position_.resize(order_.size());
  for (std::size_t k = 0; k < order_.size(); ++k) position_[to_size(order_[k])] = to_index(k);
}

/// Column k holds the entries of K there and what its children in the tree hand on: the parent of
/// a column is its first row.
void EliminationTree::fill_columns(const SparsityPattern& lower) {
  const std::size_t n = order_.size();
  columns_.assign(n, {});
  for (Index j = 0; j < lower.columns; ++j) {
    for (Index k = lower.column_start[to_size(j)]; k < lower.column_start[to_size(j + 1)]; ++k) {
      const Index a = position_[to_size(j)];
      const Index b = position_[to_size(lower.row[to_size(k)])];
      if (a != b) columns_[to_size(std::min(a, b))].push_back(std::max(a, b));
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    auto& column = columns_[k];
    std::ranges::sort(column);
    column.erase(std::unique(column.begin(), column.end()), column.end());
    if (column.empty()) continue;
    auto& parent = columns_[to_size(column.front())];
    parent.insert(parent.end(), column.begin() + 1, column.end());
  }
}

std::vector<Index> EliminationTree::postorder() const {
  const std::size_t n = order_.size();
  std::vector<std::vector<Index>> children(n);
  std::vector<Index> stack;
  for (std::size_t k = n; k-- > 0;) {
    if (columns_[k].empty()) {
      stack.push_back(to_index(k));
    } else {
      children[to_size(columns_[k].front())].push_back(to_index(k));
    }
  }
  // A preorder with children reversed, read backwards, is a postorder: no recursion.
  std::vector<Index> result;
  result.reserve(n);
  std::ranges::reverse(stack);
  while (!stack.empty()) {
    const Index k = stack.back();
    stack.pop_back();
    result.push_back(order_[to_size(k)]);
    const auto& below = children[to_size(k)];
    stack.insert(stack.end(), below.rbegin(), below.rend());
  }
  std::ranges::reverse(result);
  return result;
}

}  // namespace daedal::linalg
