// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Tells long computations whether to end early, because they were cancelled or their time is used
/// up.

#include <atomic>
#include <chrono>
#include <daedal/status.hpp>
#include <string>

#include <daedal/export.hpp>

namespace daedal {

struct StopSignal {
  using Clock = std::chrono::steady_clock;

  const std::atomic<bool>* cancel = nullptr;
  Clock::time_point deadline = Clock::time_point::max();

  /// `seconds` from `begin` on, or without end where that is infinite.
  DAEDAL_EXPORT static StopSignal after(double seconds, Clock::time_point begin,
                                        const std::atomic<bool>* cancel);

  /// success while work may go on; cancelled, or time_limit_reached.
  [[nodiscard]] DAEDAL_EXPORT Status reason() const;
  [[nodiscard]] bool is_raised() const { return reason() != Status::success; }
  /// "The run was cancelled during the search for initial values."
  [[nodiscard]] DAEDAL_EXPORT std::string message(const std::string& during) const;
};

}  // namespace daedal
