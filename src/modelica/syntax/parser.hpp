// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A recursive descent parser from text to the syntax tree, written by hand so that its messages
/// can say what was expected. After an error it continues behind the next `;`.

#include <string_view>

#include "modelica/diagnostics.hpp"
#include "modelica/syntax/ast.hpp"

namespace daedal::modelica {

/// Reads the whole text. Mistakes are in the diagnostics.
Ast parse(std::string_view text, Diagnostics& diagnostics, int max_nesting);
/// Reads definitions that stand in where the text has none, and adds them to its tree.
Ast with_prelude(Ast ast, std::string_view prelude);

}  // namespace daedal::modelica
