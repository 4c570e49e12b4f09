// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Equilibration: diagonal R and C such that the rows and columns of R A C have entries of
/// magnitude 1. All factors are powers of two, so that scaling commits no rounding error.
///
/// Rank decisions and condition numbers mean something only in sensible units: scale first.

#include <bit>
#include <cstdint>
#include <daedal/sparsity.hpp>
#include <span>

#include "core/types.hpp"

namespace daedal::linalg {

/// The power of two p with p·x in [1, 2), for x > 0; 1 for x = 0. Below the normal numbers and at
/// the upper end of the range p stays a normal number.
inline double reciprocal_power_of_two(double x) {
  if (!(x > 0.0)) return 1.0;
  const std::uint64_t exponent = std::bit_cast<std::uint64_t>(x) >> 52;  // biased, sign is 0
  const std::uint64_t limited = exponent < 1 ? 1 : (exponent > 2045 ? 2045 : exponent);
  return std::bit_cast<double>((2046 - limited) << 52);
}

struct Equilibration {
  Vector row;     ///< diagonal of R
  Vector column;  ///< diagonal of C
};

/// Rows, then columns, divided by their largest entries. Then the largest entry of every row and
/// column that is not zero lies in [1, 2): a column with an entry that is largest in its row lies
/// there already after the first pass, so that the second does not touch it.
Equilibration equilibrate(const Matrix& a);
Equilibration equilibrate(const SparsityPattern& pattern, std::span<const double> values);
/// Equilibrates without allocation: `scales` has the sizes of the matrix.
void equilibrate(const SparsityPattern& pattern, std::span<const double> values,
                 Equilibration& scales);
/// Scales that bring the logarithms of all entries nearest to 0, in least squares (Curtis, Reid
/// 1972), to powers of two: units of equations and unknowns go out of a matrix whatever they are,
/// where dividing by largest entries leaves those that depend on each other.
Equilibration balance(const SparsityPattern& pattern, std::span<const double> values);
Equilibration balance(const Matrix& a);

/// R A C in place.
void apply(const Equilibration& scales, Matrix& a);
void apply(const Equilibration& scales, const SparsityPattern& pattern, std::span<double> values);

}  // namespace daedal::linalg
