// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <daedal/options.hpp>
#include <string_view>

namespace daedal::integrate {

struct IntegerParameter {
  std::string_view name;
  int fallback = 0;  ///< when it is not given
  int minimum = 0;
  int maximum = 0;
};

/// Reads a whole number from the parameters of an integrator. Throws OptionError{invalid_option}
/// when it is not whole, or outside its range.
int integer_parameter(const MethodParameters& parameters, const IntegerParameter& wanted);

}  // namespace daedal::integrate
