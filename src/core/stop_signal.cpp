// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/stop_signal.hpp>

namespace daedal {

namespace {

/// About thirty years: longer limits would overflow the clock.
constexpr double longest = 1e9;

}  // namespace

StopSignal StopSignal::after(double seconds, Clock::time_point begin,
                             const std::atomic<bool>* cancel) {
  StopSignal signal{.cancel = cancel};
  if (seconds < longest) {
    signal.deadline =
        begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  return signal;
}

Status StopSignal::reason() const {
  if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) return Status::cancelled;
  const bool is_late = deadline != Clock::time_point::max() && Clock::now() > deadline;
  return is_late ? Status::time_limit_reached : Status::success;
}

std::string StopSignal::message(const std::string& during) const {
  const bool is_cancelled = reason() == Status::cancelled;
  return (is_cancelled ? "The run was cancelled during " : "The allowed time was used up during ") +
         during + ".";
}

}  // namespace daedal
