// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// `bdf`: variable-order, variable-step BDF (orders 1 to 5) for F(t, x, x') = 0 by SUNDIALS IDA
/// (fixed leading coefficient; Brenan, Campbell & Petzold, chapter 5), with the corrector of
/// corrector.hpp in place of IDA's own nonlinear and linear solvers. Takes square and
/// overdetermined systems. A step costs one or two residuals and solves; the matrix is factored
/// when the step or the order has moved c_j by a quarter.

#include <vector>

#include "integrate/registry.hpp"

namespace daedal::integrate {

/// The row of `bdf`, with its parameters:
/// - "index_weights": what becomes of unknowns of index 2 and 3 in the error and Newton tests:
///   0 tested like all others, 1 weighed by h and h² (the default), 2 left out (weights.hpp);
/// - "corrector" of overdetermined systems: 0 the ssf-iteration (the default), 1 least squares,
///   2 constrained least squares (linalg/overdetermined_solver.hpp).
std::vector<IntegratorInfo> ida_integrators();

}  // namespace daedal::integrate
