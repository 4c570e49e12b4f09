// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The names that a piece of model text mentions, found before it is parsed: what it may refer to
/// has to be declared for it.

#include <string>
#include <string_view>
#include <vector>

namespace daedal::modelica {

/// Names of model text carry quotes where they are no plain identifiers; models have them without.
std::string unquoted(std::string_view name);

/// The identifiers of an expression as they are written, functions left out.
std::vector<std::string> identifiers(std::string_view text);

}  // namespace daedal::modelica
