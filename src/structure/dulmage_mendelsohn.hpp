// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Smallest parts of a model with more equations than unknowns, or with fewer: minimal sets within
/// the coarse decomposition of A. L. Dulmage and N. S. Mendelsohn, "Coverings of bipartite graphs",
/// Canad. J. Math. 10 (1958) 517-534.

#include "structure/matching.hpp"

namespace daedal::structure {

/// Equations and unknowns that belong together, ascending.
struct Part {
  std::vector<Index> rows;
  std::vector<Index> columns;
};

/// A smallest set of equations that contradict each other or repeat each other: k + 1 rows with
/// only k columns, and no part of it has this property. Of several such sets (one per unmatched
/// row) the one with the fewest rows; empty if every row is matched.
[[nodiscard]] Part surplus_equations(const Incidence& incidence, const Matching& maximum);

/// A smallest set of unknowns that nothing determines: k + 1 columns that occur in only k rows, and
/// no part of it has this property. Empty if every column is matched.
[[nodiscard]] Part undetermined_unknowns(const Incidence& incidence, const Matching& maximum);

}  // namespace daedal::structure
