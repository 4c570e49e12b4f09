// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Text to tokens. Comments and white space disappear; what is no token is reported and skipped.

#include <string>
#include <string_view>
#include <vector>

#include "modelica/diagnostics.hpp"
#include "modelica/syntax/token.hpp"

namespace daedal::modelica {

/// The tokens of `text`, the last of kind end_of_text.
std::vector<Token> tokenize(std::string_view text, Diagnostics& diagnostics);

/// The content of a string literal or of a quoted identifier, escapes resolved, quotes removed.
std::string unquote(std::string_view literal);

}  // namespace daedal::modelica
