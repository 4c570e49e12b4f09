// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The lines that the reports of all solutions share.

#include <daedal/solution.hpp>
#include <string>

namespace daedal::solve_detail {

/// Model and status; for a failure what causes it and what to try.
void append_outcome(const Solution& solution, std::string& text);
/// Evaluations, Jacobians and factorisations.
void append_work(const Solution& solution, std::string& text);
void append_constraints(const Solution& solution, std::string& text);
/// Wall clock, notes and warnings.
void append_remarks(const Solution& solution, std::string& text);

}  // namespace daedal::solve_detail
