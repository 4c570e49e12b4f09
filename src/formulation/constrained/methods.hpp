// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Methods of constrained mechanics that also take the general form x' = f(x, u), 0 = g(x): the
/// mechanical view where the model has it, for its cheaper linear algebra, else the general one.

#include <string_view>

#include "formulation/frame/registry.hpp"

namespace daedal::formulation {

Formulation make_baumgarte(const Baumgarte& method, const Request& request);
/// No rate is given: it is chosen by the motion at the start.
bool is_chosen_by_motion(const Baumgarte& method);

}  // namespace daedal::formulation
