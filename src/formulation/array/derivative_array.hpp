// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The methods on derivative arrays: `derivative-array` and `least-squares-completion`.

#include <memory>
#include <string>
#include <vector>

#include "formulation/array/system.hpp"
#include "formulation/frame/registry.hpp"

namespace daedal::formulation {

Formulation make_array_ode(const Request& request, const ArraySettings& settings);

/// Outputs and constraint levels of the array, for a system whose unknowns are those of the general
/// view.
Formulation array_formulation(std::shared_ptr<const ArraySystem> array);

Formulation make_derivative_array_implicit(const DerivativeArrayImplicit& method,
                                           const Request& request);

}  // namespace daedal::formulation
