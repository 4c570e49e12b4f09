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
/// `losses`; 0 where it needs pivoting. It is asked for with every right-hand side: two numbers at
/// a time, and without branches. Comparisons with what is not a number are false.
inline double pivot_ratio_of(std::span<const double> safe_pivots, std::span<const double> losses) {
  typedef double Pair __attribute__((vector_size(16), aligned(8), may_alias));
  const auto pair_at = [](const double* place) { return *reinterpret_cast<const Pair*>(place); };
  auto is_good = Pair{} == Pair{};
  bool is_rest_good = true;
  std::size_t i = 0;
  for (; i + 2 <= safe_pivots.size(); i += 2) is_good &= pair_at(&safe_pivots[i]) > Pair{};
  if (i < safe_pivots.size()) is_rest_good &= safe_pivots[i] > 0.0;
  Pair greatest{1.0, 1.0};
  for (i = 0; i + 2 <= losses.size(); i += 2) {
    const Pair loss = pair_at(&losses[i]);
    // One after the other: g++ 12 takes them apart where they are joined first.
    is_good &= loss > Pair{};
    is_good &= loss < Pair{largest_loss, largest_loss};
    greatest = loss > greatest ? loss : greatest;
  }
  if (i < losses.size()) {
    is_rest_good &= losses[i] > 0.0 && losses[i] < largest_loss;
    greatest[0] = losses[i] > greatest[0] ? losses[i] : greatest[0];
  }
  const bool is_all_good = is_rest_good && (is_good[0] & is_good[1]) != 0;
  return is_all_good ? 1.0 / (greatest[0] > greatest[1] ? greatest[0] : greatest[1]) : 0.0;
}

/// No value where the elimination is so long that a loop over sparse columns is faster.
std::optional<EliminatedMotion> eliminate_motion(Pool& pool, const ConstrainedView& view,
                                                 const linalg::SaddlePointSolver& solver);

}  // namespace daedal::formulation
