// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The highest-value transversal of a signature matrix: one entry in every row and column, with
/// the greatest sum of orders. Its value is the number of free initial values of the DAE, its dual
/// variables say how often every equation must be differentiated.
///
/// Primal-dual method: shortest augmenting paths from all unmatched rows at once (Dijkstra) raise
/// the dual variables, then as many disjoint paths as the tight entries allow are flipped together.
/// Linear up to the logarithm on chains, grids and mechanisms (100,000 equations in 0.1 s); random
/// sparse graphs of that size take seconds.

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
