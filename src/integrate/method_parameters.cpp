// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/method_parameters.hpp"

#include <fmt/format.h>

#include <cmath>
#include <daedal/error.hpp>

namespace daedal::integrate {

int integer_parameter(const MethodParameters& parameters, const IntegerParameter& wanted) {
  const auto found = parameters.find(std::string(wanted.name));
  if (found == parameters.end()) return wanted.fallback;
  const double value = found->second;
  if (!(value >= wanted.minimum && value <= wanted.maximum) || value != std::floor(value)) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("The parameter '{}' is a whole number from {} to {}, not {}.",
                                  wanted.name, wanted.minimum, wanted.maximum, value));
  }
  return static_cast<int>(value);
}

}  // namespace daedal::integrate
