// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// `direct`: the equations as they are written, index at most 1. A model of higher index is
/// recognised at the start and refused by name.

#include "formulation/frame/registry.hpp"

namespace daedal::formulation {

Formulation make_direct(const Direct& method, const Request& request);

}  // namespace daedal::formulation
