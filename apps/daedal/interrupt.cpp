// SPDX-License-Identifier: BSD-3-Clause
#include "interrupt.hpp"

#include <csignal>
#include <cstdint>
#include <ctime>

namespace daedal::app {

namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only set such a flag");

/// A signal that follows the first one sooner is not a second interruption by the user: `timeout`
/// and some shells signal a program and then its whole group.
constexpr std::int64_t same_wish_milliseconds = 100;
std::atomic<std::int64_t> first_time = 0;
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

/// clock_gettime() may be called in a signal handler.
std::int64_t milliseconds() {
  std::timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1000 * static_cast<std::int64_t>(now.tv_sec) + now.tv_nsec / 1'000'000;
}

extern "C" void on_signal(int signal) {
  if (!interrupted.exchange(true)) {
    first_time = milliseconds();
  } else if (milliseconds() - first_time > same_wish_milliseconds) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

const std::atomic<bool>& catch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  std::signal(SIGHUP, on_signal);
  return interrupted;
}

}  // namespace daedal::app
