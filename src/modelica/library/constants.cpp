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

constexpr double pi = std::numbers::pi;
// The defining constants of the SI (BIPM, The International System of Units, 9th edition).
constexpr double c = 299792458.0;
constexpr double h = 6.62607015e-34;
constexpr double k = 1.380649e-23;
constexpr double q = 1.602176634e-19;
constexpr double avogadro = 6.02214076e23;
// Measured ones: CODATA 2018.
constexpr double mu_0 = 4.0 * pi * 1.00000000055e-7;

constexpr Constant constants[] = {
    {"pi", pi},
    {"e", std::numbers::e},
    {"eps", 1e-15},
    {"small", 1e-60},
    {"inf", 1e60},
    {"Integer_inf", std::numeric_limits<std::int32_t>::max()},
    {"D2R", pi / 180.0},
    {"R2D", 180.0 / pi},
    {"gamma", 0.57721566490153286061},
    {"c", c},
    {"g_n", 9.80665},
    {"G", 6.67430e-11},
    {"q", q},
    {"F", q* avogadro},
    {"h", h},
    {"k", k},
    {"R", k* avogadro},
    {"sigma", 2.0 * pi* pi* pi* pi* pi* k* k* k* k / (15.0 * h * h * h * c * c)},
    {"N_A", avogadro},
    {"mu_0", mu_0},
    {"mue_0", mu_0},
    {"epsilon_0", 1.0 / (mu_0 * c * c)},
    {"T_zero", -273.15},
};

}  // namespace

std::optional<double> library_constant(std::string_view name) {
  constexpr std::string_view package = "Modelica.Constants.";
  if (!name.starts_with(package)) return std::nullopt;
  const auto* const row =
      std::ranges::find(constants, name.substr(package.size()), &Constant::name);
  if (row == std::end(constants)) return std::nullopt;
  return row->value;
}

}  // namespace daedal::modelica
