// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Is the index of F(t, x, x') = 0 at most 1, here and now?
///
/// With E = F_x' and A = F_x, and Z, T bases of the left and right null spaces of E, the index is
/// at most 1 iff Zᵀ A T is nonsingular (Brenan, Campbell, Petzold: Numerical Solution of
/// Initial-Value Problems in DAEs, 2.3). The iteration matrix A + cE is regular for every solvable
/// DAE, so it is no test. If it is singular for every c, nothing determines the solution.
///
/// A cheap sufficient test comes first: take the rows of E where they are not zero and those of A
/// elsewhere; if this matrix is regular the index is at most 1 (one sparse factorisation). Where
/// it is not, small systems are decided by singular values; for large ones the growth of
/// |(A + cE)⁻¹b| with c decides: bounded for index 1, like c^(ν−1) for index ν.

#include <daedal/system.hpp>
#include <span>
#include <vector>

#include "core/types.hpp"

namespace daedal::analysis {

/// F_x and F_x' at one point, on their common square pattern.
struct Pencil {
  const SparsityPattern& pattern;
  std::span<const double> f_x;
  std::span<const double> f_xp;
};

struct IndexCheck {
  enum class Outcome {
    at_most_one,
    higher,
    singular_pencil,  ///< no unique solution
  };
  Outcome outcome = Outcome::at_most_one;
  /// False when the numbers lie around the tolerance: the outcome is then the likelier one.
  bool is_clear = true;
  /// Not at most one: the rows and columns concerned.
  std::vector<Index> equations{};
  std::vector<Index> unknowns{};
};

enum class IndexRoad { automatic, singular_values, growth };

IndexCheck check_index(const Pencil& pencil, IndexRoad road = IndexRoad::automatic);

}  // namespace daedal::analysis
