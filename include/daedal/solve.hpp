// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The one call most users need:
///
///     Solution s = solve(model, {0.0, 10.0});
///     if (!is_success(s.status)) std::puts(s.message.c_str());

#include <daedal/model.hpp>
#include <daedal/options.hpp>
#include <daedal/problem.hpp>
#include <daedal/solution.hpp>

#include <daedal/export.hpp>

namespace daedal {

/// Solves an initial value problem: prepare() and Problem::solve() in one line. Throws ModelError
/// and OptionError for wrong models and wrong options; everything that happens while solving is in
/// the Solution's status.
DAEDAL_EXPORT Solution solve(const Model& model, const TimeSpan& span,
                             const SolveOptions& options = {});

}  // namespace daedal
