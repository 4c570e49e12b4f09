// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Numeric parameters of a method, read from a request.

#include <string_view>

#include "core/types.hpp"
#include "formulation/frame/registry.hpp"

namespace daedal::formulation {

/// The value given for `name`, or `otherwise`.
double parameter(const Request& request, std::string_view name, double otherwise);
bool has_parameter(const Request& request, std::string_view name);

struct Range {
  double above = -infinity;   ///< exclusive
  double at_most = infinity;  ///< inclusive
};
/// Throws OptionError{invalid_option} for a value outside its range.
void check_range(std::string_view name, double value, const Range& range);

}  // namespace daedal::formulation
