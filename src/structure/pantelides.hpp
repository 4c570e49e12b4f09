// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// C. C. Pantelides, "The consistent initialization of differential-algebraic systems", SIAM J.
/// Sci. Stat. Comput. 9 (1988) 213-231: which equations must be differentiated how often before
/// every equation can be matched to a highest derivative.
///
/// It gives the canonical offsets of the Σ-method (Pryce 2001, section 5.3) by another road. It
/// raises the offsets one by one, so that its cost grows with the index; for large models use
/// `highest_value_transversal` and `canonical_offsets`.

#include <optional>

#include "structure/assignment.hpp"

namespace daedal::structure {

struct PantelidesResult {
  /// c: how often each equation is differentiated; d: the highest order of each unknown then.
  Offsets offsets;
  /// Every differentiated equation with the highest derivative it is matched to.
  Matching matching;
};

/// Nothing for a signature that is not square or has no transversal: Pantelides' algorithm would
/// not end there.
[[nodiscard]] std::optional<PantelidesResult> pantelides(const Signature& signature);

}  // namespace daedal::structure
