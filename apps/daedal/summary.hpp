// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What a person at a terminal has to know about a run: what was solved, how well, what to look at.
/// Everything else is in full_report().

#include <daedal/analyze.hpp>
#include <daedal/bvp.hpp>
#include <daedal/solution.hpp>
#include <string>
#include <vector>

namespace daedal::app {

std::string summary(const Solution& solution);
std::string summary(const BvpSolution& solution);
/// Without the assumptions that hold, the ranks behind them and long lists.
std::string summary(Analysis analysis);

/// Remarks that differ in their numbers alone are one, with their count; long ones are cut.
std::vector<std::string> grouped(const std::vector<std::string>& remarks);

}  // namespace daedal::app
