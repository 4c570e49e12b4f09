// SPDX-License-Identifier: BSD-3-Clause
#include "plugins/petsc/consistent_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plugins/petsc/collectives.hpp"

namespace daedal::app {

namespace {

/// A correction of this share of the tolerance is the last one.
constexpr double last_correction = 1e-4;
/// A start that such iterations do not find is looked for by the first rank, with more care.
constexpr int most_iterations = 20;

}  // namespace

ConsistentValues::ConsistentValues(RowSystem& system, RowsOfRank& rows,
                                   const LocalTolerances& tolerances, double duration)
    : system_(system), rows_(rows), tolerances_(tolerances), duration_(duration) {}

void ConsistentValues::make_solver() {
  must(KSPCreate(PETSC_COMM_WORLD, solver_.out()));
  must(KSPSetType(solver_, KSPPREONLY));
  PC preconditioner = nullptr;
  must(KSPGetPC(solver_, &preconditioner));
  must(PCSetType(preconditioner, PCLU));
  must(PCFactorSetMatSolverType(preconditioner, MATSOLVERMUMPS));
  must(KSPSetOptionsPrefix(solver_, "start_"));
  must(KSPSetFromOptions(solver_));
}

bool ConsistentValues::find(double t, Vec x) {
  if (solver_ == nullptr) make_solver();
  // Not a linalg::NewtonWatch: plug-ins are built on public headers alone.
  double before = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const double size = correct(t, x);
    if (!std::isfinite(size)) return false;
    if (size <= last_correction) return true;
    // Corrections that grow lead to another solution than the one near the guesses.
    if (iteration > 1 && size > before) return false;
    before = size;
  }
  return false;
}

/// One correction of Newton's method; its size in units of the tolerance.
double ConsistentValues::correct(double t, Vec x) {
  OwnedVec residual, correction;
  must(VecDuplicate(x, residual.out()));
  must(VecDuplicate(x, correction.out()));
  rows_.residual(t, x, rows_.xp(), residual);
  PetscReal norm = 0.0;
  must(VecNorm(residual, NORM_INFINITY, &norm));
  if (!std::isfinite(norm)) return norm;
  const auto kinds = system_.kinds();
  rows_.jacobian(t, x, rows_.xp(), [&](double f_x, double f_xp, std::int64_t column) {
    return kinds[static_cast<std::size_t>(column)].differential ? f_xp : f_x;
  });
  must(KSPSetOperators(solver_, rows_.matrix(), rows_.matrix()));
  must(KSPSolve(solver_, residual, correction));
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  must(KSPGetConvergedReason(solver_, &reason));
  if (reason < 0) return std::numeric_limits<double>::infinity();
  const Values values(x), rates(rows_.xp()), change(correction);
  double size = 0.0;
  for (std::size_t i = 0; i < rows_.n_own(); ++i) {
    const bool is_rate = rows_.kind(i).differential;
    double& value = is_rate ? rates[i] : values[i];
    value -= change[i];
    const double floor = tolerances_.atol * rows_.nominal(i) / (is_rate ? duration_ : 1.0);
    size = std::max(size, std::abs(change[i]) / (tolerances_.rtol * std::abs(value) + floor));
  }
  return greatest_of_all(size);
}

}  // namespace daedal::app
