// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Block triangular form: equations and unknowns permuted so that block after block can be solved,
/// each as small as possible. The blocks are the strong components of the matched graph, found by
/// R. E. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1 (1972)
/// 146-160, in linear time and without recursion.

#include <span>

#include "structure/matching.hpp"

namespace daedal::structure {

class BlockTriangularForm {
 public:
  [[nodiscard]] Index n_blocks() const { return to_index(starts_.size()) - 1; }
  /// The equations of a block, and at the same places the unknowns they are matched to. The
  /// equations have no unknowns of later blocks.
  [[nodiscard]] std::span<const Index> rows(Index block) const { return part(rows_, block); }
  [[nodiscard]] std::span<const Index> columns(Index block) const { return part(columns_, block); }

 private:
  friend BlockTriangularForm block_triangular_form(const Incidence&, const Matching&);
  [[nodiscard]] std::span<const Index> part(const std::vector<Index>& all, Index block) const {
    const auto begin = to_size(starts_[block]);
    return std::span(all).subspan(begin, to_size(starts_[to_size(block) + 1]) - begin);
  }

  std::vector<Index> starts_ = {0};
  std::vector<Index> rows_;
  std::vector<Index> columns_;
};

/// Throws Error{internal} unless the matching is perfect.
[[nodiscard]] BlockTriangularForm block_triangular_form(const Incidence& incidence,
                                                        const Matching& matching);

}  // namespace daedal::structure
