// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Why a step failed, in full sentences: where, which variable or equation, what to try.

#include <string>
#include <string_view>

#include "integrate/multistep/corrector.hpp"
#include "integrate/stepper.hpp"

namespace daedal::integration {

/// "What happened. What to try.", the remedy from the table of statuses.
std::string with_remedy(Status status, std::string_view what);

/// The name of an equation of any system, as far as it has one.
std::string row_name(const System& system, Index row);

/// The report of a corrector that gave up for every step that was tried.
StepReport report_corrector_failure(const ImplicitSystem& system, const CorrectorFailure& failure,
                                    const Run& run);
/// A fatal evaluation: Run::failure says why.
StepReport report_fatal(const System& system, double t, const Run& run);
/// An evaluation that no step made finite.
StepReport report_not_finite(const System& system, double t, const Run& run);
/// `worst` is the unknown with the largest local error, or -1.
StepReport report_underflow(const System& system, double t, double h, Index worst);

/// A corrector that converges with no step.
StepReport report_no_convergence(double t);
/// A tolerance below round-off.
StepReport report_too_much_accuracy(double t);

}  // namespace daedal::integration
