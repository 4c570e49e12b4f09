// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// How methods and integrators are written in one word: "baumgarte:alpha=5,beta=5".

#include <daedal/run_control.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace daedal {

/// "name=value"; throws OptionError{invalid_option}.
std::pair<std::string, double> parse_assignment(std::string_view text);

/// A name and its parameters.
struct NamedChoice {
  std::string name;
  MethodParameters parameters;
};
NamedChoice parse_choice(std::string_view text);

}  // namespace daedal
