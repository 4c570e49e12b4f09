// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Recursive descent from text to the syntax tree. Written by hand, because at every point it
/// knows what it was about to read and can say so. After a mistake it goes on behind the next `;`.

#include <string_view>

#include "modelica/diagnostics.hpp"
#include "modelica/syntax/ast.hpp"

namespace daedal::modelica {

/// Reads the whole text. Mistakes are in the diagnostics.
Ast parse(std::string_view text, Diagnostics& diagnostics, int max_nesting);
/// Reads definitions that stand in where the text has none, and adds them to its tree.
Ast with_prelude(Ast ast, std::string_view prelude);

}  // namespace daedal::modelica
