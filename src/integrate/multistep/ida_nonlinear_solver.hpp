// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The corrector as IDA's nonlinear solver. IDA has no linear solver of ours to set up: the
/// corrector reads predictor and c_j through IDAGetNonlinearSystemData and does the rest itself.

#include <exception>
#include <vector>

#include "integrate/multistep/corrector.hpp"
#include "integrate/multistep/sundials_handles.hpp"

namespace daedal::integrate {

/// What the callback needs; it stays where it is as long as IDA lives.
struct IdaCorrection {
  IdaCorrection(const ImplicitSystem& system, linalg::Corrector kind,
                std::span<const double> shift_of_x)
      : corrector(system, kind), shift(shift_of_x), x_predicted(shift_of_x.size()) {}

  Corrector corrector;
  void* ida = nullptr;
  Run* run = nullptr;
  std::span<const double> shift;  ///< x = u + shift (multistep_stepper.hpp)
  std::vector<double> x_predicted;
  std::exception_ptr thrown;  ///< by the system, inside a C frame
};

/// A SUNNonlinearSolver that calls `correction`, which must outlive it.
NonlinearSolverOwner make_ida_nonlinear_solver(IdaCorrection& correction,
                                               const ContextOwner& context);

}  // namespace daedal::integrate
