// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A point for the initialiser where Newton's method on all equations at once does not arrive: the
/// equations are solved block by block.
///
/// Every equation is matched to an unknown of its own, as far as possible: free unknowns first,
/// then guesses, those of least confidence first; held values are never matched. The blocks are the
/// strong components of what is matched (structure/block_triangular.hpp). Each is solved with the
/// unknowns of earlier blocks at their solutions and everything that is not matched at its start
/// value: by Newton's method, and where that fails by continuation,
///
///     r(u) = (1 − s) r(u₀),   s from 0 to 1,
///
/// which follows the solution from the start values u₀ of the block (Newton homotopy; Allgower and
/// Georg 1990, chapter 1). It does not go round folds.

#include <limits>
#include <memory>
#include <span>

#include "analysis/initial/initializer.hpp"

namespace daedal::analysis {

/// The blocks of a set with this pattern and these roles, and the pivots of their matrices, which
/// later searches over such a set try first.
struct BlockPlan;
std::shared_ptr<BlockPlan> plan_blocks(const SparsityPattern& pattern,
                                       std::span<const InitialUnknown> unknowns);

/// `u` holds start values and takes what was found. False where a block has no solution in reach:
/// its unknowns and those of later blocks keep their start values then. Every block, or level of
/// blocks with one unknown each, evaluates all equations: false at once where these together are
/// more than allowed. Where a block fails and modes are asked, equations are matched once more to
/// the unknowns that they contain in the present mode of their conditions. Some may be left over
/// then, for the caller to look at: a brake that holds says a = 0 beside an initial equation that
/// says so too, and one of the other unknowns keeps its start value.
bool solve_block_by_block(BlockPlan& plan, ConstraintSet& constraints,
                          std::span<const InitialUnknown> unknowns, std::span<double> u,
                          std::size_t most_evaluated = std::numeric_limits<std::size_t>::max(),
                          bool asks_modes = false);

}  // namespace daedal::analysis
