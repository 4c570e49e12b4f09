// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A x = b solved in expressions: Gaussian elimination on a sparse matrix in a given order. For
/// matrices as sparse as those of models (masses of a mechanism, derivatives in equations) little
/// fills in.

#include <optional>
#include <span>
#include <vector>

#include "expr/calculus.hpp"
#include "expr/pool.hpp"

namespace daedal {

/// Pivots are taken from the diagonal, in order: right for positive definite matrices, and for
/// others after `pivot_order`. Nothing when a pivot is missing.
std::optional<std::vector<NodeId>> solve_symbolically(Pool& pool,
                                                      std::span<const JacobianEntry> matrix,
                                                      std::vector<NodeId> b);

/// The order of rows that elimination with row pivoting takes for these values of the entries;
/// empty when the matrix is singular for them. order[k] is the row whose pivot is in column k.
std::vector<std::int32_t> pivot_order(std::span<const JacobianEntry> matrix,
                                      std::span<const double> values, std::size_t n);

}  // namespace daedal
