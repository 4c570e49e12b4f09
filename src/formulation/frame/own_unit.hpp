// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace daedal::formulation {

/// Up to this size unknowns may well be in units of their own: angles that turn are no other
/// lengths for that.
inline constexpr double ordinary_size = 1e3;
/// Of an unknown that starts below this, perhaps at 0 but for rounding, no size is known.
inline constexpr double smallest_start = 1e-6;

/// The unit in which an unknown is compared with others: its nominal value, or where none is given
/// the size that it is known to have, if that is not an ordinary one.
[[nodiscard]] inline double own_unit(double nominal, double size) {
  const bool is_small = size > smallest_start && size < 1.0;
  return nominal == 1.0 && (is_small || size > ordinary_size) ? size : nominal;
}

}  // namespace daedal::formulation
