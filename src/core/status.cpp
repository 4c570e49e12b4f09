// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <daedal/status.hpp>

namespace daedal {

namespace {

/// Exit codes of the program, a contract of docs/command-line.md; 130 is 128 + SIGINT, as shells
/// report an interrupt.
constexpr int solved = 0;
constexpr int run_failed = 1;
constexpr int model_error = 3;
constexpr int interrupted = 130;

/// What `auto` and the diagnoses make of a status, see StatusInfo.
enum Flags : unsigned { none = 0, next_method = 1, singularity = 2, impasse = 4 };

constexpr StatusInfo row(StatusInfo info, unsigned flags) {
  info.tries_next_method = (flags & next_method) != 0;
  info.may_be_singularity = (flags & singularity) != 0;
  info.may_be_impasse = (flags & impasse) != 0;
  return info;
}

constexpr std::array table{
    StatusInfo{Status::success, "success", "The run reached its end within tolerance.", "", "",
               solved},
    StatusInfo{Status::event_stop, "event-stop", "A terminal event of the model ended the run.",
               "terminate() in a when-clause, or a terminal event.", "", solved},
    row(
        StatusInfo{
            Status::step_size_underflow, "step-size-underflow",
            "The error test demands steps below the resolution of floating-point time.",
            "A singularity of the solution, a discontinuity without an event, or a tolerance "
            "below round-off.",
            "Loosen the tolerance, look at the model near the time of failure, write "
            "discontinuities as if-expressions without noEvent.",
            run_failed},
        singularity | impasse),
    row(
        StatusInfo{
            Status::newton_failure, "newton-failure",
            "The corrector equations could not be solved with any step size.",
            "Bad start values of algebraic variables, a higher index than assumed, a solution "
            "that ceases to exist.",
            "Give better start values, another method, or a smaller initial step.", run_failed},
        singularity | impasse),
    row(
        StatusInfo{
            Status::singular_iteration_matrix, "singular-iteration-matrix",
            "The iteration matrix has no inverse.",
            "Redundant equations, a singular position, an unknown that nothing determines here.",
            "Use a method for redundant or singular constraints, or check the named equations.",
            run_failed},
        next_method | singularity | impasse),
    StatusInfo{Status::inconsistent_start, "inconsistent-start",
               "No initial values satisfy the equations and the fixed start values together.",
               "Too many fixed values, or contradictory ones.",
               "Free some of the named start values (fixed = false), or correct them.", run_failed},
    row(
        StatusInfo{
            Status::no_unique_solution, "no-unique-solution",
            "The equations do not determine the solution: the pencil is singular for every step.",
            "An equation that says nothing new, a variable that appears in no equation of its "
            "own.",
            "Add the missing equation, or remove the undetermined variable.", run_failed},
        next_method),
    row(StatusInfo{Status::index_too_high, "index-too-high",
                   "The model's index is above what the method takes.",
                   "Constraints on differential variables.",
                   "Use a method for higher index, or auto.", run_failed},
        next_method),
    StatusInfo{Status::method_does_not_fit, "method-does-not-fit",
               "The model does not have the form that the method needs.",
               "A method for constrained mechanics, for Hessenberg systems or for explicit "
               "equations, and a model of another kind.",
               "Use a method for general models, or auto.", run_failed},
    StatusInfo{Status::inconsistent_constraints, "inconsistent-constraints",
               "Redundant constraints contradict each other.",
               "A mechanism that cannot be assembled as described.",
               "Correct the named constraints.", run_failed},
    StatusInfo{Status::impasse_point, "impasse-point",
               "The solution ends here: beyond this time no solution exists.",
               "A fold of the constraint manifold that the motion runs into.",
               "The model is at fault, or the question: no method passes this point.", run_failed},
    StatusInfo{Status::lock_up, "lock-up", "The mechanism cannot move on as prescribed.",
               "A prescribed motion beyond the reach of the mechanism.",
               "Change the prescribed motion or the dimensions.", run_failed},
    row(StatusInfo{Status::bifurcation, "bifurcation", "Several branches leave this point.",
                   "A singular position at which the mechanism may continue in more than one way.",
                   "Choose a regularising method; it continues on the smooth branch.", run_failed},
        impasse),
    row(StatusInfo{Status::rank_change, "rank-change",
                   "The rank of the constraints changed during the run.",
                   "A singular position, or a model whose structure depends on its state.",
                   "Use a regularising method.", run_failed},
        impasse),
    StatusInfo{Status::impulse, "impulse",
               "At an event no solution holds the states: they would have to jump.",
               "Equations that constrain states from the event on, such as a switch that joins two "
               "charged capacitors.",
               "Give the values after the event by reinit, or model what limits the jump: a "
               "resistance, a spring.",
               run_failed},
    row(StatusInfo{Status::non_finite_value, "non-finite-value",
                   "An equation evaluated to NaN or infinity.",
                   "A division by zero, a root or logarithm of a negative number, a bad parameter.",
                   "Look at the named equation; give better start values.", run_failed},
        next_method | singularity | impasse),
    StatusInfo{Status::chattering, "chattering", "Events follow each other without end.",
               "Two modes that each drive the model into the other, or accumulating impacts.",
               "Add hysteresis, or end the run by a terminal event.", run_failed},
    StatusInfo{
        Status::assertion_failed, "assertion-failed", "An assertion of the model does not hold.",
        "The model was driven outside the range that its author allows.",
        "Look at the message of the assertion; change parameters or start values.", run_failed},
    row(StatusInfo{Status::max_steps_reached, "max-steps-reached",
                   "The allowed number of steps was used up.",
                   "A stiff model with an explicit scheme, "
                   "a very long run, or a model that is wrong.",
                   "Raise the limit, or choose another integrator.", run_failed},
        impasse),
    StatusInfo{Status::boundary_conditions, "boundary-conditions",
               "The boundary conditions do not determine one solution.",
               "Conditions that follow from others and from the equations, or contradict them.",
               "Replace one of the named conditions.", run_failed},
    StatusInfo{Status::mesh_limit_reached, "mesh-limit-reached",
               "The tolerance asks for more mesh intervals than are allowed.",
               "A layer or a singularity of the solution, a low order, or a tight tolerance.",
               "Raise the limit, take more collocation points, or loosen the tolerance.",
               run_failed},
    StatusInfo{Status::time_limit_reached, "time-limit-reached",
               "The allowed wall-clock time was used up.", "A long run.", "Raise the limit.",
               run_failed},
    StatusInfo{Status::cancelled, "cancelled", "The run was cancelled.", "An interrupt.",
               "What was computed is kept.", interrupted},
    StatusInfo{Status::check_failed, "check-failed",
               "The run ended, but its result does not satisfy the model's equations.",
               "A method or a simplification that is wrong for this model, or a far too loose "
               "tolerance.",
               "Try another method or a tighter tolerance.", run_failed},
};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].status) != i) return false;
  }
  return table.size() == static_cast<std::size_t>(Status::check_failed) + 1;
}
static_assert(is_in_order(), "info() indexes the table by the status");

}  // namespace

const StatusInfo& info(Status status) {
  return table[static_cast<std::size_t>(status)];
}

std::string_view to_string(Status status) {
  return info(status).name;
}

std::span<const StatusInfo> all_statuses() {
  return table;
}

}  // namespace daedal
