// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Jumps that no reinit explains. A prescribed motion with a corner makes its velocity jump at an
/// event, and the force that would be needed for it is an impulse: no number at any time has it,
/// and nothing that integrates the force feels it.

#include <daedal/solution.hpp>
#include <string>

#include "solve/preparation.hpp"

namespace daedal::solve_detail {

/// A full sentence about a differentiated variable that jumps at an event in a model without
/// reinit; empty when none does.
std::string unexplained_jump(const PreparedModel& model, const Solution& solution);

}  // namespace daedal::solve_detail
