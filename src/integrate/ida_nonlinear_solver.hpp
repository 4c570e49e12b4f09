// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The corrector as IDA's nonlinear solver. IDA has no linear solver of ours to set up: the
/// corrector reads predictor and c_j through IDAGetNonlinearSystemData and does the rest itself.

#include <exception>
#include <vector>

#include "integrate/corrector.hpp"
#include "integrate/sundials_handles.hpp"

namespace daedal::integrate {

/// What the callback needs; it stays where it is as long as IDA lives.
struct IdaCorrection {
  explicit IdaCorrection(const ImplicitSystem& system)
      : corrector(system), shift(to_size(system.size())), x_predicted(shift.size()) {}

  Corrector corrector;
  void* ida = nullptr;
  Run* run = nullptr;
  /// x = u + shift, where u is what IDA integrates: a projected state keeps the history.
  std::vector<double> shift;
  std::vector<double> x_predicted;
  std::exception_ptr thrown;  ///< by the system, inside a C frame
};

/// A SUNNonlinearSolver that calls `correction`, which must outlive it.
NonlinearSolverOwner make_ida_nonlinear_solver(IdaCorrection& correction,
                                               const ContextOwner& context);

}  // namespace daedal::integrate
