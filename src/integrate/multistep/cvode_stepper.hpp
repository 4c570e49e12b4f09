// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// x' = f(t, x) by SUNDIALS CVODE (Hindmarsh et al. 2005):
///
/// `adams`      Adams-Moulton of orders 1 to 12 with variable step. The corrector is iterated by
///              substitution (one evaluation an iteration, no matrix), or by Newton's method
///              ("newton" = 1) for mildly stiff systems.
/// `cvode-bdf`  BDF of orders 1 to 5 for stiff systems. Invariants are projected inside the step,
///              where the history takes part (Eich 1993); the error estimate is the one before the
///              projection.
///
/// Newton's matrix is dense, or banded with "lower_bandwidth" and "upper_bandwidth"; its entries
/// are the system's own (dense only) or difference quotients.

#include <vector>

#include "integrate/registry.hpp"

namespace daedal::integrate {

std::vector<IntegratorInfo> cvode_integrators();

}  // namespace daedal::integrate
