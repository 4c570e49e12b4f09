// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Where a solution ends in a fold. On the way to an impasse point t* (L. O. Chua, A.-C. Deng, Int.
/// J. Circuit Theory Appl. 17 (1989) 213-235) the derivatives grow like (t* − t)^(−1/2), because a
/// singular value σ of the equations' Jacobian vanishes like (t* − t)^(1/2). So
///
///     q(t) = σ²   or   q(t) = 1/x'²
///
/// falls to zero *linearly*. At a bifurcation σ itself does, and q has a double zero; where a
/// solution blows up, x' ~ (t* − t)^p with p ≤ −3/2, q has a zero of order 3 and more.

#include <optional>
#include <span>

namespace daedal::analysis {

struct FoldSample {
  double t = 0.0;
  double q = 0.0;
};

struct Fold {
  double t = 0.0;            ///< where q vanishes
  double uncertainty = 0.0;  ///< of that time
  std::size_t sample = 0;    ///< the last one that is above rounding errors
};

/// The simple zero of q that the samples of a run, in its order, run into; none when q does not
/// fall, falls too slowly for the end of the run, or vanishes with a higher order.
[[nodiscard]] std::optional<Fold> find_fold(std::span<const FoldSample> samples);

}  // namespace daedal::analysis
