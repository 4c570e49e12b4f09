// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The highest-value transversal of a signature matrix: one entry in every row and column, with
/// the greatest sum of orders. Its value is the number of free initial values of the DAE, its dual
/// variables say how often every equation must be differentiated.
///
/// Primal-dual method: from all unmatched rows at once shortest paths (Dijkstra's algorithm, in
/// lists by distance, since orders are small numbers) raise the dual variables until all unmatched
/// columns in reach are reached along tight entries; these are matched as far as they go (Hopcroft
/// and Karp). A handful of phases, each near linear in the entries.

#include <optional>

#include "structure/matching.hpp"
#include "structure/signature.hpp"

namespace daedal::structure {

/// How often equation i is differentiated (c), and the order of the highest derivative of unknown
/// j that then occurs (d): d_j - c_i >= σ_ij everywhere, c >= 0.
struct Offsets {
  std::vector<Index> c;
  std::vector<Index> d;
  bool operator==(const Offsets&) const = default;
};

struct Assignment {
  Matching transversal;
  Index value = 0;
  /// A solution of the dual problem, with equality on the transversal; not the smallest one.
  Offsets duals;
};

/// Nothing for a signature that is not square or has no transversal: structurally singular.
[[nodiscard]] std::optional<Assignment> highest_value_transversal(const Signature& signature);

}  // namespace daedal::structure
