// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <daedal/options.hpp>

namespace daedal::app {

/// A bar on standard error for runs over a second, when it is a terminal.
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  [[nodiscard]] bool is_active() const { return active_; }
  void update(const Progress& progress);

 private:
  using Clock = std::chrono::steady_clock;
  bool active_ = false;
  bool drawn_ = false;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
};

}  // namespace daedal::app
