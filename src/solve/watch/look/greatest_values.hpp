// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The greatest magnitude of the steep functions over a step, beside which a change of theirs is
/// judged to be flat or not (WatchedFunctions::is_flat).

#include <vector>

#include "solve/watch/look/sampled_step.hpp"
#include "solve/watch/look_budget.hpp"

namespace daedal::solve_detail {

/// Upper bounds, by number of the function, of the steep suspects and of the functions that cover
/// them; 0 where a function has no finite bound.
[[nodiscard]] std::vector<double> greatest_values(SampledStep& step, LookBudget& budget);

}  // namespace daedal::solve_detail
