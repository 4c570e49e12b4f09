// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "core/types.hpp"

namespace daedal {

/// The first entry that is NaN or infinite, or -1.
inline Index first_not_finite(std::span<const double> values) {
  const auto found = std::ranges::find_if_not(values, [](double v) { return std::isfinite(v); });
  return found == values.end() ? -1 : found - values.begin();
}

}  // namespace daedal
