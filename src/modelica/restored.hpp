// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

namespace daedal::modelica {

/// Gives a variable another value while it lives.
template <class T>
class Restored {
 public:
  explicit Restored(T& place) : place_(place), old_(place) {}
  Restored(T& place, T value) : place_(place), old_(std::exchange(place, std::move(value))) {}
  ~Restored() { place_ = std::move(old_); }
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;

 private:
  T& place_;
  T old_;
};

}  // namespace daedal::modelica
