// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Which dynamic equation belongs to which coordinate, and by what factor, so that the mass matrix
/// becomes symmetric.

#include <cstdint>
#include <vector>

#include "model/views/force_matching.hpp"

namespace daedal {

/// Values closer than this, relative to the numbers they come from, are taken as equal. Expressions
/// of a hundred operations lose three digits of sixteen; what differs by mathematics differs by far
/// more at random points.
inline constexpr double same_value = 1e-9;

struct Placement {
  std::vector<std::int32_t> coordinate_of_row;
  std::vector<double> factor_of_row;
  bool is_symmetric = false;
  /// Coordinates whose factors are tied by the symmetry of M have one number.
  std::vector<std::int32_t> component;
  std::int32_t n_components = 0;
};

/// Placements worth trying, the most natural first.
std::vector<Placement> candidate_placements(const SampledMatrix& mass, std::int32_t n);

}  // namespace daedal
