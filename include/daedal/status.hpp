// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// How a run ended. One table holds for every status its name, what it means, its usual causes,
/// the remedies and the exit code of the command line; documents and tests read the same table.

#include <span>
#include <string_view>

#include <daedal/export.hpp>

namespace daedal {

enum class Status {
  success,
  event_stop,                 ///< a terminal event of the model ended the run
  step_size_underflow,        ///< the error test demands steps below round-off
  newton_failure,             ///< the corrector does not converge, whatever the step
  singular_iteration_matrix,  ///< the iteration matrix has no inverse
  inconsistent_start,         ///< no initial values satisfy equations and wishes together
  no_unique_solution,         ///< the pencil is singular for every step: nothing determines x
  index_too_high,             ///< the model's index is above what the method takes
  method_does_not_fit,        ///< the model does not have the form that the method needs
  inconsistent_constraints,   ///< redundant constraints that contradict each other
  impasse_point,              ///< the solution ends here: no derivative exists
  lock_up,                    ///< the mechanism cannot move on as prescribed
  bifurcation,                ///< several branches leave this point
  rank_change,                ///< the rank of the constraints changed on the way
  impulse,                    ///< at an event no solution holds the states
  non_finite_value,           ///< an equation evaluated to NaN or infinity
  chattering,                 ///< events follow each other without end
  assertion_failed,           ///< an assertion of the model does not hold
  max_steps_reached,
  boundary_conditions,  ///< of a boundary value problem: dependent or contradictory
  mesh_limit_reached,   ///< the tolerance needs more mesh intervals than allowed
  time_limit_reached,
  cancelled,
  check_failed,  ///< the run ended, but its own independent check did not hold
};

struct StatusInfo {
  Status status;
  std::string_view name;     ///< kebab-case, as in JSON
  std::string_view meaning;  ///< one sentence
  std::string_view causes;
  std::string_view remedies;
  int exit_code;  ///< of the command line
  /// A start that ends so may succeed by another method, and `auto` tries the next one.
  bool tries_next_method = false;
  /// Steps came to nothing: the constraints may be singular there.
  bool may_be_singularity = false;
  /// The run failed where the solution itself may end.
  bool may_be_impasse = false;
};

DAEDAL_EXPORT const StatusInfo& info(Status status);
DAEDAL_EXPORT std::string_view to_string(Status status);
/// The whole table, in the order of the enumeration.
DAEDAL_EXPORT std::span<const StatusInfo> all_statuses();

[[nodiscard]] inline bool is_success(Status status) {
  return status == Status::success || status == Status::event_stop;
}

}  // namespace daedal
