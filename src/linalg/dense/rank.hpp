// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Rank decisions and what follows from them: null spaces, minimum-norm least squares.
/// Every decision reports the gap of the singular values around the tolerance: a decision without
/// a clear gap is a diagnosis for the caller, never a guess.

#include <string_view>

#include "core/types.hpp"

namespace daedal::linalg {

/// The one documented relative tolerance: singular values below it times σ₁ count as zero.
inline constexpr double rank_tolerance = 1e-10;

/// How far a decision is from another one, in words.
enum class Confidence {
  weak,     ///< singular values lie around the tolerance: another one would decide otherwise
  clear,    ///< a gap of three decades, and none of its ends near the tolerance
  certain,  ///< six decades, three on each side
};

struct RankDecision {
  Index rank = 0;
  double largest = 0.0;          ///< σ₁
  double smallest_kept = 0.0;    ///< σ_rank, infinity when rank is 0
  double largest_dropped = 0.0;  ///< σ_(rank+1), 0 when nothing is dropped
  /// smallest_kept / largest_dropped: how clear the decision is (infinity: nothing is dropped).
  [[nodiscard]] double gap() const;
  /// A gap of at least three decades. False too when the matrix had entries that are not finite:
  /// then `largest` is NaN.
  [[nodiscard]] bool is_clear() const;
  /// Looks at the distance of both ends of the gap from the tolerance too: a matrix of full rank
  /// has no gap, and may be next to one that has not.
  [[nodiscard]] Confidence confidence(double relative_tolerance = rank_tolerance) const;
};
/// "weak", "clear", "certain".
std::string_view to_string(Confidence confidence);

/// The singular value decomposition A = U diag(s) Vᵀ with full U and V, by Jacobi rotations.
/// All of it is NaN when an entry of A is not finite.
struct Svd {
  Matrix u;
  Vector s;
  Matrix v;
};
Svd svd(const Matrix& a);

RankDecision decide_rank(const Vector& singular_values, double relative_tolerance = rank_tolerance);
RankDecision decide_rank(const Matrix& a, double relative_tolerance = rank_tolerance);

/// Orthonormal basis of {x : A x = 0}, columns. NaN, with no column fewer than A has, when an entry
/// of A is not finite.
Matrix null_space(const Matrix& a, double relative_tolerance = rank_tolerance);
/// Orthonormal basis of {y : yᵀ A = 0}, columns.
Matrix left_null_space(const Matrix& a, double relative_tolerance = rank_tolerance);

/// The x of least norm among those that minimise |A x - b|, by complete orthogonal decomposition
/// (dense_qr.hpp, which also serves repeated solves without allocation).
Vector min_norm_least_squares(const Matrix& a, const Vector& b,
                              double relative_tolerance = rank_tolerance);

}  // namespace daedal::linalg
