// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Are the forces of a model's multipliers constraint forces? From values of M, B and G at some
/// points this finds rows, factors and a matrix S, all constant, such that
///
///   (D P M) symmetric where possible,   D P B = Gᵀ S,   S nonsingular,
///
/// P sending each dynamic equation to a coordinate, D a diagonal matrix of factors. Everything is
/// done per multiplier and its neighbours, so that long chains of bodies cost linear time.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "expr/calculus.hpp"

namespace daedal {

struct SparseEntry {
  std::int32_t row;
  std::int32_t column;
  double value;
};

/// A sparse matrix at several points: entry k has the values `values.col(k)`.
struct SampledMatrix {
  std::vector<std::pair<std::int32_t, std::int32_t>> at;  ///< (row, column)
  Matrix values;                                          ///< points × entries
};

struct ForceMatching {
  std::vector<std::int32_t> coordinate_of_row;  ///< P
  std::vector<double> factor_of_row;            ///< D
  std::vector<SparseEntry> scale;               ///< S: constraint, multiplier
  std::vector<SparseEntry> inverse_scale;       ///< S⁻¹: multiplier, constraint
  bool is_symmetric = false;
  /// Set when there is no S: the multiplier whose forces do not match, or −1.
  std::int32_t failed_multiplier = -1;
  bool ok = false;
};

/// M: rows × coordinates; B: rows × multipliers; G: constraints × coordinates; n coordinates and
/// as many rows, m constraints and as many multipliers.
ForceMatching match_forces(const SampledMatrix& mass, const SampledMatrix& coefficient,
                           const SampledMatrix& jacobian,
                           std::pair<std::int32_t, std::int32_t> size);

}  // namespace daedal
