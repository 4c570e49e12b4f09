// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// When a program becomes machine code: the interpreter runs it first, until it has been evaluated
/// so often that the time to assemble it would have been saved. Evaluations are counted, never
/// timed.

#include <atomic>
#include <cstdint>
#include <memory>

#include "core/types.hpp"
#include "kernel/program.hpp"

namespace daedal::kernel {

class NativeCode;

/// Shared by the threads that evaluate a program.
class Tier {
 public:
  explicit Tier(Index n_operations);
  Tier(const Tier&) = delete;
  Tier& operator=(const Tier&) = delete;
  ~Tier();

  /// The machine code, once there is one.
  [[nodiscard]] const NativeCode* native() const { return native_.load(std::memory_order_acquire); }

  /// After an evaluation by the interpreter. The one that is once too many makes the code.
  void count(const Program::Code& code) {
    if (left_.load(std::memory_order_relaxed) > 0 &&
        left_.fetch_sub(1, std::memory_order_relaxed) == 1) {
      make(code);
    }
  }

 private:
  void make(const Program::Code& code);

  std::atomic<const NativeCode*> native_ = nullptr;
  std::atomic<std::int32_t> left_;  ///< evaluations until the code is made
};

}  // namespace daedal::kernel
