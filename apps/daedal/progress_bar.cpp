// SPDX-License-Identifier: BSD-3-Clause
#include "progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace daedal::app {

namespace {

constexpr int width = 40;
constexpr auto period = std::chrono::milliseconds(100);

}  // namespace

ProgressBar::ProgressBar(bool wanted) : active_(wanted && isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void ProgressBar::update(const Progress& progress) {
  if (!active_ || Clock::now() < next_) return;
  next_ = Clock::now() + period;
  drawn_ = true;
  const double fraction = std::clamp(progress.fraction, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(fraction * width);
  fmt::print(stderr, "\r[{}{}] {:3.0f} %  t = {:<10.4g} {} steps", std::string(filled, '#'),
             std::string(width - filled, '.'), 100.0 * fraction, progress.time, progress.steps);
}

}  // namespace daedal::app
