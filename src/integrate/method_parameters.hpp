// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <daedal/run_control.hpp>
#include <string_view>

#include "integrate/stepper.hpp"

namespace daedal::integration {

struct IntegerParameter {
  std::string_view name;
  int fallback = 0;  ///< when it is not given
  int minimum = 0;
  int maximum = 0;
};

/// Reads a whole number from the parameters of an integrator. Throws OptionError{invalid_option}
/// when it is not whole, or outside its range.
int integer_parameter(const MethodParameters& parameters, const IntegerParameter& wanted);

/// Checks the options of a code that chooses step and order itself. Throws
/// OptionError{invalid_option} for a fixed step, an order it has not, or tolerances out of range.
void require_variable_step(std::string_view integrator, const StepOptions& options, int max_order);

}  // namespace daedal::integration
