// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Functions of the Modelica Standard Library that exporting tools call without writing them out,
/// as model text. They are written from the mathematics that each file names. A name that begins
/// with "Modelica." is the full name of a function, any other is the end of one: tools prefix
/// functions of a replaceable package with the place of the component that uses them.

#include <string>
#include <string_view>

namespace daedal::modelica {

/// Conversions of units: to_degC, from_rpm, ...
std::string conversions_text();
/// Vectors, matrices and distributions.
std::string_view mathematics_text();
/// Frames of multibody systems.
std::string_view mechanics_text();
/// Coefficients of filters, and the devices of SPICE.
std::string_view electronics_text();
/// Wall friction and the functions that regularise it.
std::string_view fluid_text();
/// Ideal gases and their mixtures.
std::string_view ideal_gases_text();
/// Dry air as a real gas.
std::string_view dry_air_text();
/// Moist air, with ice.
std::string_view moist_air_text();
/// The refrigerant R134a.
std::string_view r134a_text();
/// Records of media.
std::string_view media_records_text();
/// Water and steam.
std::string_view water_text();

}  // namespace daedal::modelica
