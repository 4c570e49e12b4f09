// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// `ode`: models that can be written as x' = f(t, x), for explicit integrators too. Algebraic
/// variables are solved in sequence inside f and never reach the integrator.

#include "formulation/frame/registry.hpp"

namespace daedal::formulation {

Formulation make_ode(const Ode& method, const Request& request);

}  // namespace daedal::formulation
