// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What all segments of one run share.

#include <chrono>
#include <daedal/options.hpp>
#include <daedal/solution.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "solve/checks/row_checks.hpp"
#include "solve/feed.hpp"
#include "solve/method_choice.hpp"
#include "solve/preparation.hpp"
#include "solve/run/dense.hpp"

namespace daedal::solve_detail {

struct RunContext {
  TimeSpan span;
  SolveOptions options;
  bool follows_scales = false;   ///< no absolute tolerance was given
  bool is_confirmation = false;  ///< of another run, which is not confirmed itself
  /// A confirmation begins with what brought the other run to its end.
  std::optional<Candidate> proven = std::nullopt;
  bool may_take_series = true;     ///< where they are only faster
  bool may_slide = true;           ///< along surfaces at which the equations jump
  std::vector<double> parameters;  ///< of the prepared model, start values of the run included
  std::chrono::steady_clock::time_point began;
  StopSignal stop;
  const Reading* reading = nullptr;        ///< set when a method has been chosen
  std::shared_ptr<Solution::Dense> dense;  ///< null: no dense output
  Feed* feed = nullptr;                    ///< null: there is no observer
  RowChecks* row_checks = nullptr;         ///< null: the solution keeps what they need
  BoundChecks* bound_checks = nullptr;     ///< null: the model gives no bounds

  /// The solution has every row and every column.
  [[nodiscard]] bool keeps_all() const { return options.columns.empty() && options.keep_rows; }
  [[nodiscard]] bool is_automatic() const { return options.method.is_automatic(); }
  /// Since the run began, with its preparation and all its segments.
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
};

}  // namespace daedal::solve_detail
