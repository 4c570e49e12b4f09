// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/library/constants.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numbers>

namespace daedal::modelica {

namespace {

struct Constant {
  std::string_view name;
  double value;
};

// The defining constants of the SI (BIPM, The International System of Units, 9th edition).
constexpr double speed_of_light = 299792458.0;
constexpr double planck = 6.62607015e-34;
constexpr double boltzmann = 1.380649e-23;
constexpr double elementary_charge = 1.602176634e-19;
constexpr double avogadro = 6.02214076e23;
// Measured: CODATA 2018.
constexpr double magnetic_constant = 4.0 * std::numbers::pi * 1.00000000055e-7;

/// 2 π⁵ k⁴/(15 h³ c²).
constexpr double stefan_boltzmann() {
  using std::numbers::pi;
  const double per_quantum = boltzmann / planck;
  return 2.0 * pi * pi * pi * pi * pi * per_quantum * per_quantum * per_quantum * boltzmann /
         (15.0 * speed_of_light * speed_of_light);
}

constexpr Constant library_constants[] = {
    {"pi", std::numbers::pi},
    {"e", std::numbers::e},
    {"eps", std::numeric_limits<double>::epsilon()},
    {"small", std::numeric_limits<double>::min()},
    {"inf", 1e60},  // the library's word for a number that no quantity reaches
    {"Integer_inf", std::numeric_limits<std::int32_t>::max()},
    {"D2R", std::numbers::pi / 180.0},
    {"R2D", 180.0 / std::numbers::pi},
    {"gamma", std::numbers::egamma},
    {"c", speed_of_light},
    {"g_n", 9.80665},
    {"G", 6.67430e-11},
    {"q", elementary_charge},
    {"F", elementary_charge* avogadro},
    {"h", planck},
    {"k", boltzmann},
    {"R", boltzmann* avogadro},
    {"sigma", stefan_boltzmann()},
    {"N_A", avogadro},
    {"mu_0", magnetic_constant},
    {"mue_0", magnetic_constant},
    {"epsilon_0", 1.0 / (magnetic_constant * speed_of_light * speed_of_light)},
    {"T_zero", -273.15},
};

}  // namespace

std::optional<double> library_constant(std::string_view name) {
  constexpr std::string_view package = "Modelica.Constants.";
  if (!name.starts_with(package)) return std::nullopt;
  const auto* const row =
      std::ranges::find(library_constants, name.substr(package.size()), &Constant::name);
  if (row == std::end(library_constants)) return std::nullopt;
  return row->value;
}

}  // namespace daedal::modelica
