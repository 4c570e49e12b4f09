// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Threads that take turns in the order in which they come: one that steps without a pause leaves
/// no other one waiting, as a mutex would. Who has the turn may take it once more.

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace daedal::solve_detail {

/// For std::lock_guard and std::unique_lock.
class Turns {
 public:
  void lock() {
    std::unique_lock hold(mutex_);
    const std::thread::id me = std::this_thread::get_id();
    if (owner_ != me) {
      const std::uint64_t number = n_asked_++;
      comes_.wait(hold, [&] { return number == n_done_; });
      owner_ = me;
    }
    ++depth_;
  }
  void unlock() {
    {
      const std::lock_guard hold(mutex_);
      if (--depth_ > 0) return;
      owner_ = {};
      ++n_done_;
    }
    comes_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable comes_;
  std::uint64_t n_asked_ = 0, n_done_ = 0;
  std::thread::id owner_;
  int depth_ = 0;
};

}  // namespace daedal::solve_detail
