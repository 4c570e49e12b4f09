// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Why a run could not go on: has the solution itself come to its end? After a failed run the last
/// accepted steps are looked at. The matrix that must have an inverse for a solution to go on is
/// the system Jacobian of the Σ-method, J_ij = ∂f_i^(c_i)/∂x_j^(d_j); for index 1 it is that of the
/// algebraic equations. Where one of its diagonal blocks runs into a singularity along which
/// σ_min² falls linearly (analysis/fold.hpp), no solution exists beyond:
///
///     impasse   the equations of the block no longer have a solution for its unknowns
///     lock-up   the block holds constraints of position that alone determine coordinates, so
///               that a mechanism is driven to where it cannot follow
///
/// Models whose system Jacobian is singular all along are judged by their solution alone:
/// x' ~ (t* − t)^(−1/2).

#include <daedal/status.hpp>
#include <optional>
#include <string>
#include <vector>

#include "integrate/stepper.hpp"
#include "solve/preparation.hpp"

namespace daedal::solve_detail {

class SolutionEnd {
 public:
  /// Keeps the end of an accepted step. Older ones are thinned out.
  void remember(const integration::StepReport& report, const integration::Stepper& stepper,
                Run& run);
  /// After an event: what lies before belongs to other equations.
  void forget();

  struct Diagnosis {
    Status status = Status::impasse_point;
    std::string message;
    double t = 0.0;  ///< where the solution seems to end
  };
  /// For a run that ended with `status`; nothing where the failure has another cause.
  [[nodiscard]] std::optional<Diagnosis> diagnose(Status status, const PreparedModel& model,
                                                  const formulation::Formulation& formulation,
                                                  double rtol, Run& run) const;

 private:
  struct State {
    double t = 0.0;
    std::vector<double> x_and_xp;
    std::vector<double> memory;  ///< of the run
  };
  /// Leaves `room` states, closer to each other towards `end`.
  void thin_out(std::size_t room, double end);

  std::vector<State> states_;
  std::vector<State> spare_;  ///< given up, for their storage
};

}  // namespace daedal::solve_detail
