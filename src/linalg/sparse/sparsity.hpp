// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Operations on sparsity patterns for the solvers.

#include <daedal/sparsity.hpp>
#include <vector>

#include "core/types.hpp"

namespace daedal::linalg {

/// Throws daedal::Error unless the pattern keeps its promises: sizes agree, rows are in range and
/// ascend within each column.
void check_pattern(const SparsityPattern& pattern);

/// The pattern of a full matrix.
SparsityPattern full_pattern(Index rows, Index columns);

/// The transposed pattern, and for each of its entries the position in the given one.
struct TransposedPattern {
  SparsityPattern pattern;
  std::vector<Index> source;
};
TransposedPattern transpose(const SparsityPattern& pattern);

/// The dense matrix with these values.
Matrix to_dense(const SparsityPattern& pattern, std::span<const double> values);

}  // namespace daedal::linalg
