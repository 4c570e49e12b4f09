// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Newton's method towards a constraint manifold with one factorisation, as projections use it.

#include <algorithm>
#include <cmath>
#include <daedal/system.hpp>
#include <span>

#include "core/types.hpp"
#include "linalg/newton_watch.hpp"

namespace daedal::formulation {

/// What a projection moves, and how it is measured.
struct ProjectionMoves {
  std::span<double> values;            ///< the part of the state that gives way
  std::span<const double> weights;     ///< error weights 1/(rtol|x| + atol) of it
  std::span<const double> correction;  ///< the last correction, as `correct` leaves it
};

enum class Projected { yes, no, not_evaluated, singular };

/// max |delta| over max |value|.
double relative_size(std::span<const double> delta, std::span<const double> value);

/// n × n.
SparsityPattern diagonal_pattern(Index n);

namespace projection {

/// A drift of the size of the tolerance contracts by about that size, so that two or three
/// corrections are usual. An iteration that needs more than a dozen is not correcting a drift.
constexpr int max_iterations = 12;
/// In error weights: accepted steps are within one of them.
constexpr double farthest_move = 1e4;
/// A correction below this many error weights is negligible.
constexpr double negligible = 1e-3;
/// Largest contraction of Newton's corrections towards the constraints. A motion that is thrown
/// from one branch to another passes the singular position where this is about ¼: a tenth of the
/// drift that does it.
constexpr double largest_contraction = 0.025;

}  // namespace projection

/// Judges corrections until what the next one would change is round-off.
class ManifoldNewton {
 public:
  enum class Next { again, done, failed };
  /// Adds a correction to the values.
  Next add(const ProjectionMoves& moves) {
    using Verdict = linalg::NewtonWatch::Verdict;
    double last = 0.0;
    for (std::size_t j = 0; j < moves.values.size(); ++j) {
      moves.values[j] += moves.correction[j];
      last = std::max(last, std::abs(moves.correction[j]) * moves.weights[j]);
    }
    moved_ = std::max(moved_, last);
    const double size = relative_size(moves.correction, moves.values);
    const Verdict verdict = watch_.judge(size);
    if (verdict == Verdict::converged) {
      return moved_ <= projection::farthest_move ? Next::done : Next::failed;
    }
    if (verdict == Verdict::diverging) {
      // Corrections of the size of rounding errors need not contract; near a singular position the
      // constraints amplify them.
      const bool is_noise = size <= 1e3 * round_off || last <= projection::negligible;
      return is_noise ? Next::done : Next::failed;
    }
    return ++n_ < projection::max_iterations ? Next::again : Next::failed;
  }

 private:
  linalg::NewtonWatch watch_{{.tolerance = 0.0,
                              .trusted_rate = infinity,
                              .has_exact_start = true,
                              .noise = 0.0,
                              .diverging_rate = 1.0}};
  double moved_ = 0.0;
  int n_ = 0;
};

/// Adds corrections as long as ManifoldNewton needs them. `correct` computes one from the
/// present values, with the factorisation at the first point: the first correction is Newton's own,
/// later ones contract by the size of the drift. `no` when they do not contract, or when the state
/// has to move by ten thousand error weights: that is no drift, the motion has left the branch or a
/// singular position is near.
template <class Correct>
Projected project_by_newton(const ProjectionMoves& moves, Correct&& correct) {
  ManifoldNewton newton;
  for (auto next = ManifoldNewton::Next::again; next == ManifoldNewton::Next::again;) {
    if (correct() != Evaluation::ok) return Projected::not_evaluated;
    next = newton.add(moves);
    if (next == ManifoldNewton::Next::done) return Projected::yes;
  }
  return Projected::no;
}

}  // namespace daedal::formulation
