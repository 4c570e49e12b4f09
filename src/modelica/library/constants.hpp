// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The numbers of the package Modelica.Constants, which exporting tools may name without declaring.

#include <optional>
#include <string_view>

namespace daedal::modelica {

/// The value of 'Modelica.Constants.pi' and its like; nothing for any other name.
std::optional<double> library_constant(std::string_view name);

}  // namespace daedal::modelica
