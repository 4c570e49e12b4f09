// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A second run of a problem where errors can have grown to the size of the result of the first:
/// with a sharper tolerance or half the step, and a warning where the two have no digit in common.

#include <memory>
#include <optional>

#include "solve/run/run_context.hpp"
#include "solve/run/run_record.hpp"

namespace daedal::solve_detail {

/// A run that is over and that a run from the start would repeat.
struct FinishedRun {
  std::shared_ptr<const Preparation> preparation;
  const RunContext& context;
  const std::optional<Candidate>& last_from_start;  ///< the method that brought it to its end
  RunRecord& record;
};

/// Runs the problem again where that is necessary, and adds what it shows to the record.
void confirm(const FinishedRun& first);

}  // namespace daedal::solve_detail
