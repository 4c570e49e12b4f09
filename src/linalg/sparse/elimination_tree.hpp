// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The pattern of L in K = L D Lᵀ for a given order of elimination. The order is replaced by an
/// equivalent one (a postorder of the elimination tree: the same pivots, the same entries) in which
/// neighbours stand together in memory. T. A. Davis, Direct Methods for Sparse Linear Systems,
/// chapter 4.

#include <daedal/system.hpp>
#include <span>
#include <vector>

#include "core/types.hpp"

namespace daedal::linalg {

class EliminationTree {
 public:
  EliminationTree(const SparsityPattern& lower, std::span<const Index> order);

  /// The unknown that is eliminated k-th, and the inverse of this map.
  [[nodiscard]] const std::vector<Index>& order() const { return order_; }
  [[nodiscard]] const std::vector<Index>& position() const { return position_; }
  /// Rows of column k of L below the diagonal, ascending, in positions.
  [[nodiscard]] const std::vector<Index>& column(Index k) const { return columns_[to_size(k)]; }

 private:
  void place(std::span<const Index> order);
  void fill_columns(const SparsityPattern& lower);
  [[nodiscard]] std::vector<Index> postorder() const;

  std::vector<Index> order_;
  std::vector<Index> position_;
  std::vector<std::vector<Index>> columns_;
};

}  // namespace daedal::linalg
