// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Tearing of an algebraic loop: given values of a few unknowns (the tears), the others follow one
/// by one from an equation each, and as many equations are left as residuals. A Newton iteration
/// then works on the tears alone.
///
/// Fewest tears are NP-hard to find; this is a greedy heuristic in the manner of H. Elmqvist and
/// M. Otter, "Methods for tearing systems of equations in object-oriented modeling" (1994). While
/// an equation has one unknown left, it determines it. When there is none, the unknown becomes a
/// tear that completes the most equations (those with two unknowns left), then the one that occurs
/// most often, then the first. Near linear in the number of entries.
///
/// Only the graph is looked at: along a long sequence errors may grow (one tear for a tridiagonal
/// system of 1,000 is a shooting method). For large blocks a sparse factorisation is the better
/// way.

#include "structure/incidence.hpp"

namespace daedal::structure {

struct TearingStep {
  Index row = 0;
  Index column = 0;
  bool operator==(const TearingStep&) const = default;
};

struct Tearing {
  std::vector<Index> tears;           ///< columns, in the order of choice
  std::vector<TearingStep> sequence;  ///< row gives column, from tears and earlier columns
  std::vector<Index> residuals;       ///< rows, ascending
};

/// `is_solvable` says, entry by entry in the order of the rows, whether the row can be solved for
/// the column (by a nonzero constant coefficient, say); empty means every entry can. Throws
/// Error{internal} if it has another size.
[[nodiscard]] Tearing tear(const Incidence& block, const std::vector<bool>& is_solvable = {});

}  // namespace daedal::structure
