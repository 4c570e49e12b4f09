// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Algebraic variables that follow from what a run knows without solving anything: time, states,
/// discrete values and relations that hold their value.
///
///     f = if time < 1 then 0 else 20;  r = f·μ;  w_rel = w_b − w_a
///
/// An equation in which one variable is not known yet, and stands alone with a numeric factor,
/// defines it; this is repeated until nothing more follows. Events read relations by these
/// definitions: `r > 0` above changes at events only, whatever rounding the solver leaves in r, and
/// the rate of `w_rel` is known from those of the states. Linear in the size of the model.

#include <span>
#include <vector>

#include "expr/pool.hpp"
#include "model/views/general_view.hpp"

namespace daedal {

/// The expressions with every variable that is so defined replaced by its definition, down to
/// known quantities; relations with an id stay as they are. Definitions go to `pool`, a child of
/// the view's.
std::vector<NodeId> in_known_values(const GeneralView& view, Pool& pool,
                                    std::span<const NodeId> roots);

}  // namespace daedal
