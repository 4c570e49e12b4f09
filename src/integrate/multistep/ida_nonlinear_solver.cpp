// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/multistep/ida_nonlinear_solver.hpp"

namespace daedal::integrate {

namespace {

int correct(IdaCorrection& self, N_Vector correction, N_Vector weights) {
  double t = 0.0;
  double c = 0.0;
  N_Vector x = nullptr;
  N_Vector xp = nullptr;
  N_Vector x_current = nullptr;
  N_Vector xp_current = nullptr;
  N_Vector residual = nullptr;
  void* data = nullptr;
  const int flag = IDAGetNonlinearSystemData(self.ida, &t, &x, &xp, &x_current, &xp_current,
                                             &residual, &c, &data);
  if (flag != IDA_SUCCESS) return SUN_NLS_MEM_FAIL;

  const std::span<const double> predicted = view(x);
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    self.x_predicted[i] = predicted[i] + self.shift[i];
  }
  const CorrectorProblem problem{
      .t = t, .c = c, .x = self.x_predicted, .xp = view(xp), .weights = view(weights)};
  switch (self.corrector.solve(problem, *self.run, view(correction))) {
    case Corrector::Outcome::converged:
      return SUN_NLS_SUCCESS;
    case Corrector::Outcome::recoverable:
      return SUN_NLS_CONV_RECVR;
    case Corrector::Outcome::fatal:
      break;
  }
  return IDA_RES_FAIL;
}

int solve(SUNNonlinearSolver solver, N_Vector, N_Vector correction, N_Vector weights, realtype,
          booleantype, void*) noexcept {
  auto& self = *static_cast<IdaCorrection*>(solver->content);
  try {
    return correct(self, correction, weights);
  } catch (...) {
    self.thrown = std::current_exception();
    return IDA_RES_FAIL;
  }
}

SUNNonlinearSolver_Type type(SUNNonlinearSolver) {
  return SUNNONLINEARSOLVER_ROOTFIND;
}

// IDA insists on handing over its residual; the corrector calls the system directly.
int ignore_system_function(SUNNonlinearSolver, SUNNonlinSolSysFn) {
  return SUN_NLS_SUCCESS;
}

int free_shell(SUNNonlinearSolver solver) {
  SUNNonlinSolFreeEmpty(solver);
  return SUN_NLS_SUCCESS;
}

}  // namespace

NonlinearSolverOwner make_ida_nonlinear_solver(IdaCorrection& correction,
                                               const ContextOwner& context) {
  NonlinearSolverOwner solver(
      require_created(SUNNonlinSolNewEmpty(context.get()), "SUNNonlinSolNewEmpty"));
  solver->content = &correction;
  solver->ops->gettype = type;
  solver->ops->solve = solve;
  solver->ops->setsysfn = ignore_system_function;
  solver->ops->free = free_shell;
  return solver;
}

}  // namespace daedal::integrate
