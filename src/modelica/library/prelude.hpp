// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Functions of the Modelica Standard Library that exporting tools call without writing them out.
/// They are written from the mathematics that each text names. A name that begins with "Modelica."
/// is the full name of a function, any other is the end of one: tools prefix functions of a
/// replaceable package with the place of the component that uses them.

#include <string>
#include <string_view>

namespace daedal::modelica {

/// Their definitions, as model text.
const std::string& prelude_text();
/// Functions of the library begin so.
inline constexpr std::string_view library_prefix = "Modelica.";

// The parts of prelude_text().
/// Conversions of units: to_degC, from_rpm, ...
std::string conversions_text();
/// The files of text/ and media/, one after the other.
std::string_view library_text();

}  // namespace daedal::modelica
