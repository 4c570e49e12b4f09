// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Accelerations and multipliers of small mechanisms as expressions: the elimination of
///
///     [M Gᵀ; G 0] (a, λ) = (f, −z)
///
/// in the order of elimination_order.hpp, written out. One program then computes forces, masses and
/// the solution, without a matrix in between. Nothing is pivoted; the pivots are values of the
/// program, to be judged as those of linalg::StaticLdlt are.

#include <optional>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "expr/pool.hpp"
#include "linalg/saddle_point.hpp"
#include "model/views/constrained_view.hpp"

namespace daedal::formulation {

struct EliminatedMotion {
  std::vector<NodeId> acceleration;
  std::vector<NodeId> multipliers;
  /// Σ G_ij² of each constraint.
  std::vector<NodeId> squared_rows;
  /// Pivots without cancellation, by absolute value where they have the right sign: they must be
  /// positive.
  std::vector<NodeId> safe_pivots;
  /// Σ|terms| / pivot of the other pivots; at least 1 where the sign is right.
  std::vector<NodeId> losses;

  /// All of these, one after the other.
  [[nodiscard]] std::vector<NodeId> nodes() const;
};

/// A greater loss needs pivoting.
inline constexpr double largest_loss = 1.0 / linalg::SaddlePointOptions{}.pivot_tolerance;

/// The pivot ratio (SaddlePointReport) of a factorisation with these values of `safe_pivots` and
/// `losses`; 0 where it needs pivoting.
inline double pivot_ratio_of(std::span<const double> safe_pivots, std::span<const double> losses) {
  // Without branches; comparisons with what is not a number are false.
  bool is_good = true;
  for (const double pivot : safe_pivots) is_good &= pivot > 0.0;
  double greatest = 1.0;
  for (const double loss : losses) {
    is_good &= loss > 0.0;
    is_good &= loss < largest_loss;
    greatest = loss > greatest ? loss : greatest;
  }
  return is_good ? 1.0 / greatest : 0.0;
}

/// No value where the elimination is so long that a loop over sparse columns is faster.
std::optional<EliminatedMotion> eliminate_motion(Pool& pool, const ConstrainedView& view,
                                                 const linalg::SaddlePointSolver& solver);

}  // namespace daedal::formulation
