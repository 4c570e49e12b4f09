// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Whether variables stay within the bounds (min, max) that the model gives them. Bounds are no
/// equations: a run goes on beyond them, and says so.

#include <daedal/model.hpp>
#include <daedal/solution.hpp>
#include <string>
#include <vector>

namespace daedal::solve_detail {

/// A full sentence for every variable that left its bounds by more than the tolerance, with the
/// time at which it first did.
std::vector<std::string> bounds_left(const Model& model, const Solution& solution);

}  // namespace daedal::solve_detail
