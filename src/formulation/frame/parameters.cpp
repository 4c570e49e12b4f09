// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/frame/parameters.hpp"

#include <fmt/format.h>

#include <daedal/error.hpp>
#include <string>

namespace daedal::formulation {

bool has_parameter(const Request& request, std::string_view name) {
  return request.method_parameters.contains(std::string(name));
}

double parameter(const Request& request, std::string_view name, double otherwise) {
  const auto found = request.method_parameters.find(std::string(name));
  return found == request.method_parameters.end() ? otherwise : found->second;
}

void check_range(std::string_view name, double value, const Range& range) {
  if (value > range.above && value <= range.at_most) return;
  throw OptionError(ErrorCode::invalid_option,
                    fmt::format("The parameter '{}' is {}: it must be above {} and at most {}.",
                                name, value, range.above, range.at_most));
}

}  // namespace daedal::formulation
