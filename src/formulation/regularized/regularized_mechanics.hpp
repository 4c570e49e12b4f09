// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The mechanical ordinary differential equation of the regularising methods: it reports redundant
/// constraints at the start and watches for singular positions on the way.

#include "formulation/mechanics/mechanical_ode.hpp"

namespace daedal::formulation {

/// `watch`: look for singular positions even where the request does not ask for it.
Formulation make_regularized_mechanics(const Request& request,
                                       const MechanicalOde::Settings& settings, bool watch);

}  // namespace daedal::formulation
