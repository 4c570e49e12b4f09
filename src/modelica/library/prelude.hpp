// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Functions of the Modelica Standard Library that exporting tools call without writing them out.

#include <string>
#include <string_view>

namespace daedal::modelica {

/// Their definitions, as model text.
const std::string& prelude_text();
/// Functions of the library begin so.
inline constexpr std::string_view library_prefix = "Modelica.";

}  // namespace daedal::modelica
