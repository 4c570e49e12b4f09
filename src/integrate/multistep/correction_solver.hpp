// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The linear algebra of one corrector iteration of an implicit multistep method,
///
///   (F_x + c·F_x') δ = −F,
///
/// for square and for overdetermined systems. With a constraint block A2 = ∂F2/∂x + c·∂F2/∂x' under
/// the square block A1 the correction is one of linalg/overdetermined_solver.hpp: by default that
/// of the ssf-iteration (Führer & Leimkuhler 1991, ODASSL),
///
///   [ A1  A2ᵀ ] [ δ ]     [ F1 ]
///   [ A2   0  ] [ μ ] = − [ F2 ],
///
/// so that the constraints hold and F1 = 0 holds up to the directions A2ᵀ. An empty constraint
/// block is plain BDF.

#include <daedal/system.hpp>
#include <memory>
#include <span>
#include <string>

#include "linalg/linear_solver.hpp"
#include "linalg/overdetermined_solver.hpp"

namespace daedal::integration {

class CorrectionSolver {
 public:
  virtual ~CorrectionSolver() = default;
  /// Both value arrays stand on the system's common pattern. A singular column at or above the
  /// number of unknowns names the constraint row that depends on others.
  virtual linalg::FactorReport factor(std::span<const double> f_x, std::span<const double> f_xp,
                                      double c) = 0;
  /// The correction for a residual of all rows.
  virtual void solve(std::span<const double> residual, std::span<double> delta) = 0;
  /// As of linalg::LinearSolver.
  [[nodiscard]] virtual std::string description() const { return {}; }
};

/// `kind` and the nominal values of the unknowns matter for overdetermined patterns only, `storage`
/// for others.
std::unique_ptr<CorrectionSolver> make_correction_solver(const SparsityPattern& pattern,
                                                         std::span<const double> nominals,
                                                         linalg::Corrector kind,
                                                         linalg::Storage storage);

}  // namespace daedal::integration
