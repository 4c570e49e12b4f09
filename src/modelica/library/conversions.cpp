// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <numbers>

#include "modelica/library/prelude.hpp"

namespace daedal::modelica {

namespace {

/// SI value = factor * (value in the unit) + offset. Factors by definition of the units (BIPM, The
/// International System of Units, 9th edition; the mmHg of ISO 80000-4 is 133.322 Pa).
struct Unit {
  std::string_view name;
  double factor;
  double offset = 0.0;
};

constexpr Unit units[] = {
    {"degC", 1.0, 273.15},
    {"degF", 5.0 / 9.0, 273.15 - 32.0 * 5.0 / 9.0},
    {"degRk", 5.0 / 9.0},
    {"deg", std::numbers::pi / 180.0},
    {"rpm", std::numbers::pi / 30.0},
    {"kmh", 1.0 / 3.6},
    {"day", 86400.0},
    {"hour", 3600.0},
    {"minute", 60.0},
    {"litre", 1e-3},
    {"kWh", 3.6e6},
    {"Wh", 3600.0},
    {"bar", 1e5},
    {"gps", 1e-3},
    {"cm2", 1e-4},
    {"Hz", 2.0 * std::numbers::pi},
    {"mmHg", 133.322},
};

}  // namespace

std::string conversions_text() {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    text += fmt::format(
        "function 'Conversions.{0}'\n  input Real u;\n  output Real y;\nalgorithm\n  y := {1};\n"
        "end 'Conversions.{0}';\n",
        name, value);
  };
  for (const Unit& unit : units) {
    add(fmt::format("from_{}", unit.name), fmt::format("u * {} + {}", unit.factor, unit.offset));
    add(fmt::format("to_{}", unit.name), fmt::format("(u - {}) / {}", unit.offset, unit.factor));
  }
  return text;
}

}  // namespace daedal::modelica
