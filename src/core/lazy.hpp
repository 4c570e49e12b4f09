// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A value that is made when it is first asked for, once, whichever thread asks.

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

namespace daedal {

template <class Value>
class Lazy {
 public:
  /// Where `make` throws, nothing is kept and the next call makes it again.
  template <class Make>
  const Value& get(Make&& make) const {
    // Not std::call_once(): an exception in glibc's frames ends a program that is out of memory.
    if (!is_made_.load(std::memory_order_acquire)) {
      const std::lock_guard lock(mutex_);
      if (!value_) value_.emplace(std::forward<Make>(make)());
      is_made_.store(true, std::memory_order_release);
    }
    return *value_;
  }
  /// The value if it has been made, otherwise null.
  [[nodiscard]] const Value* if_made() const {
    return is_made_.load(std::memory_order_acquire) ? &*value_ : nullptr;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::atomic<bool> is_made_ = false;
  mutable std::optional<Value> value_;
};

}  // namespace daedal
