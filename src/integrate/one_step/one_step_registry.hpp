// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "integrate/registry.hpp"

namespace daedal::integrate {

/// The rows of the catalogue for one-step schemes and for fixed-step multistep schemes.
std::vector<IntegratorInfo> one_step_integrators();

}  // namespace daedal::integrate
