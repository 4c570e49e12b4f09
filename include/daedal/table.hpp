// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Functions of one number from points, beside spline() (function.hpp):
///
///     Function friction = table("friction", {0, 1, 2}, {0, 0.3, 0.4});
///     b.equation(m * der(v) == u - friction(v));

#include <daedal/function.hpp>
#include <string>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

/// Straight lines through points of ascending x, and on beyond the first and the last. It has one
/// derivative, and its kinks are no events. Throws OptionError for points that are none.
DAEDAL_EXPORT Function table(std::string name, std::vector<double> x, std::vector<double> y);

}  // namespace daedal
