// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Which integrator steps a formulation, which pairs are refused by name, and the options it gets.

#include <daedal/options.hpp>
#include <string>

#include "formulation/frame/registry.hpp"
#include "integrate/driver/driver.hpp"
#include "integrate/registry.hpp"

namespace daedal::solve_detail {

/// Whether the integrator asked for is one for implicit systems.
bool prefers_implicit(const SolveOptions& options);
/// Whether it steps explicit systems alone.
bool prefers_explicit(const SolveOptions& options);
/// Capabilities::real_stability of the integrator asked for; infinity for "auto".
double stability(const SolveOptions& options);

/// The integrator asked for, or the method's own for "auto".
/// Throws OptionError{illegal_combination} when it cannot step what the method yields.
const integration::IntegratorRow& choose_integrator(const formulation::MethodRow& method,
                                                    const formulation::Formulation& formulation,
                                                    const SolveOptions& options);

/// Throws OptionError for a chart that the method does not take or lacks.
void check_chart(const formulation::MethodRow& method, const SolveOptions& options);

/// Throws OptionError for methods and integrators that do not exist, and for fields that they do
/// not have or whose values are out of range.
void check_selections(const SolveOptions& options);

/// Throws OptionError{illegal_combination} when singular positions are to be watched for and the
/// method does not see them.
void check_watching(const formulation::MethodRow& method,
                    const formulation::Formulation& formulation, const SolveOptions& options);

/// Throws OptionError{illegal_combination} for an integrator that has no fixed step where one is
/// given, or no other where none is.
void check_steps(const integration::IntegratorRow& integrator, const SolveOptions& options);

/// Throws OptionError{invalid_option} for tolerances, steps and spans that no run can meet.
void check_options(const TimeSpan& span, const SolveOptions& options);

/// The default absolute tolerance (given as 0) is a hundredth of the relative one.
inline double absolute_tolerance(double atol, double rtol) {
  return atol == 0.0 ? 1e-2 * rtol : atol;
}

/// What the options say to a stepper and to the driver.
integration::StepOptions step_options(const SolveOptions& options, bool symmetric_projection);
integration::DriverOptions driver_options(const TimeSpan& span, const SolveOptions& options);

/// For a run whose steps were as short as stability demands.
std::string stiffness_warning(const integration::IntegratorRow& integrator);

}  // namespace daedal::solve_detail
