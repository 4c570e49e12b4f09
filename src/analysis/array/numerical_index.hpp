// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The index of F(t, x, x') = 0 from the numbers of its derivative array (Campbell, Moore 2).
///
/// The array of level k determines x' as a function of t and x iff its Jacobian [G_x' G_w], w the
/// derivatives of order two and more, is 1-full: no null vector of it has an x'-part. The smallest
/// such k is the index. The theory asks for (Campbell, Moore 4)
///
///   A1  F is sufficiently smooth (its Taylor coefficients are finite),
///   A2  F_k = 0 can be satisfied: the initialiser's part,
///   A3  [G_x' G_w] is 1-full and has constant rank around the solution, on and off the
///   constraints, A4  [G_x' G_w G_x] has full row rank: nothing is redundant, no equation is
///   missing.
///
/// Constant rank cannot be seen at one point: it is checked at perturbed points too. Ranks are
/// decided by singular values of equilibrated matrices by one relative tolerance (linalg/rank.hpp),
/// in the time scale of the problem, or in the clearest of several where its time scales lie far
/// apart (time_scales.hpp); 1-fullness by the x'-part of an orthonormal basis of the null space,
/// which is below 1e-14 or of the order 1.

#include <daedal/stop_signal.hpp>
#include <string>
#include <vector>

#include "analysis/array/derivative_array.hpp"
#include "core/types.hpp"
#include "linalg/dense/rank.hpp"

namespace daedal::analysis {

/// What the array of one level shows at one point.
struct ArrayLevel {
  int level = 0;
  linalg::RankDecision derivatives;  ///< of [G_x' G_w]
  linalg::RankDecision all;          ///< of [G_x' G_w G_x]
  double x_prime_part = 0.0;         ///< of the null space of [G_x' G_w]: its greatest entry
  Index n_constraints = 0;           ///< on x alone: rank [G_x' G_w G_x] − rank [G_x' G_w]
  Index n_redundant = 0;             ///< rows that follow from others
  bool has_constant_rank = true;     ///< the same ranks at the perturbed points
  int n_around = 0;                  ///< perturbed points where the array is finite
  /// 1-full here and around, but with another number of constraints: no higher level helps.
  bool is_singular = false;
  double scale = 1.0;             ///< the step length in which it was decided
  bool depends_on_scale = false;  ///< another step length hides some rank (time_scales.hpp)
  [[nodiscard]] bool is_one_full() const;
  /// The lesser of both decisions.
  [[nodiscard]] linalg::Confidence confidence() const;
};

struct LevelResult {
  bool is_finite = true;
  ArrayLevel level;
};
/// By singular values, or by the pivots of an orthogonal factorisation where those are clear.
enum class Care { thorough, quick };
/// The array of `level` at one point.
LevelResult analyze_level(const DerivativeArray& array, const ArrayPoint& point, int level,
                          Care care = Care::thorough);

enum class IndexOutcome {
  undecided,  ///< no level looked at so far is 1-full
  found,
  not_finite,    ///< A1
  rank_changes,  ///< A3: a singular point
  above_limit,   ///< A3: not 1-full up to the last level allowed
  redundant,     ///< A4
  stopped,       ///< NumericalIndexOptions::stop
  unclear,       ///< singular values around the tolerance: A3 and A4 cannot be decided
};

struct NumericalIndex {
  IndexOutcome outcome = IndexOutcome::undecided;
  [[nodiscard]] bool found() const { return outcome == IndexOutcome::found; }
  double scale = 1.0;    ///< the step length in which ranks were decided
  double natural = 1.0;  ///< the time scale of the problem as a whole
  /// The shortest time constant of an equation is so much shorter than the natural scale of the
  /// model that part of the rank may be below any tolerance, whatever the step length.
  bool has_distant_scales = false;
  int index = 0;
  Index n_states = 0;  ///< free initial values: dimension of the solution manifold
  /// Constraints on x that appear first with the i-th differentiation; entry 0 are those visible
  /// in the equations as written, the others are hidden.
  std::vector<Index> constraints;
  std::vector<ArrayLevel> levels;  ///< for k = 0..index, or as far as was looked
  std::string failed_assumption;   ///< "A1", "A3" or "A4" when not found
  std::string message;             ///< a full sentence when not found
};

struct NumericalIndexOptions {
  int max_level = 6;
  int n_perturbed = 3;
  double perturbation = 1e-2;  ///< relative to the coefficients, plus nominal values
  StopSignal stop{};           ///< asked before every decision
};

/// Looks at the next level, result.levels.size(), at a point that should satisfy F_k = 0 for it.
/// The search goes on while result.outcome is undecided.
void add_level(NumericalIndex& result, const DerivativeArray& array, const ArrayPoint& point,
               const NumericalIndexOptions& options = {});

/// Levels 0, 1, ... at `point`, whose series must have max_level + 2 coefficients. The point should
/// satisfy F_k = 0 for the levels looked at; ranks are generic otherwise.
NumericalIndex find_numerical_index(const DerivativeArray& array, const ArrayPoint& point,
                                    const NumericalIndexOptions& options = {});

}  // namespace daedal::analysis
