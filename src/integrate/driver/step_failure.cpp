// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/driver/step_failure.hpp"

#include <fmt/format.h>

namespace daedal::integration {

namespace {

StepReport failed(Status status, std::string_view what) {
  StepReport report;
  report.status = status;
  report.message = with_remedy(status, what);
  return report;
}

StepReport not_finite(const System& system, double t, Index row, std::string_view detail) {
  // The rows of an explicit system have no names of their own: its detail says what failed.
  const bool is_named = dynamic_cast<const ImplicitSystem*>(&system) != nullptr;
  if (!is_named && !detail.empty()) {
    return failed(Status::non_finite_value,
                  fmt::format("At t = {:.12g} a value is not finite: {}{}", t, detail,
                              detail.ends_with('.') ? "" : "."));
  }
  const std::string where = row < 0 ? "the system" : row_name(system, row);
  const std::string why = detail.empty() ? "" : fmt::format(" ({})", detail);
  return failed(Status::non_finite_value,
                fmt::format("At t = {:.12g} {} has no finite value{}.", t, where, why));
}

}  // namespace

std::string with_remedy(Status status, std::string_view what) {
  const std::string_view remedies = info(status).remedies;
  return remedies.empty() ? std::string(what) : fmt::format("{} {}", what, remedies);
}

std::string row_name(const System& system, Index row) {
  const auto* implicit = dynamic_cast<const ImplicitSystem*>(&system);
  return implicit != nullptr ? implicit->row_name(row) : fmt::format("equation {}", row + 1);
}

StepReport report_corrector_failure(const ImplicitSystem& system, const CorrectorFailure& failure,
                                    const Run& run) {
  using Cause = CorrectorFailure::Cause;
  switch (failure.cause) {
    case Cause::fatal:
      return report_fatal(system, failure.t, run);
    case Cause::residual_not_finite:
    case Cause::jacobian_not_finite:
      return not_finite(system, failure.t, failure.row, run.failure.detail);
    case Cause::singular_matrix: {
      const std::string who =
          failure.column < 0 ? "some unknown is not determined"
          : failure.column < system.size()
              ? fmt::format("nothing determines {}", system.unknown_name(failure.column))
              : fmt::format("{} depends on the other constraints", system.row_name(failure.column));
      return failed(Status::singular_iteration_matrix,
                    fmt::format("The iteration matrix is singular at t = {:.12g} for every step "
                                "size: {}.",
                                failure.t, who));
    }
    case Cause::none:
    case Cause::diverged:
      break;
  }
  return report_no_convergence(failure.t);
}

StepReport report_fatal(const System& system, double t, const Run& run) {
  const Failure& failure = run.failure;
  const Status status =
      failure.status == Status::success ? Status::non_finite_value : failure.status;
  const std::string where =
      failure.row < 0 ? "" : fmt::format(" in {}", row_name(system, failure.row));
  const std::string_view detail =
      failure.detail.empty() ? info(status).meaning : std::string_view(failure.detail);
  return failed(status,
                fmt::format("The evaluation failed at t = {:.12g}{}: {}", t, where, detail));
}

StepReport report_not_finite(const System& system, double t, const Run& run) {
  // An evaluation may fail for another reason that a smaller step could have cured.
  const bool is_finite =
      run.failure.status != Status::success && run.failure.status != Status::non_finite_value;
  if (is_finite) return report_fatal(system, t, run);
  return not_finite(system, t, run.failure.row, run.failure.detail);
}

StepReport report_underflow(const System& system, double t, double h, Index worst) {
  const std::string who = worst < 0 ? ""
                                    : fmt::format(" The largest local error is that of {}.",
                                                  system.unknown_name(worst));
  return failed(Status::step_size_underflow,
                fmt::format("The step size fell to {:.3g} at t = {:.12g}.{}", h, t, who));
}

StepReport report_no_convergence(double t) {
  return failed(
      Status::newton_failure,
      fmt::format("The corrector did not converge at t = {:.12g} with any step size.", t));
}

StepReport report_too_much_accuracy(double t) {
  return failed(Status::step_size_underflow,
                fmt::format("The tolerance is below what double precision resolves for the values "
                            "of the solution at t = {:.12g}.",
                            t));
}

}  // namespace daedal::integration
