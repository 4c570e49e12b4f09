// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Methods of constrained mechanics that also take the general form x' = f(x, u), 0 = g(x): the
/// mechanical view where the model has it, for its cheaper linear algebra, else the general one.

#include <string_view>

#include "formulation/frame/registry.hpp"
#include "formulation/mechanics/mechanics.hpp"

namespace daedal::formulation {

/// The index-1 form of a mechanical system, explicit, or where the request prefers an implicit
/// system coupled with the constraints on acceleration level, G v' + z + damping = 0 (Petzold, Ren,
/// Maly (2.1a) with (2.5)).
Formulation make_index1_form(const Request& request, const ConstrainedView& view,
                             const Mechanics::Damping& damping);

Formulation make_baumgarte(const Baumgarte& method, const Request& request);
/// No rate is given: it is chosen by the motion at the start.
bool is_chosen_by_motion(const Baumgarte& method);

}  // namespace daedal::formulation
