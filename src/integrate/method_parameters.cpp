// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/method_parameters.hpp"

#include <fmt/format.h>

#include <cmath>
#include <daedal/error.hpp>

namespace daedal::integration {

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

void require_variable_step(std::string_view integrator, const StepOptions& options, int max_order) {
  const auto refuse = [](const std::string& sentence) {
    throw OptionError(ErrorCode::invalid_option, sentence);
  };
  if (options.fixed_step > 0.0) {
    refuse(fmt::format("The integrator '{}' chooses its steps itself: it takes no fixed step.",
                       integrator));
  }
  if (options.max_order < 0 || options.max_order > max_order) {
    refuse(fmt::format("The order of '{}' is at most {}.", integrator, max_order));
  }
  if (!(options.rtol >= 0.0 && options.atol >= 0.0 && options.rtol + options.atol > 0.0)) {
    refuse("The tolerances are not negative, and not both zero.");
  }
  if (!(options.max_step > 0.0 && options.initial_step >= 0.0)) {
    refuse("The greatest step is positive, and the initial step is not negative.");
  }
}

}  // namespace daedal::integration
